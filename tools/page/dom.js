// Makes and hides elements; and draws the mark of a value: a shape with its colour. The shape alone tells the values apart.

/** Finds an element. */
export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

const SHAPES = {
  win: "M8 1.5 15 14 1 14Z",
  tie: "M2.5 2.5H13.5V13.5H2.5Z",
  lose: "M1 2H15L8 14.5Z",
};

/** Makes an element of SVG. */
export function svg(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Makes an element of the page with a class and a text. */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Hides an element or shows it. Focus that would be lost goes to the board. */
export function setHidden(target, hidden) {
  if (hidden && target.contains(document.activeElement)) document.querySelector("#board button").focus();
  target.hidden = hidden;
}

/** Makes a button inert without taking the focus from it. */
export function setInert(button, inert) {
  button.setAttribute("aria-disabled", String(inert));
}

/** Sets a data attribute, or removes it if there is no value. */
export function setData(target, name, value) {
  if (value === null || value === undefined || value === "") delete target.dataset[name];
  else target.dataset[name] = value;
}

/** Shows a text, or hides the element if there is none. */
export function setNote(target, text) {
  if (target.textContent !== text) target.textContent = text;
  target.hidden = text === "";
}

/** Runs an action when a button is pressed that is not inert. */
export function onClick(id, action) {
  $(id).addEventListener("click", () => {
    if ($(id).getAttribute("aria-disabled") !== "true") action();
  });
}

/** Runs an action when a form is sent. */
export function onSubmit(id, action) {
  $(id).addEventListener("submit", (event) => {
    event.preventDefault();
    action();
  });
}

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
