// Puzzles: a position with exactly one good move. The one of the day is the same for everybody; the days in a row on which it was solved
// are kept on the device.

import { recall, remember } from "./address.js";
import { $, onClick } from "./dom.js";
import { newGame, playAll } from "./game.js";
import { keyOf } from "./facts.js";
import { parseBoard, parseMoves } from "./notation.js";
import { texts } from "./texts.js";
import { ask } from "./transport.js";

/** The board of the puzzle of the day. */
const BOARD = "7x6";

/** Returns a day as a seed of puzzles, such as 20261129: the day in the time zone of the device, `ago` days ago. */
export function seedOfDay(ago = 0, now = new Date()) {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago);
  return 10_000 * day.getFullYear() + 100 * (day.getMonth() + 1) + day.getDate();
}

/** The panel. `board()` is the board that is shown, `onOpen(game)` opens another game. */
export class Practise {
  constructor({ questions, board, onOpen }) {
    Object.assign(this, { questions, onOpen });
    /** The puzzle that is open: {key, solution, value, remoteness, day, before}, or null; also after the page is loaded again. */
    this.puzzle = recall("puzzle", null);
    onClick("daily", () => this.draw({ board: BOARD, seed: seedOfDay() }, seedOfDay()));
    onClick("puzzle", () => this.draw({ board: board().text, seed: Math.floor(Math.random() * 2 ** 31) }));
    this.say();
  }

  /** Draws a puzzle and opens it; `day` is that of a daily one. */
  draw(fields, day = null) {
    this.say(texts.drawing);
    this.questions.run("puzzle", (signal) => ask("puzzle", fields, { signal }), ({ puzzles: [drawn] }) => {
      const game = playAll(newGame(parseBoard(fields.board)), parseMoves(drawn.position.moves));
      const { solution, value, remoteness } = drawn;
      this.keep({ solution, value, remoteness, key: keyOf(game), day, before: seedOfDay(1) });
      this.onOpen(game);
      this.say();
    }, () => this.say());
  }

  /** Returns the puzzle of a game that nobody has solved yet, or null. */
  of(game) {
    return this.puzzle?.key === keyOf(game) ? this.puzzle : null;
  }

  /** Takes a try. Returns whether it solves the puzzle, which is closed then. */
  solves(column) {
    const { solution, day, before } = this.puzzle;
    if (column !== solution) return false;
    this.keep(null);
    const { last, days } = recall("practise", { last: 0, days: 0 });
    if (day && day !== last) remember("practise", { last: day, days: last === before ? days + 1 : 1 });
    this.say();
    return true;
  }

  /** Gives the puzzle up. */
  end() {
    this.keep(null);
    this.say();
  }

  keep(puzzle) {
    this.puzzle = puzzle;
    remember("puzzle", puzzle);
  }

  /** Says a text, or for how many days the puzzle of the day was solved. */
  say(text = "") {
    const { last, days } = recall("practise", { last: 0, days: 0 });
    const isOn = last === seedOfDay() || last === seedOfDay(1);
    $("practise-note").textContent = text || (isOn ? texts.streak(days, last === seedOfDay()) : texts.noStreak);
  }
}
