// The mark of a value: a shape with its colour. The shape alone tells the values apart.

import { svg } from "./dom.js";

const SHAPES = {
  win: "M8 1.5 15 14 1 14Z",
  tie: "M2.5 2.5H13.5V13.5H2.5Z",
  lose: "M1 2H15L8 14.5Z",
};

/**
 * Draws a value: an upward triangle for a win, a square for a tie, a downward triangle for a loss. `rank` from 1
 * (best of its value) to 4 makes the filling paler, as GamesmanUni does; the outline stays.
 */
export function shape(value, rank = 1) {
  const image = svg("svg", { viewBox: "0 0 16 16", class: `shape ${value}`, "aria-hidden": "true", focusable: "false" });
  image.append(svg("path", { d: SHAPES[value], "fill-opacity": 1.25 - 0.25 * rank }));
  return image;
}

/** Ranks children within each value, the best first: 1 to 4, equals alike. Returns a Map from the column. */
export function ranks(children) {
  const order = new Map();
  for (const value of ["win", "tie", "lose"]) {
    const same = children.filter((child) => child.value === value);
    let rank = 0;
    let before;
    for (const child of same) {
      if (child.remoteness !== before) rank = Math.min(rank + 1, 4);
      before = child.remoteness;
      order.set(child.column, rank);
    }
  }
  return order;
}
