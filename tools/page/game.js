// A game: the rules, the moves, and a step back or forward. Pure: it knows no page.
//
// A board is {text, width, height, connect, misere}. A game is {board, start, moves, ply}: `moves` are columns
// from 1, `ply` says how many of them are played, and the rest can be redone. `start` is null for the empty board,
// or the columns of a position that was set up. Columns are lists of pieces from the bottom: 0 is the first
// player, 1 the second. Games are never changed; every function returns a new one.

/** Says why something is not possible. `code` names a text in texts.js, which gets `facts`. */
export class Impossible extends Error {
  constructor(code, facts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/** Returns a game without moves. */
export function newGame(board, start = null) {
  return { board, start, moves: [], ply: 0 };
}

/** Returns the columns after `ply` moves. */
export function columnsAt(game, ply = game.ply) {
  const columns = game.start
    ? game.start.map((column) => [...column])
    : Array.from({ length: game.board.width }, () => []);
  let player = playerOf(columns);
  for (const column of game.moves.slice(0, ply)) {
    columns[column - 1].push(player);
    player = 1 - player;
  }
  return columns;
}

/** Returns the player to move, 0 or 1, from the number of pieces. */
export function playerOf(columns) {
  return columns.reduce((sum, column) => sum + column.length, 0) % 2;
}

/** Returns the player to move after `ply` moves. */
export function toMove(game, ply = game.ply) {
  const pieces = game.start ? playerOf(game.start) : 0;
  return (pieces + ply) % 2;
}

/** Plays a column. Later moves stay for redo only if this is the move that was played there before. */
export function play(game, column) {
  const columns = columnsAt(game);
  const number = game.ply + 1;
  if (!(column >= 1 && column <= game.board.width)) throw new Impossible("outside", { number, column, board: game.board });
  if (outcome(game.board, columns).over) throw new Impossible("over", { number, column });
  if (columns[column - 1].length >= game.board.height) throw new Impossible("full", { number, column });
  const same = game.moves[game.ply] === column;
  const moves = same ? game.moves : [...game.moves.slice(0, game.ply), column];
  return { ...game, moves, ply: number };
}

/** Plays columns one after the other. */
export function playAll(game, columns) {
  return columns.reduce(play, game);
}

/** Plays columns up to the first impossible one. Returns the game and what stopped it, or null. */
export function playPossible(game, columns) {
  for (const column of columns) {
    try {
      game = play(game, column);
    } catch (stopped) {
      return { game, stopped };
    }
  }
  return { game, stopped: null };
}

/** Goes to a ply of the game, within its moves. */
export function goTo(game, ply) {
  return { ...game, ply: Math.max(0, Math.min(ply, game.moves.length)) };
}

/** Returns a game with all its moves played. */
export function wholeOf(game) {
  return { ...game, ply: game.moves.length };
}

/**
 * Goes back or forward (`step` -1 or 1) to the next ply where `mayStop(player)` holds, or else one ply: against the
 * computer a person steps from one own move to another.
 */
export function stepTo(game, step, mayStop) {
  for (let ply = game.ply + step; ply >= 0 && ply <= game.moves.length; ply += step) {
    if (mayStop(toMove(game, ply)) || (step > 0 && ply === game.moves.length)) return goTo(game, ply);
  }
  return goTo(game, game.ply + step);
}

/**
 * Looks for complete lines and for a full board. `lines` are {player, from, to} with cells [column, row] from 0;
 * `winner` is 0, 1 or null. Under misère whoever has the line has lost. Cost: four looks at each piece.
 */
export function outcome(board, columns) {
  const at = (column, row) => columns[column]?.[row];
  const lines = [];
  columns.forEach((pieces, column) => pieces.forEach((player, row) => {
    for (const [dc, dr] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      if (at(column - dc, row - dr) === player) continue;
      let length = 1;
      while (at(column + dc * length, row + dr * length) === player) length += 1;
      if (length < board.connect) continue;
      lines.push({ player, from: [column, row], to: [column + dc * (length - 1), row + dr * (length - 1)] });
    }
  }));
  const full = columns.every((column) => column.length >= board.height);
  const owner = lines.length > 0 ? lines[0].player : null;
  return {
    over: full || owner !== null,
    winner: owner === null ? null : board.misere ? 1 - owner : owner,
    lines,
  };
}

const ORDER = { lose: 0, tie: 1, win: 2 };

/** Whether a move of a game, a step of an analysis, gave value away. */
export const isMistake = (step) => step?.keeps === false;

/** Returns the ply after the next mistake of a game; past the end, the first one. Null without a mistake. */
export function nextMistake(game, steps) {
  const plies = steps.flatMap((step, ply) => (isMistake(step) ? [ply + 1] : []));
  return plies.find((ply) => ply > game.ply) ?? plies[0] ?? null;
}

/** Returns a value as the other player sees it. */
export function negate(value) {
  return { win: "lose", lose: "win", tie: "tie" }[value] ?? null;
}

/**
 * Tells whether a move gave value away: `before` is the value for the player who moves, `after` the value that the
 * next player has. Returns {from, to} for the player who moved, or null.
 */
export function mistake(before, after) {
  const from = before ?? null;
  const to = negate(after);
  return from !== null && to !== null && ORDER[to] < ORDER[from] ? { from, to } : null;
}
