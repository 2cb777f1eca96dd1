// What is said once: to screen readers, and by a remark also to those who see.

import { element } from "./dom.js";

/** Tells something to screen readers. The last few sentences stay, so that none is cut off by the next. */
export function tell(text) {
  if (!text) return;
  const live = document.getElementById("live");
  live.append(element("p", "", text));
  while (live.children.length > 4) live.firstElementChild.remove();
}

/** Tells something and shows it, until the next move or remark. Without a text the last one goes away. */
export function remark(text = "") {
  document.getElementById("remark").textContent = text;
  tell(text);
}
