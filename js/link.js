// A worker with one of the two modules: sends it one question at a time, and turns what comes back into promises.

import files from "./files.js";

/** How many milliseconds a worker may take to notice that a question is cancelled. */
const PATIENCE = 1000;

/** An error with a code: input, limit, database, memory or broken. */
export class FourbaseError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "FourbaseError";
    this.code = code;
  }
}

/** Returns an address, or a text that holds one, for a message: without the user and the password. */
export function shown(address) {
  if (!URL.canParse(address)) return String(address).replace(/[/\\]{2}.*@/s, "//...@");
  const url = new URL(address);
  return url.username || url.password ? Object.assign(url, { username: "...", password: "" }).href : String(address);
}

/** What differs between pages and node, whose own is in node.js. */
export const platform = {
  /** Starts a worker. `receive` gets its messages, and `fail` is told that it has ended. */
  start(receive, fail) {
    const module = files["wasm/engine_bg.wasm"];
    let worker;
    if (module.origin === location.origin) {
      worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    } else {
      // A page starts no worker of another site, but its own worker may import from there.
      const text = `import ${JSON.stringify(new URL("../worker.js", module))};`;
      const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      worker = new Worker(url, { type: "module" });
      worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
    }
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = ({ message }) => fail(message);
    return worker;
  },
  /** Returns the absolute address of a folder; a relative one counts from the page or its worker. */
  address(text) {
    const base = globalThis.document?.baseURI ?? globalThis.location?.href;
    if (URL.canParse(text, base)) return new URL(text, base).href;
    throw new FourbaseError("input", `"${shown(text)}" is no address; write one such as https://host/7x6/remoteness`);
  },
  /** Returns the files of a local folder by their names; a page has none. */
  folderOf: async () => undefined,
  /** Returns what a worker can read in parts, if it can read this file. */
  source: async (file) => (file instanceof Blob ? file : undefined),
  async load(url, signal) {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.arrayBuffer();
  },
};

export class Link {
  /** Returns what is open: a worker that replaces an ended one gets it by `remember`. Without `replay`, no worker replaces an ended one. */
  replay;
  #name;
  #load;
  #worker;
  #waiting = [];
  #current;
  #next = 1;
  #mayRest = false;
  #ended;
  /** Shared memory cancels a question in the middle; without it (in a page that is not cross-origin isolated) the worker is ended. */
  #flag;

  /** `name` is that of the JavaScript in the folder `wasm`; `load()` returns its compiled WebAssembly. */
  constructor(name, load, isShared) {
    this.#flag = isShared && typeof SharedArrayBuffer !== "undefined" ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    this.#name = name;
    this.#load = load;
  }

