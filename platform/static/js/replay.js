// The replay: fetches every position of a game once, then draws the one the reader is at.
// A position is its number in the list of moves; it stands in the address, and so does the seat whose view it is
// (?seat=1#12): what the reader sees can be linked to.
// The same script moves the table in a frame on another site, where there is nothing else. What is not on the first
// screen of a phone has modules that come when they are wanted.

import { card, element, loadSprite } from "./replay_cards.js";
import { Table } from "./replay_table.js";

const PLAY_EVERY = 900; // milliseconds, at speed 1
const LINGER = 2.5; // times as long where a hand ends
const NEAR = "300px"; // below the window: what stands there is made ready

const find = (id) => document.getElementById(id);
const root = find("replay");
const scrubber = find("scrubber");
const handPicker = find("hand");
const playButton = find("play");
const speed = find("speed");
const sightPicker = find("sight");
const moves = find("moves");
const links = moves ? [...moves.querySelectorAll("li a")] : [];
const topSeat = Number(root.dataset.top); // the game's seat that is drawn at the top
const names = topSeat === 0 ? [root.dataset.names, root.dataset.other] : [root.dataset.other, root.dataset.names];

let steps = [];
let hands = []; // the first position of each hand
let at = 0;
let sight = null; // the seat whose view it is; null with both hands open
let timer = null;
let table = null;
let timeline = null;
let areMovesSeen = false;
let share = null;
const followers = []; // what shows the position beside the table

// What happened, as far as the view may tell.
function linesOf(index) {
  const step = steps[index];
  if (sight === null || step.actor === sight) return step.text;
  if (step.is_secret) return [`${names[step.actor]} draws from the stock.`];
  return step.kind === "fault" ? [forfeit(step), ...step.text.slice(1)] : step.text;
}

// Without its reason, which may name the cards of the hand.
const forfeit = (step) => `${names[step.actor]} forfeits the game.`;

function draw({ pace = 0 } = {}) {
  const step = steps[at];
  const lines = linesOf(at);
  const hand = hands.findLastIndex((first) => first <= at);
  table.draw(step, { lines, terms: handPicker.options[hand].dataset.terms, sight, pace });
  for (const follower of followers) follower.show(at, sight);
  handPicker.value = String(hands[hand]);
  scrubber.value = String(at);
  scrubber.setAttribute("aria-valuetext", `${at} of ${steps.length - 1}: ${lines[0]}`);
  find("place").textContent = `${at} / ${steps.length - 1}`;
  for (const button of root.querySelectorAll("[data-go]")) {
    const over = (["first", "back"].includes(button.dataset.go) && at === 0) || (["last", "forward"].includes(button.dataset.go) && at === steps.length - 1);
    button.setAttribute("aria-disabled", String(over));
  }
  if (moves) markMove();
}

function markMove() {
  for (const link of moves.querySelectorAll("[aria-current]")) {
    link.removeAttribute("aria-current");
    link.tabIndex = -1;
  }
  links[at].setAttribute("aria-current", "true");
  links[at].tabIndex = 0;
  if (links.includes(document.activeElement)) links[at].focus({ preventScroll: true });
  if (areMovesSeen) scrollToMove();
}

// Only where the list is on the screen: to ask where a move stands has the whole page laid out at once.
function scrollToMove() {
  const link = links[at];
  if (!link) return;
  const box = moves.getBoundingClientRect();
  const row = link.getBoundingClientRect();
  if (row.top < box.top || row.bottom > box.bottom) moves.scrollTop += row.top - box.top - box.height / 3;
}

// Moving about

function go(where, { silent = false } = {}) {
  const before = at;
  at = Math.max(0, Math.min(steps.length - 1, where));
  draw({ pace: at === before + 1 ? (timer === null ? 1 : Math.max(1, Number(speed.value))) : 0 });
  if (silent) return;
  try {
    history.replaceState(null, "", location.pathname + placeOf(at, sight));
  } catch {
    // Some browsers refuse many address changes in a row while playing; the next one will do.
  }
}

// A move of the reader's own: it ends the playing.
function jump(where) {
  play(false);
  go(where);
}

function play(on) {
  clearTimeout(timer);
  timer = on ? setTimeout(playOn, wait()) : null;
  playButton.setAttribute("aria-pressed", String(on));
  find("play-label").textContent = on ? "Pause" : "Play";
}

const wait = () => (PLAY_EVERY * (steps[at].showdown ? LINGER : 1)) / Number(speed.value);

function playOn() {
  if (at === steps.length - 1) return play(false);
  go(at + 1);
  timer = setTimeout(playOn, wait());
}

