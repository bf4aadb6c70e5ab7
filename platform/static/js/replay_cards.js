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

// The reader's deck: the large one has drawings of its own, the others differ by their colours.
const drawn = document.documentElement.dataset.deck === "large" ? "-large" : "";

function drawing(id, className, label) {
  const said = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: `card ${className}`, viewBox: "0 0 100 140", ...said }, svg("use", { href: `#${id}` }));
}

const nameOf = (code) => `${RANKS[code[0]] ?? code[0]} of ${SUITS[code[1]]}`;

export function card(code, extra = "") {
  const made = drawing(code + drawn, `card-${code[1]} ${extra}`, nameOf(code));
  made.dataset.card = code;
  return made;
}

export const back = () => drawing("back", "back");

// The drawings of all cards, which `card` refers to.
export async function loadSprite(address) {
  const text = await (await fetch(address)).text();
  const sprite = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  sprite.setAttribute("class", "visually-hidden");
  sprite.setAttribute("aria-hidden", "true");
  document.body.append(sprite);
}

// A card in a line of text.
export const inText = (code) => element("span", `in-text card-${code[1]}`, (code[0] === "T" ? "10" : code[0]) + SIGNS[code[1]]);

export const byRank = (codes) => [...codes].sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]));

// "1 knock", "2 knocks"
export const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
