// Shows every <time datetime> in the reader's own zone: "3 minutes ago" when recent, else date and time.
// The server's text (UTC) stays when this module does not run; the full moment is the title.

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const near = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const far = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

function words(moment) {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 60) return "just now";
  if (distance < 3 * 86400) {
    const [unit, size] = UNITS.find(([, size]) => distance >= size);
    return relative.format(Math.trunc(seconds / size), unit);
  }
  return (distance < 180 * 86400 ? near : far).format(moment);
}

function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = words(moment);
    element.title = full.format(moment);
  }
}

localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target));
setInterval(() => localise(document), 30_000);
