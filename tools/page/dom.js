// Makes and hides elements.

const SVG = "http://www.w3.org/2000/svg";

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

/** Shows a text, or hides the element if there is none. */
export function setNote(target, text) {
  if (target.textContent !== text) target.textContent = text;
  target.hidden = text === "";
}

/** Runs an action when a form is sent. */
export function onSubmit(id, action) {
  document.getElementById(id).addEventListener("submit", (event) => {
    event.preventDefault();
    action();
  });
}