function handStep(by) {
  const now = hands.findLastIndex((first) => first <= at);
  // Back goes to the start of this hand first, as players of music do.
  if (by < 0 && at > hands[now]) return hands[now];
  return hands[now + by] ?? (by < 0 ? 0 : steps.length - 1);
}

function changeSpeed(by) {
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
  remember("replay-speed", speed.value);
}

function look(seat) {
  sight = seat;
  if (sightPicker) sightPicker.value = seat === null ? "" : String(seat);
  steps.forEach((step, index) => {
    if ((step.is_secret || step.kind === "fault") && links[index]) links[index].textContent = linesOf(index)[0];
  });
}

// A choice of the reader's own: the address tells of it.
function chooseSight(seat) {
  look(seat);
  go(at);
}

function openPiles() {
  const step = steps[at];
  const dealt = steps.findLast((other) => other.number <= at && other.stock !== null).stock;
  const stock = dealt.slice(dealt.length - step.stock_size);
  const row = (codes) => element("div", "spread", ...codes.map((code) => card(code)));
  find("piles-shown").replaceChildren(
    element("h3", "", `Discard pile, ${step.discard_pile.length}, the top first`),
    row([...step.discard_pile].reverse()),
    element("h3", "", `Stock, ${step.stock_size}, the next first`),
    sight === null ? row(stock) : element("p", "muted", "Face down in the view of one seat."),
  );
  find("piles").showModal();
}

async function openShare() {
  const { ShareDialog } = await import("./replay_share.js");
  share ??= new ShareDialog({ dialog: find("share"), steps, names, address: root.dataset.decisions });
  share.open(at, sight, placeOf(at, sight));
}

const COMMANDS = {
  first: () => go(0),
  last: () => go(steps.length - 1),
  back: () => go(at - 1),
  forward: () => go(at + 1),
  handBefore: () => go(handStep(-1)),
  handAfter: () => go(handStep(1)),
  markBefore: () => timeline && go(timeline.next(at, -1)),
  markAfter: () => timeline && go(timeline.next(at, 1)),
  play: () => {
    if (timer === null && at === steps.length - 1) go(0);
    play(timer === null);
  },
  slower: () => changeSpeed(-1),
  faster: () => changeSpeed(1),
  flip: () => {
    table.flip();
    draw();
  },
  sight: () => sightPicker && chooseSight(sight === null ? 0 : sight === 0 ? 1 : null),
  piles: () => find("piles") && openPiles(),
  share: () => find("share") && openShare(),
  game: () => find("games")?.querySelector("a:not([aria-current])")?.click(),
  help: () => find("help")?.showModal(),
};
const GOES_ON = new Set(["play", "slower", "faster", "flip", "sight"]); // while the game is played
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "handBefore", ArrowDown: "handAfter", Home: "first", End: "last", " ": "play" };
// Keys that print something, which a reader can turn off (WCAG 2.1.4).
const LETTERS = {
  k: "back", j: "forward", 0: "first", $: "last", "[": "markBefore", "]": "markAfter", g: "game", "-": "slower", "+": "faster", f: "flip", v: "sight", p: "piles", s: "share", "?": "help",
};

function command(name) {
  if (!GOES_ON.has(name)) play(false);
  COMMANDS[name]();
}

function onKey(event) {
  const name = KEYS[event.key] ?? (find("letters")?.checked === false ? undefined : LETTERS[event.key]);
  if (!name || event.altKey || event.ctrlKey || event.metaKey) return;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    if (name === "help" && dialog.id === "help") dialog.close();
    return;
  }
  const target = event.target;
  // A list keeps the keys that choose in it; left and right move on, for it has the focus still when it has chosen.
  if (target instanceof HTMLSelectElement && !["back", "forward"].includes(KEYS[event.key])) return;
  if (target instanceof HTMLTextAreaElement) return;
  if (event.key === " " && target.closest("button, a, summary")) return;
  event.preventDefault();
  command(name);
}

// The position that the address names; another part of the page, such as its content, is none.
function fromAddress() {
  const wanted = location.hash.slice(1) || "0";
  if (wanted === "end") return steps.length - 1;
  return /^-?\d+$/.test(wanted) ? Number(wanted) : at;
}

// The end of the address that names a position and a view.
const placeOf = (position, seat) => `${seat === null ? "" : `?seat=${seat}`}#${position}`;

// The seat whose view the address asks for, or null.
function seatFromAddress() {
  const wanted = new URLSearchParams(location.search).get("seat");
  return wanted === "0" || wanted === "1" ? Number(wanted) : null;
}

