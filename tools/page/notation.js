// Boards, moves and positions as text, as the command line writes them. Pure.

import { Impossible, columnsAt, playerOf } from "./game.js";

/** Reads `7x6`, `4x4c3` or `6x6m`: columns x rows, the length of a line if it is not 4, `m` if a line loses. */
export function parseBoard(text) {
  const parts = /^(\d{1,2})x(\d{1,2})(?:c(\d{1,2}))?(m)?$/.exec(text.trim().toLowerCase().replace(/\s*[x×]\s*/, "x"));
  if (!parts) throw new Impossible("board", { text });
  const [width, height, connect] = [Number(parts[1]), Number(parts[2]), Number(parts[3] ?? 4)];
  if (width < 1 || width > 32 || height < 1 || width * height > 64 || connect < 1) throw new Impossible("board", { text });
  const name = `${width}x${height}${connect === 4 ? "" : `c${connect}`}${parts[4] ?? ""}`;
  return { text: name, width, height, connect, misere: parts[4] === "m" };
}

/** The most characters of a pasted text: a game has at most 64 moves, and a drawn board of 32 columns fits. */
export const MOST_CHARACTERS = 512;

/**
 * Makes a pasted text one that the library reads: without brackets, a heading `moves:` and the result of the game, with numbers of moves
 * only where they count rounds. Returns {text, board}; `board` is one that is written before it, such as in `7x6 4453`, or null.
 */
export function tidy(pasted) {
  let text = pasted.trim().replace(/^["']|["']$/g, "");
  if (text.length > MOST_CHARACTERS) throw new Impossible("long", { count: text.length });
  if (/^https?:/i.test(text)) throw new Impossible("link");
  if (/^\d+\s?[x×]\s?\d+(?:c\d+)?m?$/i.test(text)) return { text: "-", board: parseBoard(text) };
  const [, board, rest] = /^(\d+\s?[x×]\s?\d+(?:c\d+)?m?)[\s,:;]+([^]+)$/i.exec(text) ?? [text, null, text];
  text = rest.replace(/^moves?\s*[:=]\s*/i, "").replace(/\s+(1-0|0-1|1\/2-1\/2|½-½|[*#])$/, "");
  text = text.replace(/^[[({]([^\])}]*)[\])}]$/, "$1").replaceAll(";", ",");
  // Each number has one move, as in the history of this page.
  const numbered = [...text.matchAll(/(\d+)[.)]\s*([a-w1-9])(?=\s|$)/gi)];
  const isPlies = numbered.length > 1 && numbered.every(([, number], index) => Number(number) === index + 1);
  if (isPlies && text.replaceAll(/\d+[.)]\s*[a-w1-9](?=\s|$)/gi, "").trim() === "") text = numbered.map(([, , move]) => move).join(" ");
  return { text: text.trim(), board: board && parseBoard(board) };
}

/** Names a column with one character: `1` to `9`, then `a` to `w`. */
export function columnName(column) {
  return column < 10 ? String(column) : String.fromCharCode(87 + column);
}

/** Reads the name of a column, or returns null. */
export function columnOf(name) {
  if (/^[1-9]$/.test(name)) return Number(name);
  return /^[a-w]$/.test(name) ? name.charCodeAt(0) - 87 : null;
}

/** Reads a move string. A character that names no column stops it with `Impossible`. */
export function parseMoves(text) {
  return [...text.replace(/^-$/, "")].map((name, index) => {
    const column = columnOf(name.toLowerCase());
    if (column === null) throw new Impossible("letter", { number: index + 1, name });
    return column;
  });
}

/** Writes the moves that are played. */
export function movesText(game, ply = game.ply) {
  return game.moves.slice(0, ply).map(columnName).join("");
}

/** Writes column bit strings: from the bottom, 1 for the second player; a last 1 marks the end of the column. */
export function bitsText(board, columns) {
  return columns.map((column) => `${column.join("")}1`.padEnd(board.height + 1, "0")).join(" ");
}

/** Writes the string of GamesmanUni: the player to move, then each column from top to bottom. */
export function uniText(board, columns) {
  const cells = columns.map((column) => {
    const pieces = column.map((player) => (player === 0 ? "X" : "O")).reverse().join("");
    return pieces.padStart(board.height, "-");
  });
  return `${playerOf(columns) + 1}_${cells.join("")}`;
}

/** Reads the string of GamesmanUni into columns; the library has checked it, or is asked to. */
export function parseUni(board, text) {
  const cells = /^[12]_([-XO]*)$/i.exec(text.trim())?.[1];
  if (cells === undefined || cells.length !== board.width * board.height) throw new Impossible("uni", { text });
  const count = (piece) => cells.toUpperCase().split(piece).length - 1;
  const turn = 1 + count("X") - count("O");
  if (turn !== Number(text.trim()[0])) throw new Impossible("uni", { text });
  return Array.from({ length: board.width }, (_, column) => {
    const part = cells.slice(column * board.height, (column + 1) * board.height).toUpperCase();
    const pieces = [...part.replace(/^-+/, "")].reverse();
    if (pieces.includes("-")) throw new Impossible("uni", { text });
    return pieces.map((piece) => (piece === "X" ? 0 : 1));
  });
}

/** Names a position in a question: the moves, or GamesmanUni's string if the game began from a set-up position. */
export function positionText(game, ply = game.ply) {
  return game.start ? uniText(game.board, columnsAt(game, ply)) : movesText(game, ply);
}
