// The page's side: checks arguments, loads databases, and asks the workers.

import files from "./files.js";
import { FourbaseError, Link, platform, shown } from "./link.js";

export { FourbaseError };

/** The databases of this release: their hashes, and the deepest ply that each keeps. */
const BUILT_IN = {
  "6x6": { hash: "60ffc49b1373f49dea18703573ad6ad944d3b812f4733172e32b33266f7e2884", plies: 11 },
  "7x5": { hash: "e7bfb5be57d757e5f072d27c47464c67b1fa31f396581718ac2fdf56860859b2", plies: 9 },
  "7x6": { hash: "50440f0518196b2a9af581ee311f6463813f7254f817a3460c9d2587c106f65e", plies: 13 },
};

/** What a solve in memory may take: 1 GiB. */
const MEMORY = 2 ** 30;

/** How many positions of a list are analysed at a time, and share what they load from a host. */
const TOGETHER = 32;

export class Fourbase {
  static firstPlies = 9;
  #options;
  #engine;
  #solvers = new Set();
  #modules = new Map();
  /** For each board, what `open` returned, and its arguments, which hold all bytes of the database. */
  #opened = new Map();

  constructor(options) {
    this.#options = options;
    this.#engine = new Link("engine", () => this.#module("engine"), options.sharedMemory);
    this.#engine.replay = () => this.#opened.values();
  }

