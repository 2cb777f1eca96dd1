// Requests to the server: addresses relative to the page, streams of lines, and errors that say what to do.

/** An answer that did not come. `kind` is "gone" (no server), "busy", "refused" (our question is wrong), "unanswered" or "failed". */
export class Trouble extends Error {
  constructor(kind, text, retryAfter = null) {
    super(text);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** Returns the whole address of a part of the API. */
export function address(name, fields = {}) {
  const url = new URL(`api/v1/${name}`, document.baseURI);
  for (const [key, value] of Object.entries(fields)) url.searchParams.set(key, value);
  return url.href;
}

/**
 * Asks the server. With `onPart` the answer is a stream: every line goes there as it comes, and the last is
 * returned. Throws `Trouble`, or an AbortError after `signal`.
 */
export async function ask(name, fields, { signal, onPart } = {}) {
  const url = address(name, onPart ? { ...fields, stream: true } : fields);
  const response = await reach(() => fetch(url, { signal }));
  if (!response.ok) throw await refusal(response);
  if (!onPart) return reach(() => response.json());
  let last = null;
  for await (const line of lines(response)) {
    // A line that was cut off comes from a connection that broke.
    last = await reach(() => JSON.parse(line));
    onPart(last);
  }
  if (!last) throw new Trouble("gone", "");
  return last;
}

/** Runs a step of a request. A failure that is no abort means that the server cannot be reached. */
async function reach(step) {
  try {
    return await step();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble("gone", String(error.message));
  }
}

async function refusal(response) {
  let text = "";
  try {
    text = (await response.json()).error ?? "";
  } catch {
    // An answer without JSON comes from something before the server, such as a proxy.
  }
  const { status } = response;
  if (status === 429 || status === 503) {
    return new Trouble("busy", text, Number(response.headers.get("Retry-After")) || 5);
  }
  if (status === 422) return new Trouble("unanswered", text);
  if (status === 502 || status === 504) return new Trouble("gone", text);
  return new Trouble(status < 500 ? "refused" : "failed", text || `${status} ${response.statusText}`);
}

async function* lines(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reach(() => reader.read());
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split("\n");
    rest = parts.pop();
    yield* parts.filter(Boolean);
    if (done) break;
  }
  if (rest) yield rest;
}