function followAddress() {
  const seat = seatFromAddress();
  if (seat !== sight) look(seat);
  go(fromAddress(), { silent: true });
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function follow(follower) {
  followers.push(follower);
  follower.show(at, sight);
}

async function layTimeline() {
  const { Timeline } = await import("./replay_timeline.js");
  timeline = new Timeline({ box: find("timeline"), legend: find("legend"), steps, hands, words: (index) => (steps[index].kind === "fault" ? forfeit(steps[index]) : steps[index].text[0]), go: jump });
  follow(timeline);
  if (find("tools")) find("tools").hidden = false;
}

async function layPrints() {
  const { Prints } = await import("./replay_prints.js");
  follow(new Prints({ box: find("prints"), logs: [...document.querySelectorAll(".log[data-who]")], names }));
}

async function layStudy() {
  const [{ Charts }, { DecisionPanel }] = await Promise.all([import("./replay_charts.js"), import("./replay_decision.js")]);
  const charts = new Charts({ box: find("charts"), steps, hands, names, topSeat, go: jump });
  const span = find("span");
  const chartsHere = { show: () => charts.show(at, sight, span.value) };
  span.addEventListener("change", chartsHere.show);
  follow(chartsHere);
  follow(new DecisionPanel({ box: find("decision"), picker: find("adviser"), steps, names, address: root.dataset.decisions }));
}

// What only the replay's own page has.
function layPage() {
  if (!find("study")) return;
  const approach = new IntersectionObserver((changes) => {
    if (!changes.at(-1).isIntersecting) return;
    approach.disconnect();
    layStudy();
  }, { rootMargin: NEAR });
  approach.observe(find("study"));
  const watch = new IntersectionObserver((changes) => {
    areMovesSeen = changes.at(-1).isIntersecting;
    if (!areMovesSeen) return;
    scrollToMove();
    // Tab goes to the move that is on the table, and from there on past the hundreds of others.
    for (const link of links) link.tabIndex = link === links[at] ? 0 : -1;
  });
  watch.observe(moves);
  for (const seat of [topSeat, 1 - topSeat]) sightPicker.add(new Option(`As ${names[seat]} saw it`, String(seat)));
  sightPicker.addEventListener("change", () => chooseSight(sightPicker.value === "" ? null : Number(sightPicker.value)));
  const letters = find("letters");
  letters.checked = remembered("replay-letters") !== "off";
  letters.addEventListener("change", () => remember("replay-letters", letters.checked ? "on" : "off"));
  find("study").hidden = false;
}

async function fetchSteps() {
  const answer = await fetch(root.dataset.steps);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).steps;
}

function lay(found) {
  steps = found;
  hands = [...handPicker.options].map((option) => Number(option.value));
  root.classList.add("live");
  table = new Table(find("felt"), names, topSeat);
  speed.value = remembered("replay-speed") ?? "1";
  if (speed.selectedIndex < 0) speed.value = "1";
  if (find("prints")) layPrints();
  layPage();
  find("controls").hidden = false;
  followAddress();
  // A slow phone shows the table first.
  requestAnimationFrame(() => setTimeout(layTimeline));
  listen();
}

function listen() {
  document.addEventListener("keydown", onKey);
  scrubber.addEventListener("input", () => jump(Number(scrubber.value)));
  handPicker.addEventListener("change", () => jump(Number(handPicker.value)));
  speed.addEventListener("change", () => remember("replay-speed", speed.value));
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) command(button.dataset.go);
    const link = event.target.closest("#moves li a");
    if (link) {
      event.preventDefault();
      jump(links.indexOf(link));
    }
  });
  // From the settings the reader comes back to the same position.
  document.querySelector("a.look")?.addEventListener("click", ({ currentTarget }) => {
    currentTarget.search = new URLSearchParams({ next: location.pathname + location.search + location.hash });
  });
  // Another game is seen as the same bot saw it, whatever its seat is there.
  find("games")?.addEventListener("click", ({ target }) => {
    if (!target.dataset.top) return;
    const top = Number(target.dataset.top);
    target.search = sight === null ? "" : `?seat=${sight === topSeat ? top : 1 - top}`;
  });
  // And from a frame to it.
  find("whole")?.addEventListener("click", ({ currentTarget }) => {
    currentTarget.search = location.search;
    currentTarget.hash = location.hash;
  });
  // Of another view too, to which "back" leads: `hashchange` tells of none where the seat differs.
  window.addEventListener("popstate", followAddress);
}

async function start() {
  const loading = find("loading");
  loading.hidden = false;
  // The table is laid as soon as there are moves; its cards get their faces when these come.
  const loads = await Promise.allSettled([fetchSteps().then(lay), loadSprite(root.dataset.sprite)]);
  const failed = loads.find((load) => load.status === "rejected");
  if (!failed) return;
  loading.textContent = "The moves could not be loaded. Check your connection and reload the page; the list of moves works without them.";
  find("felt").replaceChildren(loading);
  find("controls").hidden = true;
  console.error(failed.reason);
}

start();
