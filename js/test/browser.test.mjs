// The tests of answers and of trouble in a page of Chromium, or of Firefox with FOURBASE_FIREFOX, and what only a page has: files that the
// user picks, pages that are cross-origin isolated and others, and pages without WebAssembly.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, test } from "node:test";
import { NAME, open } from "./browser/open.mjs";
import { checkHosts, host, impatientCopy } from "./host.mjs";
import { otherRelease, pathOf } from "./place.mjs";

const browser = await open();
after(() => browser.end());
await otherRelease("other-page");

/** Imports a file in a page; the functions of `runner.mjs` are then those of its tests. */
const load = (page, file) =>
  page.evaluate(async (path) => {
    await import(new URL(path, document.baseURI).href);
    globalThis.runner = await import(new URL("test/browser/runner.mjs", document.baseURI).href);
    return globalThis.runner.names();
  }, `test/${file}.test.mjs`);

// All pages are loaded before the first test: a runner that has nothing left to do while a page is loaded would end.
const loaded = [];
for (const [kind, file] of [["isolated", "answers"], ["isolated", "trouble"], ["plain", "trouble"]]) {
  const page = await browser.page(kind);
  for (const name of await load(page, file)) loaded.push({ page, kind, name });
}
for (const { page, kind, name } of loaded) {
  test(`${NAME}, ${kind}: ${name}`, () => page.evaluate((name) => globalThis.runner.run(name), name));
}

/** Opens a page with a running `fourbase`. `ask(method, ...)` returns what is resolved, or the code and message of what is rejected. */
async function started(kind, prepare, { where = browser, from = "fourbase" } = {}) {
  const page = await where.page(kind, prepare);
  const ask = (...words) =>
    page.evaluate(async ([method, ...args]) => {
      try {
        if (method === "start") {
          const { Fourbase } = await import(args[0].startsWith(".") ? new URL(args[0], document.baseURI).href : args[0]);
          return void (globalThis.fourbase = await Fourbase.start());
        }
        const picked = (arg) => (arg?.picked ? document.querySelector(arg.picked).files : arg);
        return await globalThis.fourbase[method](...args.map(picked));
      } catch ({ code, message }) {
        return { code, message };
      }
    }, words);
  const failure = await ask("start", from);
  return { page, ask, failure };
}

/** Picks files of a folder, or the folder, as a user does, and opens them. */
async function pick({ page, ask }, paths, options) {
  const field = typeof paths === "string" ? "#folder" : "#files";
  await page.setInputFiles(field, paths);
  return ask("open", { picked: field }, options);
}

const refused = (found, words) => assert.deepEqual([found.code, words.test(found.message)], ["database", true], found.message);

test(`${NAME}: a database is opened from the files or the folder that a user picks, and from nothing else`, async () => {
  const folder = resolve("picked");
  cpSync(pathOf("7x5", "."), folder, { recursive: true });
  const in7x5 = (...names) => names.map((name) => resolve(folder, name));
  const all = in7x5("manifest", "tier-01", "tier-03", "tier-05", "tier-07", "tier-09");
  const mine = await started("isolated");
  const { hash } = await mine.ask("openBuiltIn", "7x5");
  const read = () => mine.ask("analyse", "7x5", "123456712");
  const expected = await read();
  // Nothing picks a folder in Firefox without a user.
  for (const paths of NAME === "Firefox" ? [all] : [all, folder]) {
    const opened = await pick(mine, paths);
    assert.deepEqual([opened.board, opened.hash, opened.embedded], ["7x5", hash, false]);
    assert.deepEqual((await read()).children, expected.children);
  }
  // Of another board, without the manifest, and a text as in node.
  refused(await pick(mine, all, { board: "7x6" }), /of 7x5, not of 7x6/);
  refused(await pick(mine, all.slice(1)), /manifest/);
  assert.equal((await mine.ask("open", { manifest: folder })).code, "input");
  assert.deepEqual((await read()).children, expected.children);
  // Half of a database opens, and says what is missing when that is asked for.
  await pick(mine, all.slice(0, -1));
  refused(await read(), /tier-09/);
  // A browser reads no file that has changed since it was picked.
  await pick(mine, all);
  writeFileSync(all[5], "another file");
  refused(await read(), /tier-09/);
  await mine.page.close();
});

