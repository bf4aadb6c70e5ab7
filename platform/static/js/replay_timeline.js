// What lies under the scrubber: the hands as a band, a mark where something happened, and a legend to go from mark to mark.

import { counted, element, svg } from "./replay_cards.js";

// Each kind has a shape of its own, so that no colour is needed to tell them apart.
const KINDS = {
  take: { one: "upcard taken", many: "upcards taken", shape: () => svg("circle", { r: 2.4 }) },
  knock: { one: "knock", many: "knocks", shape: () => svg("path", { d: "M0-5 5 4H-5z" }) },
  undercut: { one: "undercut", many: "undercuts", shape: () => svg("path", { d: "M0 5-5-4H5z" }) },
  gin: { one: "gin", many: "gins", shape: () => svg("path", { d: "M0-6 4.5 0 0 6-4.5 0z" }) },
  fault: { one: "fault", many: "faults", shape: () => svg("path", { d: "M-4-4 4 4M4-4-4 4" }) },
};
const MANY = 40; // hands, each of which has a few pixels on a phone
const NEAR = 7; // pixels between a click and the mark it means

function kindOf(step, ending) {
  if (step.kind === "fault") return "fault";
  if (step.showdown?.ending === "undercut") return "undercut";
  if (step.showdown && ending.includes("gin")) return "gin";
  if (step.kind === "knock" && !ending.includes("gin")) return "knock";
  return step.kind === "draw" && !step.is_secret ? "take" : null;
}

// The marks of a game: each with the position it stands for, in order.
function marksOf(steps) {
  const endings = {};
  for (const step of steps) if (step.showdown) endings[step.hand] = step.showdown.ending;
  return steps.flatMap((step, at) => {
    const kind = kindOf(step, endings[step.hand] ?? "");
    return kind ? [{ at, kind }] : [];
  });
}

export class Timeline {
  // `hands` are the first positions of the hands; `words(at)` says what happened there, `go(at)` moves the reader.
  constructor({ box, legend, steps, hands, words, go }) {
    this.hands = hands;
    this.last = Math.max(1, steps.length - 1);
    this.marks = marksOf(steps);
    this.bands = hands.map((first, index) => {
      const x = (100 * first) / this.last;
      const width = (100 * ((hands[index + 1] ?? this.last) - first)) / this.last;
      const label = width > 2.6 ? [svg("text", { x: `${x + width / 2}%`, y: 33 }, String(index + 1))] : [];
      return svg("g", { class: "band" }, svg("rect", { x: `${x}%`, y: 22, width: `${width}%`, height: 14 }), ...label);
    });
    const shapes = Object.entries(KINDS).map(([kind, { shape }]) => svg("g", { id: `mark-${kind}` }, shape()));
    this.drawn = this.marks.map(({ at, kind }) => {
      const [x, look] = [`${(100 * at) / this.last}%`, `mark mark-${kind}`];
      const title = svg("title", {}, words(at));
      // Most are taken upcards, and a circle costs a phone less than the use of one.
      if (kind === "take") return svg("circle", { class: look, cx: x, cy: 4, r: 2.4 }, title);
      return svg("use", { href: `#mark-${kind}`, class: look, x, y: 14 }, title);
    });
    box.classList.toggle("many", hands.length > MANY);
    box.append(svg("svg", { width: "100%", height: 37 }, svg("defs", {}, ...shapes), ...this.bands, ...this.drawn));
    box.addEventListener("click", (event) => go(this.meant(event, box)));
    if (legend) this.layLegend(legend, go);
  }

  layLegend(legend, go) {
    for (const [kind, { one, many, shape }] of Object.entries(KINDS)) {
      const count = this.marks.filter((mark) => mark.kind === kind).length;
      if (!count) continue;
      const icon = svg("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true", class: `mark-${kind}` }, shape());
      const button = element("button", "", icon, counted(count, one, many));
      button.type = "button";
      button.title = `To the next ${one}`;
      button.addEventListener("click", () => go(this.next(this.at, 1, kind)));
      legend.append(button);
    }
  }

  show(at) {
    this.at = at;
    const now = this.hands.findLastIndex((first) => first <= at);
    this.bands.forEach((band, index) => band.classList.toggle("now", index === now));
  }

  // The next mark, of a kind or of any but taken upcards, before (-1) or after (1) a position; round the end to the start.
  next(at, by, kind = null) {
    const fit = this.marks.filter((mark) => (kind ? mark.kind === kind : mark.kind !== "take")).map((mark) => mark.at);
    if (!fit.length) return at;
    return by > 0 ? (fit.find((mark) => mark > at) ?? fit[0]) : (fit.findLast((mark) => mark < at) ?? fit.at(-1));
  }

  // The position that a click on the timeline means.
  meant(event, box) {
    const area = box.getBoundingClientRect();
    const x = event.clientX - area.left;
    const at = Math.round((this.last * x) / area.width);
    if (event.clientY - area.top > 20) return this.hands.findLast((first) => first <= at) ?? 0;
    const away = (mark) => Math.abs((area.width * mark.at) / this.last - x);
    const near = this.marks.filter((mark) => away(mark) <= NEAR).sort((a, b) => away(a) - away(b))[0];
    return near ? near.at : at;
  }
}
