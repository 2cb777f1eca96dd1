// The value history, as GamesCrafters draw it: time runs down, the distance of a mark from the winner's edge is the
// remoteness, ties are in the middle. The first player's edge is on the left.

import { element, setData, shape, svg } from "./dom.js";
import { mistake, toMove } from "./game.js";
import { texts } from "./texts.js";

/** The classes of what belongs to a player. */
const SIDES = ["first", "second"];

/** Draws into the list `root`. Calls `onGo(ply)` when a ply is chosen. */
export class HistoryView {
  constructor(root, frame, onGo) {
    this.root = root;
    this.frame = frame;
    this.ply = null;
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-ply]");
      if (button) onGo(Number(button.dataset.ply));
    });
  }

  /** Draws the plies of a game; `facts[ply]` is what is known of the position there, or null. */
  draw(game, facts) {
    const count = game.moves.length + 1;
    while (this.root.children.length > count) this.root.lastElementChild.remove();
    while (this.root.children.length < count) this.root.append(this.buildRow());
    const cells = game.board.width * game.board.height;
    const places = facts.map((fact, ply) => place(fact, toMove(game, ply), cells));
    [...this.root.children].forEach((row, ply) => this.drawRow(row, ply, game, facts, places));
    if (this.ply !== game.ply) this.scroll(this.root.children[game.ply]);
    this.ply = game.ply;
  }

  buildRow() {
    const row = element("li");
    const button = element("button");
    button.type = "button";
    const track = element("span", "track");
    track.append(svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }), element("span", "mark"));
    button.append(element("span", "move"), track, element("span", "worth"));
    for (const part of button.children) part.setAttribute("aria-hidden", "true");
    button.append(element("span", "hidden"));
    row.append(button);
    return row;
  }

  drawRow(row, ply, game, facts, places) {
    const button = row.firstElementChild;
    const fact = facts[ply];
    const player = ply === 0 ? null : toMove(game, ply - 1);
    const column = game.moves[ply - 1];
    const winner = winnerOf(fact, toMove(game, ply));
    const lost = ply === 0 ? null : mistake(facts[ply - 1]?.value, fact?.value);
    const change = lost ? texts.change(lost) : "";
    button.dataset.ply = ply;
    setData(button, "value", fact?.value);
    setData(button, "remoteness", fact?.remoteness);
    setData(button, "mistake", change);
    button.classList.toggle("later", ply > game.ply);
    if (ply === game.ply) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    const blunder = change ? texts.mistake(change) : "";
    const [move, track, worth, label] = button.children;
    const told = texts.worth(winner, fact?.value, fact?.remoteness);
    label.textContent = texts.historyLabel({ ply, player, column, blunder, worth: told });
    move.textContent = ply === 0 ? texts.historyStart : texts.historyMove(ply, column);
    move.className = player === null ? "move" : `move piece ${SIDES[player]}`;
    worth.replaceChildren(element("span", "", told));
    if (blunder) worth.append(element("strong", "", blunder));
    drawTrack(track, winner, places[ply - 1] ?? null, places[ply]);
  }

  /** Scrolls the list alone, never the page. */
  scroll(row) {
    const { frame } = this;
    if (row.offsetTop < frame.scrollTop) frame.scrollTop = row.offsetTop;
    const below = row.offsetTop + row.offsetHeight - frame.clientHeight;
    if (below > frame.scrollTop) frame.scrollTop = below;
  }
}

/** Returns who wins, 0 or 1; null for a tie or if nothing is known. */
function winnerOf(fact, player) {
  if (fact?.value === "win") return player;
  return fact?.value === "lose" ? 1 - player : null;
}

/** Returns the place of a mark in percent from the left, or null. Without a remoteness it is half way. */
function place(fact, player, cells) {
  if (!fact?.value) return null;
  if (fact.value === "tie") return 50;
  const distance = 3 + 41 * Math.min(1, (fact.remoteness ?? cells / 2) / cells);
  return winnerOf(fact, player) === 0 ? distance : 100 - distance;
}

/** Draws a mark, the piece of who wins or the square of a tie, and the line to it. */
function drawTrack(track, winner, from, to) {
  const [lines, mark] = track.children;
  lines.replaceChildren();
  mark.replaceChildren();
  if (to === null) return;
  if (from !== null) lines.append(svg("line", { x1: from, y1: -0.5, x2: to, y2: 0.5 }));
  mark.style.setProperty("left", `${to}%`);
  mark.append(winner === null ? shape("tie") : element("span", `piece ${SIDES[winner]}`));
}
