// The value history, as GamesCrafters draw it: time runs down, the distance of a mark from the winner's edge is the
// remoteness, ties are in the middle. The first player's edge is on the left. On a narrow screen time runs to the right, and that edge
// is above. Each move has what it cost.

import { element, setData, shape, svg } from "./dom.js";
import { isMistake, toMove } from "./game.js";
import { texts } from "./texts.js";

/** The classes of what belongs to a player. */
const SIDES = ["first", "second"];

/** Where time runs to the right; the style sheet has the same. */
const NARROW = matchMedia("(max-width: 40rem)");

/** Draws into the list `root`. Calls `onGo(ply)` when a ply is chosen. */
export class HistoryView {
  constructor(root, frame, onGo) {
    this.root = root;
    this.frame = frame;
    this.ply = null;
    NARROW.addEventListener("change", () => this.draw(...this.drawn));
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-ply]");
      if (button) onGo(Number(button.dataset.ply));
    });
  }

  /** Draws the plies of a game; `facts[ply]` is what is known of the position there, and `steps[ply]` of the move there, or null. */
  draw(game, facts, steps) {
    this.drawn = [game, facts, steps];
    const count = game.moves.length + 1;
    while (this.root.children.length > count) this.root.lastElementChild.remove();
    while (this.root.children.length < count) this.root.append(this.buildRow());
    const cells = game.board.width * game.board.height;
    const places = facts.map((fact, ply) => place(fact, toMove(game, ply), cells));
    [...this.root.children].forEach((row, ply) => this.drawRow(row, ply, game, facts[ply], steps[ply - 1], places));
    // Later, because its layout would hold up the question for the values.
    if (this.ply !== game.ply) setTimeout(() => this.scroll(this.root.children[this.ply]), 150);
    this.ply = game.ply;
  }

  buildRow() {
    const row = element("li");
    const button = element("button");
    button.type = "button";
    const track = element("span", "track");
    track.append(svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }), element("span", "mark"));
    button.append(element("span", "move"), track, element("span", "worth"));
    for (const part of button.children) part.setAttribute("aria-hidden", "true");
    button.append(element("span", "hidden"));
    row.append(button);
    return row;
  }

  drawRow(row, ply, game, fact, step, places) {
    const button = row.firstElementChild;
    const player = ply === 0 ? null : toMove(game, ply - 1);
    const column = game.moves[ply - 1];
    const winner = winnerOf(fact, toMove(game, ply));
    const cost = fact ? costText(step) : "";
    button.dataset.ply = ply;
    setData(button, "value", fact?.value);
    setData(button, "remoteness", fact?.remoteness);
    setData(button, "class", fact && step?.class);
    setData(button, "mistake", fact && isMistake(step) ? "true" : null);
    button.classList.toggle("later", ply > game.ply);
    if (ply === game.ply) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    const [move, track, worth, label] = button.children;
    const told = texts.worth(winner, fact?.value, fact?.remoteness);
    label.textContent = texts.historyLabel({ ply, player, column, cost, worth: told });
    move.textContent = ply === 0 ? texts.historyStart : texts.historyMove(ply, column);
    move.className = player === null ? "move" : `move piece ${SIDES[player]}`;
    worth.replaceChildren(element("span", "", told));
    if (cost) worth.append(element(isMistake(step) ? "strong" : "em", "", cost));
    drawTrack(track, winner, places[ply - 1] ?? null, places[ply]);
  }

  /** Scrolls the list alone, never the page. */
  scroll(row) {
    const { frame } = this;
    if (!row) return;
    frame.scrollLeft = row.offsetLeft - (frame.clientWidth - row.offsetWidth) / 2;
    if (row.offsetTop < frame.scrollTop) frame.scrollTop = row.offsetTop;
    const below = row.offsetTop + row.offsetHeight - frame.clientHeight;
    if (below > frame.scrollTop) frame.scrollTop = below;
  }
}

/** Says what a move cost, and what was best where it cost something. */
export function costText(step) {
  if (!step?.verdict) return "";
  return [step.verdict, step.columns.length > 0 && texts.better(step.columns)].filter(Boolean).join("; ");
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
  const [across, along] = NARROW.matches ? ["y", "x"] : ["x", "y"];
  lines.setAttribute("viewBox", NARROW.matches ? "0 0 1 100" : "0 0 100 1");
  if (from !== null) lines.append(svg("line", { [`${across}1`]: from, [`${along}1`]: -0.5, [`${across}2`]: to, [`${along}2`]: 0.5 }));
  mark.style.setProperty("--place", `${to}%`);
  mark.append(winner === null ? shape("tie") : element("span", `piece ${SIDES[winner]}`));
}
