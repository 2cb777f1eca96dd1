// Other games and positions: pasted, asked of the server, or at random.

import { readQuery } from "./address.js";
import { ask } from "./api.js";
import { onSubmit } from "./dom.js";
import { newGame, playAll } from "./game.js";
import { parseMoves, parseUni } from "./notation.js";
import { texts } from "./texts.js";

const $ = (id) => document.getElementById(id);

/** The fields. `board()` is the board that is shown, `onOpen(game, text, options)` opens another game and tells the text. */
export class Opener {
  constructor({ questions, board, onOpen }) {
    Object.assign(this, { questions, board, onOpen });
    onSubmit("paste-form", () => this.paste($("paste").value.trim()));
    onSubmit("random-form", () => this.random());
  }

  /** Opens a pasted text: a link to the page, or any notation, which the server reads. */
  paste(text) {
    const query = /(?:^|[?&])((?:board|moves|start|position)=.*)$/s.exec(text)?.[1];
    if (query) {
      this.questions.attempt("open", () => {
        const { game, stopped, position } = readQuery(query);
        if (stopped) throw stopped;
        if (position) this.openPosition(position, game.board);
        else this.onOpen(game);
      });
    } else {
      this.openPosition(plainText(text), this.board());
    }
  }

  /** Asks the server what position a text is, and opens it: with its game, or set up if no game leads there. */
  openPosition(text, board, options = {}) {
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
    this.questions.run("open", first, ({ position }) => {
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
    this.questions.run("open", (signal) => ask("random", fields, { signal }), ({ position }) => {
      const game = playAll(newGame(this.board()), parseMoves(position.moves));
      this.onOpen(game, texts.randomShown(position.ply));
    });
  }
}

/** Takes quotes away, and what people write between moves: blanks, commas, numbers of moves such as "1.". */
function plainText(text) {
  const bare = text.replace(/^["']|["']$/g, "");
  const moves = bare.replace(/\b\d+\.+/g, " ").trim();
  return /^[1-9a-w](?:[\s,;]+[1-9a-w])+$/i.test(moves) ? moves.replace(/[\s,;]+/g, "") : bare;
}
