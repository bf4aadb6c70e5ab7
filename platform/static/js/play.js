// A game against a bot. The site holds the truth: whatever happens here, the page shows what its state says, and every
// action names the number of those that it follows, so that it is played once.

import { counted, element, loadSprite, pretty } from "./replay_cards.js";
import { PlayTable } from "./play_table.js";

const ANSWER = 320; // milliseconds after an action until the bot's answer is asked for: a card is on its way
const AGAIN = 500; // between questions while the bot thinks
const SLOW = 20000; // and while it does not
const LONG = 5000; // after which the person is told that it is no fault of theirs
const OFFLINE = 2500;
const HURRY = 60; // seconds left from which on they are counted

const find = (id) => document.getElementById(id);
const root = find("game");
const { token, bot } = root.dataset;
const seat = Number(root.dataset.seat);
const instruction = find("instruction");
const refused = find("refused");
const actions = find("actions");
const sort = find("sort");
const letters = find("letters");
const resign = find("resign");

let state = null;
let table = null;
let chosen = ""; // the card that is to be thrown
let seen = Number(remembered(sessionStorage, `seen-${token}`) ?? 0); // hands whose end the person has looked at
let shown = null; // what lies on the table: "end 3" of a hand or a number of moves
let isBusy = false; // an action is on its way
let timer = null;
let waitsSince = null; // when the bot's turn began
let leaveAt = null; // when the person must have acted, on this page's clock

function remembered(store, name) {
  try {
    return store.getItem(name);
  } catch {
    return null;
  }
}

