// Draws everything that depends on the game, anew after every change; nothing here asks or changes.

import { queryOf } from "./address.js";
import { $, element, setHidden, setInert, setNote } from "./dom.js";
import { isOpen, isUndecided, keyOf } from "./facts.js";
import { columnsAt, isMistake, mistake, negate, nextMistake, outcome, toMove } from "./game.js";
import { costText } from "./history.js";
import { columnName, movesText, parseMoves } from "./notation.js";
import { texts, valueText } from "./texts.js";

const SWITCHES = { present: "presents", sound: "sound", flip: "flipped", "values-toggle": "values", "best-line": "best", "follow-up-toggle": "follow" };

/** After how many milliseconds the page says that it waits for values. */
export const SLOW = 300;

/** Says how a game has ended. */
export function resultText(board, { winner, lines }) {
  return winner === null ? texts.tied : texts.won(winner, board.misere, lines[0]);
}

/** Says who is to move and, if that is known, how the game ends with best play. */
export function statusText(player, fact, misere) {
  if (!fact?.value) return texts.toMove(player);
  const isBest = (child) => fact.whole && child.value === fact.value && child.remoteness === fact.children[0].remoteness;
  return texts.status(player, fact, fact.children.filter(isBest).map(({ column }) => column), misere);
}

/** The parts of the page. The state is that of app.js. */
export class View {
  constructor(parts) {
    Object.assign(this, parts);
  }

  draw(state) {
    const { game, held } = state;
    const { questions, facts, players } = this;
    const columns = columnsAt(game);
    const result = outcome(game.board, columns);
    const fact = facts.of(game);
    const player = toMove(game);
    const thinking = questions.asks("move");
    const mayPlay = players.isHuman(player) || held;
    const marks = result.over ? {} : marksOf(state);
    this.board.draw({
      board: game.board, columns, flipped: state.flipped, outcome: result, fact, showValues: state.values,
      canPlay: mayPlay, isAsked: questions.asks("position"), isSlow: questions.asks("position", SLOW), marks,
      player, last: game.moves[game.ply - 1],
    });
    this.drawReview(state);
    this.boards.draw(state.values);
    this.exports.draw(game, { ...players.toLink(), ...(!state.values && { values: "off" }) });
    setNote($("rule"), texts.boardRule(game.board));
    this.drawStatus(state, result, player, thinking);
    this.drawSource(fact, game.board);
    setInert($("undo"), game.ply === 0);
    setInert($("redo"), game.ply === game.moves.length);
    setInert($("play-best"), !marks.best || !mayPlay);
    setHidden($("play-best"), !state.best);
    setHidden($("go-on"), result.over || thinking || players.isHuman(player) || Boolean(this.practise.of(game)));
    setInert($("first"), game.ply === 0);
    setInert($("last"), game.ply === game.moves.length);
    setInert($("hint"), result.over || !mayPlay || Boolean(this.practise.of(game)));
    setHidden($("end"), !result.over);
    setHidden($("why"), result.over);
    $("hint").textContent = texts.hintButton(state.hints);
    for (const [id, name] of Object.entries(SWITCHES)) $(id).setAttribute("aria-pressed", String(state[name]));
    this.drawLine(state);
    this.drawLook(state);
    const note = this.ruleNote(state, result, fact);
    setNote($("follow-up-note"), note.text);
    Object.assign($("follow-up-note").dataset, { column: marks.rule ?? "", gives: note.gives ?? "" });
    Object.assign(document.body.dataset, {
      ready: Boolean(fact?.whole) && !questions.asks("position"), thinking, ply: game.ply, over: result.over,
    });
    document.title = texts.pageTitle(game.board.text, movesText(game));
  }

  drawStatus({ game, values }, result, player, thinking) {
    const puzzle = this.practise.of(game);
    if (puzzle) {
      $("status").textContent = texts.puzzle(player, puzzle);
      this.waiting = "";
      return;
    }
    const fact = values ? this.facts.of(game) : null;
    const computer = !this.players.isHuman(player) && !result.over;
    const parts = [result.over ? resultText(game.board, result) : statusText(player, fact, game.board.misere)];
    if (game.start) parts.push(texts.setUp);
    $("status").textContent = parts.join(" ");
    this.waiting = thinking ? texts.thinking : computer ? texts.held : "";
  }

  /** Draws the history, sums up the mistakes, and says what the last move cost; without values only the moves. */
  drawReview({ game, values }) {
    const facts = this.facts.ofAll(game);
    const steps = this.facts.stepsOf(game);
    const hide = (one) => (values ? one : null);
    this.plies.draw(game, facts.map(hide), steps.map(hide));
    const { summary } = this.facts.analysisOf(game) ?? {};
    const isEmpty = game.moves.length === 0;
    $("summary").textContent = isEmpty ? texts.reviewEmpty : !values ? "" : summary ? texts.ofLibrary(summary) : texts.reviewWaits;
    const step = values ? this.facts.stepTo(game) : null;
    const told = [texts.historyMove(game.ply, game.moves[game.ply - 1] ?? 0), costText(step) || texts.classes[step?.class]];
    $("step").textContent = step ? told.filter(Boolean).join(": ") : "";
    setInert($("next-mistake"), !values || nextMistake(game, steps) === null);
    setInert($("retry-here"), game.ply === game.moves.length && !isMistake(step));
  }

