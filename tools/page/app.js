// The page: holds the game that is shown, draws it, and asks about it whenever it changes.

import { queryOf, readQuery, recall, remember, writeAddress } from "./address.js";
import { BoardView } from "./board.js";
import { $, onClick } from "./dom.js";
import { Facts, isOpen, keyOf } from "./facts.js";
import { columnsAt, goTo, isMistake, newGame, nextMistake, outcome, playAll, playPossible, stepTo, toMove, wholeOf } from "./game.js";
import { HistoryView } from "./history.js";
import { listen, nameKeys } from "./keys.js";
import { parseMoves } from "./notation.js";
import { Notices, remark, tell } from "./notices.js";
import { Boards, Exports, Opener } from "./opener.js";
import { Players } from "./players.js";
import { Practise } from "./practise.js";
import { click } from "./sound.js";
import { Questions } from "./questions.js";
import { impossibleText, texts } from "./texts.js";
import { SLOW, View, resultText, statusText } from "./view.js";

const first = readQuery(location.search);
const state = {
  game: first.game,
  flipped: recall("flipped", false),
  /** Whether values are shown in a game and in analysis, if that was chosen. Else they are hidden in a game until it is over. */
  chosen: { "values.game": null, values: recall("values", null) },
  /** Whether the page is presented, which covers the values of each position until somebody asks for them; and where that was. */
  presents: false,
  revealed: null,
  get values() {
    if (this.presents) return this.revealed === keyOf(this.game);
    if (practise.of(this.game)) return false;
    return this.chosen[valuesKey()] ?? (!players.isGame() || isOver(wholeOf(this.game)));
  },
  best: recall("best", false),
  sound: recall("sound", false),
  follow: false,
  line: null,
  rule: null,
  /** The column that is looked at, by a pointer or by focus. */
  look: null,
  /** The column of a hint, and how many there were in this game. */
  hint: null,
  hints: 0,
  held: true,
};
const notices = new Notices({ error: $("error"), actions: $("error-actions") });
const facts = new Facts();
const questions = new Questions(notices, facts);
const board = new BoardView($("board"), $("board-words"), playByHand, (column) => {
  if (column === state.look) return;
  state.look = column;
  view.drawLook(state);
});
const plies = new HistoryView($("history"), $("history-frame"), (ply) => go(goTo(state.game, ply)));
const players = new Players(questions, {
  onChange() {
    // A computer that was chosen in the middle of a game waits, so that the later moves are not lost.
    state.held = state.game.ply < state.game.moves.length;
    questions.end("move");
    writeAddress(state.game, { replace: true, without: ["first", "second"] });
    askComputer();
    askPosition();
    tell($("sides-note").textContent);
    draw();
  },
  onLevels() {
    if (!questions.asks("move")) askComputer();
    draw();
  },
});
const shown = { questions, board: () => state.game.board, onOpen: open };
const [boards, opener, exports] = [new Boards(shown), new Opener(shown), new Exports()];
const practise = new Practise({
  ...shown,
  onOpen(game) {
    Object.assign(state, { best: false, follow: false });
    open(game);
  },
});

const view = new View({ board, plies, players, boards, exports, questions, facts, practise });

/** Shows another game or another ply of it, and asks about it. Nothing that was asked before may land on it. */
function change(game, { address = "push", held = false, isComputer = false } = {}) {
  questions.end("position", "reasons", "history", "move", "line", "rule", "hint");
  // What went wrong for a person is said until the person goes on.
  if (!isComputer) {
    questions.end("paste", "random-ply", "board-custom", "hand", "address", "puzzle");
    practise.say();
    remark();
  }
  Object.assign(state, { game, held });
  players.openOn(game.board);
  if (address !== "keep") writeAddress(game, { replace: address === "replace" });
  askAll();
  draw();
}

function playByHand(column) {
  const { game } = state;
  if (editor().value) editColumn(column, editor().value);
  else if (practise.of(game)) tryPuzzle(column);
  else if (outcomeNow().over) remark(texts.isOver);
  else if (!players.isHuman(toMove(game)) && !state.held) remark(texts.notYourTurn);
  else if (columnsAt(game)[column - 1]?.length >= game.board.height) remark(texts.isFull(column));
  else playColumn(column);
}

/** What a click on a column does: it plays, or sets or removes a piece. */
function editor() {
  return document.querySelector("#editor input:checked");
}

/** Adds a piece, 0 or 1, on a column, or removes one. What cannot be a position is said by whoever answers for its value. */
function editColumn(column, edit) {
  const { board } = state.game;
  const columns = columnsAt(state.game);
  if (!columns[column - 1]) return;
  if (edit === "remove") columns[column - 1].pop();
  else if (columns[column - 1].length < board.height) columns[column - 1].push(Number(edit));
  else return remark(texts.isFull(column));
  tell(texts.edited(columns));
  change(newGame(board, columns), { address: "replace", held: true });
}

