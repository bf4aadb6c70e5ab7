// What platform/static/vendor/codemirror.js offers: what the editor of bots uses of CodeMirror, and nothing else.
//
// Python by the small mode that knows words and indentation: the parser that knows its grammar is 20 kB more, packed,
// and would take the page over its budget.

export { acceptCompletion, autocompletion, completeAnyWord, completionKeymap } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore, redo, undo } from "@codemirror/commands";
export {
  HighlightStyle,
  LanguageSupport,
  StreamLanguage,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
export { python } from "@codemirror/legacy-modes/mode/python";
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, WidgetType, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
export { tags } from "@lezer/highlight";