  drawSource(fact, board) {
    $("answered").textContent = fact?.source && fact.value ? texts.answered(fact.source) : "";
    const solved = this.questions.asks("position", SLOW) ? this.questions.solved() : null;
    $("progress").hidden = solved === null;
    if (solved !== null) {
      $("progress").value = solved;
      $("source").textContent = texts.solving(board.text);
      return;
    }
    // What was there stays until the answer is late.
    if (!this.waiting && this.questions.asks("position") && !this.questions.asks("position", SLOW)) return;
    const parts = [this.waiting].filter(Boolean);
    if (this.questions.asks("position")) parts.push(texts.waitingForValue);
    else if (fact && isOpen(fact) && isUndecided(fact)) parts.push(texts.tooLarge(board.text));
    $("source").textContent = parts.join(" ");
  }

  /** Says the best line, or what is known of it; nothing while it is off. */
  lineText({ game, line, best, values }) {
    if (!best || this.practise.of(game)) return "";
    if (!values) return texts.lineHidden;
    if (outcome(game.board, columnsAt(game)).over) return texts.lineOver;
    if (line?.key === keyOf(game)) return line.columns ? texts.line(line.columns.map(columnName).join(" ")) : texts.lineUnknown;
    return this.questions.asks("position") || this.questions.asks("line") ? texts.lineWaiting : texts.lineUnknown;
  }

  /** Shows the best line: each of its moves is a button that goes there. */
  drawLine(state) {
    const text = this.lineText(state);
    // The focus and a click stay on a move as long as the line is the same.
    if ($("line-note").dataset.drawn === text) return;
    $("line-note").dataset.drawn = text;
    setNote($("line-note"), text);
    const columns = state.best && state.line?.key === keyOf(state.game) ? state.line.columns : null;
    if (!columns?.length || text !== texts.line(columns.map(columnName).join(" "))) return;
    $("line-note").replaceChildren(texts.line(""), ...columns.flatMap((column, index) => {
      const button = element("button", "", columnName(column));
      Object.assign(button, { type: "button", ariaLabel: texts.lineMove(index + 1, column) }).dataset.upTo = index + 1;
      return [button, " "];
    }));
  }

  /** Says why the position, or the move that is looked at, is worth what it is, and numbers the moves; nothing while values are hidden. */
  drawLook(state) {
    const { board } = state.game;
    const columns = columnsAt(state.game);
    const { over } = outcome(board, columns);
    const { reason, column } = state.values && !over ? reasonOf(this.facts.of(state.game), state.look) : {};
    const text = reason ? texts.why(reason.text, column) : "";
    if ($("why").textContent !== text) $("why").textContent = text;
    const isRefuted = state.values && isMistake(this.facts.stepTo(state.game));
    this.board.drawGhosts(over ? [] : ghostsOf(state, columns, toMove(state.game), reason, column, isRefuted));
  }

  ruleNote({ game, rule, follow, values }, result, fact) {
    if (!follow) return { text: "" };
    if (result.over) return { text: texts.ruleOver };
    if (rule?.key !== queryOf(game)) return { text: this.questions.asks("rule") ? texts.ruleWaiting : "" };
    if (!rule.answers) return { text: texts.ruleNone(rule.column) };
    return values ? judge(rule.column, fact) : { text: `${texts.rule(rule.column)}.` };
  }
}

/** Returns the columns that get a mark: the hint, the next move of the best line, and the answer of the rule, which goes by the order of the moves. */
function marksOf({ game, line, best, rule, follow, hint, values }) {
  return {
    hint: hint?.key === keyOf(game) ? hint.column : null,
    best: best && values && line?.key === keyOf(game) ? line.columns?.[0] ?? null : null,
    rule: follow && rule?.answers && rule.key === queryOf(game) ? rule.column : null,
  };
}

/** Returns the reason of the move that is looked at and its column, or else the reason of the position; none where it is not known. */
function reasonOf(fact, look) {
  if (!fact?.explained) return {};
  return fact.children.find(({ column }) => column === look) ?? { reason: fact.reason };
}

/** Returns what is marked on the board before it is played: the hint, or a line of moves with their numbers; after a mistake, what refutes it. */
function ghostsOf({ game, best, line, hint, values }, columns, player, reason, column, isRefuted) {
  const key = keyOf(game);
  if (hint?.key === key) return [{ column: hint.column, row: columns[hint.column - 1].length, text: texts.marks.hint }];
  const isShown = best && values && line?.key === key && line.columns;
  const isProved = reason && reason.kind !== "best-play";
  const moves = isProved && (column || isRefuted) ? [...(column ? [column] : []), ...parseMoves(reason.line)] : isShown ? line.columns : [];
  const heights = columns.map((pieces) => pieces.length);
  return moves.map((column, number) => ({ column, row: heights[column - 1]++, text: number + 1, player: (player + number) % 2 }));
}

/** Compares the rule's column with the values. Returns a text, and the change such as "win to tie" or "". */
function judge(column, fact) {
  const child = fact?.children.find((other) => other.column === column);
  const best = fact?.children[0];
  const say = (text, gives = "") => ({ text: `${texts.rule(column)}: ${text}`, gives });
  if (!child?.value || !fact.value) return say(texts.ruleUnknown);
  const lost = mistake(fact.value, negate(child.value));
  if (lost) return say(texts.ruleGives(texts.change(lost)), texts.change(lost));
  if (best && best.remoteness !== child.remoteness) {
    return say(texts.ruleSlower(valueText(best.value, best.remoteness), valueText(child.value, child.remoteness)));
  }
  return say(texts.ruleKeeps);
}