/** Tries a move of a puzzle. A wrong one is not played. */
function tryPuzzle(column) {
  const { value } = practise.puzzle;
  if (columnsAt(state.game)[column - 1]?.length >= state.game.board.height) return remark(texts.isFull(column));
  if (!practise.solves(column)) return remark(texts.puzzleWrong(column, value));
  playColumn(column);
  remark(texts.puzzleRight(column));
}

function playColumn(column, by = "") {
  const { game, line } = state;
  const { game: next, stopped } = playPossible(game, [column]);
  if (stopped) return notices.fail("hand", stopped);
  if (line?.key === keyOf(game) && line.columns?.[0] === column) {
    state.line = { key: keyOf(next), columns: line.columns.slice(1) };
  }
  tell(texts.played(toMove(game), column, by));
  click(state.sound);
  change(next, { isComputer: by !== "" });
  const result = outcomeNow();
  if (result.over) tell(resultText(state.game.board, result));
}

/** Plays moves of the best line, which goes on from there. */
function follow(columns) {
  const { key } = state.line;
  const next = playAll(state.game, columns);
  if (key === keyOf(state.game)) state.line = { key: keyOf(next), columns: state.line.columns.slice(columns.length) };
  change(next, { held: true });
}

/** Goes to another ply, which is no step of the browser's history; a computer that is to move there waits. */
function go(game) {
  if (game.ply === state.game.ply) return;
  tell(texts.goneToPly(game.ply));
  change(game, { address: "replace", held: true });
}

function open(game, text = "", { address = "push" } = {}) {
  Object.assign(state, { hint: null, hints: 0 });
  $("editor").querySelector("input").checked = true;
  tell(text);
  change(game, { address, held: game.ply > 0 });
  // On a narrow screen the fields are far below the board.
  $("status").scrollIntoView({ block: "nearest" });
}

function askAll() {
  askPosition();
  askComputer();
  askRule();
}

function askPosition() {
  const { game } = state;
  const fact = facts.of(game);
  if (fact?.whole && !isOpen(fact)) arrived();
  else {
    questions.askPosition(game, draw, arrived, draw, () => view.drawSource(facts.of(game), game.board));
    setTimeout(draw, SLOW + 1);
  }
}

function arrived() {
  const fact = facts.of(state.game);
  if (state.values && !outcomeNow().over) tell(statusText(toMove(state.game), fact, state.game.board.misere));
  questions.askHistory(state.game, draw);
  askLine();
  draw();
  const isKnown = fact.value || fact.children.some(({ value }) => value);
  const isWanted = state.values && isKnown && !fact.explained && !outcomeNow().over;
  if (!isWanted) questions.end("reasons");
  else if (!questions.asks("reasons")) questions.askReasons(state.game, draw);
}

function askComputer() {
  const { game } = state;
  const player = toMove(game);
  if (state.held || !players.isReady(player) || outcomeNow().over || practise.of(game)) return;
  const name = players.name(player);
  const pause = players.isHuman(1 - player) ? 200 : 400;
  const failed = () => {
    state.held = true;
    draw();
  };
  const use = ({ column, by }) => {
    playColumn(column, by ?? name);
    if (by) remark(texts.fallback(by));
  };
  questions.askMove("move", game, name, pause, use, failed, () => players.instead(player));
}

function askLine() {
  const key = keyOf(state.game);
  if (!state.best || state.line?.key === key || outcomeNow().over) return;
  questions.askLine(state.game, (line) => {
    state.line = { key, columns: line === null ? null : parseMoves(line) };
    tell(view.lineText(state));
    draw();
  });
}

/** Marks a best move; where the values are not known, what the strongest player of all boards would play. */
function giveHint() {
  const { game } = state;
  const fact = facts.of(game);
  const show = (column, text) => {
    Object.assign(state, { hint: { key: keyOf(game), column }, hints: state.hints + 1 });
    remark(text);
    draw();
  };
  if (state.hint?.key === keyOf(game)) return;
  const [best] = fact?.whole ? fact.children : [];
  if (fact?.value && best?.value === fact.value) return show(best.column, texts.hint(best.column));
  const guess = players.strongest();
  if (!fact?.whole || !guess) return remark(texts.hintWaits);
  questions.askMove("hint", game, guess, 0, ({ column }) => show(column, texts.hintGuess(column)), draw);
}

function askRule() {
  const { game } = state;
  const key = queryOf(game);
  if (!state.follow || state.rule?.key === key || outcomeNow().over) return;
  questions.askMove("rule", game, "follow-up", 0, ({ column, rule }) => {
    state.rule = { key, column, answers: rule };
    draw();
    tell($("follow-up-note").textContent);
  }, draw);
}

