// A worker with one of the two modules: sends it one question at a time, and turns what comes back into promises.

export const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);
/** What is used of node's modules. */
export const node = {};

/** Loads them, before the first worker is started. */
export async function prepare() {
  if (isNode) Object.assign(node, await import("node:worker_threads"), await import("node:url"), await import("node:fs/promises"));
}

/** How many milliseconds a worker may take to notice that a question is cancelled: it notices nothing while it waits for a host. */
const PATIENCE = 1000;

/** An error with a code: input, limit, database, memory or broken. */
export class FourbaseError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "FourbaseError";
    this.code = code;
  }
}

export class Link {
  /** Returns what is open: a worker that replaces an ended one gets it by `remember`. Without `replay`, no worker replaces an ended one. */
  replay;
  #name;
  #load;
  #worker;
  #waiting = [];
  #current;
  #next = 1;
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
    if (isNode) {
      worker = new node.Worker(new URL("./worker.js", import.meta.url));
      worker.on("message", receive).on("error", ({ message }) => fail(broken(message))).on("exit", () => fail(broken("it has ended; ask again")));
    } else {
      try {
        worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      } catch ({ message }) {
        throw broken(message);
      }
      worker.onmessage = ({ data }) => receive(data);
      worker.onerror = ({ message }) => fail(broken(message));
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
