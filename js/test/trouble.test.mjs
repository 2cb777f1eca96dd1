// What is refused, cancelled or limited, in node and in a page.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Fourbase, FourbaseError } from "fourbase";
import { filesOf, nowhere, otherRelease, ownFilesOf } from "./place.mjs";

const fourbase = await Fourbase.start();
after(() => fourbase.close());

const SMALL = ["manifest", "tier-01", "tier-03", "tier-05", "tier-07", "tier-09"];

/** Fails unless the promise is rejected with an error of this code, whose message has these words. */
async function refused(promise, code, words) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof FourbaseError, error);
    assert.deepEqual([error.code, words.test(error.message)], [code, true], `${error.code}: ${error.message}`);
    return true;
  });
}

test("mistakes in questions are errors of input that say what is wrong", async () => {
  await refused(fourbase.analyse("7x", "4"), "input", /board/);
  await refused(fourbase.analyse("7x6", "8"), "input", /8/);
  await refused(fourbase.analyse("7x6", 4), "input", /text/);
  await refused(fourbase.analyse("7x6", "4", { nodes: -1 }), "input", /nodes/);
  await refused(fourbase.analyse(7, "4"), "input", /./);
  await refused(fourbase.open([new Uint8Array(3)]), "input", /name/);
  await refused(fourbase.random("4x4", { ply: 5e9 }), "input", /^ply 5000000000 .* 0 to 15/);
  await refused(fourbase.choose("7x6", "", "human"), "input", /human/);
  await refused(fourbase.choose("7x6", "", "nobody"), "input", /players/);
  await refused(fourbase.choose("7x6", "", "pomakis:20"), "input", /ahead/);
  await refused(fourbase.choose("4x4c2", "112", "random"), "input", /over/);
  await refused(fourbase.solve("4x4", { values: "all" }), "input", /wdl/);
  await refused(fourbase.openBuiltIn("5x4"), "input", /7x6/);
  await refused(fourbase.solve("7x6"), "memory", /allowed/);
  await refused(fourbase.stats("7x6"), "memory", /allowed/);
});

test("files that are no database, or half of one, are refused, and the engine answers afterwards", async () => {
  const files = await filesOf("7x5", SMALL);
  await refused(fourbase.open({}), "database", /manifest/);
  await refused(fourbase.open({ manifest: new Uint8Array(100) }), "database", /manifest/);
  await refused(fourbase.open({ manifest: new Uint8Array() }), "database", /manifest/);
  await refused(fourbase.open({ "a.png": new Uint8Array(8) }), "database", /manifest/);
  await refused(fourbase.open({ manifest: 5 }), "input", /Uint8Array/);
  await refused(fourbase.open(files, { board: "7x6" }), "database", /of 7x5, not of 7x6/);
  await refused(fourbase.open([new File([], "manifest"), new File([], "manifest")]), "input", /same name/);
  // A tier that is missing, and one that is cut or changed, are found when they are read.
  const { "tier-09": last, ...half } = files;
  const read = () => fourbase.analyse("7x5", "123456712");
  await fourbase.open(half);
  await refused(read(), "database", /tier-09/);
  await fourbase.open({ ...half, "tier-09": last.slice(0, last.length / 2) });
  await refused(read(), "database", /tier-09/);
  const wrong = last.slice();
  wrong.fill(0x55, 2000);
  await fourbase.open({ ...half, "tier-09": wrong });
  await refused(read(), "database", /tier-09/);
  await fourbase.open(files);
  assert.equal((await read()).source.folder, "database");
});

test("a database is read from bytes and from files, in node by their paths too", async () => {
  const files = await filesOf("7x5", SMALL);
  const expected = (await fourbase.openBuiltIn("7x5")).hash;
  const { children } = await fourbase.analyse("7x5", "44");
  const blobs = Object.entries(files).map(([name, bytes]) => new File([bytes], name));
  const inFolder = Object.fromEntries(blobs.map((file) => [`db/${file.name}`, file]));
  for (const some of [files, blobs, inFolder, ...await ownFilesOf("7x5", SMALL)]) {
    const opened = await fourbase.open(some, { board: "7x5" });
    assert.deepEqual([opened.hash, opened.embedded], [expected, false]);
    const found = await fourbase.analyse("7x5", "44");
    assert.equal(found.source.kind, "database");
    assert.deepEqual(found.children, children);
  }
});

