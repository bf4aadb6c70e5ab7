// A form that was sent is not sent again by an impatient second tap, whose answer would be the one that is seen: that the
// bot is entered already, that the name is taken. After a while, and when the page is come back to, it can be.

const AGAIN = 5000; // milliseconds
const sent = new Set();

window.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  if (sent.has(form)) return event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), AGAIN);
});
window.addEventListener("pageshow", () => sent.clear());
