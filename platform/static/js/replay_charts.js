// Deadwood turn by turn and the time of each decision, of a hand or of the whole game; a table says the same in numbers.

import { element, svg } from "./replay_cards.js";

const WIDE = 1000;
const HIGH = 150;
const MIDDLE = HIGH / 2;
const LEAST = 1e-5; // seconds; the record tells no shorter time

function duration(seconds) {
  if (seconds < 0.00095) return `${Math.max(1, Math.round(seconds * 1e6))} µs`;
  if (seconds < 0.95) return `${Number((seconds * 1000).toPrecision(2))} ms`;
  return `${Number(seconds.toPrecision(2))} s`;
}

// What a seat is left with at the end of a hand: the defender once its cards are laid off.
function shown({ showdown, seats }, seat) {
  if (showdown.knocker === null) return seats[seat].points;
  return seat === showdown.knocker ? showdown.knocker_points : showdown.defender_points;
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export class Charts {
  // `names` are by seat; `go(at)` moves the reader.
  constructor({ box, steps, hands, names, topSeat, go }) {
    Object.assign(this, { steps, hands, names, topSeat });
    // Deadwood counts between turns: with eleven cards in the hand the last count stands.
    const last = [0, 0];
    this.deadwood = steps.map((step) => step.seats.map((seat, index) => (last[index] = step.showdown ? shown(step, index) : seat.cards.length === 10 ? seat.points : last[index])));
    this.keys = element("p", "chart-keys");
    this.first = this.layChart("Deadwood", go);
    this.second = this.layChart("Thinking time", go);
    this.slow = element("p", "muted small");
    this.table = element("div", "table-scroll");
    this.table.tabIndex = 0;
    this.table.setAttribute("role", "region");
    this.table.setAttribute("aria-label", "Deadwood and time by hand");
    const details = element("details", "", element("summary", "", "The same as a table, by hand"), this.table);
    box.append(this.keys, this.first.figure, this.second.figure, this.slow, details);
  }

  layChart(title, go) {
    const most = element("span", "chart-most");
    const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img" });
    const figure = element("figure", "strip", element("figcaption", "", title, most), drawing);
    drawing.addEventListener("click", (event) => {
      const area = drawing.getBoundingClientRect();
      go(Math.round(this.from + ((event.clientX - area.left) / area.width) * (this.to - this.from)));
    });
    return { figure, drawing, most };
  }

  // Draws what has changed: `span` is "hand" or "game", `sight` the seat whose view it is, or null.
  show(at, sight, span) {
    const now = this.hands.findLastIndex((first) => first <= at);
    const [from, to] = span === "hand" ? [this.hands[now], (this.hands[now + 1] ?? this.steps.length) - 1] : [0, this.steps.length - 1];
    if (this.from !== from || this.to !== to || this.sight !== sight) {
      Object.assign(this, { from, to, sight });
      this.drawDeadwood();
      this.drawTimes();
      this.fillTable();
    }
    for (const { cursor } of [this.first, this.second]) {
      cursor.setAttribute("x1", this.x(at));
      cursor.setAttribute("x2", this.x(at));
    }
    const said = [0, 1].map((seat) => element("span", `key seat-${this.look(seat)}`, `${this.names[seat]} ${this.sees(seat) ? this.deadwood[at][seat] : "hidden"}`));
    if (this.topSeat === 1) said.reverse();
    this.keys.replaceChildren(...said);
  }

  look = (seat) => (seat === this.topSeat ? "a" : "b");
  sees = (seat) => this.sight === null || this.sight === seat;
  x = (at) => (WIDE * (at - this.from)) / Math.max(1, this.to - this.from);

  frame(chart, ...content) {
    const borders = this.hands.filter((first) => first > this.from && first <= this.to);
    chart.cursor = svg("line", { class: "cursor", y1: 0, y2: HIGH });
    const lines = borders.map((first) => svg("line", { class: "border", x1: this.x(first), x2: this.x(first), y1: 0, y2: HIGH }));
    chart.drawing.replaceChildren(...lines, ...content, chart.cursor);
  }

  drawDeadwood() {
    const range = this.deadwood.slice(this.from, this.to + 1);
    const seats = [0, 1].filter(this.sees);
    // Of the hands in view alone: the scale would tell how much the hidden one held.
    const most = Math.max(10, ...seats.flatMap((seat) => range.map((points) => points[seat])));
    const y = (points) => HIGH - 4 - ((HIGH - 8) * points) / most;
    const lines = seats.map((seat) => {
      const path = range.map((points, index) => `${index ? "H" : "M"}${this.x(this.from + index).toFixed(1)}${index ? "V" : " "}${y(points[seat]).toFixed(1)}`);
      return svg("path", { class: `line seat-${this.look(seat)}`, d: path.join("") });
    });
    this.frame(this.first, svg("line", { class: "border", x1: 0, x2: WIDE, y1: y(0), y2: y(0) }), ...lines);
    this.first.most.textContent = `up to ${most} points`;
    const said = seats.map((seat) => `${this.names[seat]} from ${range[0][seat]} to ${range.at(-1)[seat]}`);
    this.first.drawing.setAttribute("aria-label", `Deadwood, move by move: ${said.join(", ")}. The table below has every hand.`);
  }

  drawTimes() {
    const timed = this.steps.slice(this.from, this.to + 1).filter((step) => step.seconds !== null);
    const most = Math.max(LEAST * 10, ...timed.map((step) => step.seconds));
    const height = (seconds) => ((MIDDLE - 3) * Math.log10(Math.max(seconds, LEAST * 1.2) / LEAST)) / Math.log10(most / LEAST);
    const width = Math.max(1.2, Math.min(14, (0.7 * WIDE) / Math.max(1, this.to - this.from)));
    const bars = timed.map((step) => {
      const tall = height(step.seconds);
      const isUp = step.actor === this.topSeat;
      const place = { x: this.x(step.number) - width / 2, y: isUp ? MIDDLE - tall : MIDDLE, width, height: tall };
      return svg("rect", { class: `bar seat-${this.look(step.actor)}`, ...place });
    });
    this.frame(this.second, svg("line", { class: "border", x1: 0, x2: WIDE, y1: MIDDLE, y2: MIDDLE }), ...bars);
    this.second.most.textContent = `up to ${duration(most)}, logarithmic`;
    const slowest = timed.reduce((a, b) => (b.seconds > a.seconds ? b : a), timed[0]);
    this.second.drawing.setAttribute("aria-label", `Thinking time of each decision, ${this.names[this.topSeat]} upwards, ${this.names[1 - this.topSeat]} downwards. The table below has every hand.`);
    this.slow.replaceChildren();
    if (!slowest) return;
    const link = element("a", "", `move ${slowest.number}`);
    link.href = `#${slowest.number}`;
    this.slow.append("Slowest: ", link, `, ${this.names[slowest.actor]}, ${duration(slowest.seconds)}.`);
  }

  fillTable() {
    const head = ["Hand", ...this.names.flatMap((name) => [`${name}: deadwood`, `${name}: mean time`])];
    const rows = this.hands.map((first, index) => {
      const last = (this.hands[index + 1] ?? this.steps.length) - 1;
      const link = element("a", "", String(index + 1));
      link.href = `#${first}`;
      const cells = [0, 1].flatMap((seat) => {
        const times = this.steps.slice(first, last + 1).filter((step) => step.actor === seat && step.seconds !== null).map((step) => step.seconds);
        const points = this.sees(seat) ? `${this.deadwood[first][seat]} to ${this.deadwood[last][seat]}` : "hidden";
        return [points, times.length ? duration(sum(times) / times.length) : "none"];
      });
      return element("tr", "", element("th", "", link), ...cells.map((cell) => element("td", "num", cell)));
    });
    const titles = element("tr", "", ...head.map((title, index) => element("th", index ? "num" : "", title)));
    this.table.replaceChildren(element("table", "table", element("thead", "", titles), element("tbody", "", ...rows)));
  }
}
