// What is being written and not submitted yet, kept in this browser. A key names the author and the bot.

const PREFIX = "draft/";

/** The draft kept under the key, with code, name, note and at (milliseconds); or null. */
export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key));
  } catch {
    return null;
  }
}

export function keep(key, draft) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {
    // Full or forbidden: the page works on, and a reload loses what was typed.
  }
}

export function forget(key) {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // As above.
  }
}

/** Forget what was submitted. The page of a version calls this: only there it is certain that the site has it. */
export function forgetSent() {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX) && kept(name.slice(PREFIX.length))?.sent) localStorage.removeItem(name);
    }
  } catch {
    // As above.
  }
}