for (const [kind, isIsolated] of [["isolated", true], ["plain", false]]) {
  test(`${NAME}, ${kind}: a page cancels ${isIsolated ? "by shared memory, and keeps its worker" : "by ending its worker"}`, async () => {
    const { page, ask } = await started(kind);
    assert.equal(await page.evaluate("crossOriginIsolated"), isIsolated);
    await ask("openBuiltIn", "7x5");
    let begun = 0;
    page.on("worker", () => (begun += 1));
    // Cancelled once the search has begun.
    const { reason, milliseconds } = await page.evaluate(async () => {
      const controller = new AbortController();
      let at;
      const onProgress = ({ nodes }) => {
        if (!nodes || at) return;
        at = performance.now();
        controller.abort();
      };
      const reason = await globalThis.fourbase.analyse("8x8", "", { nodes: 1e12, signal: controller.signal, onProgress }).catch(({ name }) => name);
      return { reason, milliseconds: performance.now() - at };
    });
    assert.equal(reason, "AbortError");
    assert.ok(milliseconds < 5000, `${milliseconds} ms`);
    assert.equal((await ask("analyse", "7x5", "44")).source.kind, "database");
    assert.equal(begun, isIsolated ? 0 : 1);
    await page.close();
  });
}

test(`${NAME}: a host that misbehaves gives right values or an error that says how`, async () => {
  const from = `./${impatientCopy(1500)}/index.js`;
  const pages = await Promise.all(Array.from({ length: 4 }, () => started("plain", undefined, { from })));
  await checkHosts([NAME.toLowerCase(), "browser"], pages.map(({ ask }) => ask));
  await Promise.all(pages.map(({ page }) => page.close()));
});

for (const kind of ["isolated", "plain"]) {
  test(`${NAME}, ${kind}: a database of another site is read in parts, if that site lets pages read`, async () => {
    const { url, requests } = await host();
    const mine = await started(kind);
    const asked = ["analyse", "7x6", "44444221", { line: false }];
    await mine.ask("openBuiltIn", "7x6");
    const expected = await mine.ask(...asked);
    assert.equal((await mine.ask("open", `${url}/7x6`)).keep_plies, 13);
    const found = await mine.ask(...asked);
    assert.deepEqual([found.children, found.source.folder], [expected.children, `${url}/7x6`]);
    assert.ok(requests.length > 3 && requests.length < 30, `${requests.length} requests`);
    const silent = await host((answer) => delete answer.headers["Access-Control-Allow-Origin"]);
    refused(await mine.ask("open", `${silent.url}/7x6`), kind === "plain" ? /should send Access-Control-Allow-Origin: \*/ : /Access-Control-Allow-Origin.*3 times/);
    const secret = await mine.ask("open", `${url}/7x6`, { headers: { "X-Key": "1" }, credentials: "include" });
    refused(secret, kind === "plain" ? /Origin: http:\S+ and .*Credentials: true and Access-Control-Allow-Headers: x-key;/ : /3 times/);
    const hiding = await host((answer) => delete answer.headers["Access-Control-Expose-Headers"]);
    refused(await mine.ask("open", `${hiding.url}/7x6`), /hides Content-Range.*should send Access-Control-Expose-Headers: Content-Range, ETag/);
    // Many hosts let pages read what they have, and not that they lack a file.
    const half = await host((answer) => answer.status === 404 && delete answer.headers["Access-Control-Allow-Origin"]);
    for (const place of ["all", "7x6"]) assert.equal((await mine.ask("open", `${half.url}/${place}`, { board: "7x6" })).keep_plies, 13);
    await mine.page.close();
  });
}

test(`${NAME}: headers are not sent to where a host redirects, whatever is asked`, async () => {
  const other = await host();
  const { url } = await host((answer, path, _, { method }) => {
    if (method === "OPTIONS") Object.assign(answer, { status: 200, headers: { ...answer.headers, "Access-Control-Allow-Headers": "*" } });
    else if (method === "HEAD") Object.assign(answer, { status: 302, headers: { ...answer.headers, Location: other.url + path } });
    else answer.status = 0;
  });
  const mine = await started("plain");
  refused(await mine.ask("open", `${url}/7x6`, { headers: { "X-Key": "1" } }), /broke off/);
  assert.deepEqual(other.requests, []);
  await mine.page.close();
});

