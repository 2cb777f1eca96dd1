// The transport of the page that `fourbase serve` shows: addresses relative to the page, streams of lines, and errors that say what to
// do. No other file knows these. The page is connected to it when this is loaded, before app.js.

import { Trouble, connect } from "./transport.js";

connect({
  async ask(name, fields, { signal, onPart }) {
    const response = await reach(() => fetch(address(name, onPart ? { ...fields, stream: true } : fields), { signal }));
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
  },
  picture: (fields) => address("position.svg", fields),
  complaints: {
    gone: (seconds) => `The server cannot be reached. The page tries again every ${seconds} seconds; you can play on without values.`,
    busy: (seconds) => `The server is busy. The page asks again in ${seconds} second${seconds === 1 ? "" : "s"}.`,
    failed: (text) => `The server has failed: ${text}.`,
  },
});

/** Returns the whole address of a part of the API. */
function address(name, fields) {
  const url = new URL(`api/v1/${name}`, document.baseURI);
  for (const [key, value] of Object.entries(fields)) url.searchParams.set(key, value);
  return url.href;
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