test("built-in files of another release are refused, and so is an address without them", async () => {
  const missing = await Fourbase.start({ databases: nowhere });
  await refused(missing.openBuiltIn("7x6"), "database", /cannot load/);
  await missing.close();
  const other = await Fourbase.start({ databases: await otherRelease() });
  await refused(other.openBuiltIn("7x6"), "database", /of 7x5, not of 7x6/);
  await refused(other.openBuiltIn("7x5"), "database", /tier-07.*hash/);
  await other.close();
});

test("bytes that were given away since a database was opened fail its questions alone, once its worker has ended", async () => {
  const mine = await Fourbase.start({ sharedMemory: false });
  const files = await filesOf("7x5", SMALL);
  const { hash } = await mine.open(files);
  await mine.openBuiltIn("7x6", { first: true });
  structuredClone(files.manifest.buffer, { transfer: [files.manifest.buffer] });
  await assert.rejects(mine.analyse("8x8", "", { nodes: 1e12, signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  await refused(mine.analyse("7x5c4", "44"), "database", /7x5.*given away.*open it again/);
  assert.equal((await mine.analyse("7x6", "44")).source.kind, "database");
  assert.deepEqual((await mine.boards()).map(({ board }) => board), ["7x6"]);
  assert.equal((await mine.open(await filesOf("7x5", SMALL))).hash, hash);
  assert.equal((await mine.analyse("7x5", "44")).source.kind, "database");
  await mine.close();
});

test("what is opened and closed while another worker begins is open and closed in it", async () => {
  const mine = await Fourbase.start({ sharedMemory: false });
  await mine.openBuiltIn("7x5");
  await mine.openBuiltIn("6x6");
  const controller = new AbortController();
  const long = mine.analyse("8x8", "", { nodes: 1e12, signal: controller.signal, onProgress: () => controller.abort() });
  await assert.rejects(long, { name: "AbortError" });
  await Promise.all([mine.close("7x5"), mine.openBuiltIn("7x6", { first: true })]);
  assert.deepEqual((await mine.boards()).map(({ board }) => board), ["6x6", "7x6"]);
  assert.equal((await mine.analyse("7x5", "44", { nodes: 1000 })).source.kind, "search");
  await mine.close();
});

for (const sharedMemory of [true, false]) {
  const how = sharedMemory ? "by shared memory" : "by ending the worker";
  test(`a long search is cancelled ${how}, shows its progress, and later questions are answered`, async () => {
    const mine = await Fourbase.start({ sharedMemory });
    await mine.openBuiltIn("7x5");
    const [controller, seen] = [new AbortController(), []];
    const onProgress = (progress) => {
      seen.push(progress);
      if (seen.filter(({ nodes }) => nodes > 0).length === 3) controller.abort();
    };
    const long = mine.analyse("8x8", "", { nodes: 1e12, signal: controller.signal, onProgress });
    const waiting = mine.analyse("8x8", "1", { nodes: 1e12, signal: controller.signal });
    const next = mine.analyse("7x5", "44");
    await Promise.all([long, waiting].map((gone) => assert.rejects(gone, { name: "AbortError" })));
    assert.ok(seen.length >= 3);
    assert.equal((await next).source.kind, "database");
    await assert.rejects(mine.analyse("7x5", "4", { signal: AbortSignal.abort() }), { name: "AbortError" });
    // What was opened before is open in a worker that has begun again.
    assert.deepEqual((await mine.boards()).map(({ board }) => board), ["7x5"]);
    const solving = new AbortController();
    const steps = [];
    const solve = mine.solve("6x5", { signal: solving.signal, onProgress: (step) => steps.push(step) && solving.abort() });
    await assert.rejects(solve, { name: "AbortError" });
    assert.ok(steps[0].done <= steps[0].all);
    await mine.close();
    await refused(mine.analyse("7x5", "44"), "broken", /closed/);
  });
}

test("a budget ends a search with what is known, and without a value its reason is in the answer", async () => {
  const open = await fourbase.analyse("8x8", "", { nodes: 1000 });
  assert.deepEqual([open.value, open.undecided, /1000 nodes/.test(open.error)], [null, true, true]);
  const late = await fourbase.analyse("8x8", "", { seconds: 0.05 });
  assert.deepEqual([late.value, /in time/.test(late.error)], [null, true]);
  await refused(fourbase.choose("8x8", "", "perfect", { nodes: 1000 }), "limit", /1000 nodes/);
});

test("the page's thread is free during a search", async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  await fourbase.analyse("8x8", "", { seconds: 0.5 });
  clearInterval(timer);
  assert.ok(ticks > 5, `${ticks}`);
});
