// What the browser keeps. The address: board, moves, and the ply that is shown. The storage: switches and players; without
// storage the page forgets.

import { Impossible, columnsAt, goTo, newGame, playPossible, wholeOf } from "./game.js";
import { movesText, parseBoard, parseMoves, parseUni, uniText } from "./notation.js";

const STANDARD = "7x6";

/** Returns the fields that name a game up to its ply: `board` and `moves`, and `start` if it began from a set-up position. */
export function fieldsOf(game) {
  const start = game.start ? { start: uniText(game.board, columnsAt(game, 0)) } : {};
  return { board: game.board.text, ...start, moves: movesText(game) };
}

/** Returns the query of a game with all its moves, and the ply that is shown if it is not the last. */
export function queryOf(game) {
  const ply = game.ply < game.moves.length ? { ply: game.ply } : {};
  return `?${new URLSearchParams({ ...fieldsOf(wholeOf(game)), ...ply })}`;
}

/** Returns the whole link to a game, and to the options of a page: who plays (`first`, `second`), whether `values` are hidden; its database. */
export function linkTo(game, options = {}) {
  const kept = databaseOf(game, new URLSearchParams(location.search));
  const query = new URLSearchParams({ ...options, ...kept }).toString();
  return new URL(`${queryOf(game)}${query && `&${query}`}`, document.baseURI).href;
}

/**
 * Reads a game from a query, as far as it goes; `pos` are the moves of gamesolver.org. `stopped` is the `Impossible` that ended it, or
 * null. `position` is a text in any notation, such as a link whose moves are spelled otherwise, which the page asks about, or null.
 */
export function readQuery(text) {
  const query = new URLSearchParams(text);
  let game = newGame(parseBoard(STANDARD));
  try {
    game = newGame(parseBoard(query.get("board") ?? STANDARD));
    if (query.get("start")) game = newGame(game.board, parseUni(game.board, query.get("start")));
    const moves = query.get("moves") ?? query.get("pos") ?? "";
    const isPlain = game.board.width > 9 ? /^[1-9a-w]*$/ : /^[1-9]*$/;
    if (!isPlain.test(moves) || (query.has("moves") && query.has("pos"))) {
      return { game, stopped: null, position: `?${text.replace(/^\?/, "")}` };
    }
    const read = readMoves(moves);
    const played = playPossible(game, read.columns);
    const stopped = played.stopped ?? read.stopped;
    const ply = /^\d+$/.exec(query.get("ply") ?? "")?.[0];
    const shown = ply === undefined || stopped ? played.game : goTo(played.game, Number(ply));
    return { game: shown, stopped, position: query.get("position") };
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

/** What an address may have beside its game: the players, whether values are hidden, and whether it is shown in a frame. */
const OPTIONS = ["embed", "first", "second", "values"];

/** Returns the database that an address names, as long as its board is shown. */
function databaseOf(game, query) {
  return query.has("db") && (query.get("board") ?? STANDARD) === game.board.text ? { db: query.get("db") } : {};
}

/**
 * Writes the game into the address bar: a new entry, or in place of the present one, as always in a frame. The options stay there, but
 * those that somebody has changed since.
 */
export function writeAddress(game, { replace = false, without = [] } = {}) {
  const query = new URLSearchParams(location.search);
  const kept = OPTIONS.filter((name) => query.has(name) && !without.includes(name)).map((name) => [name, query.get(name)]);
  kept.push(...Object.entries(databaseOf(game, query)));
  const address = `${queryOf(game)}${kept.length > 0 ? `&${new URLSearchParams(kept)}` : ""}`;
  if (replace || query.get("embed") === "1") history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

/** Reads a remembered value, or returns `standard`. */
export function recall(key, standard) {
  try {
    return JSON.parse(localStorage.getItem(`fourbase.${key}`)) ?? standard;
  } catch {
    return standard;
  }
}

/** Remembers a value. */
export function remember(key, value) {
  try {
    localStorage.setItem(`fourbase.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may have no storage. The page works without it.
  }
}
