// What the page asks about the game that is shown, and what it knows by now.

import { ask } from "./api.js";
import { Channels } from "./channels.js";
import { fieldsOf, queryOf } from "./address.js";
import { columnsAt } from "./game.js";
import { positionText, uniText } from "./notation.js";
import { texts } from "./texts.js";

export class Questions extends Channels {
  constructor(notices) {
    super(notices);
    this.facts = new Map();
    this.analysed = new Set();
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
    const key = queryOf(whole);
    const missing = Array.from({ length: whole.ply + 1 }, (_, ply) => ply).some((ply) => !this.fact(game, ply));
    if (!missing || this.analysed.has(key)) return;
    this.run("history", (signal) => ask("analysis", fieldsOf(whole), { signal }), (answer) => {
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

  /** Asks a player of the server for a move, after `pause` milliseconds. `use({column, rule})` gets it. */
  askMove(channel, game, player, pause, use, failed) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const fields = { ...fieldsOf(game), player, seed };
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
