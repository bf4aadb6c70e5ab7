// A new tournament's times are the reader's: its time zone is chosen beforehand, and entries from now for a day.

const form = document.querySelector("form[data-guess-zone]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const wall = (moment) => new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

if (form && !document.querySelector(".errorlist") && [...form.elements.zone.options].some(({ value }) => value === zone)) {
  const now = new Date();
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, now.getHours() + 1);
  form.elements.zone.value = zone;
  form.elements.opens_at.value ||= wall(now);
  form.elements.closes_at.value ||= wall(tomorrow);
}
