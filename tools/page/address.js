// What the browser keeps. The address: board and moves in the query, the rest of the game in the history. The storage: switches for
// ever, players as long as the tab is open; without storage the page forgets.

import { Impossible, columnsAt, newGame, playPossible } from "./game.js";
import { movesText, parseBoard, parseMoves, parseUni, uniText } from "./notation.js";

const STANDARD = "7x6";

/** Returns the fields that name a game: `board` and `moves`, and `start` if the game began from a set-up position. */
export function fieldsOf(game) {
  const start = game.start ? { start: uniText(game.board, columnsAt(game, 0)) } : {};
  return { board: game.board.text, ...start, moves: movesText(game) };
}

/** Returns the query of a game. */
export function queryOf(game) {
  return `?${new URLSearchParams(fieldsOf(game))}`;
}

/** Returns the whole link to a game. */
export function linkTo(game) {
  return new URL(queryOf(game), document.baseURI).href;
}

/**
 * Reads a game from a query, as far as it goes. `stopped` is the `Impossible` that ended it, or null. `position`
 * is a text that only the server can read, or null.
 */
export function readQuery(text) {
  const query = new URLSearchParams(text);
  let game = newGame(parseBoard(STANDARD));
  try {
    game = newGame(parseBoard(query.get("board") ?? STANDARD));
    if (query.get("start")) game = newGame(game.board, parseUni(game.board, query.get("start")));
    const { columns, stopped } = readMoves(query.get("moves") ?? "");
    const played = playPossible(game, columns);
    return { game: played.game, stopped: played.stopped ?? stopped, position: query.get("position") };
  } catch (stopped) {
    if (!(stopped instanceof Impossible)) throw stopped;
    return { game, stopped, position: null };
  }
}

function readMoves(text) {
  try {
    return { columns: parseMoves(text), stopped: null };
  } catch (stopped) {
    return { columns: parseMoves(text.slice(0, stopped.facts.number - 1)), stopped };
  }
}

/** Writes the game into the address bar: a new entry, or in place of the present one. */
export function writeAddress(game, { replace = false } = {}) {
  const entry = { moves: game.moves, ply: game.ply };
  if (replace) history.replaceState(entry, "", queryOf(game));
  else history.pushState(entry, "", queryOf(game));
}

/** Adds the moves that can be redone, which an entry of the history holds but its address does not. */
export function withLaterMoves(game, entry) {
  if (!Array.isArray(entry?.moves) || entry.ply !== game.ply) return game;
  const whole = playPossible({ ...game, moves: [], ply: 0 }, entry.moves);
  const same = game.moves.every((column, index) => column === whole.game.moves[index]);
  return same && !whole.stopped ? { ...whole.game, ply: game.ply } : game;
}

/** Reads a remembered value, or returns `standard`. */
export function recall(key, standard, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(`fourbase.${key}`)) ?? standard;
  } catch {
    return standard;
  }
}

/** Remembers a value. */
export function remember(key, value, storage = "localStorage") {
  try {
    window[storage].setItem(`fourbase.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may have no storage. The page works without it.
  }
}
