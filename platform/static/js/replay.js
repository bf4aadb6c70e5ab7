// The replay: fetches every position of a game once, then draws the one the reader is at.
// A position is its number in the list of moves; it stands in the address (#12), so each can be linked to.

const SVG = "http://www.w3.org/2000/svg";
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const ORDER = "A23456789TJQK";
const PILE_SHOWN = 6;
const PLAY_EVERY = 900;

const root = document.getElementById("replay");
const felt = document.getElementById("felt");
const scrubber = document.getElementById("scrubber");
const handPicker = document.getElementById("hand");
const playButton = document.getElementById("play");
const help = document.getElementById("help");
const moves = document.getElementById("moves");
const links = [...moves.querySelectorAll("li a")];
const topSeat = Number(root.dataset.top); // the game's seat that is drawn at the top
const names = topSeat === 0 ? [root.dataset.names, root.dataset.other] : [root.dataset.other, root.dataset.names];

let steps = [];
let hands = []; // the first position of each hand
let at = 0;
let timer = null;
let parts = null;

// Small builders

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function drawing(id, className, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `card ${className}`);
  svg.setAttribute("viewBox", "0 0 100 140");
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${id}`);
  svg.append(use);
  return svg;
}

const nameOf = (code) => `${RANKS[code[0]] ?? code[0]} of ${SUITS[code[1]]}`;

function card(code, extra = "") {
  return drawing(code, `card-${code[1]} ${extra}`, nameOf(code));
}

const byRank = (codes) => [...codes].sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]));

// The table, laid once; `draw` fills it

function layTable() {
  const seat = (index) => {
    const who = element("span", "who", names[index]);
    const dealer = element("span", "dealer");
    const points = element("span", "points");
    const hand = element("div", "hand");
    const plate = element("div", "plate", who, dealer, points);
    return { box: element("div", "seat", plate, hand), dealer, points, hand };
  };
  const seats = [seat(0), seat(1)];
  const stockCount = element("span", "");
  const terms = element("span", "terms");
  const stock = element("div", "stack stock", element("div", "row", drawing("back", "back")), stockCount);
  const pileRow = element("div", "row");
  const pileCount = element("span", "");
  const pile = element("div", "stack pile", pileRow, pileCount);
  const said = element("div", "said");
  said.setAttribute("aria-live", "polite");
  const middle = element("div", "middle", stock, pile, terms, said);
  felt.replaceChildren(seats[topSeat].box, middle, seats[1 - topSeat].box);
  return { seats, stock, stockCount, pile: { row: pileRow, count: pileCount }, terms, said };
}

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

function drawHand(step, seat) {
  const { melds, deadwood, points, layoffs } = arrangementOf(step, seat);
  const fresh = step.kind === "draw" && step.actor === seat ? step.card : "";
  if (!changed(parts.seats[seat], melds, deadwood, layoffs, fresh)) return;
  const groups = melds.map((codes, index) => {
    const laid = layoffs.filter(([, meld]) => meld === index).map(([code]) => code);
    const kind = codes[0][0] === codes[1][0] ? "set" : "run";
    return group(codes, laid.length ? `${kind} + laid off` : kind, { melded: true, fresh, laid });
  });
  if (deadwood.length) groups.push(group(byRank(deadwood), `deadwood ${points}`, { fresh }));
  else groups.push(element("div", "group", element("div", "caption", "no deadwood")));
  parts.seats[seat].hand.replaceChildren(...groups);
}

// Most steps change one hand: whatever shows the same as before is left alone.
function changed(part, ...shown) {
  const key = JSON.stringify(shown);
  const isNew = part.key !== key;
  part.key = key;
  return isNew;
}

function draw() {
  const step = steps[at];
  for (const seat of [0, 1]) {
    const part = parts.seats[seat];
    part.box.classList.toggle("to-move", step.turn === seat);
    part.dealer.textContent = step.dealer === seat ? "dealer" : "";
    part.points.replaceChildren(String(step.scores[seat]), element("small", "", " points"));
    drawHand(step, seat);
  }
  parts.stock.classList.toggle("empty", step.stock_size === 0);
  parts.stockCount.textContent = `stock ${step.stock_size}`;
  const pile = step.discard_pile;
  const discarded = step.kind === "discard" || step.kind === "knock" ? step.card : "";
  if (changed(parts.pile, pile, discarded)) {
    const shown = pile.slice(-PILE_SHOWN);
    parts.pile.row.replaceChildren(...shown.map((code, i) => card(code, i === shown.length - 1 && code === discarded ? "fresh" : "")));
  }
  parts.pile.count.textContent = `discard pile ${pile.length}`;
  const [what, ...sums] = step.text;
  parts.said.replaceChildren(element("p", "what", what), ...sums.map((line) => element("p", line.includes(" = ") ? "sum total" : "sum", line)));

  const hand = hands.findLastIndex((first) => first <= at);
  handPicker.value = String(hands[hand]);
  parts.terms.textContent = handPicker.options[hand].dataset.terms;
  scrubber.value = String(at);
  scrubber.setAttribute("aria-valuetext", `${at} of ${steps.length - 1}: ${what}`);
  document.getElementById("place").textContent = `${at} / ${steps.length - 1}`;
  for (const button of root.querySelectorAll("[data-go]")) {
    const over = (["first", "back"].includes(button.dataset.go) && at === 0) || (["last", "forward"].includes(button.dataset.go) && at === steps.length - 1);
    button.setAttribute("aria-disabled", String(over));
  }
  for (const link of moves.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const link = links[at];
  if (link) {
    link.setAttribute("aria-current", "true");
    const box = moves.getBoundingClientRect();
    const row = link.getBoundingClientRect();
    if (row.top < box.top || row.bottom > box.bottom) moves.scrollTop += row.top - box.top - box.height / 3;
  }
}

// Moving about

function go(where, { silent = false } = {}) {
  at = Math.max(0, Math.min(steps.length - 1, where));
  draw();
  if (silent) return;
  try {
    history.replaceState(null, "", `#${at}`);
  } catch {
    // Some browsers refuse many address changes in a row while playing; the next one will do.
  }
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (at < steps.length - 1 ? go(at + 1) : play(false)), PLAY_EVERY) : null;
  playButton.setAttribute("aria-pressed", String(on));
  document.getElementById("play-label").textContent = on ? "Pause" : "Play";
}