function draw() {
  view.draw(state);
  nameKeys($("keys-toggle").checked, state.game.board.width);
}

function valuesKey() {
  return players.isGame() ? "values.game" : "values";
}

function outcomeNow() {
  return outcome(state.game.board, columnsAt(state.game));
}

function isOver(game) {
  return outcome(game.board, columnsAt(game)).over;
}

const mayStop = (player) => players.isHuman(player) || players.areComputers();
onClick("undo", () => go(stepTo(state.game, -1, mayStop)));
onClick("redo", () => go(stepTo(state.game, 1, mayStop)));
onClick("first", () => go(goTo(state.game, 0)));
onClick("last", () => go(goTo(state.game, state.game.moves.length)));
onClick("hint", giveHint);
onClick("restart", () => open(newGame(state.game.board), $("restart").textContent));
onClick("flip", () => {
  state.flipped = !state.flipped;
  remember("flipped", state.flipped);
  tell(texts.flipped(state.flipped));
  draw();
});
onClick("go-on", () => {
  state.held = false;
  askComputer();
  draw();
});
onClick("values-toggle", () => {
  const shows = !state.values;
  // Who looks at the values has given the puzzle up.
  if (practise.of(state.game)) practise.end();
  if (state.presents) state.revealed = shows ? keyOf(state.game) : null;
  else {
    // What is usual here needs no choice, which would count in the next game.
    state.chosen[valuesKey()] = null;
    if (state.values !== shows) state.chosen[valuesKey()] = shows;
    if (!players.isGame()) remember("values", shows);
    writeAddress(state.game, { replace: true, without: ["values"] });
  }
  if (!questions.asks("position")) askPosition();
  tell(texts.valuesShown(state.values));
  draw();
});
onClick("present", () => {
  state.presents = !state.presents;
  state.revealed = null;
  $("editor").querySelector("input").checked = true;
  document.body.toggleAttribute("data-presents", state.presents);
  if (state.presents) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
  if (state.presents) tell(texts.covered);
  if (!questions.asks("position")) askPosition();
  draw();
});
document.addEventListener("fullscreenchange", () => {
  if (!document.fullscreenElement && state.presents) $("present").click();
});
onClick("sound", () => {
  state.sound = !state.sound;
  remember("sound", state.sound);
  click(state.sound);
  draw();
});
onClick("best-line", () => {
  state.best = !state.best;
  remember("best", state.best);
  if (facts.of(state.game)?.whole) askLine();
  tell(view.lineText(state));
  draw();
});
$("line-note").addEventListener("click", ({ target }) => {
  if (target.dataset.upTo) follow(state.line.columns.slice(0, Number(target.dataset.upTo)));
});
onClick("next-mistake", () => go(goTo(state.game, nextMistake(state.game, facts.stepsOf(state.game)))));
onClick("retry-here", () => {
  const { game } = state;
  // After a mistake, that move is tried again.
  const ply = isMistake(facts.stepsOf(game)[game.ply - 1]) ? game.ply - 1 : game.ply;
  change({ ...game, moves: game.moves.slice(0, ply), ply }, { held: true });
  tell(texts.retried);
});
onClick("rematch", () => open(newGame(state.game.board), $("rematch").textContent));
onClick("review", () => {
  if (!state.values) $("values-toggle").click();
  $("history-section").scrollIntoView({ block: "nearest" });
  $("next-mistake").focus();
  $("next-mistake").click();
});
onClick("play-best", () => playColumn(state.line.columns[0]));
onClick("follow-up-toggle", () => {
  state.follow = !state.follow;
  if (state.follow) askRule();
  else questions.end("rule");
  draw();
});
onClick("retry", () => {
  notices.retry();
  draw();
});

$("keys-toggle").checked = recall("keys", true);
$("keys-toggle").addEventListener("change", (event) => {
  remember("keys", event.target.checked);
  draw();
});
listen({ isOn: () => $("keys-toggle").checked, board, width: () => state.game.board.width, onPlay: playByHand });

window.addEventListener("popstate", () => {
  const read = readQuery(location.search);
  show(read, read.game, { address: "keep", held: true });
});

/** Shows what a query was read as, and says where it stopped. */
function show({ stopped, position }, game, options) {
  change(game, options);
  if (stopped) notices.say("address", texts.stoppedLink({ code: stopped.code, text: impossibleText(stopped) }, game.ply));
  else if (position) opener.openPosition("address", position, game.board, { address: "replace" });
}

// A new game begins at once; in the middle of one, a computer waits.
const options = new URLSearchParams(location.search);
players.takeFrom(options);
if (options.get("values") === "off") state.chosen[valuesKey()] = false;
document.body.toggleAttribute("data-embed", options.get("embed") === "1");
const address = first.stopped || first.position ? "keep" : "replace";
show(first, state.game, { address, held: state.game.moves.length > 0 || address === "keep" });
