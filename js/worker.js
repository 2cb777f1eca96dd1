// The worker's side: answers one question after another with a module, and is its host.

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);
const threads = isNode ? await import("node:worker_threads") : undefined;
const port = isNode ? threads.parentPort : globalThis;
const fs = isNode ? await import("node:fs") : undefined;

/** The least number of milliseconds between two reports of progress. */
const PAUSE = 50;

/** The modules. Each exports a class, `Engine` or `Solver`, whose object answers the questions. */
const MODULES = {
  engine: async () => import("./wasm/engine.js"),
  solver: async () => import("./wasm/solver.js"),
};

/** How many milliseconds a host may take to answer. */
const TIMEOUT = 30_000;

/** Asks hosts in node through another thread, which runs while this one waits. */
class Requests {
  #port;
  /** How many answers have come. */
  #done = new Int32Array(new SharedArrayBuffer(4));
  #id = 0;

  constructor() {
    const { port1, port2 } = new threads.MessageChannel();
    const workerData = { port: port2, done: this.#done, timeout: TIMEOUT };
    this.#port = port1;
    port1.unref();
    new threads.Worker(new URL("./requests.js", import.meta.url), { workerData, transferList: [port2] }).unref();
  }

  get(address, range) {
    const id = ++this.#id;
    this.#port.postMessage({ id, address, range });
    for (const end = performance.now() + 2 * TIMEOUT; ;) {
      const came = Atomics.load(this.#done, 0);
      const { message } = threads.receiveMessageOnPort(this.#port) ?? {};
      // An answer that comes after its question was given up belongs to no other.
      if (message?.id === id) {
        if ("error" in message) throw new Error(message.error);
        return message;
      }
      const wait = end - performance.now();
      if (!message && (wait <= 0 || Atomics.wait(this.#done, 0, came, wait) === "timed-out")) throw new Error("no answer");
    }
  }
}

/** The open files by their numbers, and (`numbersOf`) the numbers of each board's files. */
const files = new Map();
const numbersOf = new Map();
/** For each board open in the previous worker and not open here yet, what `open` returned, and its arguments. */
const earlier = new Map();
let nextNumber = 0;
let answerer;
let isEngine;
/** Returns the canonical name of a board, which a text may spell in several ways. */
let nameOf;
let requests;
let flag;
let current = 0;
let reported = 0;
/** The message of the module's panic, if there was one, before the module ended with a trap. */
let mistake;

const host = {
  read(number, offset, length) {
    const file = files.get(number);
    if (file instanceof Uint8Array) return file.subarray(offset, offset + length);
    if (typeof file === "number") {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, fs.readSync(file, bytes, 0, length, offset));
    }
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length)));
  },
  get(address, range) {
    if (isNode) return (requests ??= new Requests()).get(address, range);
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.responseType = "arraybuffer";
    request.timeout = TIMEOUT;
    request.setRequestHeader("Range", range);
    try {
      request.send();
    } catch (error) {
      throw new Error(`${error.message} (the host may not allow pages of other sites: see Access-Control-Allow-Origin)`);
    }
    const body = new Uint8Array(request.status === 206 ? request.response : 0);
    return { status: request.status, headers: request.getAllResponseHeaders(), body };
  },
  pause(milliseconds) {
    if (typeof SharedArrayBuffer !== "undefined") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
    else for (const end = performance.now() + milliseconds; performance.now() < end; );
  },
  poll(done, all) {
    const now = performance.now();
    if (now - reported >= PAUSE) {
      reported = now;
      // A solver that does not know yet how much it has to do reports nothing.
      if (all > 0 || isEngine) port.postMessage({ id: current, progress: all > 0 ? { done, all } : { nodes: done } });
    }
    return flag !== undefined && Atomics.load(flag, 0) === current;
  },
  panicked(message) {
    mistake = message;
  },
  found(text) {
    port.postMessage({ id: current, progress: { analysis: JSON.parse(text) } });
  },
};

const methods = {
  async begin(name, module, shared) {
    const { default: init, Engine, Solver, boardName } = await MODULES[name]();
    await init({ module_or_path: module });
    isEngine = Boolean(Engine);
    answerer = new (Engine ?? Solver)(host);
    nameOf = boardName;
    flag = shared && new Int32Array(shared);
  },
  remember(opened, args) {
    earlier.set(JSON.parse(opened).board, { opened, args });
  },
  open(sources, board, hash, most) {
    if (typeof sources === "string") return replace(answerer.open_address(sources, board), []);
    const first = nextNumber;
    const numbers = sources.map(() => nextNumber++);
    try {
      sources.forEach(([, file], at) => files.set(first + at, typeof file === "string" ? fs.openSync(file) : file));
      const sizes = numbers.map((number) => sizeOf(files.get(number)));
      const names = sources.map(([name]) => name);
      return replace(answerer.open(names, new Float64Array(sizes), first, board, hash, most), numbers);
    } catch (error) {
      numbers.forEach(forget);
      throw error;
    }
  },
  close(text) {
    const board = nameOf(text);
    answerer.close(board);
    earlier.delete(board);
    numbersOf.get(board)?.forEach(forget);
    numbersOf.delete(board);
    return board;
  },
  boards() {
    for (const board of [...earlier.keys()]) {
      try {
        reopen(board);
      } catch (error) {
        // A database that cannot be opened again is not listed.
        if (described(error).isFatal) throw error;
      }
    }
    return answerer.boards();
  },
};

/** The questions that a database answers. */
const ASKING = new Set(["analyse", "analyseGame", "choose"]);

/** Opens the database of a board, if it was open in the previous worker. If that fails, throws, so that no search answers instead. */
function reopen(text) {
  const board = earlier.size > 0 ? nameOf(text) : undefined;
  const was = earlier.get(board);
  if (!was) return;
  const [sources, , ...others] = was.args ?? [];
  if (sources && methods.open(sources, board, ...others) === was.opened) return;
  methods.close(board);
  earlier.set(board, was);
  const why = sources ? "has changed" : "was in bytes that were given away";
  throw Object.assign(new Error(`the database of ${board} ${why}; open it again`), { name: "database" });
}

/** Keeps the files of a database that was just opened, and forgets those of the earlier database of its board. */
function replace(opened, numbers) {
  const { board } = JSON.parse(opened);
  earlier.delete(board);
  numbersOf.get(board)?.forEach(forget);
  numbersOf.set(board, numbers);
  return opened;
}

function sizeOf(file) {
  return typeof file === "number" ? fs.fstatSync(file).size : (file.size ?? file.length);
}

function forget(number) {
  const file = files.get(number);
  if (typeof file === "number") fs.closeSync(file);
  files.delete(number);
}

/** Describes an error; the module's own have a code as their name. After one with `isFatal`, the module or the worker is not used again. */
function described(error) {
  const codes = ["input", "limit", "cancelled", "database", "memory"];
  if (codes.includes(error.name)) return { code: error.name, message: error.message };
  if (error.code?.startsWith?.("E")) return { code: "database", message: error.message };
  const isTrap = error instanceof WebAssembly.RuntimeError && mistake === undefined && /unreachable/i.test(error.message);
  if (isTrap || (error instanceof RangeError && /memory|allocation/i.test(error.message))) {
    return { code: "memory", message: "no memory is left; close other tabs or programs, or ask for less", isFatal: true };
  }
  return { code: "broken", message: mistake ?? String(error.message ?? error), isFatal: true };
}

async function answer({ id, method, args }) {
  current = id;
  reported = performance.now();
  try {
    if (ASKING.has(method)) reopen(args[0]);
    const result = await (methods[method] ? methods[method](...args) : answerer[method](...args));
    port.postMessage({ id, result });
  } catch (error) {
    port.postMessage({ id, error: described(error) });
  }
}

if (isNode) port.on("message", answer);
else port.onmessage = ({ data }) => answer(data);
port.postMessage({ ready: true });
