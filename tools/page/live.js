// The live region: what screen readers say.

import { element } from "./dom.js";

/** Tells something to screen readers. The last few sentences stay, so that none is cut off by the next. */
export function tell(text) {
  if (!text) return;
  const live = document.getElementById("live");
  live.append(element("p", "", text));
  while (live.children.length > 4) live.firstElementChild.remove();
}