  /** Starts the worker and loads the module. */
  async start() {
    const broken = (text) => new FourbaseError("broken", `the worker has failed: ${text ?? "worker.js cannot be loaded"}`);
    // Messages of a worker that another one has replaced are ignored.
    const ifCurrent = (use) => (what) => {
      if (this.#worker === worker) use(what);
    };
    const receive = ifCurrent((message) => this.#receive(message));
    const fail = ifCurrent((error) => this.#fail(error));
    if (typeof WebAssembly === "undefined") throw new FourbaseError("broken", "WebAssembly is missing or switched off; use another browser");
    const loaded = this.#load();
    // `loaded` is awaited only when the worker is ready. Until then a failure must not count as an unhandled rejection.
    loaded.catch(() => {});
    let worker;
    try {
      worker = platform.start(receive, (text) => fail(broken(text)));
    } catch ({ message }) {
      throw broken(message);
    }
    this.#worker = worker;
    const begin = (module) => {
      for (const [opened, args] of this.replay?.() ?? []) {
        try {
          worker.postMessage({ method: "remember", args: [opened, args] });
        } catch {
          // If the caller has transferred the bytes elsewhere since `open`, they cannot be sent.
          worker.postMessage({ method: "remember", args: [opened] });
        }
      }
      worker.postMessage({ id: 0, method: "begin", args: [this.#name, module, this.#flag?.buffer] });
    };
    await new Promise((resolve, reject) => {
      const ready = () => loaded.then(begin).catch(fail);
      this.#current = { id: 0, ready, resolve, reject, options: {} };
    });
  }

  /** Asks for a method of the module. The options' `signal` cancels the question, and `onProgress` receives its progress. */
  ask(method, args, options = {}) {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      if (signal?.aborted) return reject(signal.reason);
      const question = { id: this.#next++, method, args, resolve, reject, options };
      question.abort = () => this.#abort(question);
      signal?.addEventListener("abort", question.abort, { once: true });
      this.#waiting.push(question);
      if (this.#worker) this.#send();
      else this.#restart();
    });
  }

  /** Ends a worker that has nothing to do and nothing open, now or later, which frees all its memory. The next question gets another one. */
  rest() {
    this.#mayRest = Boolean(this.#current) || this.#waiting.length > 0;
    if (this.#mayRest || [...this.replay()].length > 0) return;
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Ends the worker; what was asked and not answered fails. */
  end(error = new FourbaseError("broken", "it is closed; start another one")) {
    this.#ended ??= error;
    return this.#fail(this.#ended);
  }

  /** Ends the worker; what was asked and not answered fails. The next question gets another worker. */
  #fail(error) {
    const questions = [this.#current, ...this.#waiting.splice(0)];
    const gone = this.#worker?.terminate();
    this.#worker = this.#current = undefined;
    if (!this.replay) this.#ended ??= error;
    questions.forEach((question) => this.#settle(question, "reject", error));
    return gone;
  }

  #send() {
    if (this.#current || !this.#worker) return;
    this.#current = this.#waiting.shift();
    if (!this.#current) {
      // A process of node may end while nothing is asked.
      this.#worker.unref?.();
      // Who has opened a database hears of it first.
      if (this.#mayRest) setTimeout(() => this.rest());
      return;
    }
    this.#worker.ref?.();
    const { id, method, args } = this.#current;
    try {
      this.#worker.postMessage({ id, method, args });
    } catch (error) {
      this.#finish("reject", new FourbaseError("input", error.message));
    }
  }

  #receive({ id, ready, progress, result, error }) {
    const question = this.#current;
    if (ready) return question?.ready?.();
    // Messages about a question that was given up are ignored.
    if (question?.id !== id) return;
    if (progress) {
      const shown = (async () => question.options.onProgress?.(progress))();
      shown.catch((failure) => this.#giveUp(question, failure));
      return;
    }
    if (!error) return this.#finish("resolve", result);
    const { aborted, reason } = question.options.signal ?? {};
    const failure = aborted ? reason : new FourbaseError(error.code, error.message);
    if (id === 0) return this.#fail(failure);
    if (!error.isFatal) return this.#finish("reject", failure);
    // After a fatal error the module's state is unknown, so another worker takes the next question.
    this.#restart();
    this.#settle(question, "reject", failure);
  }

  #finish(how, what) {
    const question = this.#current;
    this.#current = undefined;
    this.#settle(question, how, what);
    this.#send();
  }

  #settle(question, how, what) {
    question?.options.signal?.removeEventListener("abort", question.abort);
    question?.[how](what);
  }

  #abort(question) {
    const at = this.#waiting.indexOf(question);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      question.reject(question.options.signal.reason);
      return;
    }
    const giveUp = () => this.#giveUp(question, question.options.signal.reason);
    if (!this.#flag) giveUp();
    else if (this.#current === question) {
      Atomics.store(this.#flag, 0, question.id);
      this.#worker.postMessage({ cancel: question.id });
      setTimeout(giveUp, PATIENCE).unref?.();
    }
  }

  /** Fails a question that the worker still works on, and starts another worker. */
  #giveUp(question, reason) {
    if (this.#current !== question) return;
    this.#restart();
    this.#settle(question, "reject", reason);
  }

  #restart() {
    this.#worker?.terminate();
    this.#worker = this.#current = undefined;
    if (!this.replay) return this.end();
    this.start().catch((error) => {
      // If there is a worker, it has reported its own failure, or it is a newer one that serves the next question.
      if (!this.#worker) this.#fail(error);
    });
  }
}
