// Small builders of the replay's modules: elements, drawings, cards and their names.

const SVG = "http://www.w3.org/2000/svg";
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const SIGNS = { c: "♣\uFE0E", d: "♦\uFE0E", h: "♥\uFE0E", s: "♠\uFE0E" }; // as text, not as a coloured picture
const ORDER = "A23456789TJQK";

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

// The drawings of the reader's deck, each a line of its file; null until that has come. One gets into the page when its
// card is first drawn: all of them would be hundreds of elements more.
let drawings = null;
const wanted = new Set();
const drawn = svg("svg", { class: "visually-hidden", "aria-hidden": "true" });

export async function loadSprite(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const lines = (await answer.text()).split("\n");
  drawings = new Map(lines.map((line) => [line.match(/^<symbol id="(\w+)"/)?.[1], line]));
  drawn.innerHTML = [...wanted].map((id) => drawings.get(id)).join("");
  document.body.append(drawn);
}

function drawing(id, className, label) {
  if (!wanted.has(id)) drawings && drawn.insertAdjacentHTML("beforeend", drawings.get(id));
  wanted.add(id);
  const said = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: `card ${className}`, viewBox: "0 0 100 140", ...said }, svg("use", { href: `#${id}` }));
}

const nameOf = (code) => `${RANKS[code[0]] ?? code[0]} of ${SUITS[code[1]]}`;

export function card(code, extra = "") {
  const made = drawing(code, `card-${code[1]} ${extra}`, nameOf(code));
  made.dataset.card = code;
  return made;
}

export const back = () => drawing("back", "back");

// "7♥" of "7h"
export const pretty = (code) => (code[0] === "T" ? "10" : code[0]) + SIGNS[code[1]];

// A card in a line of text.
export const inText = (code) => element("span", `in-text card-${code[1]}`, pretty(code));

export const byRank = (codes) => [...codes].sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]));

// "1 knock", "2 knocks"
export const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
