// The texts of the page, in English, that index.html does not have. A text that depends on something is a function.

import { columnName } from "./notation.js";

const PLAYERS = ["Red", "Yellow"];
const choiceOf = (columns) => [columns.slice(0, -1).map(columnName).join(", "), columnName(columns.at(-1))].filter(Boolean).join(" or ");
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Names the players of a text of the library, X and O, as the page does. */
const ofPlayers = (text) => text.replace(/\bX\b/g, PLAYERS[0]).replace(/\bO\b/g, PLAYERS[1]);

/** Says a value in a word for people: "win", "tie", "loss". */
export const noun = (value) => (value === "lose" ? "loss" : value);

/** Says a value and its remoteness: "win in 5", "tie in 12", "loss". */
export function valueText(value, remoteness) {
  return remoteness === null || remoteness === undefined ? noun(value) : `${noun(value)} in ${remoteness} ${remoteness === 1 ? "ply" : "plies"}`;
}

export const texts = {
  columnButton({ column, pieces, full, worth, marks }) {
    const parts = [`Column ${columnName(column)}`, full ? "full" : plural(pieces, "piece")];
    if (worth) parts.push(worth);
    return [...parts, ...marks].join(", ");
  },
  columnInWords(column, pieces) {
    const names = pieces.map((player) => PLAYERS[player]).join(", ");
    return `Column ${columnName(column)}: ${names ? `${names}, from the bottom` : "empty"}`;
  },
  unknown: "?",
  unsolved: "not solved here",
  waiting: "…",
  best: "best move",
  marks: { best: "best line", rule: "rule", hint: "hint" },
  shortMarks: { best: "line", rule: "rule", hint: "" },
  boardOption: ({ board, value, remoteness }) => (value ? `${board} (${valueText(value, remoteness)})` : board),
  levelOption: (level) => `level ${level}`,
  pageTitle: (board, moves) => `Connect Four ${board}${moves ? ` ${moves}` : ""}`,
  sides: (person) => `You are ${PLAYERS[person]}${person === 0 ? " and begin" : ""}.`,
  toMove: (player) => `${PLAYERS[player]} to move.`,
  /** Says what a position is worth; `best` are the best columns. A player makes every second ply. */
  status(player, { value, remoteness }, best, misere) {
    const [mover, other] = [PLAYERS[player], PLAYERS[1 - player]];
    if (value === "tie") return `${mover} to move: a tie with best play.`;
    if (misere && remoteness !== null) {
      const [verb, loser] = value === "win" ? ["wins", other] : ["loses", mover];
      return `${mover} ${verb}: ${loser} must complete a line, ${valueText("at the latest", remoteness)}.`;
    }
    const moves = Math.ceil(remoteness / 2);
    const named = best.length > 0 && best.length < 4 ? ` with ${best.map(columnName).join(" or ")}` : "";
    if (value === "win") {
      if (remoteness === null) return `${mover} wins${named}.`;
      return moves === 1 ? `${mover} wins now${named}.` : `${mover} wins${named}, in ${moves} of its moves.`;
    }
    if (remoteness === null) return `${mover} loses.`;
    return moves === 1 ? `${mover} loses: ${other} wins with its next move.` : `${mover} loses, in ${moves} of ${other}'s moves.`;
  },
  /** A sentence of the library. */
  ofLibrary: (text) => ofPlayers(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`),
  why: (text, column) => `${column ? `${columnName(column)}: ` : ""}${texts.ofLibrary(text)}`,
  boardRule({ connect, misere }) {
    if (misere) return `Whoever completes a line of ${connect} loses.`;
    return connect === 4 ? "" : `A line of ${connect} wins.`;
  },
  covered: "The values are covered: Values shows those of this position.",
  edited: (columns) => `${plural(columns.flat().length, "piece")} on the board.`,
  drawing: "Drawing a puzzle …",
  streak: (days, isSolved) => `${plural(days, "day")} in a row.${isSolved ? " Solved today." : " The puzzle of today waits."}`,
  noStreak: "The puzzle of the day is the same for everybody.",
  puzzle(player, { value, remoteness }) {
    if (value === "tie") return `${PLAYERS[player]} to move: one move holds the tie. Find it.`;
    const when = remoteness === null ? "" : remoteness === 1 ? " at once" : ` in ${Math.ceil(remoteness / 2)} moves`;
    return `${PLAYERS[player]} to move: one move wins${when}. Find it.`;
  },
  puzzleWrong: (column, value) => `Column ${columnName(column)} gives the ${value} away. Try another one.`,
  puzzleRight: (column) => `Right: column ${columnName(column)} it is. Play on, or take another puzzle.`,
  hintButton: (count) => (count ? `Hint (${count})` : "Hint"),
  hint: (column) => `Hint: column ${columnName(column)}.`,
  hintWaits: "The values for a hint are not known yet.",
  hintGuess: (column) => `The values are not known here. A guess: column ${columnName(column)}.`,
  /** Says who has won and how: with a line from a cell to a cell, [column, row] from 0. */
  won(winner, misere, { from: [left, low], to: [right, high] }) {
    const way = low === high ? `in row ${low + 1}` : left === right ? `in column ${columnName(left + 1)}` : "on a diagonal";
    return `${PLAYERS[winner]} wins${misere ? `: ${PLAYERS[1 - winner]} has completed` : " with"} a line ${way}.`;
  },
  tied: "A tie: the board is full.",
  waitingForValue: "Asking what the position is worth …",
  solving: (board) => `Solving ${board} …`,
  fallback: (name) => `Perfect play is not known here, so ${name} moved.`,
  thinking: "The computer is thinking …",
  held: "The computer waits.",
  notYourTurn: "The computer is to move.",
  isOver: "The game is over.",
  isFull: (column) => `Column ${columnName(column)} is full.`,
  inPlies: (plies) => `in ${plies}`,
  played: (player, column, by) => `${PLAYERS[player]} plays column ${columnName(column)}${by ? ` (${by})` : ""}.`,
  setUp: "The game starts from a set-up position.",
  answered({ kind, nodes }) {
    const found = { database: "Looked up in a database.", search: "Found by search.", board: "" }[kind];
    return nodes > 0 ? `${found} ${nodes.toLocaleString("en")} nodes were searched.` : found;
  },
  goneToPly: (ply) => (ply === 0 ? "At the start." : `After ${plural(ply, "move")}.`),
  retried: "Later moves are gone. Try another one.",
  flipped: (on) => (on ? "The board is mirrored." : "The board is no longer mirrored."),
  valuesShown: (on) => (on ? "Values are shown." : "Values are hidden."),
  historyStart: "start",
  historyMove: (number, column) => `${number}. ${columnName(column)}`,
  historyLabel({ ply, player, column, worth, cost }) {
    const move = ply === 0 ? "Start" : `Move ${ply}, ${PLAYERS[player]}, column ${columnName(column)}`;
    return [move, worth, cost].filter(Boolean).join(", ");
  },
  worth(winner, value, remoteness) {
    if (!value) return "";
    const player = PLAYERS[winner];
    if (remoteness === 0) return player ? `${player} won` : "tie";
    return valueText(player ? `${player} wins` : "tie", remoteness);
  },
  change: ({ from, to }) => `${noun(from)} to ${noun(to)}`,
  /** What is said of moves that cost nothing. */
  classes: { best: "best", "keeps-value": "keeps the value" },
  better: (columns) => `best: ${choiceOf(columns)}`,
  reviewWaits: "The review comes with the values.",
  reviewEmpty: "Play, or open a game: every move is reviewed here.",
  line: (names) => `Best line: ${names}`,
  lineHidden: "The best line is hidden, as the values are.",
  lineMove: (number, column) => `To move ${number} of the line, column ${columnName(column)}`,
  lineOver: "The best line ends here.",
  lineUnknown: "The best line is not known.",
  lineWaiting: "Asking for the best line …",
  rule: (column) => `The rule answers with column ${columnName(column)}`,
  ruleKeeps: "it keeps the value.",
  ruleSlower: (from, to) => `it keeps the value, but ${from} becomes ${to}.`,
  ruleGives: (change) => `a mistake: ${change}.`,
  ruleUnknown: "what it is worth is not known.",
  ruleNone: (column) => `The rule has no reply here. The player follow-up takes column ${columnName(column)}.`,
  ruleOver: "The game is over: the rule has nothing to answer.",
  ruleWaiting: "Asking for the rule's answer …",
  copyLabel: (what) => `Copy: ${what}`,
  copied: (what) => `${what} copied.`,
  notCopied: "Copying is not allowed here. The text is selected: press Ctrl+C.",
  pastedNoGame: "No game can reach this position. You can still play from here.",
  randomShown: (ply) => `A position with ${plural(ply, "piece")}.`,
  unanswered: (text) => `There is no answer: ${text}.`,
  // What quotes a text, or says what to write, means the letters.
  refused: (text) => `Not possible: ${/['"]|write/.test(text) ? text : ofPlayers(text)}.`,
  gaveUp: (text) => `There are no values: ${text}.`,
  tooLarge: (board) => `${board} is not solved this early in the game: the search gave up. Values come later; a hint is a guess.`,
  stoppedLink({ code, text }, ply) {
    const what = { board: "board", uni: "position", long: "text" }[code] ?? "move";
    return `This link has a ${what} that is not possible. ${text} ${ply > 0 ? "The moves before it are shown." : "The empty board is shown."}`;
  },
  impossible: {
    outside: ({ number, column, board }) => `Move ${number}: ${board.text} has no column ${columnName(column)}.`,
    over: ({ number }) => `Move ${number}: the game is over before it.`,
    full: ({ number, column }) => `Move ${number}: column ${columnName(column)} is full.`,
    letter: ({ number, name }) => `Move ${number}: ${name} is no column. Write 1 to 9, then a to w.`,
    board: ({ text }) => `${text ? `${text.slice(0, 20)} is` : "That is"} no board. Write columns x rows with at most 32 columns and 64 cells, such as 7x6, 4x4c3 or 6x6m.`,
    long: ({ count }) => `This text has ${count.toLocaleString("en")} characters, and no game or position needs more than 512.`,
    link: () => "This link has no game. Open one that has moves=, pos= or position= in it.",
    uni: ({ text }) => `${text.slice(0, 80)} is no position of this board.`,
  },
};

/** Says what a position or a move is worth: nothing while that is asked. */
export function worthText(fact) {
  if (fact?.value) return valueText(fact.value, fact.remoteness);
  return fact?.whole ? texts.unsolved : "";
}

/** Says what an `Impossible` means. */
export function impossibleText(error) {
  return texts.impossible[error.code](error.facts);
}
