// The choice of a board: those that have a database, and any other size.

import { ask } from "./api.js";
import { onSubmit } from "./dom.js";
import { newGame } from "./game.js";
import { parseBoard } from "./notation.js";
import { texts } from "./texts.js";

const $ = (id) => document.getElementById(id);

/** The choice. `board()` is the board that is shown, `onOpen(game, text)` opens another game and tells the text. */
export class Boards {
  constructor({ questions, board, onOpen }) {
    Object.assign(this, { questions, board, onOpen });
    this.boards = [];
    this.showValues = true;
    // Databases that were finished since then are listed too.
    $("board-select").addEventListener("focus", () => this.ask());
    $("board-select").addEventListener("change", (event) => this.openBoard(event.target.value));
    onSubmit("board-form", () => this.openBoard($("board-custom").value));
    this.ask();
  }

  ask() {
    this.questions.run("boards", (signal) => ask("boards", {}, { signal }), ({ boards }) => {
      this.boards = boards;
      this.drawList();
    });
  }

  /** Lists the boards, with the values of their empty boards if they are wanted. */
  draw(showValues) {
    this.showValues = showValues;
    this.drawList();
  }

  drawList() {
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
    const open = () => {
      this.onOpen(newGame(parseBoard(text)), text);
      $("board-custom").value = "";
    };
    this.questions.attempt("open", open, () => this.drawList());
  }
}
