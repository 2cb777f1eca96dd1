// What the page shows, held against the command line.

import assert from "node:assert/strict";

/** Returns what the page shows: texts as they are rendered, and attributes. It runs in the browser. */
export function look() {
  const $ = (id) => document.getElementById(id);
  const text = (element) => (element?.checkVisibility() ? element.innerText.trim() : "");
  const number = (value) => (value === undefined || value === "" ? null : Number(value));
  const { ready, thinking, over, ply } = document.body.dataset;
  const focus = document.activeElement;
  const piece = (cell) => (cell.classList.contains("first") ? "1" : cell.classList.contains("second") ? "2" : "");
  return {
    settled: ready === "true" && thinking === "false",
    thinking: thinking === "true",
    over: over === "true",
    ply: Number(ply),
    board: $("board-select").value,
    moves: $("export-moves").value,
    link: $("export-link").value,
    address: location.href,
    status: text($("status")),
    error: text($("error")),
    source: text($("source")),
    // Errors of the fields, each beside its field.
    wrong: Object.fromEntries(["paste", "random-ply", "board-custom"]
      .filter((id) => $(id).getAttribute("aria-invalid") === "true").map((id) => [id, text($(`${id}-error`))])),
    canRetry: $("retry").checkVisibility(),
    canRedo: $("redo").getAttribute("aria-disabled") === "false",
    canGoOn: $("go-on").checkVisibility(),
    lineNote: text($("line-note")),
    summary: text($("summary")),
    step: text($("step")),
    focus: focus.dataset.column ? `column ${focus.dataset.column}` : focus.id,
    windowWidth: window.innerWidth,
    contentWidth: document.documentElement.scrollWidth,
    // From left to right, as they are seen; pieces from the bottom.
    columns: [...document.querySelectorAll("#board button.column")].map((button) => ({
      column: Number(button.dataset.column),
      pieces: [...button.querySelectorAll(".cell")].reverse().map(piece).join(""),
      value: button.dataset.value ?? null,
      remoteness: number(button.dataset.remoteness),
      text: text(button.querySelector(".value")),
      isBest: button.dataset.best === "true",
      last: [...button.querySelectorAll(".cell")].reverse().findIndex((cell) => cell.classList.contains("last")),
      // What a screen reader says.
      name: button.querySelector(".hidden").textContent,
      left: button.getBoundingClientRect().left,
      width: button.getBoundingClientRect().width,
    })),
    // Each from x, y to x, y in cells from the upper left corner.
    lines: [...document.querySelectorAll("#board line.over")].map((line) => (
      ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name)))
    )),
    plies: [...document.querySelectorAll("#history button")].map((button) => ({
      value: button.dataset.value ?? null,
      remoteness: number(button.dataset.remoteness),
      isMistake: button.dataset.mistake === "true",
      move: text(button.querySelector(".move")),
      // A narrow screen has room for it only beneath the board.
      worth: [...button.querySelector(".worth").children].map(({ textContent }) => textContent).join("\n"),
      isCurrent: button.getAttribute("aria-current") === "step",
      isLater: button.classList.contains("later"),
    })),
  };
}

/** The columns that show a value. */
export const withValues = ({ columns }) => columns.filter(({ text }) => text.includes("in ")).map(({ column }) => column);

/** A ply of the history. */
export const ply = (number) => `#history button[data-ply="${number}"]`;

/** A value in a word for people. */
const plies = (number) => `in ${number} ${number === 1 ? "ply" : "plies"}`;
const noun = (value) => (value === "lose" ? "loss" : value);

/** The status of an unfinished position. */
export function sentence(player, { value, remoteness, children }) {
  const [mover, other] = player === 0 ? ["Red", "Yellow"] : ["Yellow", "Red"];
  const best = children.filter((child) => child.value === value && child.remoteness === children[0].remoteness).map(({ column }) => column);
  const named = best.length < 4 ? ` with ${best.join(" or ")}` : "";
  switch (value) {
    case "tie": return `${mover} to move: a tie with best play.`;
    case "win": return remoteness === 1 ? `${mover} wins now${named}.` : `${mover} wins${named}, in ${(remoteness + 1) / 2} of its moves.`;
    default: return remoteness === 2 ? `${mover} loses: ${other} wins with its next move.` : `${mover} loses, in ${remoteness / 2} of ${other}'s moves.`;
  }
}

/** A line of moves as the page writes it. */
export const spaced = (line) => `Best line: ${[...line].join(" ")}`;

/** The answers of the command line about a board. */
export class Truth {
  constructor(program, board) {
    Object.assign(this, { program, board, known: new Map() });
    [this.width, this.height] = board.split("x").map(Number);
  }

