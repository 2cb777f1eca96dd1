// What the page asks about the game that is shown. A question has a channel; a new one ends the old one there, and an answer whose
// question was ended is dropped, so that it never lands on another position.

import { fieldsOf } from "./address.js";
import { isOpen, isUndecided } from "./facts.js";
import { wholeOf } from "./game.js";
import { positionText } from "./notation.js";
import { texts } from "./texts.js";
import { ask } from "./transport.js";

/** How many milliseconds are no wait. */
const AT_ONCE = 100;

/** How many milliseconds reasons wait, so that the values are drawn first and quick steps ask for none. */
const DRAWN = 50;

/** Keeps the answers about positions in `facts`. */
export class Questions {
  constructor(notices, facts) {
    Object.assign(this, { notices, facts });
    this.open = new Map();
  }

  /** Ends the questions of channels, and forgets what went wrong there. */
  end(...channels) {
    for (const channel of channels) {
      this.open.get(channel)?.controller.abort();
      this.open.delete(channel);
    }
    this.notices.clear(...channels);
  }

  /** Whether a question is under way, and has been for some milliseconds. */
  asks(channel, milliseconds = 0) {
    const question = this.open.get(channel);
    return question !== undefined && performance.now() - question.began >= milliseconds;
  }

  /** Returns the share, 0 to 1, of the board that is solved for the values; null while none is. */
  solved() {
    return this.open.get("position")?.share ?? null;
  }

  /**
   * Asks on a channel: `work(signal)` gives the answer, `use(answer)` takes it, and `failed(failure)` may take a
   * failure, which is said on the page with a retry.
   */
  async run(channel, work, use, failed = () => {}) {
    this.open.get(channel)?.controller.abort();
    const controller = new AbortController();
    const question = { controller, began: performance.now() };
    this.open.set(channel, question);
    const isCurrent = () => this.open.get(channel) === question;
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

  /** Runs what may be impossible, on a channel, and says so. `failed()` is called then. */
  attempt(channel, action, failed = () => {}) {
    this.end(channel);
    try {
      action();
    } catch (failure) {
      this.notices.fail(channel, failure);
      failed();
    }
  }

  /**
   * Asks for the values of the position that is shown. Calls `onPart()` when some are known, `onWhole()` at the end, and `onProgress()`
   * while the board is solved.
   */
  askPosition(game, onPart, onWhole, onFailure, onProgress) {
    this.run("position", (signal, isCurrent) => ask("position", positionFields(game), {
      signal,
      onPart: (part) => {
        if (!isCurrent()) return;
        const whole = Boolean(part.value) && !isOpen(part);
        this.facts.keep(game, part, whole);
        // Values that come at once appear together.
        if (whole || this.asks("position", AT_ONCE)) onPart();
      },
      onProgress: (share) => {
        if (!isCurrent()) return;
        this.open.get("position").share = share;
        onProgress();
      },
    }), (answer) => {
      this.facts.keep(game, answer, true);
      const again = () => this.askPosition(game, onPart, onWhole, onFailure, onProgress);
      // A board that is too large is no error: it is said in the place of the source.
      if (isOpen(answer)) this.notices.say("position", isUndecided(answer) ? "" : texts.gaveUp(answer.error), again);
      onWhole();
    }, onFailure);
  }

  /** Asks why the position and its moves are worth what they are, as far as their values are known. Without an answer the page has none. */
  askReasons(game, onAnswer) {
    this.run("reasons", async (signal) => {
      await new Promise((resolve) => { setTimeout(resolve, DRAWN); });
      signal.throwIfAborted();
      return ask("position", { ...positionFields(game), why: true }, { signal }).catch(() => null);
    }, (answer) => {
      if (!answer) return;
      this.facts.explain(game, answer);
      onAnswer();
    });
  }

  /** Asks what every move of a game was worth, once. */
  askHistory(game, onAnswer) {
    if (game.moves.length === 0 || this.facts.analysisOf(game)) return;
    this.run("history", (signal) => ask("analysis", fieldsOf(wholeOf(game)), { signal }), (answer) => {
      this.facts.keepAnalysis(game, answer);
      onAnswer();
    });
  }

  /**
   * Asks a player for a move, after `pause` milliseconds, and another one, `instead()`, if the first has no answer. `use({column, rule,
   * by})` gets the move; `by` is the other one if it was that.
   */
  askMove(channel, game, player, pause, use, failed, instead = () => null) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const fields = { ...fieldsOf(game), player, seed };
    this.run(channel, async (signal) => {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
      try {
        return await ask("move", fields, { signal });
      } catch (failure) {
        const by = failure.kind === "unanswered" && instead();
        if (!by) throw failure;
        return { ...await ask("move", { ...fields, player: by }, { signal }), by };
      }
    }, use, failed);
  }

  /** Asks for best play. `use(line)` gets columns as text, or null. */
  askLine(game, use) {
    this.run("line", (signal) => ask("position", { ...positionFields(game), line: true }, { signal }), (answer) => use(answer.line));
  }
}

function positionFields(game) {
  return { board: game.board.text, position: positionText(game) };
}
