// The card table: laid once, then drawn for one position after another.

import { back, byRank, card, element } from "./replay_cards.js";

const PILE_SHOWN = 6;
const FLIGHT = 260; // milliseconds that a card is on its way

const still = matchMedia("(prefers-reduced-motion: reduce)");

function group(codes, caption, { melded = false, fresh = "", laid = [] } = {}) {
  const look = (code) => (laid.includes(code) ? "laid" : code === fresh ? "fresh" : "");
  const row = element("div", "row", ...byRank([...codes, ...laid]).map((code) => card(code, look(code))));
  return element("div", melded ? "group melded" : "group", row, element("div", "caption", caption));
}

// The cards a seat shows: at a showdown as it laid them out, otherwise in the best arrangement there is.
function arrangementOf(step, seat) {
  const shown = step.showdown;
  if (!shown || shown.knocker === null) return { ...step.seats[seat], layoffs: [] };
  return shown.knocker === seat
    ? { melds: shown.knocker_melds, deadwood: shown.knocker_deadwood, points: shown.knocker_points, layoffs: shown.layoffs }
    : { melds: shown.defender_melds, deadwood: shown.defender_deadwood, points: shown.defender_points, layoffs: [] };
}

// Most steps change one hand: whatever shows the same as before is left alone.
function changed(part, ...shown) {
  const key = JSON.stringify(shown);
  const isNew = part.key !== key;
  part.key = key;
  return isNew;
}

function openHand(step, seat, fresh) {
  const { melds, deadwood, points, layoffs } = arrangementOf(step, seat);
  const groups = melds.map((codes, index) => {
    const laid = layoffs.filter(([, meld]) => meld === index).map(([code]) => code);
    const kind = codes[0][0] === codes[1][0] ? "set" : "run";
    return group(codes, laid.length ? `${kind} + laid off` : kind, { melded: true, fresh, laid });
  });
  if (deadwood.length) groups.push(group(byRank(deadwood), `deadwood ${points}`, { fresh }));
  else groups.push(element("div", "group", element("div", "caption", "no deadwood")));
  return groups;
}

// A hand as the other seat knows it.
function closedHand(known, count, fresh, caption) {
  const unknown = count - known.length;
  const backs = element("div", "row", ...Array.from({ length: unknown }, back));
  const groups = [element("div", "group", backs, element("div", "caption", `${unknown} unknown`))];
  if (known.length) groups.unshift(group(known, caption, { fresh }));
  return groups;
}

export class Table {
  // `felt` is the element to lay it on, `names` are by seat, `topSeat` is the seat drawn at the top.
  constructor(felt, names, topSeat) {
    this.felt = felt;
    this.topSeat = topSeat;
    this.knownAs = "known to the other seat";
    const seat = (index) => {
      const who = element("span", "who", names[index]);
      const dealer = element("span", "dealer");
      const points = element("span", "points");
      const hand = element("div", "hand");
      return { box: element("div", "seat", element("div", "plate", who, dealer, points), hand), dealer, points, hand };
    };
    this.seats = [seat(0), seat(1)];
    this.stockCount = element("span", "");
    this.stockTop = back();
    this.stock = element("div", "stack stock", element("div", "row", this.stockTop), this.stockCount);
    this.pile = { row: element("div", "row"), count: element("span", "") };
    this.terms = element("span", "terms");
    this.said = element("div", "said");
    this.said.setAttribute("aria-live", "polite");
    this.middle = element("div", "middle", this.stock, element("div", "stack pile", this.pile.row, this.pile.count), this.terms, this.said);
    this.order();
  }

  order() {
    this.felt.replaceChildren(this.seats[this.topSeat].box, this.middle, this.seats[1 - this.topSeat].box);
  }

  flip() {
    this.topSeat = 1 - this.topSeat;
    this.order();
  }

  // `lines` say what happened; `sight` is the seat whose view it is, or null; `pace` above 0 lets the last card fly.
  draw(step, { lines, terms, sight, pace }) {
    const from = pace > 0 && !still.matches ? this.whence(step) : null;
    for (const seat of [0, 1]) {
      const part = this.seats[seat];
      part.box.classList.toggle("to-move", step.turn === seat);
      part.dealer.textContent = step.dealer === seat ? "dealer" : "";
      part.points.replaceChildren(String(step.scores[seat]), element("small", "", " points"));
      this.drawHand(step, seat, sight);
    }
    this.stock.classList.toggle("empty", step.stock_size === 0);
    this.stockCount.textContent = `stock ${step.stock_size}`;
    const pile = step.discard_pile;
    const discarded = step.kind === "discard" || step.kind === "knock" ? step.card : "";
    if (changed(this.pile, pile, discarded)) {
      const shown = pile.slice(-PILE_SHOWN);
      this.pile.row.replaceChildren(...shown.map((code, i) => card(code, i === shown.length - 1 && code === discarded ? "fresh" : "")));
    }
    this.pile.count.textContent = `discard pile ${pile.length}`;
    this.terms.textContent = terms;
    const [what, ...sums] = lines;
    this.said.replaceChildren(element("p", "what", what), ...sums.map((line) => element("p", line.includes(" = ") ? "sum total" : "sum", line)));
    if (from) this.fly(step, from, pace);
  }

  drawHand(step, seat, sight) {
    const { cards, known } = step.seats[seat];
    const isOpen = sight === null || sight === seat || known.length === cards.length;
    const fresh = step.kind === "draw" && step.actor === seat && (isOpen || !step.is_secret) ? step.card : "";
    const part = this.seats[seat];
    if (isOpen) {
      if (changed(part, arrangementOf(step, seat), fresh)) part.hand.replaceChildren(...openHand(step, seat, fresh));
    } else if (changed(part, known, cards.length, fresh)) part.hand.replaceChildren(...closedHand(known, cards.length, fresh, this.knownAs));
  }

  inHand(seat, code) {
    const hand = this.seats[seat].hand;
    return hand.querySelector(`[data-card="${code}"]`) ?? hand.querySelector(".back:last-child");
  }

  // Where the card that this step moves lies before it.
  whence(step) {
    if (step.kind === "draw") return (step.is_secret ? this.stockTop : this.pile.row.lastElementChild)?.getBoundingClientRect();
    if (step.kind === "discard" || step.kind === "knock") return this.inHand(step.actor, step.card)?.getBoundingClientRect();
    return null;
  }

  fly(step, from, pace) {
    const moved = step.kind === "draw" ? this.inHand(step.actor, step.card) : this.pile.row.lastElementChild;
    if (!moved) return;
    const to = moved.getBoundingClientRect();
    moved.classList.add("flying");
    const flight = moved.animate(
      [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)` }, { transform: "none" }],
      { duration: FLIGHT / pace, easing: "ease-out" },
    );
    flight.onfinish = () => moved.classList.remove("flying");
  }
}
