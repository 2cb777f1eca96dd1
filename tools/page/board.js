// The board: a button for each column, with its pieces, its name and what a move there is worth.

import { element, ranks, setData, setInert, shape, svg } from "./dom.js";
import { columnName } from "./notation.js";
import { noun, texts, worthText } from "./texts.js";

/** Draws into `root`; `words` gets the pieces as text. Calls `onPlay(column)`, columns from 1, and `onLook(column)` or null as a pointer or the focus moves. */
export class BoardView {
  constructor(root, words, onPlay, onLook) {
    this.root = root;
    this.words = words;
    this.drawn = "";
    this.columns = new Map();
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-column]");
      if (button) onPlay(Number(button.dataset.column));
    });
    const look = ({ target }) => onLook(Number(target.closest("button[data-column]")?.dataset.column) || null);
    // A finger and a click look at nothing: they play.
    root.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") look(event); });
    root.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) look(event); });
    root.addEventListener("pointerleave", () => onLook(null));
    root.addEventListener("focusout", (event) => { if (!root.contains(event.relatedTarget)) onLook(null); });
  }

  /** Draws everything anew; buttons are kept, and with them the focus, unless the board is another one. */
  draw({ board, columns, flipped, canPlay, outcome, fact, showValues, isAsked, isSlow, marks, player, last }) {
    this.build(board, flipped);
    const values = new Map((fact?.children ?? []).map((child) => [child.column, child]));
    const rank = ranks(fact?.children ?? []);
    this.root.dataset.player = ["first", "second"][player];
    for (const [column, view] of this.columns) {
      const pieces = columns[column - 1];
      const full = pieces.length >= board.height;
      const child = values.get(column);
      const open = !full && !outcome.over;
      const isBest = open && showValues && isBestMove(fact, child, rank.get(column));
      this.drawPieces(view, pieces, { isLast: column === last, isNext: open && canPlay });
      this.drawValue(view, { child, rank: rank.get(column), open, isAsked, isSlow, showValues });
      setData(view.button, "best", isBest ? "true" : null);
      const marked = Object.keys(marks).filter((mark) => marks[mark] === column);
      view.marks.textContent = marked.map((mark) => texts.shortMarks[mark]).join(" ");
      view.button.dataset.marks = marked.join(" ");
      setInert(view.button, !(open && canPlay));
      view.label.textContent = texts.columnButton({
        column,
        pieces: pieces.length,
        full,
        worth: showValues && open && child ? worthText({ ...child, whole: !isAsked }) : "",
        marks: [...(isBest ? [texts.best] : []), ...marked.map((mark) => texts.marks[mark])],
      });
    }
    this.drawLines(board, outcome.lines, flipped);
    this.words.replaceChildren(...columns.map((pieces, index) => element("li", "", texts.columnInWords(index + 1, pieces))));
  }

  build(board, flipped) {
    const wanted = `${board.width} ${board.height} ${flipped}`;
    if (wanted === this.drawn) return;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.column : null;
    this.drawn = wanted;
    this.columns.clear();
    this.root.style.setProperty("--columns", board.width);
    this.root.style.setProperty("--rows", board.height);
    const order = Array.from({ length: board.width }, (_, index) => index + 1);
    if (flipped) order.reverse();
    this.lines = svg("svg", { viewBox: `0 0 ${board.width} ${board.height}`, class: "lines", "aria-hidden": "true" });
    this.root.replaceChildren(...order.map((column) => this.buildColumn(board, column)), this.lines);
    if (focused) this.focus(Math.min(Number(focused), board.width));
  }

  buildColumn(board, column) {
    const button = element("button", "column");
    button.type = "button";
    button.dataset.column = column;
    const cells = Array.from({ length: board.height }, () => element("span", "cell"));
    const field = element("span", "cells");
    field.append(...cells);
    const value = element("span", "value");
    const marks = element("span", "marks");
    button.append(field, element("span", "name", columnName(column)), value, marks);
    for (const part of button.children) part.setAttribute("aria-hidden", "true");
    const label = element("span", "hidden");
    button.append(label);
    button.setAttribute("aria-describedby", "why");
    this.columns.set(column, { button, label, cells: cells.reverse(), value, marks, pieces: null });
    return button;
  }

  /** A single new piece drops; all else appears at once. The last piece has a rim, and the next one shows under the pointer. */
  drawPieces(view, pieces, { isLast, isNext }) {
    const before = view.pieces;
    view.pieces = [...pieces];
    const drops = before !== null && pieces.length === before.length + 1;
    view.cells.forEach((cell, row) => {
      // A cell that stays as it is goes on with its drop.
      if (before !== null && before[row] === pieces[row]) return;
      cell.className = ["cell", ["first", "second"][pieces[row]]].filter(Boolean).join(" ");
      if (drops && row === pieces.length - 1) {
        cell.style.setProperty("--fall", view.cells.length - row);
        cell.classList.add("drops");
      }
    });
    view.cells.forEach((cell, row) => {
      cell.classList.toggle("last", isLast && row === pieces.length - 1);
      cell.classList.toggle("next", isNext && row === pieces.length);
    });
  }

  /** Marks cells with texts: `ghosts` are the moves of a line by number, each with its player; without any, where a best move would land, with its plies to the end. */
  drawGhosts(ghosts) {
    for (const [column, { button, cells, pieces }] of this.columns) {
      const best = button.dataset.best && ghosts.length === 0 ? [{ column, row: pieces.length, text: button.dataset.remoteness }] : ghosts;
      cells.forEach((cell, row) => {
        const ghost = best.find((other) => other.column === column && other.row === row);
        setData(cell, "ghost", ghost?.text);
        setData(cell, "ghostPlayer", ["first", "second"][ghost?.player]);
      });
    }
  }

  drawValue(view, { child, rank, open, isAsked, isSlow, showValues }) {
    const known = open && child?.value ? child.value : null;
    setData(view.button, "value", known);
    setData(view.button, "remoteness", known && child.remoteness);
    const state = !showValues || !open ? "" : known ? `known ${known}` : isAsked ? "asked" : "unknown";
    // What a pointer is pressed on must stay, or the click is lost.
    const drawn = JSON.stringify([state, known && [child.remoteness, rank], isSlow]);
    if (view.drawn === drawn) return;
    view.drawn = drawn;
    view.value.className = `value ${state}`;
    view.value.replaceChildren();
    if (state === "unknown") view.value.append(element("span", "word", texts.unknown));
    else if (state === "asked") view.value.append(isSlow ? texts.waiting : "");
    else if (state) {
      view.value.append(shape(child.value, rank), element("span", "word", noun(child.value)));
      if (child.remoteness !== null) view.value.append(element("span", "word", texts.inPlies(child.remoteness)));
    }
  }

  drawLines(board, lines, flipped) {
    const x = (column) => (flipped ? board.width - column - 0.5 : column + 0.5);
    const y = (row) => board.height - row - 0.5;
    this.lines.replaceChildren(...lines.flatMap(({ from, to }) => ["under", "over"].map((part) => svg("line", {
      class: part, x1: x(from[0]), y1: y(from[1]), x2: x(to[0]), y2: y(to[1]),
    }))));
  }

  /** Moves the focus to a column. */
  focus(column) {
    this.columns.get(column)?.button.focus();
  }

  /** Moves the focus by `step` places as they are seen; into the middle if it is elsewhere. */
  focusNext(step) {
    const shown = [...this.root.querySelectorAll("button")];
    const here = shown.indexOf(document.activeElement);
    const next = here < 0 ? Math.floor((shown.length - 1) / 2) : (here + step + shown.length) % shown.length;
    shown[next].focus();
  }

  /** Returns the column that has the focus, or null. */
  focused() {
    return Number(document.activeElement?.closest?.("#board button[data-column]")?.dataset.column) || null;
  }
}

/** Whether a move is one of the best, once all are known. */
function isBestMove(fact, child, rank) {
  return Boolean(fact?.whole && child?.value) && child.value === fact.value && rank === 1;
}