test(`${NAME}: addresses without an origin count from the page, and in a worker from its script`, async () => {
  const text = `
    import { Fourbase } from "../node_modules/fourbase/index.js";
    const mine = await Fourbase.start({ wasm: "../node_modules/fourbase/wasm", databases: "../node_modules/fourbase/databases/", first: "7x5" });
    postMessage((await mine.analyse("7x5", "44", { line: false })).source.kind);`;
  mkdirSync("worker", { recursive: true });
  writeFileSync("worker/relative.mjs", text);
  const { page } = await started("plain");
  const found = await page.evaluate(async () => {
    const { Fourbase } = await import("fourbase");
    const mine = await Fourbase.start({ wasm: "node_modules/fourbase/wasm", databases: "node_modules/fourbase/databases/", first: "7x5" });
    const { source } = await mine.analyse("7x5", "44", { line: false });
    const worker = new Worker("worker/relative.mjs", { type: "module" });
    return [source.kind, await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })];
  });
  assert.deepEqual(found, ["database", "database"]);
  await page.close();
});

test(`${NAME}: of files that were replaced, a page reads those of now, whatever the browser or a service worker keeps`, async () => {
  let version = 1;
  const { url } = await host((answer, _path, _number, { headers }, file) => {
    if (!file) return;
    Object.assign(answer.headers, { "Cache-Control": "public, max-age=3600", ETag: `"${version}"` });
    if ((headers["if-range"] ?? answer.headers.ETag) !== answer.headers.ETag) Object.assign(answer, { status: 200, body: file });
  });
  const positions = ["4", "4453", "44444221", "121212", "444442216677", "121212676767"];
  const mine = await started("plain");
  await mine.ask("openBuiltIn", "7x6");
  const asked = (position) => mine.ask("analyse", "7x6", position, { line: false });
  const expected = [];
  for (const position of positions) expected.push((await asked(position)).children);
  /** Asks for all positions. Returns how many were refused; the others are right. */
  const refusals = async (words) => {
    let count = 0;
    for (const [at, position] of positions.entries()) {
      const found = await asked(position);
      if (found.code) refused(found, words);
      else assert.deepEqual(found.children, expected[at], position);
      count += Number(Boolean(found.code));
    }
    return count;
  };
  await mine.ask("open", `${url}/7x6`);
  assert.equal((await asked(positions[2])).code, undefined);
  version = 2;
  assert.ok(await refusals(/tier-09: .*has changed.*open the database again/) > 0);
  await mine.ask("open", `${url}/7x6`);
  assert.equal(await refusals(/./), 0);
  // A service worker has whole files: those of at most 1 MiB are read, and of the others the page says why not.
  await mine.page.evaluate(async () => {
    await navigator.serviceWorker.register("keeping.js");
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
  });
  await mine.ask("start", "fourbase");
  for (version of [3, 4]) {
    await mine.ask("open", `${url}/7x6`);
    assert.ok(await refusals(/tier-13: .*ignores the header Range/) > 0);
  }
  await mine.page.close();
});

test(`${NAME}: a page without WebAssembly, or whose policy forbids it, gets a sentence`, async () => {
  const without = await started("plain", "delete globalThis.WebAssembly");
  assert.deepEqual([without.failure.code, /WebAssembly is missing/.test(without.failure.message)], ["broken", true]);
  const { failure } = await started("forbidden");
  assert.deepEqual([failure.code, /WebAssembly/.test(failure.message)], ["broken", true], failure.message);
  const strict = await started("strict");
  assert.deepEqual([strict.failure, (await strict.ask("analyse", "4x4", "1234", { line: false })).value], [undefined, "tie"]);
  const { url } = await host();
  refused(await strict.ask("open", `${url}/7x6`), new RegExp(`Content-Security-Policy .*; connect-src should name ${url},`));
});

// Firefox has no such limit.
if (NAME === "Chromium") test(`${NAME}: where memory runs out, its question fails with a word about it, and others are answered`, async () => {
  const small = await open(["--js-flags=--wasm-max-mem-pages=300"]);
  const { ask } = await started("isolated", "", { where: small });
  const asked = [["solve", "5x5"], ["analyse", "7x6", "44444432"], ["analyse", "5x4", "44"], ["solve", "4x4"]];
  const found = await Promise.all(asked.map((words) => ask(...words)));
  assert.deepEqual(found.map(({ code, value }) => code ?? value), ["memory", "memory", "tie", "tie"]);
  await small.end();
});
