// Keys: columns by name or by arrows, and a letter for each command; with Shift where the letter is a column.

import { columnOf } from "./notation.js";

const COMMANDS = {
  v: "values-toggle", b: "best-line", p: "play-best", l: "follow-up-toggle",
  u: "undo", r: "redo", n: "restart", f: "flip",
};

/** Listens to the keys of the page while `isOn()`; digits and letters do nothing inside fields. */
export function listen({ isOn, board, width, onPlay }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !isOn()) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    if (handle(event, { board, width, onPlay })) event.preventDefault();
  });
}

function handle(event, { board, width, onPlay }) {
  const key = event.key.toLowerCase();
  // A key that is held down plays once.
  if (event.repeat && key !== "arrowleft" && key !== "arrowright") return true;
  if (key === "arrowleft" || key === "arrowright") {
    board.focusNext(key === "arrowleft" ? -1 : 1);
    return true;
  }
  if (key === "arrowdown" && board.focused()) {
    onPlay(board.focused());
    return true;
  }
  const column = key.length === 1 && !event.shiftKey ? columnOf(key) : null;
  if (column !== null && column <= width()) {
    onPlay(column);
    return true;
  }
  if (!(key in COMMANDS)) return false;
  const button = document.getElementById(COMMANDS[key]);
  if (!button.hidden) button.click();
  return true;
}
