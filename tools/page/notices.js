// What is said on the page: what goes wrong, with a way to try again; and what is said once, to screen readers as well.

import { $, element, setHidden } from "./dom.js";
import { impossibleText, texts } from "./texts.js";
import { Impossible } from "./game.js";

/** After how long a server that cannot be reached is asked again. */
const AGAIN_SECONDS = 5;

/** Keeps the troubles of each channel (a kind of question), until the channel is cleared. */
export class Notices {
  constructor({ error, actions }) {
    Object.assign(this, { error, actions });
    this.troubles = new Map();
  }

  /** Says a failure. `again` asks once more; a question that is wrong has none. Busy servers are asked again later. */
  fail(channel, failure, again = null) {
    this.forget(channel);
    const { text, seconds, final } = wording(failure);
    const timer = seconds ? setTimeout(() => this.retry([channel]), seconds * 1000) : null;
    this.troubles.set(channel, { text, again: final ? null : again, timer });
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
    const text = [...new Set([...this.troubles.values()].map((trouble) => trouble.text))].join(" ");
    if (this.error.textContent !== text) {
      this.error.textContent = text;
      // On a narrow screen the fields are far below it.
      if (text) this.error.scrollIntoView({ block: "nearest" });
    }
    setHidden(this.actions, ![...this.troubles.values()].some((trouble) => trouble.again));
  }
}

function wording(failure) {
  if (failure instanceof Impossible) return { text: impossibleText(failure), final: true };
  switch (failure.kind) {
    case "gone": return { text: texts.gone(AGAIN_SECONDS), seconds: AGAIN_SECONDS };
    case "busy": return { text: texts.busy(failure.retryAfter), seconds: failure.retryAfter };
    case "refused": return { text: texts.refused(failure.message), final: true };
    case "unanswered": return { text: texts.unanswered(failure.message), final: true };
    default: return { text: texts.failed(failure.message) };
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
