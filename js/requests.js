// Asks hosts for parts of files. A module cannot wait for an answer: `get` throws, `load` loads at the same time all that it was asked
// for, and then the whole question is asked again.

/** How many milliseconds a host may take to answer. */
const TIMEOUT = 30_000;

/** A host that has let so many requests in a row time out is not asked for so many milliseconds. */
const MOST_TIMEOUTS = 3;
const SILENCE = 60_000;

/** How many parts are loaded at the same time. */
const MOST_REQUESTS = 16;

/** How often the library asks for the same part, if that fails. */
const MOST_TRIES = 3;

/** A file of at most so many bytes is taken whole from a host that sends whole files, or from a service worker that keeps them. */
const WHOLE_BYTES = 2 ** 20;

const failure = (name, message) => Object.assign(new Error(message), { name });

/** For each origin, how many times requests have timed out since its last answer, and when the last one did or the answer came. */
const hosts = new Map();

/** The origins that the policy of this worker forbids. */
const blocked = new Set();
globalThis.addEventListener?.("securitypolicyviolation", ({ blockedURI, disposition }) => {
  if (disposition === "enforce" && URL.canParse(blockedURI)) blocked.add(new URL(blockedURI).origin);
});

/** The requests of a question. */
export class Requests {
  /** What else is sent for the database that is read: `search`, `headers` and `credentials`. */
  place;
  /** How many requests had no answer yet. */
  refused = 0;
  /** How many bytes have come for this question. */
  bytes = 0;
  /** For each request, what its tries brought; and how many of them have failed since the question was asked last. */
  #tries = new Map();
  #failed = new Map();
  #wanted = [];
  /** The last request, and how many milliseconds the next one waits. */
  #last;
  #delay = 0;

