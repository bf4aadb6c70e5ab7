// The editor in place of a text area: CodeMirror for Python, with the site's colours, and marks at lines that failed.
//
// It lives in a shadow root: there CodeMirror adopts style sheets that it constructs, where it would otherwise write
// <style> elements, which the site's Content-Security-Policy forbids.

import {
  Decoration,
  EditorState,
  EditorView,
  HighlightStyle,
  LanguageSupport,
  StateEffect,
  StateField,
  StreamLanguage,
  WidgetType,
  acceptCompletion,
  autocompletion,
  bracketMatching,
  completeAnyWord,
  completionKeymap,
  defaultKeymap,
  highlightActiveLine,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentOnInput,
  indentUnit,
  keymap,
  lineNumbers,
  python,
  redo,
  syntaxHighlighting,
  tags,
  undo,
} from "../vendor/codemirror.js";

const LABEL = "Source of your bot, in Python. Press Escape and then Tab to leave the editor.";

const COMMANDS = { undo, redo, indent: indentMore, outdent: indentLess };

const language = StreamLanguage.define(python);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--code-size)", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.4rem 0" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--surface)", border: "0", paddingLeft: "0.3rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 60%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--good-bg)", outline: "1px solid var(--line-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-bg)" },
  ".cm-problem": { backgroundColor: "var(--bad-bg)" },
  ".cm-problem-text": {
    color: "var(--bad)",
    backgroundColor: "var(--bad-bg)",
    borderLeft: "4px solid var(--bad)",
    padding: "0.1rem 0.6rem 0.2rem",
    fontFamily: "var(--sans)",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em", maxWidth: "min(40rem, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.15rem 0.5rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--accent-ink)", backgroundColor: "var(--accent)" },
  ".cm-completionIcon": { opacity: "1" },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--muted)" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionInfo": { fontFamily: "var(--sans)", padding: "0.4rem 0.6rem", maxWidth: "22rem" },
});

const ink = HighlightStyle.define([
  { tag: [tags.keyword, tags.self, tags.bool, tags.null], color: "var(--code-keyword)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.comment, tags.meta], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.definition(tags.variableName), color: "var(--code-name)", fontWeight: "600" },
  { tag: tags.standard(tags.variableName), color: "var(--code-type)" },
]);

const setProblems = StateEffect.define();

class ProblemText extends WidgetType {
  constructor(message) {
    super();
    this.message = message;
  }

  eq(other) {
    return other.message === this.message;
  }

  toDOM() {
    const text = document.createElement("div");
    text.className = "cm-problem-text";
    text.textContent = this.message;
    return text;
  }
}

const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let now = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) now = Decoration.set(effect.value.flatMap((one) => marksAt(transaction.state.doc, one)), true);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksAt(doc, { line, message }) {
  if (line > doc.lines) return [];
  const { from, to } = doc.line(line);
  const below = Decoration.widget({ widget: new ProblemText(message), block: true, side: 1 });
  return [Decoration.line({ class: "cm-problem" }).range(from), below.range(to)];
}

export class CodeEditor {
  // Takes the place of `area`, whose value follows every change. `run` is called for Ctrl-Enter, `drop` with a file.
  constructor({ area, completions, run, drop }) {
    const host = document.createElement("div");
    host.className = "code-host";
    area.after(host);
    const isFocused = document.activeElement === area;
    this.view = new EditorView({
      parent: host.attachShadow({ mode: "open" }),
      state: EditorState.create({ doc: area.value, extensions: this.extensions({ area, completions, run, drop }) }),
    });
    area.hidden = true;
    area.labels[0]?.addEventListener("click", () => this.view.focus());
    if (!isFocused) return;
    // Who has begun to type goes on where they are.
    this.view.focus();
    this.view.dispatch({ selection: { anchor: area.selectionStart, head: area.selectionEnd }, scrollIntoView: true });
  }

  extensions({ area, completions, run, drop }) {
    const sources = [completeAnyWord, completions];
    return [
      lineNumbers(),
      history(),
      indentUnit.of("    "),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      autocompletion(),
      new LanguageSupport(language, sources.map((autocomplete) => language.data.of({ autocomplete }))),
      syntaxHighlighting(ink),
      look,
      marks,
      keymap.of([
        { key: "Mod-Enter", run: () => (run(), true) },
        { key: "Tab", run: acceptCompletion },
        { key: "Tab", run: indentMore, shift: indentLess },
        ...completionKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      // Focusable by itself, as all that can be edited is; said once more for checkers that look for it.
      EditorView.contentAttributes.of({ "aria-label": LABEL, tabindex: "0" }),
      EditorView.domEventHandlers({
        drop(event) {
          if (!event.dataTransfer.files.length) return false;
          event.preventDefault();
          drop(event.dataTransfer.files);
          return true;
        },
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        area.value = state.doc.toString();
        area.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ];
  }

  // Another text; undo brings the one before back.
  replace(text) {
    const { state } = this.view;
    this.view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  // What a key would do, by its name in COMMANDS.
  press(name) {
    COMMANDS[name](this.view);
    this.view.focus();
  }

  // Marks lines that failed, each { line, message }, in place of those marked before.
  mark(problems) {
    this.view.dispatch({ effects: setProblems.of(problems) });
    if (problems.length) this.show(problems[0].line);
  }

  show(line) {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(line, doc.lines)).from;
    this.view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }

  goTo(line) {
    const { doc } = this.view.state;
    this.view.dispatch({ selection: { anchor: doc.line(Math.min(line, doc.lines)).from } });
    this.show(line);
    this.view.focus();
  }
}
