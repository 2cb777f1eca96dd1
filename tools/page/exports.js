// The position in every notation, to be copied.

import { address } from "./api.js";
import { linkTo } from "./address.js";
import { columnsAt } from "./game.js";
import { remark } from "./notices.js";
import { bitsText, movesText, positionText, uniText } from "./notation.js";
import { texts } from "./texts.js";

const $ = (id) => document.getElementById(id);
const EXPORTS = ["moves", "bits", "uni", "link", "svg"];

export class Exports {
  constructor() {
    for (const name of EXPORTS) {
      const button = $(`copy-${name}`);
      const label = document.querySelector(`label[for="export-${name}"]`).textContent;
      button.setAttribute("aria-label", texts.copyLabel(label));
      button.addEventListener("click", () => copy($(`export-${name}`), label));
    }
  }

  /** Draws the position of a game in every notation. */
  draw(game) {
    const columns = columnsAt(game);
    const picture = address("position.svg", { board: game.board.text, position: positionText(game) });
    $("export-moves").value = game.start ? "" : movesText(game);
    $("export-bits").value = bitsText(game.board, columns);
    $("export-uni").value = uniText(game.board, columns);
    $("export-link").value = linkTo(game);
    $("export-svg").value = picture;
    $("svg-link").href = picture;
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
