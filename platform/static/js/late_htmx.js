// Brings htmx when a part of the page is about to ask for something: soon where one asks by itself, else when the reader
// points at one or reaches it. A phone works on htmx for a sixth of a second, and links and forms do without it.

const ASKS = "[hx-get], [hx-post]";
const SOON = 2000; // milliseconds, in which a part that asks by itself has nothing new, and a reader may want to begin
let coming = null;
let isHere = false;
let typed = null; // what the reader wrote into while htmx was on its way

async function bring() {
  // Between DOMContentLoaded and load htmx would wait for an event that has been.
  if (document.readyState !== "complete") await new Promise((done) => window.addEventListener("load", done, { once: true }));
  try {
    await import("../vendor/htmx.min.js");
  } catch (error) {
    console.error(error); // links and forms go on without it
  }
  isHere = true;
  typed?.dispatchEvent(new Event("input", { bubbles: true }));
}

const load = () => (coming ??= bring());

function near({ target }) {
  const part = isHere || coming ? null : target.closest?.(`form, ${ASKS}`);
  if (part && (part.matches(ASKS) || part.querySelector(ASKS))) load();
}

// A click that comes before htmx waits for it.
async function hold(event) {
  const part = isHere ? null : event.target.closest(":is(a, button):is([hx-get], [hx-post])");
  if (!part || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  await load();
  part.click();
}

document.addEventListener("pointerover", near);
document.addEventListener("focusin", near);
document.addEventListener("click", hold, true);
document.addEventListener("input", ({ target }) => {
  if (coming && !isHere) typed = target;
});
if (document.querySelector('[hx-trigger^="every"]')) setTimeout(load, SOON);
if (document.activeElement) near({ target: document.activeElement });
