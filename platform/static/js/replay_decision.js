// What the hand could do at a position: every choice with what it leaves and what may come, and what a house bot would do.

import { element, inText } from "./replay_cards.js";

const WAIT = 180; // milliseconds on a position before the site is asked about it
const CHOICES = new Set(["offer", "draw", "discard"]);

// "7 of 31 (23 %)"; a narrow screen leaves the percentage out.
const share = (part, whole) => [`${part}\u00a0of\u00a0${whole}`, element("span", "percent", ` (${whole ? Math.round((100 * part) / whole) : 0}\u00a0%)`)];

function row(tag, ...cells) {
  return element("tr", "", ...cells.map((cell, index) => element(tag, tag === "td" && index ? "num" : "", ...[cell].flat())));
}

function tableOf(head, rows, caption) {
  const table = element("table", "table", element("caption", "visually-hidden", caption), element("thead", "", row("th", ...head)), element("tbody", "", ...rows));
  const box = element("div", "table-scroll", table);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  return box;
}

function whyNothing(step) {
  if (step.kind === "fault") return "Nothing to choose here: the game ends with a forfeit. One step back is the decision that failed.";
  if (step.decision === null) return "Nothing to choose here: the hand is over.";
  return "Nothing to choose here: at the showdown most bots leave the melds to the arena.";
}

const badge = (text, kind = "") => element("span", `badge ${kind}`, text);

export class DecisionPanel {
  // `picker` chooses the house bot; `names` are by seat; `address` is where the site tells of decisions.
  constructor({ box, picker, steps, names, address }) {
    Object.assign(this, { box, picker, steps, names, address });
    this.known = new Map();
    this.timer = null;
    picker.addEventListener("change", () => this.show(this.at, this.sight));
  }

  show(at, sight) {
    clearTimeout(this.timer);
    Object.assign(this, { at, sight });
    const step = this.steps[at];
    if (!CHOICES.has(step.decision)) return this.say(whyNothing(step));
    if (!this.isInView()) return this.say(`${this.names[step.turn]} has to choose, and its hand is hidden in this view.`);
    const found = this.known.get(this.key());
    if (found) return this.fill(found);
    this.box.setAttribute("aria-busy", "true");
    this.timer = setTimeout(() => this.load(), WAIT);
  }

  key = () => `${this.at}.json?bot=${this.picker.value}`;
  isInView = () => this.sight === null || this.sight === this.steps[this.at].turn;

  say(text) {
    this.box.removeAttribute("aria-busy");
    this.box.replaceChildren(element("p", "muted", text));
  }

  async load() {
    const key = this.key();
    let found;
    try {
      const answer = await fetch(this.address + key);
      found = await answer.json();
      if (answer.ok) this.known.set(key, found);
    } catch {
      found = { error: "This could not be loaded. Check your connection, then step on and back." };
    }
    if (key !== this.key() || !this.isInView()) return; // the reader is elsewhere by now
    if (found.error) this.say(found.error);
    else this.fill(found);
  }

  fill(found) {
    this.box.removeAttribute("aria-busy");
    const name = this.picker.selectedOptions[0].textContent;
    const who = this.names[found.seat];
    const played = found.played ? `${who} ${found.played.words}.` : `${who} forfeits here.`;
    const isSame = found.played?.action === found.adviser.action;
    const verdict = element("p", "verdict", element("strong", "", played), ` ${name} ${isSame ? "does the same" : found.adviser.words}. `, isSame ? badge("agreed", "good") : badge("differs", "warn"));
    this.box.replaceChildren(verdict, found.discards ? this.discards(found, name) : this.draws(found));
  }

  draws({ stock, upcard, deadwood_taking: taking, knock_limit: limit }) {
    const rows = [];
    if (upcard) rows.push(row("td", ["take ", inText(upcard)], `${stock.deadwood} to ${taking}`, taking <= limit ? "yes" : "no", taking === 0 ? "yes" : "no"));
    rows.push(row("td", "stock", ["better with ", ...share(stock.better.length, stock.unseen)], share(stock.knocks, stock.unseen), share(stock.gins, stock.unseen)));
    const list = element("p", "small better", "Better with ", ...(stock.better.length ? stock.better.flatMap((code, index) => [index ? " " : "", inText(code)]) : ["no card"]), ".");
    return element("div", "", tableOf(["Draw", "Deadwood", "May knock", "Gin"], rows, "The draws"), list, element("p", "muted small", `Of the ${stock.unseen} cards that this seat has not seen, each is as likely as the others.`));
  }

  discards({ discards, played, adviser }, name) {
    const rows = discards.map((option) => {
      const marks = [];
      const isOf = (done) => done && done.action.replace("!", "") === option.card;
      if (isOf(played)) marks.push(badge("played", "good"));
      if (isOf(adviser)) marks.push(badge(name, "warn"));
      if (option.may_knock) marks.push(badge(option.deadwood === 0 ? "gin" : "may knock"));
      if (!option.is_legal) marks.push(badge("just taken"));
      return row("td", [inText(option.card), " ", ...marks.flatMap((mark) => [mark, " "])], String(option.deadwood), share(option.better.length, option.unseen), share(option.gins, option.unseen));
    });
    return tableOf(["Discard", "Deadwood left", "Next card helps", "Makes gin"], rows, "The discards");
  }
}
