// The fields that choose who plays each side, and the names by which players are asked.

import { recall, remember } from "./address.js";
import { texts } from "./texts.js";
import { ask } from "./transport.js";

/** The level of a player that is chosen at first. */
const STANDARD = { pomakis: 4, window: 4, rating: 2 };

/** The two sides. Calls `onChange()` when a player or a level is chosen, `onLevels()` when those of a board are known. */
export class Players {
  constructor(questions, { onChange, onLevels }) {
    Object.assign(this, { questions, onLevels });
    this.board = null;
    /** The highest level of each player that is allowed on the board; null until that is known. */
    this.levels = null;
    this.sides = ["first", "second"].map((name) => {
      const kind = document.getElementById(`${name}-player`);
      const level = document.getElementById(`${name}-level`);
      const stored = recall(`player.${name}`, { kind: "human" }, "sessionStorage");
      kind.value = stored.kind;
      if (!kind.value) kind.value = "human";
      const side = { kind, level, wanted: Number(stored.level) || STANDARD[kind.value] };
      this.fillLevels(side);
      const changed = (wanted) => {
        side.wanted = wanted;
        this.fillLevels(side);
        remember(`player.${name}`, { kind: kind.value, level: side.wanted }, "sessionStorage");
        onChange();
      };
      kind.addEventListener("change", () => changed(STANDARD[kind.value]));
      level.addEventListener("change", () => changed(Number(level.value)));
      return side;
    });
  }

  isHuman(player) {
    return this.sides[player].kind.value === "human";
  }

  /** Whether both sides are computers. */
  areComputers() {
    return !this.isHuman(0) && !this.isHuman(1);
  }

  /** Whether a computer plays this side, with a level that the board allows. */
  isReady(player) {
    return !this.isHuman(player) && (this.levels !== null || !(this.sides[player].kind.value in STANDARD));
  }

  /** Returns the name of a player, such as `pomakis:5`. */
  name(player) {
    const { kind, level } = this.sides[player];
    return kind.value in STANDARD ? `${kind.value}:${level.value}` : kind.value;
  }

  /** Returns the player that moves where a perfect one does not know how: the strongest, which needs no values; null for other players. */
  instead(player) {
    const highest = this.levels?.pomakis;
    return this.sides[player].kind.value.startsWith("perfect") && highest ? `pomakis:${highest}` : null;
  }

  /** Offers the levels that are allowed on a board. */
  openOn(board) {
    if (this.board === board.text) return;
    Object.assign(this, { board: board.text, levels: null });
    this.questions.run("players", (signal) => ask("players", { board: board.text }, { signal }), ({ players }) => {
      this.levels = Object.fromEntries(players.map(({ player, levels }) => [player, levels]));
      this.sides.forEach((side) => this.fillLevels(side));
      this.onLevels();
    });
  }

  /** Lists the levels of a side. One that is too high here is wanted again on the next board. */
  fillLevels({ kind, level, wanted }) {
    level.hidden = !(kind.value in STANDARD);
    if (level.hidden) return;
    const highest = this.levels?.[kind.value] ?? wanted;
    const option = (_, index) => new Option(texts.levelOption(index + 1), index + 1);
    level.replaceChildren(...Array.from({ length: highest }, option));
    level.value = Math.min(wanted, highest);
  }
}