function remember(store, name, value) {
  try {
    store.setItem(name, value);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

// Drawing

const endOf = () => state.showdowns.find((end) => end.hand > seen) ?? (state.is_over ? state.showdowns.at(-1) : undefined);

function draw() {
  const end = endOf();
  const step = end ?? state.position;
  const isLast = state.is_over && (!end || end === state.showdowns.at(-1));
  const choices = end || isBusy ? null : state.choices;
  if (!choices?.discards || !(chosen in choices.discards)) chosen = "";
  const now = end ? `end ${end.hand}` : `${state.moves}`;
  const isNew = now !== shown;
  const lines = end ? [...end.told, ...end.lines] : state.told;
  table.show(step, { lines, terms: step.terms ?? state.terms, choices, chosen, sort: sort.value, pace: isNew && shown !== null && !end ? 1 : 0 });
  shown = now;
  table.say(isLast ? [...lines, ...state.over.slice(1)] : lines);
  const line = isLast ? state.over[0] : end ? end.lines[0] : waitingWords() || state.instruction;
  // Only what is new is read out, what happened before what to do.
  const spoken = [...(end ? end.lines.slice(1) : state.told), line];
  if (isNew || instruction.dataset.line !== line) {
    instruction.dataset.line = line;
    instruction.replaceChildren(element("span", "visually-hidden", isNew ? `${spoken.slice(0, -1).join(" ")} ` : ""), line);
  }
  drawActions(end, isLast, choices);
  if (resign) resign.hidden = state.is_over;
}

function waitingWords() {
  if (!state.is_waiting) return "";
  if (Date.now() - waitsSince > LONG) return `${bot} takes longer than usual. Your game is kept: it goes on by itself.`;
  return state.is_hosted ? "" : `Waiting for ${bot} to sit down…`;
}

function action(label, key, run, { primary = false, off = false } = {}) {
  const made = element("button", primary ? "button" : "button quiet", label);
  made.type = "button";
  if (key) {
    made.title = `Key: ${key}`;
    made.setAttribute("aria-keyshortcuts", key);
    made.dataset.key = key;
  }
  if (off) made.setAttribute("aria-disabled", "true");
  else made.addEventListener("click", run);
  return made;
}

function drawActions(end, isLast, choices) {
  const made = [];
  if (isLast) {
    made.push(action("Play again", "n", () => find("again").requestSubmit(), { primary: true }));
    if (state.has_replay) {
      const link = element("a", "button quiet", "Replay with advice");
      link.href = root.dataset.replay;
      made.push(link);
    }
  } else if (end) {
    made.push(action(end.hand === state.showdowns.at(-1).hand ? "Next hand" : "Go on", "n", nextHand, { primary: true }));
  } else if (choices?.discards) {
    const knock = choices.knocks.includes(chosen) ? chosen : choices.knocks[0];
    made.push(action(chosen ? `Throw ${pretty(chosen)} · leaves ${choices.discards[chosen]}` : "Throw…", "d", () => act(chosen), { primary: !knock, off: !chosen }));
    if (choices.big_gin) made.push(action("Declare big gin", "b", () => act("big"), { primary: true }));
    if (knock) {
      const least = choices.discards[knock];
      made.push(action(`${least ? `Knock with ${least}` : "Gin!"} · throw ${pretty(knock)}`, "k", () => act(`${knock}!`), { primary: !choices.big_gin }));
    }
  } else if (choices) {
    const upcard = state.position.discard_pile.at(-1);
    if (choices.draws.includes("u")) made.push(action(`Take the ${pretty(upcard)}`, "t", () => act("u"), { primary: !choices.draws.includes("s") }));
    if (choices.draws.includes("s")) made.push(action("Draw from the stock", "s", () => act("s"), { primary: true }));
    if (choices.draws.includes("p")) made.push(action("Pass", "p", () => act("p")));
  }
  const hadFocus = actions.contains(document.activeElement);
  const markup = made.map((one) => one.outerHTML).join("");
  if (markup === actions.dataset.drawn) return; // a button that is being pressed stays
  actions.dataset.drawn = markup;
  actions.replaceChildren(...made);
  if (!hadFocus || !made.length) return;
  // After a draw the hand is where to go on; otherwise the first button.
  if (choices?.discards && !chosen) table.focusOn(state.position.drawn);
  else made.find((one) => one.getAttribute("aria-disabled") !== "true")?.focus();
}

function nextHand() {
  seen = endOf().hand;
  remember(sessionStorage, `seen-${token}`, String(seen));
  draw();
}

function choose(code) {
  if (chosen === code) return act(code);
  chosen = code;
  refused.textContent = "";
  if (!state.choices?.discards || code in state.choices.discards) return draw();
  chosen = "";
  refused.textContent = `You took the ${pretty(code)} from the pile just now: throw another card this turn.`;
}

// Talking with the site

function take(next) {
  if (state && next.moves < state.moves) return; // an answer that came late
  state = next;
  waitsSince = state.is_waiting ? (waitsSince ?? Date.now()) : null;
  leaveAt = state.seconds_left === null ? null : Date.now() + 1000 * state.seconds_left;
  draw();
}

async function ask(address, body) {
  const answer = await fetch(address, body ? { method: "POST", body, headers: { "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value } } : { cache: "no-store" });
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) throw new Error(`status ${answer.status}`);
  return answer.json();
}

async function send(address, fields) {
  if (isBusy) return;
  isBusy = true;
  clearTimeout(timer);
  refused.textContent = "";
  try {
    const next = await ask(address, new URLSearchParams(fields));
    isBusy = false;
    take(next);
    refused.textContent = next.refused;
  } catch (error) {
    isBusy = false;
    console.info(error);
    refused.textContent = "That did not reach the site. Nothing is lost: try again in a moment, or reload the page.";
  }
  wait(ANSWER);
}

function act(word) {
  if (!word || !state?.choices || endOf()) return;
  const at = state.moves;
  chosen = "";
  send(root.dataset.act, { action: word, at });
}

async function refresh() {
  clearTimeout(timer);
  if (isBusy) return;
  try {
    const next = await ask(root.dataset.state);
    if (isBusy) return;
    if (refused.dataset.offline) {
      delete refused.dataset.offline;
      refused.textContent = "";
    }
    take(next);
    wait(pause());
  } catch (error) {
    console.info(error);
    refused.dataset.offline = "yes";
    refused.textContent = "The connection is lost; trying again…";
    wait(OFFLINE);
  }
}

const pause = () => (state.is_waiting || (state.is_over && !state.has_replay) ? AGAIN : SLOW);

function wait(milliseconds) {
  clearTimeout(timer);
  if (state?.is_over && state.has_replay) return;
  timer = setTimeout(refresh, milliseconds);
}

function countDown() {
  if (leaveAt === null || !state?.is_mine) return;
  const left = Math.ceil((leaveAt - Date.now()) / 1000);
  if (left > HURRY) return;
  if (left > 0) refused.textContent = `Still there? The game is ${bot}'s in ${counted(left, "second")}.`;
  else if (left % 2 === 0) refresh();
}

// Keys

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("select, textarea, input:not([type=checkbox])")) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    table.step(event.key === "ArrowLeft" ? -1 : 1);
    return;
  }
  if (!letters.checked) return;
  const button = actions.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!button) return;
  event.preventDefault();
  button.focus();
  button.click();
}

async function start() {
  sort.value = remembered(localStorage, "play-sort") ?? "melds";
  if (sort.selectedIndex < 0) sort.value = "melds";
  letters.checked = remembered(localStorage, "play-letters") !== "off";
  let first;
  try {
    [first] = await Promise.all([ask(root.dataset.state), loadSprite(root.dataset.sprite)]);
  } catch (error) {
    find("loading").textContent = "The table could not be laid. Check your connection and reload the page; your game waits.";
    console.info(error);
    return;
  }
  const names = seat === 0 ? ["You", bot] : [bot, "You"];
  table = new PlayTable(find("felt"), { names, seat, draw: act, choose, drop: act });
  find("bar").hidden = false;
  take(first);
  wait(pause());
  document.addEventListener("keydown", onKey);
  sort.addEventListener("change", () => {
    remember(localStorage, "play-sort", sort.value);
    draw();
  });
  letters.addEventListener("change", () => remember(localStorage, "play-letters", letters.checked ? "on" : "off"));
  resign?.addEventListener("click", () => find("sure").showModal());
  find("sure").addEventListener("close", ({ target }) => target.returnValue === "yes" && send(root.dataset.resign, {}));
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  window.addEventListener("online", refresh);
  window.addEventListener("pageshow", ({ persisted }) => persisted && refresh());
  setInterval(countDown, 1000);
}

start();
