// Keys: columns by name or by arrows, and a letter for each command; with Shift where the letter is a column.

import { columnOf } from "./notation.js";

/** The buttons that have a key. */
const commands = [...document.querySelectorAll("button[data-key]")];

/** Listens to the keys of the page while `isOn()`; digits and letters do nothing inside fields. */
export function listen({ isOn, board, width, onPlay }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !isOn()) return;
    if (event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea")) return;
    if (handle(event, { board, width, onPlay })) event.preventDefault();
  });
}

function handle(event, page) {
  const action = actionOf(event, page);
  // A key that is held down plays once, and moves the focus on.
  if (action && (!event.repeat || event.key.startsWith("Arrow") && event.key !== "ArrowDown")) action();
  return action !== null;
}

/** Returns what a key does, or null. With Shift a letter is a command; digits need Shift on some keyboards. */
function actionOf(event, { board, width, onPlay }) {
  const key = event.key.toLowerCase();
  if (key.startsWith("arrow") && document.activeElement.type === "radio") return null;
  if (key === "arrowleft" || key === "arrowright") return () => board.focusNext(key === "arrowleft" ? -1 : 1);
  if (key === "arrowdown") return board.focused() ? () => onPlay(board.focused()) : null;
  const column = key.length === 1 && !(event.shiftKey && /[a-z]/.test(key)) ? columnOf(key) : null;
  if (column !== null && column <= width()) return () => onPlay(column);
  const command = commands.find((button) => button.dataset.key === key);
  if (!command) return null;
  return () => {
    if (command.hidden || getComputedStyle(command.closest("section")).display === "none") return;
    command.closest("details")?.setAttribute("open", "");
    command.click();
  };
}

/** Tells assistive technology which key each command has: with Shift where the letter is a column, none while keys are off. */
export function nameKeys(isOn, width) {
  for (const button of commands) {
    const { key } = button.dataset;
    const keys = columnOf(key) <= width ? `Shift+${key.toUpperCase()}` : key.toUpperCase();
    if (isOn) button.setAttribute("aria-keyshortcuts", keys);
    else button.removeAttribute("aria-keyshortcuts");
  }
}
