// What the page asks about the game that is shown. A question has a channel; a new one ends the old one there, and
// an answer whose question was ended is dropped, so that it never lands on another position.

import { Trouble, ask } from "./api.js";
import { columnsAt } from "./game.js";
import { movesText, positionText, uniText } from "./notation.js";
import { texts } from "./texts.js";

export class Questions {
  constructor(notices) {
    this.notices = notices;
    this.open = new Map();
    this.facts = new Map();
    this.analysed = new Set();
  }

  /** Ends the questions of channels, and forgets what went wrong there. */
  end(...channels) {
    for (const channel of channels) {
      this.open.get(channel)?.abort();
      this.open.delete(channel);
    }
    this.notices.clear(...channels);
  }

  /** Whether a question is under way. */
  asks(channel) {
    return this.open.has(channel);
  }

  /**
   * Asks on a channel: `work(signal)` gives the answer, `use(answer)` takes it, and `failed(failure)` may take a
   * failure, which is said on the page with a retry.
   */
  async run(channel, work, use, failed = () => {}) {
    this.open.get(channel)?.abort();
    const controller = new AbortController();
    this.open.set(channel, controller);
    const isCurrent = () => this.open.get(channel) === controller;
    let answer;
    try {
      answer = await work(controller.signal, isCurrent);
    } catch (failure) {
      if (!isCurrent()) return;
      this.open.delete(channel);
      if (failure.name === "AbortError") return;
      this.notices.fail(channel, failure, () => this.run(channel, work, use, failed));
      failed(failure);
      return;
    }
    if (!isCurrent()) return;
    this.open.delete(channel);
    this.notices.clear(channel);
    use(answer);
  }

  /** Returns what is known of a position of the game: {value, remoteness, children, whole, source}, or null. */
  fact(game, ply = game.ply) {
    return this.facts.get(keyOf(game, ply)) ?? null;
  }

  /** Asks for the values of the position that is shown. Calls `onPart()` when some are known, `onWhole()` at the end. */
  askPosition(game, onPart, onWhole, onFailure) {
    const fields = { board: game.board.text, position: positionText(game) };
    const keep = (answer, whole) => {
      // What was found before stays, where a later search has found out less.
      const before = this.fact(game);
      const old = new Map((before?.children ?? []).map((child) => [child.column, child]));
      const children = answer.children.map((child) => (child.value ? child : old.get(child.column) ?? child));
      const known = answer.value ? answer : before ?? answer;
      const { source, error } = answer;
      this.facts.set(keyOf(game), { value: known.value, remoteness: known.remoteness, children, source, error, whole });
    };
    this.run("position", (signal, isCurrent) => ask("position", fields, {
      signal,
      onPart: (part) => {
        if (!isCurrent()) return;
        keep(part, false);
        onPart();
      },
    }), (answer) => {
      keep(answer, true);
      if (isOpen(answer)) {
        const again = () => this.askPosition(game, onPart, onWhole, onFailure);
        this.notices.say("position", answer.error ? texts.gaveUp(answer.error) : texts.openMoves, again);
      }
      onWhole();
    }, onFailure);
  }

  /** Asks for the values of all plies, if some are not known and the game was not analysed before. */
  askHistory(game, onAnswer) {
    const whole = { ...game, ply: game.moves.length };
    const key = `${game.board.text} ${movesText(whole)}`;
    const missing = Array.from({ length: whole.ply + 1 }, (_, ply) => ply).some((ply) => !this.fact(game, ply));
    if (game.start || !missing || this.analysed.has(key)) return;
    const fields = { board: game.board.text, moves: movesText(whole) };
    this.run("history", (signal) => ask("analysis", fields, { signal }), (answer) => {
      this.analysed.add(key);
      const rows = [...answer.steps, { value: answer.value, remoteness: answer.remoteness }];
      rows.forEach(({ value, remoteness }, ply) => {
        if (value && !this.fact(game, ply)?.value) {
          this.facts.set(keyOf(game, ply), { value, remoteness, children: [], source: null, error: null, whole: false });
        }
      });
      onAnswer();
    });
  }

  /** Asks a player of the server for a move, after `pause` milliseconds. `use({column, reason})` gets it. */
  askMove(channel, game, player, pause, use, failed) {
    if (game.start) {
      this.notices.fail(channel, new Trouble("refused", texts.noSetUpGame));
      failed();
      return;
    }
    const seed = Math.floor(Math.random() * 2 ** 31);
    const fields = { board: game.board.text, moves: positionText(game), player, seed };
    this.run(channel, async (signal) => {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
      return ask("move", fields, { signal });
    }, use, failed);
  }

  /** Asks for best play. `use(line)` gets columns as text, or null. */
  askLine(game, use) {
    const fields = { board: game.board.text, position: positionText(game), line: true };
    this.run("line", (signal) => ask("position", fields, { signal }), (answer) => use(answer.line));
  }
}

/** Whether something of a position was not found out, for lack of time. */
export function isOpen({ error, children }) {
  return Boolean(error) || children.some((child) => !child.value);
}

/** Names a position: games that meet share what is known. */
export function keyOf(game, ply = game.ply) {
  return `${game.board.text} ${uniText(game.board, columnsAt(game, ply))}`;
}