function handStep(by) {
  const now = hands.findLastIndex((first) => first <= at);
  // Back goes to the start of this hand first, as players of music do.
  if (by < 0 && at > hands[now]) return hands[now];
  return hands[now + by] ?? (by < 0 ? 0 : steps.length - 1);
}

const COMMANDS = {
  first: () => go(0),
  last: () => go(steps.length - 1),
  back: () => go(at - 1),
  forward: () => go(at + 1),
  handBefore: () => go(handStep(-1)),
  handAfter: () => go(handStep(1)),
  play: () => {
    if (timer === null && at === steps.length - 1) go(0);
    play(timer === null);
  },
  help: () => (help.open ? help.close() : help.showModal()),
};
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "handBefore", ArrowDown: "handAfter", Home: "first", End: "last", " ": "play", "?": "help" };

function command(name) {
  if (name !== "play" && name !== "help") play(false);
  COMMANDS[name]();
}

function onKey(event) {
  const name = KEYS[event.key];
  if (!name || event.altKey || event.ctrlKey || event.metaKey) return;
  if (help.open && name !== "help") return;
  const target = event.target;
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
  if (event.key === " " && target.closest("button, a, summary")) return;
  event.preventDefault();
  command(name);
}

function fromAddress() {
  const wanted = decodeURIComponent(location.hash.slice(1)) || new URLSearchParams(location.search).get("step") || "0";
  return wanted === "end" ? steps.length - 1 : Number.parseInt(wanted, 10) || 0;
}

function drawMarks() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 1000 10");
  svg.setAttribute("preserveAspectRatio", "none");
  for (const first of hands.slice(1)) {
    const line = document.createElementNS(SVG, "line");
    const x = (1000 * first) / (steps.length - 1);
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: 0, y2: 10 })) line.setAttribute(name, String(value));
    svg.append(line);
  }
  document.getElementById("marks").append(svg);
}

async function loadSprite() {
  const text = await (await fetch(root.dataset.sprite)).text();
  const sprite = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  sprite.setAttribute("class", "visually-hidden");
  sprite.setAttribute("aria-hidden", "true");
  document.body.append(sprite);
}

async function start() {
  const loading = document.getElementById("loading");
  loading.hidden = false;
  try {
    const [answer] = await Promise.all([fetch(root.dataset.steps), loadSprite()]);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    steps = (await answer.json()).steps;
  } catch (error) {
    loading.textContent = "The moves could not be loaded. Check your connection and reload the page; the list of moves works without them.";
    console.error(error);
    return;
  }
  hands = [...handPicker.options].map((option) => Number(option.value));
  root.classList.add("live");
  parts = layTable();
  document.getElementById("controls").hidden = false;
  drawMarks();
  go(fromAddress(), { silent: true });

  document.addEventListener("keydown", onKey);
  scrubber.addEventListener("input", () => {
    play(false);
    go(Number(scrubber.value));
  });
  handPicker.addEventListener("change", () => {
    play(false);
    go(Number(handPicker.value));
  });
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) command(button.dataset.go);
    const link = event.target.closest("#moves li a");
    if (link) {
      event.preventDefault();
      play(false);
      go(links.indexOf(link));
    }
  });
  window.addEventListener("hashchange", () => go(fromAddress(), { silent: true }));
}

start();
