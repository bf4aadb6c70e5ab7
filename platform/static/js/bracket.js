// A tournament's page. An entrant's way through the bracket lights up while the reader points at its name or its wire. A
// bracket that is being played begins where it is played. When htmx brings a newer page the bracket stays where the
// reader moved it, and what the reader folded or unfolded stays so.

const ROOM = 60;
let traced = [];
let place = null;
const folds = new Map();

document.addEventListener("pointerover", (event) => {
  for (const part of traced) part.classList.remove("traced");
  const bracket = event.target.closest("[data-bracket]");
  const entrant = bracket && event.target.closest("[data-entrant]")?.dataset.entrant;
  traced = entrant ? bracket.querySelectorAll(`[data-entrant="${entrant}"]`) : [];
  for (const part of traced) part.classList.add("traced");
});

// A scroll does not bubble, so it is caught on its way down.
document.addEventListener("scroll", ({ target }) => {
  if (target.dataset?.bracket !== undefined) place = [target.scrollLeft, target.scrollTop];
}, true);

// The keyboard clicks a summary too; at that moment its part is still as it was.
document.addEventListener("click", (event) => {
  const part = event.target.closest("summary")?.parentElement;
  if (part?.id) folds.set(part.id, !part.open);
});

function settle() {
  for (const [id, open] of folds) document.getElementById(id)?.toggleAttribute("open", open);
  const bracket = document.querySelector("[data-bracket]");
  if (!bracket) return;
  if (place) {
    bracket.scrollTo(...place);
    return;
  }
  const current = (bracket.querySelector(".box.live") ?? bracket.querySelector(".box.next"))?.getBoundingClientRect();
  const frame = bracket.getBoundingClientRect();
  if (current && current.right > frame.right) bracket.scrollLeft += current.left - frame.left - ROOM;
  if (current && current.bottom > frame.bottom) bracket.scrollTop += current.top - frame.top - ROOM;
}

settle();
document.addEventListener("htmx:load", settle);
