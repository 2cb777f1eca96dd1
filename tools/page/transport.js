// The one way from the page to what answers it: a server, or a worker in the tab. All that the page says of it comes from there too.
//
// A transport has three parts. `ask(name, fields, {signal, onPart, onProgress})` answers as the HTTP interface does: `name` is boards,
// position, analysis, players, move, puzzle or random. With `onPart` it tells what is known so far, again and again, and returns the last of it.
// `onProgress` gets the share, 0 to 1, of a board that is solved first. It rejects with `Trouble`, or with an AbortError after `signal`.
// `picture({board, position})` returns the address of a picture. `complaints` has the texts of the troubles "gone" and "busy", which get a number of seconds, and "failed", which gets a text.

/**
 * An answer that did not come. `kind` is "gone" (nothing answers), "busy" (ask again after `retryAfter` seconds), "refused" (the
 * question is wrong), "unanswered" (nobody knows), "old" (the page has a newer version) or "failed".
 */
export class Trouble extends Error {
  constructor(kind, text, retryAfter = null) {
    super(text);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

let transport;

/** Puts a transport in the place of the one before. Questions that are under way are still answered by that. */
export function connect(other) {
  transport = other;
}

/** Asks for an answer. */
export async function ask(name, fields, options = {}) {
  return transport.ask(name, fields, options);
}

/** Returns the address of a picture of a position. */
export async function picture(position) {
  return transport.picture(position);
}

/** Says a trouble that depends on what answers: "gone", "busy" or "failed". */
export function complaint(kind, fact) {
  return transport.complaints[kind](fact);
}
