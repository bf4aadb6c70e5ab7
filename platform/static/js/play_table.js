// The card table of a replay with a person at it: their cards are buttons, stock and pile can be drawn from.

import { card, element } from "./replay_cards.js";
import { Table } from "./replay_table.js";

const RANKS = "A23456789TJQK";
const SUITS = "cdhs";
const FAR = 8; // pixels that a pointer moves before it drags

const rankOf = (code) => RANKS.indexOf(code[0]);
const suitOf = (code) => SUITS.indexOf(code[1]);
const ORDERS = {
  rank: (one, other) => rankOf(one) - rankOf(other) || suitOf(one) - suitOf(other),
  suit: (one, other) => suitOf(one) - suitOf(other) || rankOf(one) - rankOf(other),
};

export class PlayTable extends Table {
  // `seat` is the person's; `draw` takes "s" or "u", `choose` a card that was clicked, `drop` one dragged to the pile.
  constructor(felt, { names, seat, draw, choose, drop }) {
    super(felt, names, 1 - seat);
    Object.assign(this, { mine: seat, choose, drop, sort: "melds", chosen: "", isOpen: false, draws: [], dropped: null });
    this.knownAs = "you saw these";
    this.said.removeAttribute("aria-live"); // what happened is said with what to do
    this.seats[seat].box.classList.add("mine");
    this.stock.addEventListener("click", () => this.draws.includes("s") && draw("s"));
    this.pileBox = this.pile.row.parentElement;
    this.pileBox.addEventListener("click", () => this.draws.includes("u") && draw("u"));
    this.seats[seat].hand.addEventListener("pointerdown", (event) => this.grab(event));
  }

  // `choices` are what the person may do now, or null.
  show(step, { choices, chosen, sort, ...rest }) {
    Object.assign(this, { chosen, sort, isOpen: Boolean(choices?.discards), draws: choices?.draws ?? [] });
    this.stock.classList.toggle("can-draw", this.draws.includes("s"));
    this.pileBox.classList.toggle("can-draw", this.draws.includes("u"));
    this.draw(step, { ...rest, sight: this.mine });
  }

  drawHand(step, seat, sight) {
    if (seat !== this.mine || step.showdown) return super.drawHand(step, seat, sight);
    const { melds, deadwood, points } = step.seats[seat];
    const groups = this.sort === "melds" ? melds.map((codes) => this.group([...codes].sort(ORDERS.rank), codes[0][0] === codes[1][0] ? "set" : "run", step, true)) : [];
    const loose = this.sort === "melds" ? [...deadwood].sort(ORDERS.rank) : [...step.seats[seat].cards].sort(ORDERS[this.sort]);
    const caption = points ? `deadwood ${points}` : "no deadwood";
    if (loose.length) groups.push(this.group(loose, caption, step, false));
    else groups.push(element("div", "group", element("div", "caption", caption)));
    const had = this.focused();
    this.seats[seat].key = undefined;
    this.seats[seat].hand.replaceChildren(...groups);
    if (had) this.focusOn(had);
  }

  group(codes, caption, step, isMeld) {
    const row = element("div", "row", ...codes.map((code) => this.button(code, code === step.drawn ? "fresh" : "")));
    return element("div", isMeld ? "group melded" : "group", row, element("div", "caption", caption));
  }

  button(code, look) {
    const made = element("button", "card-button", card(code, look));
    made.type = "button";
    made.dataset.code = code;
    made.setAttribute("aria-pressed", String(code === this.chosen));
    if (!this.isOpen) made.setAttribute("aria-disabled", "true");
    made.addEventListener("click", () => this.dropped !== code && this.isOpen && this.choose(code));
    return made;
  }

  buttons = () => [...this.seats[this.mine].hand.querySelectorAll(".card-button")];

  focused() {
    const active = document.activeElement;
    return active?.classList.contains("card-button") ? active.dataset.code : "";
  }

  focusOn(code) {
    const all = this.buttons();
    (all.find((one) => one.dataset.code === code) ?? all.at(-1))?.focus();
  }

  // Along the hand with the arrow keys.
  step(by) {
    const all = this.buttons();
    const now = all.findIndex((one) => one.dataset.code === this.focused());
    all[now < 0 ? 0 : (now + by + all.length) % all.length]?.focus();
  }

  // A card follows the pointer, and is thrown when it is let go over the pile.
  grab(event) {
    const held = event.target.closest(".card-button");
    this.dropped = null;
    if (!held || !this.isOpen || event.button !== 0) return;
    const from = [event.clientX, event.clientY];
    let isDragged = false;
    const move = ({ clientX, clientY }) => {
      const [x, y] = [clientX - from[0], clientY - from[1]];
      isDragged ||= Math.hypot(x, y) > FAR;
      if (!isDragged) return;
      held.classList.add("dragged");
      held.style.transform = `translate(${x}px, ${y}px)`;
      this.pileBox.classList.toggle("over", this.isOverPile(clientX, clientY));
    };
    const end = (last) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      held.classList.remove("dragged");
      held.style.transform = "";
      this.pileBox.classList.remove("over");
      if (!isDragged) return;
      this.dropped = held.dataset.code; // its click is none
      if (last.type === "pointerup" && this.isOverPile(last.clientX, last.clientY)) this.drop(held.dataset.code);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  isOverPile(x, y) {
    const box = this.pileBox.getBoundingClientRect();
    return x > box.left - 20 && x < box.right + 20 && y > box.top - 20 && y < box.bottom + 20;
  }

  // What happened, oldest first; the sum of a hand stands out.
  say(lines) {
    this.said.replaceChildren(...lines.map((line, index) => element("p", line.includes(" = ") ? "sum total" : index === lines.length - 1 ? "what" : "sum", line)));
  }
}