  get(address, range) {
    const key = `${range} ${address}`;
    if (!this.#tries.has(key)) this.#tries.set(key, []);
    const tries = this.#tries.get(key);
    const number = Math.min(this.#failed.get(key) ?? 0, MOST_TRIES - 1);
    const [delay, { place }] = [this.#delay, this];
    this.#last = key;
    this.#delay = 0;
    const found = tries[number];
    if (found?.error) throw found.error;
    if (found?.status !== undefined) return found;
    this.refused += 1;
    if (!found) {
      tries[number] = {};
      this.#wanted.push({ tries, number, address, range, delay, place });
    }
    throw failure("WouldBlock", "the answer is on its way");
  }

  /** Has the last request made again, after some milliseconds. */
  again(delay) {
    this.#delay = delay;
    this.#failed.set(this.#last, (this.#failed.get(this.#last) ?? 0) + 1);
  }

  /** Loads all that was wanted. */
  async load(signal) {
    this.#failed.clear();
    const begun = performance.now();
    /** What aborts the requests; after they have ended, it does nothing. */
    const running = new Set();
    const abort = () => running.forEach((controller) => controller.abort(signal.reason));
    signal.addEventListener("abort", abort);
    const loop = async () => {
      while (this.#wanted.length > 0 && !signal.aborted) {
        const { tries, number, delay, ...request } = this.#wanted.shift();
        const controller = new AbortController();
        running.add(controller);
        const wait = (resolve) => { controller.signal.onabort = resolve; setTimeout(resolve, begun + delay - performance.now()); };
        if (delay > 0) await new Promise(wait);
        if (!signal.aborted) tries[number] = await this.#ask(request, number === 0, controller).catch((error) => ({ error }));
      }
    };
    await Promise.all(Array.from({ length: MOST_REQUESTS }, loop));
    signal.removeEventListener("abort", abort);
    signal.throwIfAborted();
  }

  async #ask({ address, range, place: { search = "", headers = [], credentials = "same-origin" } = {} }, isFirst, controller) {
    const url = address + search;
    const { origin } = new URL(url);
    const begun = performance.now();
    const [timeouts, last] = hosts.get(origin) ?? [0, -Infinity];
    if (timeouts >= MOST_TIMEOUTS && begun - last < SILENCE) {
      throw failure("HostUnreachable", `the last requests to this host have timed out; it is asked again after ${SILENCE / 1000} seconds`);
    }
    const late = setTimeout(() => controller.abort(failure("TimedOut", `no answer within ${TIMEOUT / 1000} seconds`)), TIMEOUT);
    // A browser's cache would mix parts of two versions of a file, and asks with If-Range, which brings whole files.
    const options = { credentials, cache: "no-store", redirect: headers.length > 0 ? "manual" : "follow" };
    let response;
    try {
      response = await fetch(url, { headers: [...headers, ["Range", range], ["Accept-Encoding", "identity"]], ...options, signal: controller.signal });
      const isMoved = Math.floor(response.status / 100) === 3 && response.headers.has("Location");
      // Browsers hide where to.
      if (response.type === "opaqueredirect" || (headers.length > 0 && isMoved)) {
        throw failure("PermissionDenied", "the host redirects to another address, to which `headers` are not sent; open that address");
      }
      const part = await partOf(response, range, (bytes) => { this.bytes += bytes; });
      hosts.set(origin, [0, performance.now()]);
      return part;
    } catch (error) {
      const [times, since] = hosts.get(origin) ?? [0, -Infinity];
      // Of requests at the same time one counts, and none if the host has answered another one in the meantime.
      if (controller.signal.reason?.name === "TimedOut" && since < begun) hosts.set(origin, [times + 1, performance.now()]);
      if (controller.signal.aborted) throw controller.signal.reason;
      if (error.name === "InvalidData" || error.name === "PermissionDenied") throw error;
      throw response ? brokenOff(response) : await unanswered(url, error, isFirst, { headers, ...options, signal: controller.signal });
    } finally {
      clearTimeout(late);
      // The rest of an answer that is too long is not loaded.
      controller.abort();
    }
  }
}

async function partOf(response, range, count) {
  const [first, last] = range.slice("bytes=".length).split("-").map(Number);
  const { status } = response;
  let lines = [...response.headers];
  const bytesOf = async (most) => {
    const parts = [];
    let length = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      length += value.length;
      if (length > most && status === 200) return new Uint8Array();
      if (length > most) throw failure("InvalidData", "the host sent more bytes than it was asked for");
      count(value.length);
      parts.push(value);
    }
  };
  let body = new Uint8Array();
  if (status === 206) {
    if (response.type === "cors" && !response.headers.has("Content-Range")) {
      throw failure("PermissionDenied", "the host hides Content-Range from pages of other sites; it should send Access-Control-Expose-Headers: Content-Range, ETag");
    }
    body = await bytesOf(last - first + 1);
  } else if (status === 200 && Number(response.headers.get("Content-Length")) <= WHOLE_BYTES) {
    body = await bytesOf(WHOLE_BYTES);
    // It is expanded.
    lines = lines.filter(([name]) => name !== "content-encoding");
  }
  return { status, headers: lines.map((line) => line.join(": ")).join("\n"), body };
}

/** Says why an answer did not come whole. */
function brokenOff(response) {
  const encoding = response?.headers.get("Content-Encoding");
  const compressed = encoding ? `is compressed (Content-Encoding: ${encoding}), and does not expand` : "broke off, or is compressed (Content-Encoding)";
  return failure("Aborted", `the answer ${compressed}`);
}

/** Says why there is no answer. Browsers do not, so once a second try has failed, requests without a part find out. */
async function unanswered(url, error, isFirst, { headers, credentials, redirect, signal }) {
  const { location, crossOriginIsolated } = globalThis;
  // An error of several addresses, in node, has no message of its own.
  const message = (error.cause?.message || error.cause?.code || error.message).replace(/\.$/, "");
  const { origin, protocol, hostname } = new URL(url);
  if (isFirst || !location || origin === location.origin) return failure("Aborted", message);
  const denied = (what) => failure("PermissionDenied", what);
  if (blocked.has(origin)) {
    return denied(`the Content-Security-Policy of the page, or of its worker.js, forbids it; connect-src should name ${origin}, and where that redirects to`);
  }
  // The worker of a Blob has the origin of its page.
  if (protocol === "http:" && location.origin.startsWith("https:") && !/^(localhost|127\..*|\[::1\])$/.test(hostname)) {
    return denied("a page at https:// may not read from http://; take an address at https://");
  }
  const answers = (options) => fetch(url, { method: "HEAD", cache: "no-store", signal, ...options }).then(() => true, () => false);
  if (await answers({ headers, credentials, redirect })) return brokenOff();
  const header = "Access-Control-Allow-Origin";
  if (!await answers({ mode: "no-cors" })) return failure("Aborted", `${message} (no answer${crossOriginIsolated ? `, or none with ${header}` : ""})`);
  // With credentials, browsers accept no `*`.
  const lines = credentials === "include" ? [`${header}: ${location.origin}`, "Access-Control-Allow-Credentials: true"] : [`${header}: *`];
  if (headers.length > 0) lines.push(`Access-Control-Allow-Headers: ${headers.map(([name]) => name).join(", ")}`);
  return denied(`the host does not let pages of other sites read; it should send ${lines.join(" and ")}`);
}
