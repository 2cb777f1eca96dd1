// What is said on the page: what goes wrong, with a way to try again; and what is said once, to screen readers as well.

import { $, element, setHidden } from "./dom.js";
import { impossibleText, texts } from "./texts.js";
import { Impossible } from "./game.js";
import { complaint } from "./transport.js";

/** After how long is asked again what cannot be reached. */
const AGAIN_SECONDS = 5;

/** The fields whose errors are said beside them. Their channels have their names. */
const FIELDS = ["paste", "random-ply", "board-custom"];

/** Keeps the troubles of each channel (a kind of question), until the channel is cleared. */
export class Notices {
  constructor({ error, actions }) {
    Object.assign(this, { error, actions });
    this.troubles = new Map();
  }

  /** Says a failure. `again` asks once more; a question that is wrong has none. What is busy is asked again later; an old page is loaded again. */
  fail(channel, failure, again = null) {
    this.forget(channel);
    if (failure.kind === "old") again = () => location.reload();
    const { text, seconds, final } = wording(failure);
    const timer = seconds ? setTimeout(() => this.retry([channel]), seconds * 1000) : null;
    this.troubles.set(channel, { text, again: final ? null : again, timer, isOld: failure.kind === "old" });
    this.show();
  }

  /** Says a text in the place of an error. */
  say(channel, text, again = null) {
    this.forget(channel);
    this.troubles.set(channel, { text, again, timer: null });
    this.show();
  }

  /** Forgets the trouble of channels. */
  clear(...channels) {
    channels.forEach((channel) => this.forget(channel));
    this.show();
  }

  forget(channel) {
    clearTimeout(this.troubles.get(channel)?.timer);
    this.troubles.delete(channel);
  }

  /** Asks again what failed. The text stays until an answer has come. */
  retry(channels = [...this.troubles.keys()]) {
    for (const channel of channels) this.troubles.get(channel)?.again?.();
  }

  show() {
    const others = [...this.troubles].filter(([channel]) => !FIELDS.includes(channel)).map(([, trouble]) => trouble);
    put(this.error, [...new Set(others.map(({ text }) => text))].filter(Boolean).join(" "));
    setHidden(this.actions, !others.some(({ again }) => again));
    $("retry").textContent = others.some(({ isOld }) => isOld) ? "Reload" : "Try again";
    for (const field of FIELDS) {
      const trouble = this.troubles.get(field);
      put($(`${field}-error`), trouble?.text ?? "");
      $(field).setAttribute("aria-invalid", String(trouble !== undefined));
    }
  }
}

/** Writes an error, and scrolls to it: on a narrow screen it may be far away. */
function put(place, text) {
  if (place.textContent === text) return;
  place.textContent = text;
  if (text) place.scrollIntoView({ block: "nearest" });
}

function wording(failure) {
  if (failure instanceof Impossible) return { text: impossibleText(failure), final: true };
  switch (failure.kind) {
    case "gone": return { text: complaint("gone", AGAIN_SECONDS), seconds: AGAIN_SECONDS };
    case "busy": return { text: complaint("busy", failure.retryAfter), seconds: failure.retryAfter };
    case "refused": return { text: texts.refused(failure.message), final: true };
    case "unanswered": return { text: texts.unanswered(failure.message), final: true };
    default: return { text: complaint("failed", failure.message) };
  }
}

/** Tells something to screen readers. The last few sentences stay, so that none is cut off by the next. */
export function tell(text) {
  if (!text) return;
  const live = $("live");
  live.append(element("p", "", text));
  while (live.children.length > 4) live.firstElementChild.remove();
}

/** Tells something and shows it, until the next move or remark. Without a text the last one goes away. */
export function remark(text = "") {
  $("remark").textContent = text;
  tell(text);
}
