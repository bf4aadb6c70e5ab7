// Completes the bot API (`arena`) in Python. `words` are those of platform/ladder/words.py.

import { syntaxTree } from "../vendor/codemirror.js";

const SILENT = /string|comment/;
const PLUMBING = /_wire$/; // how views travel, which no bot needs

/** A completion source over the words. */
export function apiCompletions(words) {
  const classes = Object.keys(words).filter((name) => words[name].kind === "class");
  const byVariable = new Map(classes.map((name) => [name.toLowerCase(), name]));
  const names = classes.concat(Object.keys(words).filter((name) => !classes.includes(name)));
  const globals = names.map((name) => option(name, words[name]));
  const hooks = Object.entries(words.Bot.members)
    .filter(([, member]) => member.kind === "method")
    .map(([name, member]) => ({ ...option(name, member), apply: `${member.signature.replace("(", "(self, ")}:` }));

  /** The class of a variable: as it is annotated nearest above, else as it is called. */
  function classOf(name, above) {
    if (name === "self") return "Bot";
    if (words[name]) return name;
    const annotations = [...above.matchAll(new RegExp(`\\b${name}\\s*:\\s*["']?(\\w+)`, "g"))];
    const annotated = annotations.at(-1)?.[1];
    if (words[annotated]) return annotated;
    return byVariable.get(name.split("_").at(-1).toLowerCase());
  }

  function members(path, above) {
    let found = classOf(path[0], above);
    for (const name of path.slice(1)) found = words[found]?.members[name]?.type;
    const known = Object.entries(words[found]?.members ?? {}).map(([name, member]) => option(name, member));
    if (path.length > 1 || path[0] !== "self") return known;
    const own = new Set([...above.matchAll(/\bself\.(\w+)\s*(?::[^=\n]+)?=[^=]/g)].map((match) => match[1]));
    return known.concat([...own].map((label) => ({ label, type: "property" })));
  }

  return (context) => {
    if (SILENT.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    const above = context.state.sliceDoc(0, context.pos);
    const dotted = context.matchBefore(/(?:[A-Za-z_]\w*\.)+\w*/);
    if (dotted) {
      const path = dotted.text.split(".");
      const typed = path.pop();
      const options = members(path, above);
      return options.length ? { from: context.pos - typed.length, options, validFor: /^\w*$/ } : null;
    }
    const method = context.matchBefore(/^[ \t]+def \w*/);
    if (method) return { from: method.from + method.text.lastIndexOf(" ") + 1, options: hooks, validFor: /^\w*$/ };
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (!word && !context.explicit) return null;
    return { from: word ? word.from : context.pos, options: globals, validFor: /^\w*$/ };
  };
}

function option(label, { kind, signature, doc }) {
  const detail = signature.startsWith(label) ? signature.slice(label.length) : "";
  const type = kind === "value" ? "variable" : kind;
  return { label, type, detail: detail || undefined, info: doc || undefined, boost: PLUMBING.test(label) ? -50 : 2 };
}
