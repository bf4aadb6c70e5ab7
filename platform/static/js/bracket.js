// An entrant's way through the bracket lights up while the reader points at its name or its wire.

for (const bracket of document.querySelectorAll("[data-bracket]")) {
  let traced = [];

  const trace = (event) => {
    for (const part of traced) part.classList.remove("traced");
    const entrant = event.type === "pointerover" ? event.target.closest("[data-entrant]")?.dataset.entrant : undefined;
    traced = entrant === undefined ? [] : bracket.querySelectorAll(`[data-entrant="${entrant}"]`);
    for (const part of traced) part.classList.add("traced");
  };

  bracket.addEventListener("pointerover", trace);
  bracket.addEventListener("pointerleave", trace);
}
