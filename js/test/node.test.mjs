// What only node has: paths, and the program to compare with.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Fourbase } from "fourbase";
import { filesOf, pathOf } from "./place.mjs";

const fourbase = await Fourbase.start();
after(() => fourbase.close());

/** Ends the worker of a package without shared memory, in a search; another one begins. */
const anotherWorker = (mine) =>
  assert.rejects(mine.analyse("8x8", "", { nodes: 1e12, signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });

test("files of a database that is closed by any name of its board, or opened again, are closed", { skip: process.platform !== "linux" }, async () => {
  const paths = Object.fromEntries(["manifest", "tier-01"].map((name) => [name, pathOf("7x5", name)]));
  const wrong = { ...paths, manifest: paths["tier-01"] };
  const mine = await Fourbase.start({ sharedMemory: false });
  const count = () => readdirSync("/proc/self/fd").length;
  await assert.rejects(mine.open(wrong), { code: "database" });
  const before = count();
  for (let time = 0; time < 3; time += 1) await mine.open(paths);
  assert.equal(count(), before + 2);
  await mine.close("7x5c4");
  await assert.rejects(mine.open(wrong), { code: "database" });
  assert.equal(count(), before);
  // It stays closed in the next worker.
  await anotherWorker(mine);
  assert.deepEqual(await mine.boards(), []);
  await mine.close();
});

test("a folder is opened by its path, and folders of the package may be named by theirs", async () => {
  const folder = dirname(pathOf("7x5", "manifest"));
  const odd = resolve("a b#c%d?");
  cpSync(folder, odd, { recursive: true });
  mkdirSync(join(odd, "folder"), { recursive: true });
  for (const place of [folder, relative(process.cwd(), folder), pathToFileURL(folder), odd, relative(process.cwd(), odd)]) {
    assert.equal((await fourbase.open(place, { board: "7x5" })).embedded, false, `${place}`);
  }
  for (const end of ["", sep]) {
    const mine = await Fourbase.start({ wasm: `./node_modules/fourbase/wasm${end}`, databases: resolve("node_modules/fourbase/databases") + end });
    assert.equal((await mine.openBuiltIn("7x5", { first: true })).board, "7x5");
    await mine.close();
  }
});

test("what onProgress throws ends the work", async () => {
  const thrown = new Error("no more");
  const onProgress = () => { throw thrown; };
  await assert.rejects(fourbase.analyse("8x8", "", { nodes: 1e12, onProgress }), thrown);
  await assert.rejects(fourbase.solve("5x5", { onProgress }), thrown);
  await assert.rejects(fourbase.analyse("8x8", "", { nodes: 1e12, onProgress: async () => { throw thrown; } }), thrown);
  assert.equal((await fourbase.analyse("4x4", "1")).source.kind, "search");
});

test("bytes of a database that is closed are free, in the page's thread and in the worker", async () => {
  const freed = `
    import { setFlagsFromString } from "node:v8";
    import { runInNewContext } from "node:vm";
    setFlagsFromString("--expose-gc");
    export const bytes = () => (runInNewContext("gc")(), process.memoryUsage().arrayBuffers);`;
  // The package, whose worker answers drawSvg with how many bytes it keeps.
  const engine = `
    import * as real from "./real.js";
    import { bytes } from "../freed.js";
    export { default, boardName } from "./real.js";
    export class Engine extends real.Engine { drawSvg() { return bytes(); } }`;
  cpSync("node_modules/fourbase", "freed", { recursive: true });
  renameSync("freed/wasm/engine.js", "freed/wasm/real.js");
  writeFileSync("freed/freed.js", freed);
  writeFileSync("freed/wasm/engine.js", engine);
  const { bytes } = await import(pathToFileURL("freed/freed.js"));
  const { Fourbase } = await import(pathToFileURL("freed/node.js"));
  const mine = await Fourbase.start({ sharedMemory: false });
  // A database that stays open, and with it the worker.
  await mine.openBuiltIn("6x6");
  const kept = async () => [bytes(), await mine.drawSvg("4x4")];
  const names = readdirSync("databases/7x6");
  const opens = [() => mine.openBuiltIn("7x6"), async () => mine.open(await filesOf("7x6", names)), () => mine.solve("5x5")];
  for (const open of opens) {
    // The worker that has opened the database, and one that was told of it.
    for (const next of [async () => {}, anotherWorker]) {
      const { board, bytes: size } = await open();
      await next(mine);
      const before = await kept();
      await mine.close(board);
      // Node may hold what was sent last until something else is sent.
      await kept();
      const freed = (await kept()).map((after, side) => before[side] - after);
      assert.ok(freed.every((bytes) => bytes > 0.9 * size), `${board}: ${freed} of ${size}`);
    }
  }
  await mine.close();
});

test("a worker ends once nothing is open and nothing is asked", async () => {
  const { platform } = await import(pathToFileURL("node_modules/fourbase/link.js"));
  const { start } = platform;
  let [begun, running] = [0, 0];
  platform.start = (...args) => {
    [begun, running] = [begun + 1, running + 1];
    return start(...args).on("exit", () => (running -= 1));
  };
  const mine = await Fourbase.start();
  await mine.openBuiltIn("7x5", { first: true });
  await Promise.all([mine.close("7x5"), mine.analyse("4x4", "1234")]);
  for (let time = 0; running > 0 && time < 100; time += 1) await new Promise((resolve) => { setTimeout(resolve, 50); });
  assert.deepEqual([begun, running], [1, 0]);
  // What is opened in the meantime stays in its worker.
  await mine.openBuiltIn("7x5", { first: true });
  const paths = Object.fromEntries(readdirSync("databases/6x6").map((name) => [name, pathOf("6x6", name)]));
  await Promise.all([mine.close("7x5"), mine.open(paths)]);
  await new Promise((resolve) => { setTimeout(resolve, 200); });
  assert.equal((await mine.analyse("6x6", "44")).source.kind, "database");
  assert.deepEqual([begun, running], [2, 1]);
  await mine.close();
  platform.start = start;
});

test("a file that is missing, and files that are others when they are opened again, are refused", async () => {
  await assert.rejects(fourbase.open({ manifest: "/no/such/file" }), { code: "database", message: /no such file/ });
  const { Link } = await import(pathToFileURL("node_modules/fourbase/link.js"));
  const write = async (values) => {
    const solver = new Link("solver", () => WebAssembly.compile(readFileSync("node_modules/fourbase/wasm/solver_bg.wasm")), false);
    await solver.start();
    const files = await solver.ask("solve", ["4x4", values, 2 ** 30]);
    await solver.end();
    mkdirSync("solved", { recursive: true });
    files.forEach(([name, bytes]) => writeFileSync(`solved/${name}`, bytes));
    return Object.fromEntries(files.map(([name]) => [name, `solved/${name}`]));
  };
  const mine = await Fourbase.start({ sharedMemory: false });
  await mine.open(await write("remoteness"));
  await write("wdl");
  await anotherWorker(mine);
  const asked = () => assert.rejects(mine.analyse("4x4"), { code: "database", message: /of 4x4 has changed; open it again$/ });
  await asked();
  await asked();
  await write("remoteness");
  assert.equal((await mine.analyse("4x4")).source.stores, "remoteness");
  await mine.close();
});

test("when a worker fails or ends, those who wait hear of it or get another one", { timeout: 60_000 }, async () => {
  mkdirSync("fake", { recursive: true });
  for (const name of ["node", "index", "link", "files"]) cpSync(`node_modules/fourbase/${name}.js`, `fake/${name}.js`);
  writeFileSync("fake/package.json", '{ "type": "module" }');
  writeFileSync("fake/worker-node.js", `
    import { parentPort } from "node:worker_threads";
    const earlier = [];
    const error = { code: "memory", message: "no memory", isFatal: true };
    parentPort.on("message", ({ id, method, args }) => {
      if (method === "remember") earlier.push(args[0]);
      else if (method === "exit") process.exit();
      else if (method !== "long") parentPort.postMessage(method === "trap" ? { id, error } : { id, result: [method, ...earlier].join() });
    });
    parentPort.postMessage({ ready: true });`);
  await import(pathToFileURL("fake/node.js"));
  const { Link } = await import(pathToFileURL("fake/link.js"));
  let loads = true;
  const link = new Link("engine", async () => { if (!loads) throw new Error("no module"); }, false);
  link.replay = () => [["7x5", []]];
  const ask = (method, options) => link.ask(method, [], options).catch(({ message }) => message);
  const [memory, ended] = ["no memory", "the worker has failed: it has ended; ask again"];
  await link.start();
  assert.equal(await ask("first"), "first,7x5");
  // Two that are fatal, one after the other, and one that waits.
  assert.deepEqual(await Promise.all([ask("trap"), ask("trap"), ask("waits")]), [memory, memory, "waits,7x5"]);
  // Another worker that does not begin, and those who ask as soon as they hear of it.
  loads = false;
  const again = async (method) => [await ask(method).finally(() => (loads = true)), await ask("again")];
  const failed = ["no module", "again,7x5"];
  assert.deepEqual(await Promise.all([ask("trap"), again("waits"), again("waits")]), [memory, failed, failed]);
  assert.deepEqual(await Promise.all([ask("exit"), again("waits")]), [ended, [ended, "again,7x5"]]);
  // A question while another worker begins.
  const controller = new AbortController();
  const long = ask("long", { signal: controller.signal });
  controller.abort();
  assert.deepEqual(await Promise.all([long, ask("begins")]), ["This operation was aborted", "begins,7x5"]);
  // A worker that cannot be started; once it can, the next question starts it.
  renameSync("fake/worker-node.js", "fake/away.js");
  assert.equal(await ask("trap"), memory);
  for (const method of ["one", "two"]) assert.match(await ask(method), /^the worker has failed: Cannot find module/);
  renameSync("fake/away.js", "fake/worker-node.js");
  assert.equal(await ask("again"), "again,7x5");
  await link.end();
});

test("where memory runs out, its question fails with a word about it, and others are answered", async () => {
  // 19 MiB for each module: enough for 4x4, not for 5x5 or the table of a long search.
  setFlagsFromString("--wasm-max-mem-pages=300");
  const mine = await Fourbase.start();
  const asked = [mine.solve("5x5"), mine.analyse("7x6", "44444432"), mine.analyse("5x4", "44"), mine.solve("4x4")];
  const found = await Promise.all(asked.map((answer) => answer.then(({ value }) => value, ({ code, message }) => `${code}: ${message}`)));
  await mine.close();
  setFlagsFromString("--wasm-max-mem-pages=65536");
  const words = "memory: no memory is left; close other tabs or programs, or ask for less";
  assert.deepEqual(found, [words, words, "tie", "tie"]);
});

test("answers are the JSON of the program", async (t) => {
  const program = process.env.FOURBASE_PROGRAM;
  if (!program) return t.skip("FOURBASE_PROGRAM names no program");
  const run = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  await fourbase.openBuiltIn("7x6");
  for (const text of ["", "4", "445", "4 4 4", "4444435555211"]) {
    const found = await fourbase.analyse("7x6", text);
    // How many nodes a search visits depends on what it has seen before.
    const nodes = { source: { ...found.source, nodes: 0 } };
    const expected = run("query", "7x6", text || "-");
    assert.deepEqual({ ...found, ...nodes }, { ...expected, source: { ...expected.source, nodes: 0 } });
    assert.equal(JSON.stringify(Object.keys(found)), JSON.stringify(Object.keys(expected)));
    assert.deepEqual(await fourbase.position("7x6", text), run("convert", "7x6", text || "-"));
  }
  const game = "44444221";
  const [found, expected] = [await fourbase.analyseGame("7x6", game), run("analyse", "7x6", game)];
  assert.deepEqual({ ...found, source: 0 }, { ...expected, source: 0 });
});
