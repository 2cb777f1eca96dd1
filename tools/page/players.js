// The fields that choose who plays each side, and the name that the server has for a player.

import { element } from "./dom.js";
import { recall, remember } from "./prefs.js";
import { playerNames, texts } from "./texts.js";

/** Players with levels: the highest, and the one that is chosen at first. */
const LEVELS = { pomakis: [20, 4], window: [20, 4], rating: [9, 2] };

/** The two sides. Calls `onChange()` when a player or a level is chosen. */
export class Players {
  constructor(onChange) {
    this.sides = ["first", "second"].map((side) => {
      const kind = document.getElementById(`${side}-player`);
      const level = document.getElementById(`${side}-level`);
      kind.append(...Object.entries(playerNames).map(([value, name]) => new Option(name, value)));
      const stored = recall(`player.${side}`, { kind: "human" }, "sessionStorage");
      kind.value = stored.kind in playerNames ? stored.kind : "human";
      fillLevels(kind, level, stored.level);
      const changed = () => {
        remember(`player.${side}`, { kind: kind.value, level: level.value }, "sessionStorage");
        onChange();
      };
      kind.addEventListener("change", () => {
        fillLevels(kind, level);
        changed();
      });
      level.addEventListener("change", changed);
      return { kind, level };
    });
  }

  isHuman(player) {
    return this.sides[player].kind.value === "human";
  }

  /** Returns the server's name of a player, such as `pomakis:5`. */
  name(player) {
    const { kind, level } = this.sides[player];
    return kind.value in LEVELS ? `${kind.value}:${level.value}` : kind.value;
  }
}

function fillLevels(kind, level, chosen) {
  const [highest, standard] = LEVELS[kind.value] ?? [0, 0];
  level.hidden = highest === 0;
  level.replaceChildren(...Array.from({ length: highest }, (_, index) => {
    const option = element("option", "", texts.levelOption(index + 1));
    option.value = index + 1;
    return option;
  }));
  if (highest > 0) level.value = chosen || standard;
}
