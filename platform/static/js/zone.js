// A new tournament's times are the reader's: its time zone is chosen beforehand.

const select = document.querySelector("form[data-guess-zone] select[name=zone]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (select && !document.querySelector(".errorlist") && [...select.options].some((option) => option.value === zone)) {
  select.value = zone;
}
