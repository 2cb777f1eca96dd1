// Games that come in and go out: other boards, those that have a database and any other size; other games and positions, pasted or at
// random; and the position in every notation, to be copied. A channel of a question is named as its field, where its errors are said.

import { linkTo, readQuery } from "./address.js";
import { $, onSubmit } from "./dom.js";
import { Impossible, columnsAt, newGame, playAll } from "./game.js";
import { MOST_CHARACTERS, bitsText, movesText, parseBoard, parseMoves, parseUni, positionText, tidy, uniText } from "./notation.js";
import { remark } from "./notices.js";
import { texts } from "./texts.js";
import { ask, picture } from "./transport.js";

const EXPORTS = ["moves", "bits", "uni", "link", "svg"];

/** The choice. `board()` is the board that is shown, `onOpen(game, text)` opens another game and tells the text. */
export class Boards {
  constructor({ questions, board, onOpen }) {
    Object.assign(this, { questions, board, onOpen });
    this.boards = [];
    this.showValues = true;
    // Databases that were finished since then are listed too.
    $("board-select").addEventListener("focus", () => this.ask());
    $("board-select").addEventListener("change", (event) => this.openBoard(event.target.value));
    onSubmit("board-form", () => {
      const [width, height, line] = ["columns", "rows", "line"].map((name) => $(`board-${name}`).value);
      this.openBoard(`${width}x${height}${line === "4" ? "" : `c${line}`}${$("board-loses").checked ? "m" : ""}`);
    });
    this.ask();
  }

  ask() {
    this.questions.run("boards", (signal) => ask("boards", {}, { signal }), ({ boards }) => {
      this.boards = boards;
      this.draw();
    });
  }

  /** Lists the boards, with the values of their empty boards if they are wanted. */
  draw(showValues = this.showValues) {
    this.showValues = showValues;
    const select = $("board-select");
    const shown = this.board().text;
    const listed = this.boards.some(({ board }) => board === shown) ? this.boards : [...this.boards, { board: shown }];
    const wanted = JSON.stringify([listed, this.showValues]);
    if (select.dataset.boards !== wanted) {
      select.dataset.boards = wanted;
      const text = (entry) => texts.boardOption(this.showValues ? entry : { board: entry.board });
      select.replaceChildren(...listed.map((entry) => new Option(text(entry), entry.board)));
    }
    select.value = shown;
  }

  openBoard(text) {
    this.questions.attempt("board-custom", () => this.onOpen(newGame(parseBoard(text)), text), () => this.draw());
  }
}

/** The fields. `board()` is the board that is shown, `onOpen(game, text, options)` opens another game and tells the text. */
export class Opener {
  constructor({ questions, board, onOpen }) {
    Object.assign(this, { questions, board, onOpen });
    onSubmit("paste-form", () => this.paste($("paste").value.trim()));
    // A field has one line; a drawn board has many.
    $("paste").addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text").trim();
      if (!text.includes("\n")) return;
      event.preventDefault();
      this.paste(text);
    });
    onSubmit("random-form", () => this.random());
  }

  /** Opens a pasted text: a link to the page or to gamesolver.org, or any notation, which is asked about. Nothing opens nothing. */
  paste(text) {
    if (text.length > MOST_CHARACTERS) return this.questions.attempt("paste", () => tidy(text));
    const query = /(?:^|[?&])((?:board|moves|start|position|pos)=[^#]*)/.exec(text)?.[1];
    if (query) {
      this.questions.attempt("paste", () => {
        const { game, stopped, position } = readQuery(query);
        if (stopped) throw stopped;
        if (position) this.openPosition("paste", position, game.board);
        else this.onOpen(game);
      });
    } else if (text) {
      this.questions.attempt("paste", () => {
        const { text: tidied, board } = tidy(text);
        this.openPosition("paste", tidied, board ?? this.board());
      });
    }
  }

  /** Asks what position a text is, and opens it: with its game, or set up if no game leads there. */
  openPosition(channel, text, board, options = {}) {
    if (text.length > MOST_CHARACTERS) return this.questions.notices.fail(channel, new Impossible("long", { count: text.length }));
    const fields = { board: board.text, position: text };
    // The first line has the position; what it is worth is asked when it is open.
    const first = (signal) => new Promise((resolve, reject) => {
      const controller = new AbortController();
      signal.addEventListener("abort", () => controller.abort());
      const onPart = (part) => {
        resolve(part);
        controller.abort();
      };
      ask("position", fields, { signal: controller.signal, onPart }).then(resolve, reject);
    });
    this.questions.run(channel, first, ({ position }) => {
      if (position.moves === null) {
        this.onOpen(newGame(board, parseUni(board, position.uni)), texts.pastedNoGame, options);
      } else {
        this.onOpen(playAll(newGame(board), parseMoves(position.moves)), "", options);
      }
    });
  }

  random() {
    const ply = $("random-ply").value;
    const fields = { board: this.board().text, ...(ply && { ply }), seed: Math.floor(Math.random() * 2 ** 31) };
    this.questions.run("random-ply", (signal) => ask("random", fields, { signal }), ({ position }) => {
      const game = playAll(newGame(this.board()), parseMoves(position.moves));
      this.onOpen(game, texts.randomShown(position.ply));
    });
  }
}

/** The fields with the position. */
export class Exports {
  constructor() {
    for (const name of EXPORTS) {
      const button = $(`copy-${name}`);
      const label = document.querySelector(`label[for="export-${name}"]`).textContent;
      button.setAttribute("aria-label", texts.copyLabel(label));
      button.addEventListener("click", () => copy($(`export-${name}`), label));
    }
  }

  /** Draws the position of a game in every notation; its link has `options` as well. */
  draw(game, options) {
    const columns = columnsAt(game);
    $("export-moves").value = game.start ? "" : movesText(game);
    $("export-bits").value = bitsText(game.board, columns);
    $("export-uni").value = uniText(game.board, columns);
    $("export-link").value = linkTo(game, options);
    $("whole").firstElementChild.href = linkTo(game, options);
    this.drawPicture({ board: game.board.text, position: positionText(game) });
  }

  /** Shows the address of the picture, once for each position. */
  async drawPicture(position) {
    const wanted = JSON.stringify(position);
    if (this.pictured === wanted) return;
    this.pictured = wanted;
    const address = await picture(position).catch(() => "");
    if (this.pictured !== wanted) return;
    $("export-svg").value = address;
    $("svg-link").href = address;
    // Browsers open no such address from a link.
    $("svg-link").toggleAttribute("download", address.startsWith("data:"));
  }
}

/** Copies a field, or selects it where that is not allowed. */
async function copy(field, what) {
  try {
    await navigator.clipboard.writeText(field.value);
    remark(texts.copied(what));
  } catch {
    field.focus();
    field.select();
    remark(document.execCommand("copy") ? texts.copied(what) : texts.notCopied);
  }
}
