// What a bot of the reader's printed with the move on the table: its log is on the page, cut at the moves.

import { element } from "./replay_cards.js";

export class Prints {
  // `box` shows them; `logs` are the elements that hold each bot's prints, each with the step it came with; `names` are
  // by seat.
  constructor({ box, logs, names }) {
    Object.assign(this, { box, names });
    this.parts = logs.flatMap((log) => [...log.children].map((part) => ({ step: part.dataset.step, who: log.dataset.who, text: part.textContent })));
    box.hidden = false;
  }

  show(at, sight) {
    const here = this.parts.filter(({ step }) => step === String(at));
    const shown = here.flatMap(({ who, text }) => {
      const isInView = sight === null || who === this.names[sight]; // it may name the cards of its hand
      return isInView ? [element("p", "who", `${who} printed`), element("pre", "", text)] : [element("p", "muted", `What ${who} printed is hidden in this view.`)];
    });
    this.box.replaceChildren(...(shown.length ? shown : [element("p", "muted", "Nothing was printed with this move.")]));
    this.box.scrollTop = 0;
  }
}
