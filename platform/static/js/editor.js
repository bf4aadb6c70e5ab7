// The page on which a bot is written. The text area works by itself; the editor takes its place: at once, or on a phone,
// which works on it for a second, when somebody is about to write.

import { forget, keep, kept } from "./drafts.js";

const SAVE_AFTER = 300; // milliseconds after the last key

const form = document.getElementById("editor");
const area = form.elements.code;
const key = form.dataset.draft;
const largest = Number(form.dataset.largest); // bytes of a bot's file
const served = area.value;
let editor = null;
let coming = null; // the editor on its way
let saving = null;

// Drafts: what was typed comes back after a reload, a refusal or a lost connection.

const typed = () => ({ code: area.value, name: form.elements.name?.value ?? "", note: form.elements.note.value });

function save({ sent = false } = {}) {
  clearTimeout(saving);
  saving = null;
  const draft = typed();
  const isUntouched = draft.code === served && !draft.name && !draft.note;
  if (isUntouched && !sent) forget(key);
  else keep(key, { ...draft, sent, at: Date.now() });
}

function replace(text) {
  if (editor) editor.replace(text);
  else area.value = text;
}

function say(text, action) {
  const box = form.querySelector("[data-draft-note]");
  box.hidden = false;
  const words = document.createElement("span");
  words.textContent = text;
  box.replaceChildren(words);
  if (!action) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = action.label;
  button.addEventListener("click", () => {
    action.run();
    box.hidden = true;
  });
  box.append(button);
}

function restore() {
  const draft = kept(key);
  if (!draft || form.hasAttribute("data-refused")) return save();
  keep(key, { ...draft, sent: false });
  if (form.elements.name) form.elements.name.value = draft.name;
  form.elements.note.value = draft.note;
  if (draft.code === served) return undefined;
  area.value = draft.code;
  const when = new Date(draft.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const start = document.getElementById("start").selectedOptions[0].label.split(":")[0];
  return say(`This is your draft of ${when}, which you have not submitted.`, {
    label: `Take “${start}” instead`,
    run: () => replace(served),
  });
}

form.addEventListener("input", () => {
  clearTimeout(saving);
  saving = setTimeout(save, SAVE_AFTER);
});
window.addEventListener("pagehide", () => saving !== null && save());
form.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "try") save({ sent: true });
});
restore();

// The start: another bot's source in place of what is there.

function begin(text, said) {
  const before = area.value;
  replace(text);
  save();
  say(said, { label: "Bring back what was there", run: () => (replace(before), save()) });
}

const starts = document.querySelector("[data-start]");
starts.addEventListener("submit", async (event) => {
  event.preventDefault();
  const chosen = starts.elements.start.selectedOptions[0];
  try {
    const answer = await fetch(chosen.dataset.source);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    begin(await answer.text(), `Begun from ${chosen.label.split(":")[0]}.`);
  } catch {
    say("That source could not be loaded. Check your connection and try again.");
  }
});

async function drop(files) {
  const [file] = files;
  if (files.length > 1 || !file.name.toLowerCase().endsWith(".py")) return say("Drop one .py file. A zip goes under “Upload a file”.");
  if (file.size > largest) return say(`“${file.name}” is larger than a bot may be: ${largest / 1024} KiB.`);
  return begin(await file.text(), `“${file.name}” is here.`);
}

// The trial: htmx fetches it; its lines are marked and its outcome is said.

const problemsOf = (element) => JSON.parse(element.dataset.problems || "[]");
let problems = area.value === served ? problemsOf(form) : [];

function showTrial(trial) {
  if (!trial.dataset.problems) return;
  problems = problemsOf(trial);
  editor?.mark(problems);
  const said = document.getElementById("trial-said");
  if (trial.dataset.said && said.textContent !== trial.dataset.said) said.textContent = trial.dataset.said;
}

document.body.addEventListener("htmx:beforeSwap", (event) => {
  // A refusal is shown where the trial would be.
  if (event.detail.target.id === "trial" && [401, 422, 429].includes(event.detail.xhr.status)) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});
document.body.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id === "trial") showTrial(event.detail.elt);
});
// What the site has no answer to stands there as well, for the top of the code may be a screen away.
function sayAtTrial(text) {
  const box = document.createElement("div");
  box.className = "notice error";
  box.setAttribute("role", "alert");
  box.append(Object.assign(document.createElement("p"), { textContent: text }));
  document.querySelector("#trial > [role=alert]")?.remove();
  document.getElementById("trial-heading").after(box);
}

document.body.addEventListener("htmx:sendError", () => sayAtTrial("The site could not be reached. What you wrote is kept here: try again."));
document.body.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
  // 403 is what a page gets that is older than the last log-in: its form is not this session's.
  if (xhr.status === 403) sayAtTrial("You logged in again since this page was opened. Reload it: what you wrote is kept here.");
  else sayAtTrial(`The site failed (${xhr.status}). What you wrote is kept here: try again in a while.`);
});
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-line]");
  if (!link) return;
  event.preventDefault();
  await load();
  if (editor) editor.goTo(Number(link.dataset.line));
  else area.focus();
});

// The editor itself, which is large: the page is there and works before it.

async function bring() {
  const [{ CodeEditor }, { apiCompletions }, answer] = await Promise.all([
    import("./code_editor.js"),
    import("./completion.js"),
    fetch(form.dataset.words),
  ]);
  editor = new CodeEditor({
    area,
    completions: apiCompletions(await answer.json()),
    run: () => document.getElementById("try").click(),
    drop,
  });
  for (const hint of document.querySelectorAll("[data-editor-only]")) hint.hidden = false;
  editor.mark(problems);
}

// Keys that a phone's keyboard lacks. The editor keeps the focus, or its keyboard would go.
for (const button of form.querySelectorAll("[data-key]")) {
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", async () => {
    await load();
    editor?.press(button.dataset.key);
  });
}

const load = () =>
  (coming ??= bring().catch((error) => {
    console.error(error);
    say("The editor could not be loaded, so this is a plain text area. It works all the same.");
  }));

// A phone works on it when somebody is about to write, and has by then fetched what the head of the page names for others.
function fetchAhead() {
  for (const { href } of document.querySelectorAll("link[rel=modulepreload][media]")) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));
  }
}

if (matchMedia("(pointer: coarse)").matches) {
  area.addEventListener("focus", load, { once: true });
  if (!navigator.connection?.saveData) window.addEventListener("load", fetchAhead, { once: true });
} else load();
