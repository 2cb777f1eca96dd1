// Chooses what answers for each board in the tab: a built-in database, whose first plies are loaded first; a database of a small board,
// which is solved in the tab; or a search.

import { Fourbase } from "fourbase";
import { parseBoard } from "../../tools/page/notation.js";

/** The boards that the page offers. */
export const FIRST_BOARDS = ["4x4", "5x4", "6x4", "5x5", ...Fourbase.builtIn];

/** A board of at most so many cells is solved in the tab, which takes two seconds and 60 MB. */
const MOST_CELLS = 25;

/** How many milliseconds a later position waits for the later plies: from the browser's own cache they come at once. */
const PATIENCE = 1000;

export class Boards {
  #fourbase;
  /** For each board, the promise that it is ready, and the listeners to its progress. */
  #ready = new Map();
  /** The promises of whole built-in databases, and (`#loaded`) the boards whose whole databases are here. */
  #whole = new Map();
  #loaded = new Set();

  /** The first plies of the built-in board `first`, if there is one, are ready: the package has loaded them at its start. */
  constructor(fourbase, first) {
    this.#fourbase = fourbase;
    if (first) this.#ready.set(first, { done: Promise.resolve(), listeners: new Set() });
  }

  /** Notes that somebody's own database of a board is open. */
  take(board) {
    this.#ready.set(board, { done: Promise.resolve(), listeners: new Set() });
    this.#whole.set(board, Promise.resolve());
    this.#loaded.add(board);
  }

  /** Makes ready what answers for a position of at most `ply` pieces. `onProgress` gets the share, 0 to 1, of a solve. */
  async ready(board, ply, onProgress = () => {}) {
    if (!this.#ready.has(board)) {
      const listeners = new Set();
      const done = this.#open(board, (share) => listeners.forEach((listener) => listener(share)));
      this.#ready.set(board, { done, listeners });
      // The next question tries again.
      done.catch(() => this.#ready.delete(board));
    }
    const { done, listeners } = this.#ready.get(board);
    listeners.add(onProgress);
    try {
      await done;
    } finally {
      listeners.delete(onProgress);
    }
    // The values of a position's moves are stored at the next ply.
    if (ply < Fourbase.firstPlies) return;
    // If the later plies fail to load, the next question loads them again; until then they are searched.
    const whole = this.whole(board).catch(() => {});
    await Promise.race([whole, new Promise((resolve) => { setTimeout(resolve, PATIENCE); })]);
  }

  /** Whether more of the database of a board is to come. */
  grows(board) {
    return Fourbase.builtIn.includes(board) && !this.#loaded.has(board);
  }

  /** Loads all built-in plies of a board, if there are some. The signal ends only this caller's wait. */
  async whole(board, signal) {
    if (!Fourbase.builtIn.includes(board)) return;
    if (!this.#whole.has(board)) {
      this.#whole.set(board, this.#fourbase.openBuiltIn(board));
      this.#whole.get(board).then(() => this.#loaded.add(board), () => this.#whole.delete(board));
    }
    const aborted = new Promise((_, reject) => { signal?.addEventListener("abort", () => reject(signal.reason)); });
    await Promise.race([this.#whole.get(board), aborted]);
  }

  async #open(board, onShare) {
    if (Fourbase.builtIn.includes(board)) {
      await this.#fourbase.openBuiltIn(board, { first: true });
    } else if (isSmall(board)) {
      try {
        onShare(0);
        await this.#fourbase.solve(board, { onProgress: ({ done, all }) => onShare(all ? done / all : 0) });
      } catch (error) {
        // Larger boards are searched, and so are boards that this machine has no memory for.
        if (error.code !== "memory") throw error;
      }
    }
  }
}

function isSmall(text) {
  const { width, height } = parseBoard(text);
  return width * height <= MOST_CELLS;
}
