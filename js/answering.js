// What a worker does, in a page and in node: answers one question after another with a module, and is its host.

import * as engine from "./wasm/engine.js";
import * as solver from "./wasm/solver.js";
import { Requests } from "./requests.js";

/** The least number of milliseconds between two reports of progress. */
const PAUSE = 50;

/** The modules. Each exports a class, `Engine` or `Solver`, whose object answers the questions. */
const MODULES = { engine, solver };

/** The open files by their numbers; and for each board the numbers of its files, and what else is sent to the host of its database. */
const files = new Map();
const sourceOf = new Map();
/** For each board open in the previous worker and not open here yet, what `open` returned, and its arguments. */
const earlier = new Map();
let nextNumber = 0;
let answerer;
let isEngine;
/** Returns the canonical name of a board, which a text may spell in several ways. */
let nameOf;
let requests = new Requests();
/** Sends a message to the page's side, and what reads files there. */
let post;
let access;
let flag;
/** Ends the loading of parts for the current question. */
let loading = new AbortController();
let current = 0;
let reported = 0;
/** The message of the module's panic, if there was one, before the module ended with a trap. */
let mistake;

const host = {
  read(number, offset, length) {
    const file = files.get(number);
    if (file instanceof Uint8Array) return file.subarray(offset, offset + length);
    return access.read(file, offset, length);
  },
  get: (address, range) => requests.get(address, range),
  pause: (milliseconds) => requests.again(milliseconds),
  poll(done, all) {
    const now = performance.now();
    if (now - reported >= PAUSE) {
      reported = now;
      // A solver that does not know yet how much it has to do reports nothing.
      if (all > 0 || isEngine) post({ id: current, progress: all > 0 ? { done, all } : { nodes: done } });
    }
    return flag !== undefined && Atomics.load(flag, 0) === current;
  },
  panicked(message) {
    mistake = message;
  },
  found(text) {
    post({ id: current, progress: { analysis: JSON.parse(text) } });
  },
};

const methods = {
  async begin(name, module, shared) {
    const { default: init, Engine, Solver, boardName } = MODULES[name];
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
    if (typeof sources === "string") {
      const address = new URL(sources);
      requests.place = { search: address.search, ...hash };
      address.search = "";
      // The module refuses the other parts of an address.
      return replace(answerer.open_address(address.href, board), { numbers: [], place: requests.place });
    }
    const first = nextNumber;
    const numbers = sources.map(() => nextNumber++);
    try {
      sources.forEach(([, file], at) => files.set(first + at, access.open(file)));
      const sizes = numbers.map((number) => access.size(files.get(number)));
      const names = sources.map(([name]) => name);
      return replace(answerer.open(names, new Float64Array(sizes), first, board, hash, most), { numbers });
    } catch (error) {
      numbers.forEach(forget);
      throw error;
    }
  },
  close(text) {
    const board = nameOf(text);
    answerer.close(board);
    earlier.delete(board);
    sourceOf.get(board)?.numbers.forEach(forget);
    sourceOf.delete(board);
    return board;
  },
  analyseMany(board, positions, ...rest) {
    return positions.map((position) => () => answerer.analyse(board, position, ...rest));
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
const ASKING = new Set(["analyse", "analyseMany", "analyseGame", "choose", "puzzles"]);

/**
 * Makes a board's database the one that is read, and opens it if it was open in the previous worker. If that fails, throws, so that no
 * search answers instead.
 */
function reopen(text) {
  const board = nameOf(text);
  requests.place = sourceOf.get(board)?.place;
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
function replace(opened, source) {
  const { board } = JSON.parse(opened);
  earlier.delete(board);
  sourceOf.get(board)?.numbers.forEach(forget);
  sourceOf.set(board, source);
  return opened;
}

function forget(number) {
  access.close(files.get(number));
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

/** Asks questions that may need parts of files at hosts: loads all that they lack at the same time, and asks again. */
async function settle(questions) {
  const results = [];
  let open = [...questions.keys()];
  for (;;) {
    open = open.filter((number) => {
      const before = requests.refused;
      try {
        results[number] = questions[number]();
      } catch (error) {
        if (requests.refused === before || described(error).isFatal) throw error;
      }
      return requests.refused > before;
    });
    if (open.length === 0) return results;
    await requests.load(loading.signal);
    post({ id: current, progress: { bytes: requests.bytes } });
  }
}

async function answer({ id, method, args, cancel }) {
  if (cancel !== undefined) return cancel === current ? loading.abort() : undefined;
  current = id;
  reported = performance.now();
  loading = new AbortController();
  try {
    if (ASKING.has(method)) await settle([() => reopen(args[0])]);
    const ask = () => (methods[method] ? methods[method](...args) : answerer[method](...args));
    const [first] = await settle([ask]);
    const result = method === "analyseMany" ? await settle(first) : await first;
    post({ id, result });
  } catch (error) {
    post({ id, error: loading.signal.aborted ? { code: "cancelled" } : described(error) });
  } finally {
    requests = new Requests();
  }
}

/** Begins to answer. Returns what receives the messages of the page's side. */
export function serve(send, files) {
  post = send;
  access = files;
  post({ ready: true });
  return answer;
}