  /** Returns what `query --json` says of a position. */
  of(text) {
    if (!this.known.has(text)) this.known.set(text, this.program.json("query", this.board, ...(text ? [text] : [])));
    return this.known.get(text);
  }

  /** Plays a game: the pieces of each column from the bottom. */
  columns(moves) {
    const columns = Array(this.width).fill("");
    [...moves].forEach((name, ply) => { columns[name - 1] += ply % 2 + 1; });
    return columns;
  }

  /**
   * Compares pieces, values, remotenesses, texts and names of all columns, and the status. Before the page has settled values
   * may be missing, but none may be wrong.
   */
  check(shown) {
    const { value, remoteness, children } = this.of(shown.moves);
    const { columns, moves, ply, over, settled } = shown;
    assert.deepEqual([columns.length, ply, over], [this.width, moves.length, remoteness === 0]);
    for (const seen of columns) {
      const pieces = this.columns(moves)[seen.column - 1];
      const child = children.find(({ column }) => column === seen.column);
      const last = seen.column === Number(moves.at(-1)) ? pieces.length - 1 : -1;
      assert.deepEqual([seen.pieces, seen.last], [pieces, last]);
      const isBest = child?.value === value && child.remoteness === children[0].remoteness;
      if (settled || seen.isBest) assert.equal(seen.isBest, isBest);
      if (!child) {
        assert.deepEqual([seen.value, seen.text], [null, ""]);
      } else if (seen.value === null && !settled) {
        assert.ok(["", "…", "?"].includes(seen.text), seen.text);
      } else {
        const worth = `${noun(child.value)} ${plies(child.remoteness)}`;
        assert.deepEqual([seen.value, seen.remoteness, seen.text], [child.value, child.remoteness, `${noun(child.value)}\nin ${child.remoteness}`]);
        const name = `Column ${seen.column}, ${pieces.length} piece${pieces.length === 1 ? "" : "s"}, ${worth}`;
        assert.ok(seen.name.startsWith(name), `${seen.name} for ${name}`);
      }
    }
    if (settled && !over) {
      assert.ok(shown.status.startsWith(sentence(ply % 2, { value, remoteness, children })), shown.status);
    }
  }

  /** Compares the whole value history, what each move cost, and the summary with `analyse --json`. */
  checkHistory(shown, game) {
    const { steps, summary } = this.program.json("analyse", this.board, game || "-");
    const rows = Array.from({ length: game.length + 1 }, (_, ply) => {
      const { value, remoteness } = this.of(game.slice(0, ply));
      const winner = value === "tie" ? "tie" : (value === "win") === (ply % 2 === 0) ? "Red" : "Yellow";
      const over = winner === "tie" ? "tie" : `${winner} won`;
      const worth = remoteness === 0 ? over : `${winner === "tie" ? "tie" : `${winner} wins`} ${plies(remoteness)}`;
      const { verdict, columns, keeps } = steps[ply - 1] ?? {};
      const best = columns?.length > 1 ? `${columns.slice(0, -1).join(", ")} or ${columns.at(-1)}` : columns?.[0];
      return {
        value, remoteness, isMistake: keeps === false, move: ply === 0 ? "start" : `${ply}. ${game[ply - 1]}`,
        worth: verdict ? `${worth}\n${verdict}; best: ${best}` : worth,
        isCurrent: ply === shown.ply, isLater: ply > shown.ply,
      };
    });
    assert.deepEqual(shown.plies, rows);
    const ofPage = (text) => text.replaceAll("X", "Red").replaceAll("O", "Yellow");
    if (game) assert.equal(shown.summary.toLowerCase(), `${ofPage(summary)}.`.toLowerCase());
  }

  /** Compares the end of a game: who won, with each line over pieces of the winner, or that it is a tie. */
  checkEnd(shown) {
    assert.deepEqual([shown.over, withValues(shown)], [true, []]);
    if (this.of(shown.moves).value === "tie") return assert.deepEqual([shown.status, shown.lines], ["A tie: the board is full.", []]);
    const [winner, name] = shown.ply % 2 === 1 ? ["1", "Red"] : ["2", "Yellow"];
    assert.notEqual(shown.lines.length, 0);
    assert.match(shown.status, new RegExp(`^${name} wins with a line (in row|in column|on a diagonal)`));
    const columns = this.columns(shown.moves);
    for (const [x1, y1, x2, y2] of shown.lines) {
      const steps = Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1));
      assert.ok(steps >= 3);
      for (let step = 0; step <= steps; step++) {
        const [x, y] = [x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps];
        assert.equal(columns[x - 0.5][this.height - y - 0.5], winner);
      }
    }
  }
}