  /** Starts a worker with the module, and at the same time loads the first plies of the board `first`, if there is one. */
  static async start({ first, databases, wasm, sharedMemory = true } = {}) {
    const folder = (path) => {
      if (path === undefined) return undefined;
      const url = new URL(platform.address(`${path}`));
      if (!url.pathname.endsWith("/")) url.pathname += "/";
      return url;
    };
    const fourbase = new Fourbase({ databases: folder(databases), wasm: folder(wasm), sharedMemory });
    const opened = first === undefined ? [] : [fourbase.openBuiltIn(first, { first: true })];
    try {
      await Promise.all([fourbase.#engine.start(), ...opened]);
    } catch (error) {
      fourbase.close();
      throw error;
    }
    return fourbase;
  }

  static get builtIn() {
    return Object.keys(BUILT_IN);
  }

  async analyse(board, position = "", { nodes, seconds, line = true, why = false, ...options } = {}) {
    checkTexts({ board, position });
    const args = [board, position, ...limits({ nodes, seconds }), line, Boolean(why), Boolean(options.onProgress)];
    return this.#ask("analyse", args, options);
  }

  async analyseMany(board, positions, { nodes, seconds, line = true, why = false, onProgress, ...options } = {}) {
    checkTexts({ board });
    if (typeof positions === "string" || !(Symbol.iterator in Object(positions))) {
      throw new FourbaseError("input", `positions are a list of texts, not ${typeof positions}`);
    }
    const all = Array.from(positions);
    all.forEach((position) => checkTexts({ position }));
    const found = [];
    while (found.length < all.length) {
      const args = [board, all.slice(found.length, found.length + TOGETHER), ...limits({ nodes, seconds }), line, Boolean(why), false];
      found.push(...(await this.#engine.ask("analyseMany", args, options)).map((text) => JSON.parse(text)));
      await onProgress?.({ done: found.length, all: all.length });
    }
    return found;
  }

  async analyseGame(board, moves, { start = "", nodes, seconds, why = false, ...options } = {}) {
    checkTexts({ board, start, moves });
    return this.#ask("analyseGame", [board, start, moves, ...limits({ nodes, seconds }), Boolean(why)], options);
  }

  async choose(board, moves, player, { start = "", seed = 1, nodes, seconds, ...options } = {}) {
    checkTexts({ board, moves, player, start });
    return this.#ask("choose", [board, start, moves, player, whole(seed, "seed"), ...limits({ nodes, seconds })], options);
  }

  async players(board) {
    checkTexts({ board });
    return this.#ask("players", [board]);
  }

  async random(board, { ply, seed = Math.floor(Math.random() * 2 ** 53) } = {}) {
    checkTexts({ board });
    return this.#ask("random", [board, ply === undefined ? undefined : whole(ply, "ply"), whole(seed, "seed")]);
  }

  async puzzles(board, { count = 1, seed = 1, nodes, seconds, ...options } = {}) {
    checkTexts({ board });
    return (await this.#ask("puzzles", [board, whole(count, "count"), whole(seed, "seed"), ...limits({ nodes, seconds })], options)).puzzles;
  }

  async position(board, position = "") {
    checkTexts({ board, position });
    return this.#ask("position", [board, position]);
  }

  async drawSvg(board, position = "") {
    checkTexts({ board, position });
    return this.#engine.ask("drawSvg", [board, position]);
  }

  async boards() {
    return (await this.#ask("boards", [])).boards;
  }

  async solve(board, options) {
    return this.#open([await this.#solver("solve", board, options)]);
  }

  async stats(board, options) {
    return JSON.parse(await this.#solver("stats", board, options));
  }

  async open(from, { board, headers, credentials, ...options } = {}) {
    if (board !== undefined) checkTexts({ board });
    if (![undefined, "omit", "same-origin", "include"].includes(credentials)) {
      throw new FourbaseError("input", "credentials are omit, same-origin or include");
    }
    let chosen = from;
    if (typeof from === "string" || from instanceof URL) {
      const place = platform.address(from);
      chosen = await platform.folderOf(place, from);
      // The message does not repeat headers, which may be secret.
      const lines = await (async () => [...new Headers(headers)])().catch(() => {
        throw new FourbaseError("input", "headers are those of fetch, such as an object of texts by their names");
      });
      if (!chosen) return this.#open([place, board, { headers: lines, credentials }], options);
    }
    const list = Symbol.iterator in Object(chosen) ? Array.from(chosen, (file) => [file?.name, file]) : Object.entries(chosen ?? {});
    if (list.some(([name]) => typeof name !== "string")) {
      throw new FourbaseError("input", "a file has no name; give the files that a user has chosen, or an object of files by their names");
    }
    const sources = await Promise.all(list.map(async ([name, file]) => [name.split("/").pop(), await source(file)]));
    if (new Set(sources.map(([name]) => name)).size < sources.length) {
      throw new FourbaseError("input", "two files have the same name; choose the files of one database");
    }
    return this.#open([sources, board], options);
  }

  async openBuiltIn(board, { first = false, signal } = {}) {
    const database = Object.hasOwn(BUILT_IN, board) ? BUILT_IN[board] : undefined;
    if (!database) {
      throw new FourbaseError("input", `no database of ${board} is built in, only of ${Fourbase.builtIn.join(", ")}`);
    }
    // Files that are open already, those of the first plies, are not loaded again.
    const [, [earlier, , hash] = []] = this.#opened.get(board) ?? [];
    const loaded = new Map(hash === database.hash ? earlier : []);
    const read = (name) => loaded.get(name) ?? load(this.#address("databases", `${board}/${name}.bin`), "database", signal);
    const most = first ? Math.min(Fourbase.firstPlies, database.plies) : database.plies;
    const names = ["manifest"];
    for (let ply = 1; ply <= most; ply += 2) names.push(`tier-${String(ply).padStart(2, "0")}`);
    const sources = await Promise.all(names.map(async (name) => [name, await read(name)]));
    return this.#open([sources, board, database.hash, most < database.plies ? most : undefined], { signal });
  }

  async close(board) {
    if (board === undefined) {
      await Promise.all([this.#engine, ...this.#solvers].map((link) => link.end()));
      this.#opened.clear();
      return;
    }
    checkTexts({ board });
    this.#opened.delete(await this.#engine.ask("close", [board]));
    this.#engine.rest();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  /** Returns the address of a file of the package. */
  #address(folder, path) {
    return this.#options[folder] ? new URL(path, this.#options[folder]) : files[`${folder}/${path}`];
  }

  async #ask(method, args, options) {
    return JSON.parse(await this.#engine.ask(method, args, options));
  }

  /** Asks a solver in a worker of its own, which ends after the answer and frees its memory. Cancelling ends the worker at once. */
  async #solver(method, board, { values = "remoteness", memory = MEMORY, ...options } = {}) {
    checkTexts({ board, values });
    const solver = new Link("solver", () => this.#module("solver"), false);
    this.#solvers.add(solver);
    try {
      options.signal?.throwIfAborted();
      await solver.start();
      return await solver.ask(method, [board, values, whole(memory, "memory")], options);
    } finally {
      this.#solvers.delete(solver);
      solver.end();
    }
  }

  /** Loads and compiles a module, once for all its workers. */
  #module(name) {
    if (!this.#modules.has(name)) {
      const url = this.#address("wasm", `${name}_bg.wasm`);
      const compile = (bytes) => expand(bytes).then(WebAssembly.compile).catch(({ message }) => {
        throw new FourbaseError("broken", `cannot use ${shown(url)}: ${message}`);
      });
      const module = load(url, "broken").then(compile);
      this.#modules.set(name, module);
      module.catch(() => this.#modules.delete(name));
    }
    return this.#modules.get(name);
  }

  async #open(args, options) {
    const text = await this.#engine.ask("open", args, options);
    const opened = JSON.parse(text);
    this.#opened.set(opened.board, [text, args]);
    return opened;
  }
}

function checkTexts(texts) {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== "string") throw new FourbaseError("input", `${name} is a text, not ${typeof text}`);
  }
}

/** Checks limits, each of which may be left out, and returns them in their order. */
function limits(numbers) {
  for (const [name, number] of Object.entries(numbers)) {
    if (number === undefined || (typeof number === "number" && number >= 0)) continue;
    throw new FourbaseError("input", `${name} is a number from 0 up`);
  }
  return Object.values(numbers);
}

function whole(number, name) {
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new FourbaseError("input", `${name} is a whole number from 0 to 2^53 - 1`);
}

/** Turns a file into what a worker can read in parts: bytes, a browser's File or Blob, or a path of node. */
async function source(file) {
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  const found = file instanceof Uint8Array ? file : await platform.source(file);
  if (found === undefined) throw new FourbaseError("input", "a file is a Uint8Array, an ArrayBuffer, a File or a Blob, or in node a path");
  return found;
}

/** Expands what a host keeps compressed; a module itself begins with a zero. */
async function expand(bytes) {
  if (bytes[0] !== 0x1f) return bytes;
  return new Response(new Response(bytes).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Loads a file. A failure is an error with the given code. */
async function load(url, code, signal) {
  try {
    return new Uint8Array(await platform.load(url, signal));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    // Firefox ends its sentences with a full stop.
    throw new FourbaseError(code, `cannot load ${shown(url)}: ${shown(error.message).replace(/\.$/, "")}`);
  }
}
