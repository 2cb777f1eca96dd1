// Asks hosts for parts of files. A module cannot wait for an answer: `get` throws, `load` loads at the same time all that it was asked
// for, and then the whole question is asked again.

/** How many milliseconds a host may take to answer. */
const TIMEOUT = 30_000;

/** How often the library asks for the same part, if that fails. */
const MOST_TRIES = 3;

/** A file of at most so many bytes is taken from a host that sends whole files, or from a service worker that keeps them. */
const WHOLE_BYTES = 2 ** 20;

const failure = (name, message) => Object.assign(new Error(message), { name });

export class Requests {
  /** The folders of databases, each with what else is sent to its host: `search`, `headers` and `credentials`. */
  places = new Map();
  /** How many requests had no answer yet. */
  refused = 0;
  /** How many bytes have come for this question. */
  bytes = 0;
  /** For each request, what its tries brought; and how many of them were made since the question was asked last. */
  #tries = new Map();
  #made = new Map();
  #wanted = [];
  #delay = 0;

  get(address, range) {
    const key = `${range} ${address}`;
    if (!this.#tries.has(key)) this.#tries.set(key, []);
    const tries = this.#tries.get(key);
    const number = Math.min(this.#made.get(key) ?? 0, MOST_TRIES - 1);
    this.#made.set(key, number + 1);
    const delay = this.#delay;
    this.#delay = 0;
    const found = tries[number];
    if (found?.error) throw found.error;
    if (found?.headers !== undefined) return found;
    this.refused += 1;
    if (!found) {
      tries[number] = {};
      this.#wanted.push({ tries, number, address, range, delay });
    }
    throw failure("WouldBlock", "the answer is on its way");
  }

  /** Makes the next request wait. */
  pause(milliseconds) {
    this.#delay = milliseconds;
  }

  /** Begins to ask the question again, or with `isNew` another one. */
  begin(isNew) {
    this.#made.clear();
    if (!isNew) return;
    this.#tries.clear();
    this.#wanted = [];
    this.bytes = 0;
  }

  /** Loads all that was wanted. */
  async load(signal) {
    const count = (bytes) => { this.bytes += bytes; };
    const running = new Set();
    const abort = () => running.forEach((controller) => controller.abort(signal.reason));
    signal.addEventListener("abort", abort);
    await Promise.all(this.#wanted.splice(0).map(async ({ tries, number, address, range, delay }) => {
      if (delay > 0) await new Promise((resolve) => { setTimeout(resolve, delay); });
      // The database that was opened last may be below an earlier address.
      const [, place] = [...this.places].findLast(([folder]) => address.startsWith(folder)) ?? [];
      if (!signal.aborted) tries[number] = await ask(address, range, place, running, count).catch((error) => ({ error }));
    }));
    signal.removeEventListener("abort", abort);
    signal.throwIfAborted();
  }
}

async function ask(address, range, { search = "", headers = [], credentials = "same-origin" } = {}, running, count) {
  const controller = new AbortController();
  running.add(controller);
  const late = setTimeout(() => controller.abort(failure("TimedOut", `no answer within ${TIMEOUT / 1000} seconds`)), TIMEOUT);
  const url = address + search;
  let response;
  try {
    const all = [...headers, ["Range", range], ["Accept-Encoding", "identity"]];
    // A browser's cache would mix parts of two versions of a file, and asks with If-Range, which brings whole files.
    response = await fetch(url, { headers: all, credentials, cache: "no-store", signal: controller.signal });
    return await partOf(response, range, count);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (error.name === "InvalidData" || error.name === "PermissionDenied") throw error;
    throw response ? brokenOff(response) : await unanswered(url, error);
  } finally {
    clearTimeout(late);
    running.delete(controller);
    // The rest of an answer that is too long is not loaded.
    controller.abort();
  }
}

async function partOf(response, range, count) {
  const [first, last] = range.slice("bytes=".length).split("-").map(Number);
  let lines = [...response.headers];
  const bytesOf = async (most) => {
    const parts = [];
    let length = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      length += value.length;
      if (length > most) throw failure("InvalidData", "the host sent more bytes than it was asked for");
      count(value.length);
      parts.push(value);
    }
  };
  let { status } = response;
  let body = new Uint8Array();
  if (status === 206) {
    if (response.type === "cors" && !response.headers.has("Content-Range")) {
      throw failure("PermissionDenied", "the host hides Content-Range from pages of other sites; it should send Access-Control-Expose-Headers: Content-Range, ETag");
    }
    body = await bytesOf(last - first + 1);
  } else if (status === 200 && Number(response.headers.get("Content-Length") ?? Infinity) <= WHOLE_BYTES) {
    const whole = await bytesOf(WHOLE_BYTES);
    body = whole.subarray(first, last + 1);
    status = 206;
    lines = lines.filter(([name]) => name !== "content-encoding");
    lines.push(["content-range", `bytes ${first}-${first + body.length - 1}/${whole.length}`]);
  }
  return { status, headers: lines.map((line) => line.join(": ")).join("\n"), body };
}

/** Says why an answer did not come whole. */
function brokenOff({ headers }) {
  const encoding = headers.get("Content-Encoding");
  const compressed = encoding ? `is compressed (Content-Encoding: ${encoding}), and does not expand` : "broke off, or is compressed (Content-Encoding)";
  return failure("Aborted", `the answer ${compressed}`);
}

/** Says why there is no answer. Browsers do not, so a request whose answer a page may not read finds out. */
async function unanswered(url, error) {
  const { location, crossOriginIsolated } = globalThis;
  // An error of several addresses, in node, has no message of its own.
  const message = (error.cause?.message || error.cause?.code || error.message).replace(/\.$/, "");
  if (!location || new URL(url).origin === location.origin) return failure("Aborted", message);
  const header = "Access-Control-Allow-Origin";
  const answers = await fetch(url, { method: "HEAD", mode: "no-cors", cache: "no-store" }).then(() => true, () => false);
  if (answers) return failure("PermissionDenied", `the host does not let pages of other sites read; it should send ${header}: *`);
  return failure("Aborted", `${message} (no answer${crossOriginIsolated ? `, or none with ${header}` : ""})`);
}
