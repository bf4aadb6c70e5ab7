// The dialog that shares a position: its link, a frame for other pages, the author's tool, a unit test.

async function copy(field) {
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value);
  // Without TLS browsers offer the old way only.
  field.select();
  if (!document.execCommand("copy")) throw new Error("refused");
}

export class ShareDialog {
  // `address` is where the site tells of decisions; `names` are by seat.
  constructor({ dialog, steps, names, address }) {
    Object.assign(this, { dialog, steps, names, address });
    const field = (id) => dialog.querySelector(`#${id}`);
    [this.link, this.frame, this.command, this.test] = ["share-link", "share-frame", "share-command", "share-test"].map(field);
    this.said = field("share-said");
    dialog.addEventListener("click", (event) => {
      const button = event.target.closest("[data-take]");
      if (button) this.take(field(button.dataset.take));
    });
  }

  async take(field) {
    try {
      await copy(field);
      this.said.textContent = "Copied.";
    } catch {
      field.select();
      this.said.textContent = "The browser does not let the page copy: the text is selected, copy it by hand.";
    }
  }

  // `sight` is the seat whose view it is, or null; `place` is the end of the address that names both.
  open(at, sight, place) {
    const step = this.steps[at];
    this.said.textContent = `Move ${at}, in hand ${step.hand}${sight === null ? "" : `, as ${this.names[sight]} saw it`}.`;
    this.link.value = `${location.origin}${location.pathname}${place}`;
    const title = `${this.names.join(" v ")}, a game of Gin Rummy`.replace(/[&"<>]/g, (sign) => `&#${sign.codePointAt(0)};`);
    this.frame.value = `<iframe src="${this.frame.dataset.address}${place}" title="${title}" width="760" height="680" style="border: 0; max-width: 100%" loading="lazy"></iframe>`;
    const isDue = ["offer", "draw", "discard"].includes(step.decision);
    const isChoice = isDue && (sight === null || sight === step.turn);
    const why = isDue ? "The hand that decides here is hidden in this view." : "Here nobody draws or discards: step to a decision first.";
    // The tool counts a decision by the move that came of it.
    this.command.value = isChoice ? `${this.command.dataset.command} --seat ${step.turn} --at ${at + 1}` : why;
    this.test.value = isChoice ? "Loading…" : why;
    this.wanted = isChoice ? at : null;
    for (const field of [this.command, this.test]) this.dialog.querySelector(`[data-take="${field.id}"]`).disabled = !isChoice;
    this.dialog.showModal();
    if (isChoice) this.loadTest(at);
  }

  async loadTest(at) {
    let found;
    try {
      const answer = await fetch(`${this.address}${at}.py`);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      found = await answer.text();
    } catch {
      found = "The test could not be loaded. Check your connection and open this dialog again.";
    }
    if (this.wanted === at) this.test.value = found; // it may have been opened elsewhere by now
  }
}
