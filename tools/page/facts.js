// What the page knows of positions by now: answers, and the values that an analysis of a game told.

import { queryOf } from "./address.js";
import { columnsAt, wholeOf } from "./game.js";
import { uniText } from "./notation.js";

export class Facts {
  constructor() {
    this.known = new Map();
    /** The analyses of whole games, and their steps: what a move in a position was worth, whatever the game was. */
    this.analyses = new Map();
    this.steps = new Map();
  }

  /** Returns what is known of a position of a game: {value, remoteness, reason, children, source, error, whole, explained}, or null. */
  of(game, ply = game.ply) {
    return this.known.get(keyOf(game, ply)) ?? null;
  }

  /** Returns what is known of every position of a game, from the first to the last. */
  ofAll(game) {
    return Array.from({ length: game.moves.length + 1 }, (_, ply) => this.of(game, ply));
  }

  /** Keeps an answer, or a part of one: whether it is `whole`. What was found before stays, where a later search has found out less. */
  keep(game, answer, whole) {
    const before = this.of(game);
    const old = new Map((before?.children ?? []).map((child) => [child.column, child]));
    const children = answer.children.map((child) => (child.value ? child : old.get(child.column) ?? child));
    const { value, remoteness } = answer.value ? answer : before ?? answer;
    const { source, error } = answer;
    this.known.set(keyOf(game), { value, remoteness, children, source, error, whole });
  }

  /** Keeps the reasons of an answer: of a position of which something is known, and of its moves. */
  explain(game, { reason, children }) {
    const reasons = new Map(children.map((child) => [child.column, child.reason]));
    const fact = this.of(game);
    const explained = fact.children.map((child) => ({ ...child, reason: reasons.get(child.column) }));
    this.known.set(keyOf(game), { ...fact, reason, children: explained, explained: true });
  }

  /** Keeps the analysis of a whole game. A position of which more is known stays as it is. */
  keepAnalysis(game, analysis) {
    const { steps, value, remoteness } = analysis;
    this.analyses.set(gameKey(game), analysis);
    steps.forEach((step, ply) => this.steps.set(`${keyOf(game, ply)} ${step.column}`, step));
    [...steps, { value, remoteness }].forEach((row, ply) => {
      if (!row.value || this.of(game, ply)?.value) return;
      const { value, remoteness } = row;
      this.known.set(keyOf(game, ply), { value, remoteness, children: [], source: null, error: null, whole: false });
    });
  }

  /** Returns the analysis of a whole game, or null. */
  analysisOf(game) {
    return this.analyses.get(gameKey(game)) ?? null;
  }

  /** Returns what is known of the moves of a game, the first at 0: steps of an analysis, or null. */
  stepsOf(game) {
    return game.moves.map((_, ply) => this.stepTo(game, ply + 1));
  }

  /** Returns what is known of the move that led to a ply of a game, or null. */
  stepTo(game, ply = game.ply) {
    return this.steps.get(ply > 0 && `${keyOf(game, ply - 1)} ${game.moves[ply - 1]}`) ?? null;
  }
}

/** Whether something of a position was not found out, for lack of time. */
export function isOpen({ error, children }) {
  return Boolean(error) || children.some((child) => !child.value);
}

/** Whether that was a limit of the search, and no failure. */
export function isUndecided({ error }) {
  return !error || error.includes("not decided");
}

/** Names a position: games that meet share what is known. */
export function keyOf(game, ply = game.ply) {
  return `${game.board.text} ${uniText(game.board, columnsAt(game, ply))}`;
}

function gameKey(game) {
  return queryOf(wholeOf(game));
}
