// The upload form: takes a dropped file, and says at once what the server would refuse.

import { check, readUpload } from "./archive.js";

const form = document.querySelector("form[data-upload]");
if (form) enhance(form);

function enhance(form) {
  const rules = JSON.parse(form.dataset.rules);
  const keptBytes = Math.max(rules.limits.file_bytes, rules.limits.zip_bytes) + 1;
  const input = form.querySelector("input[type=file]");
  const zone = form.querySelector("[data-drop]");
  const verdict = form.querySelector("[data-verdict]");
  const button = form.querySelector("button[type=submit]");
  let isRefused = false;

  function say(kind, text) {
    isRefused = kind === "error";
    input.toggleAttribute("aria-invalid", false);
    if (isRefused) input.setAttribute("aria-invalid", "true");
    const line = document.createElement("p");
    line.className = `notice ${kind}`;
    line.textContent = text;
    verdict.replaceChildren(...(text ? [line] : []));
  }

  async function look() {
    const file = input.files[0];
    say("", "");
    if (!file) return;
    const bytes = new Uint8Array(await file.slice(0, keptBytes).arrayBuffer());
    const refusal = await check(file.name, bytes, rules);
    if (file !== input.files[0]) return; // another one was chosen meanwhile
    if (refusal) {
      say("error", refusal.message);
      return;
    }
    const modules = await readUpload(file.name, bytes, rules);
    if (Object.values(modules).some((text) => /^\s*class\s+\w+\s*\([^)]*Bot\b/m.test(text))) {
      say("success", `“${file.name}” looks right.`);
    } else {
      say("warning", "No class in it seems to subclass Bot. You can upload it all the same: the check will tell.");
    }
  }

  input.addEventListener("change", look);
  zone.querySelector("[data-drop-hint]").hidden = false;
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const { files } = event.dataTransfer;
    if (files.length > 1) {
      say("error", "Drop one file. Put several modules into a zip first.");
      return;
    }
    input.files = files;
    look();
  });
  form.addEventListener("submit", (event) => {
    if (isRefused) {
      event.preventDefault();
      input.focus();
      return;
    }
    button.disabled = true;
  });
  // Coming back with the browser's button must not find the form stuck.
  window.addEventListener("pageshow", () => {
    if (!form.hasAttribute("data-closed")) button.disabled = false;
  });
  look();
}
