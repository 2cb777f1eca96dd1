// Who plays each side: the opponent that a person chooses, the fields for any two programs, and the names by which players are asked.

import { recall, remember } from "./address.js";
import { $, setHidden } from "./dom.js";
import { texts } from "./texts.js";
import { ask } from "./transport.js";

/** The level of a player that is chosen at first. */
const STANDARD = { level: 3, pomakis: 4, window: 4, rating: 2 };

/** The two sides. Calls `onChange()` when a player or a level is chosen, `onLevels()` when those of a board are known. */
export class Players {
  constructor(questions, { onChange, onLevels }) {
    Object.assign(this, { questions, onLevels });
    this.board = null;
    /** The highest level of each player that is allowed on the board; null until that is known. */
    this.levels = null;
    $("second-player").append(...[...$("first-player").options].map((option) => option.cloneNode(true)));
    this.sides = ["first", "second"].map((name) => {
      const kind = document.getElementById(`${name}-player`);
      const level = document.getElementById(`${name}-level`);
      const stored = recall(`player.${name}`, { kind: "human" });
      kind.value = stored.kind;
      if (!kind.value) kind.value = "human";
      const side = { kind, level, wanted: stored.level >= 1 && stored.level < 100 ? Math.floor(stored.level) : STANDARD[kind.value] };
      this.fillLevels(side);
      const changed = () => {
        this.choose(side, kind.value, kind.value in STANDARD ? Number(level.value) || STANDARD[kind.value] : undefined);
        this.drawOpponent();
        onChange();
      };
      kind.addEventListener("change", () => {
        level.value = "";
        changed();
      });
      level.addEventListener("change", changed);
      return Object.assign(side, { name });
    });
    $("opponents").addEventListener("change", ({ target }) => {
      const [kind, level] = target.value.split(":");
      // A person who plays the second side stays there.
      const other = this.isHuman(1) && !this.isHuman(0) ? 0 : 1;
      this.choose(this.sides[other], kind, Number(level) || undefined);
      this.choose(this.sides[1 - other], "human");
      this.drawOpponent();
      onChange();
    });
    $("swap").addEventListener("click", () => {
      const [first, second] = this.sides.map(({ kind, wanted }) => [kind.value, wanted]);
      this.choose(this.sides[0], ...second);
      this.choose(this.sides[1], ...first);
      this.drawOpponent();
      onChange();
    });
    this.drawOpponent();
  }

  /** Lets a player play a side and remembers that. */
  choose(side, kind, level) {
    this.put(side, kind, level);
    remember(`player.${side.name}`, { kind, level });
  }

  /** Lets the players of a link play, such as `second=level:3`: the other side is a person. Those that were chosen here are not forgotten. */
  takeFrom(query) {
    if (!query.has("first") && !query.has("second")) return;
    for (const side of this.sides) {
      const name = query.get(side.name) ?? "human";
      const [, player, level] = /^([a-z]+):([1-9]\d?)$/.exec(name) ?? [];
      const [kind, wanted] = player in STANDARD ? [player, Number(level)] : [name, STANDARD[name]];
      const isKnown = [...side.kind.options].some(({ value }) => value === kind);
      this.put(side, isKnown ? kind : "human", wanted);
    }
    this.drawOpponent();
  }

  /** Returns the players of the sides that are no persons, as a link has them. */
  toLink() {
    return Object.fromEntries(this.sides.filter((_, player) => !this.isHuman(player)).map((side) => {
      const { kind, wanted } = side;
      return [side.name, kind.value in STANDARD ? `${kind.value}:${wanted}` : kind.value];
    }));
  }

  put(side, kind, level) {
    side.kind.value = kind;
    side.wanted = level;
    this.fillLevels(side);
  }

  /** Marks the opponent of a person, if it is one of those that the panel offers. */
  drawOpponent() {
    const person = this.sides.findIndex((_, player) => this.isHuman(player));
    const { kind, wanted } = this.sides[person < 0 ? 0 : 1 - person];
    const name = kind.value === "level" ? `level:${wanted}` : kind.value;
    for (const radio of $("opponents").querySelectorAll("input")) radio.checked = person >= 0 && radio.value === name;
    const isGame = this.isGame();
    $("sides-note").textContent = isGame && person >= 0 ? texts.sides(person) : "";
    setHidden($("sides"), !isGame);
  }

  /** Whether a computer plays. */
  isGame() {
    return !this.isHuman(0) || !this.isHuman(1);
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
    return this.sides[player].kind.value.startsWith("perfect") ? this.strongest() : null;
  }

  /** Returns the strongest player that needs no values; null while the levels are not known. */
  strongest() {
    const highest = this.levels?.pomakis;
    return highest ? `pomakis:${highest}` : null;
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
