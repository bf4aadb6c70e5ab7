// Shows every <time datetime> in the reader's own zone: "3 minutes ago" when recent, else the date, with the time within
// half a year.
// The server's text (UTC) stays when this module does not run; the full moment is the title, for who points at it.
//
// It runs before the page is drawn. A browser takes tens of milliseconds to make a date format, so none is made that the
// page does not show.

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
const NEAR = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const FAR = { day: "numeric", month: "short", year: "numeric" };
const FULL = { dateStyle: "full", timeStyle: "long" };
const made = new Map();

function format(moment, style) {
  if (!made.has(style)) made.set(style, new Intl.DateTimeFormat(undefined, style));
  return made.get(style).format(moment);
}

function relative(count, unit) {
  const size = Math.abs(count);
  if (unit === "day" && size === 1) return count < 0 ? "yesterday" : "tomorrow";
  const words = `${size} ${unit}${size === 1 ? "" : "s"}`;
  return count < 0 ? `${words} ago` : `in ${words}`;
}

function words(moment) {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 60) return "just now";
  if (distance < 3 * 86400) {
    const [unit, size] = UNITS.find(([, size]) => distance >= size);
    return relative(Math.trunc(seconds / size), unit);
  }
  return format(moment, distance < 180 * 86400 ? NEAR : FAR);
}

function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (!Number.isNaN(moment.getTime())) element.textContent = words(moment);
  }
}

function tell({ target }) {
  const moment = target.matches?.("time[datetime]") ? new Date(target.dateTime) : NaN;
  if (!Number.isNaN(Number(moment))) target.title = format(moment, FULL);
}

localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target));
document.addEventListener("pointerover", tell);
setInterval(() => localise(document), 30_000);
