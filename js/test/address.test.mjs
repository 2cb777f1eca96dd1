import assert from "node:assert/strict";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Fourbase, FourbaseError } from "fourbase";
import { checkHosts, host, impatientCopy } from "./host.mjs";

const fourbase = await Fourbase.start();
after(() => fourbase.close());

const positions = ["", "4", "44", "123", "4453", "1234567", "44444221", "121212"];
const children = () => Promise.all(positions.map(async (position) => (await fourbase.analyse("7x6", position, { line: false })).children));

test("a database at an address answers as the built-in one, and few parts of it are read, each once", async () => {
  const { url, requests } = await host();
  await fourbase.openBuiltIn("7x6");
  const expected = await children();
  const opened = await fourbase.open(`${url}/7x6/`, { board: "7x6" });
  assert.deepEqual([opened.value, opened.remoteness, opened.keep_plies, opened.embedded], ["win", 41, 13, false]);
  // The folders of the board below the address come first.
  assert.deepEqual(requests.map((request) => request.split("/7x6/")[1]), ["7x6/remoteness/manifest", "7x6/wdl/manifest", "manifest"]);
  assert.deepEqual(await children(), expected);
  const { length } = requests;
  assert.ok(length < 60, `${length} requests`);
  assert.equal(new Set(requests).size, length);
  assert.deepEqual(await children(), expected);
  assert.equal(requests.length, length);
  assert.equal((await fourbase.analyse("7x6", "4")).source.folder, `${url}/7x6/`);
});

test("with a board its folder comes first, whatever a host answers for files that it does not have", async () => {
  for (const missing of [{ status: 403 }, { status: 200, body: Buffer.from("<!DOCTYPE html>") }]) {
    const { url, requests } = await host((answer) => answer.status === 404 && Object.assign(answer, missing));
    const opened = (place) => fourbase.open(`${url}/${place}`, { board: "7x6" });
    assert.equal((await opened("all")).keep_plies, 13);
    assert.deepEqual(requests, ["bytes=0-4095 /all/7x6/remoteness/manifest"]);
    for (const place of ["7x6", "all/7x6/remoteness/"]) assert.equal((await opened(place)).keep_plies, 13);
    await assert.rejects(opened("none"), { code: "database", message: /none\/7x6\/remoteness\/manifest: / });
    assert.deepEqual(requests.filter((request) => request.includes("/wdl/")), []);
  }
});

test("questions are answered by a host that refuses the first request for each part", async () => {
  await fourbase.openBuiltIn("7x6");
  const expected = await children();
  const seen = new Set();
  const { url, requests } = await host((answer, path, _, { headers }) => {
    const part = `${headers.range} ${path}`;
    if (!seen.has(part)) answer.status = 503;
    seen.add(part);
  });
  await fourbase.open(`${url}/7x6`);
  assert.deepEqual(await children(), expected);
  assert.deepEqual([requests.length, seen.size > 8], [2 * seen.size, true]);
});

test("a host that misbehaves gives right values or an error that says how", async () => {
  const start = async () => {
    const mine = await impatient(1500);
    return (method, ...args) => mine[method](...args).catch(({ code, message }) => ({ code, message }));
  };
  await checkHosts(["node"], await Promise.all(Array.from({ length: 4 }, start)));
});

test("what passes is asked for again, and what is no address is refused", async () => {
  const { url, requests } = await host((answer, _, number) => number < 3 && (answer.status = 503));
  await fourbase.open(new URL("/7x6", url));
  assert.equal(requests.length, 3);
  await assert.rejects(fourbase.open("7x6"), { code: "input", message: /no address/ });
  // A host of two addresses, of which none answers.
  await assert.rejects(fourbase.open("http://localhost:59999/7x6"), { code: "database", message: /ECONNREFUSED.*check the address/ });
  await assert.rejects(fourbase.open("ftp://127.0.0.1/7x6"), { code: "database", message: /not HTTP/ });
  await assert.rejects(fourbase.open(`${url}/7x6#1`), { code: "database", message: /the sign #/ });
  const secret = url.replace("://", "://me:secret@");
  const without = (code) => (error) => error.code === code && error.message.includes("//...@") && !error.message.includes("secret");
  await assert.rejects(fourbase.open(`${secret}/7x6`), without("database"));
  await assert.rejects(fourbase.open(`${url.replace("://", "://:secret@")}/7x6`), without("database"));
  await assert.rejects(fourbase.open("http://me:secret@host:99999/7x6"), without("input"));
  await assert.rejects(Fourbase.start({ wasm: "http://me:se/cret@host:99999/7x6" }), without("input"));
  await assert.rejects(fourbase.open("//me:secret@host/7x6"), without("input"));
  await assert.rejects(Fourbase.start({ wasm: `${secret}/wasm/` }), without("broken"));
  await assert.rejects(fourbase.open(url, { credentials: "yes" }), { code: "input", message: /^credentials are omit/ });
  await assert.rejects(fourbase.open(url, { board: 76 }), { code: "input", message: /^board is a text/ });
  await assert.rejects(fourbase.open(url, { headers: { Authorization: "secret\n" + "\u1234" } }), { code: "input", message: /^headers are those of fetch/ });
});

test("headers are not sent to where a host redirects", async () => {
  const seen = [];
  const other = await host((_, path) => seen.push(path));
  const { url } = await host((answer, path) => Object.assign(answer, { status: 302, headers: { Location: other.url + path } }));
  await assert.rejects(fourbase.open(`${url}/7x5`, { headers: { "X-Key": "1" } }), { code: "database", message: /redirects.*open that address/ });
  assert.deepEqual(seen, []);
  assert.equal((await fourbase.open(`${url}/7x5`)).board, "7x5");
});

test("an answer without end is given up, with little memory", async () => {
  const { url } = await host((answer) => (answer.isEndless = true));
  const before = process.memoryUsage().rss;
  await assert.rejects(fourbase.open(`${url}/7x6`), { code: "database", message: /more bytes than it was asked for/ });
  assert.ok(process.memoryUsage().rss - before < 2 ** 28);
});

/** Starts the package with requests that wait for some milliseconds, and hosts that are not asked for 2 seconds. */
async function impatient(timeout = 200) {
  const { Fourbase } = await import(pathToFileURL(`${impatientCopy(timeout)}/node.js`));
  const mine = await Fourbase.start();
  after(() => mine.close());
  return mine;
}

test("a host that does not answer three times is not asked again for a while", async () => {
  const mine = await impatient();
  let isSilent = true;
  const { url, requests } = await host((answer) => { if (isSilent) answer.status = undefined; });
  await assert.rejects(mine.open(`${url}/all`, { board: "7x5" }), { code: "database", message: /no answer within/ });
  await assert.rejects(mine.open(`${url}/7x5`), { code: "database", message: /last requests to this host have timed out; it is asked again after 2 seconds/ });
  // Nothing else is asked for either.
  assert.deepEqual(requests, Array(3).fill("bytes=0-4095 /all/7x5/remoteness/manifest"));
  isSilent = false;
  await new Promise((resolve) => { setTimeout(resolve, 2000); });
  assert.equal((await mine.open(`${url}/7x5`)).board, "7x5");
});

test("requests that time out at the same time count once", async () => {
  const mine = await impatient();
  let isSilent = false;
  const { url, requests } = await host((answer) => { if (isSilent) answer.status = undefined; });
  await mine.open(`${url}/7x6`);
  isSilent = true;
  setTimeout(() => { isSilent = false; }, 250);
  const found = await mine.analyseMany("7x6", ["", "44", "4453", "444442"], { line: false });
  assert.deepEqual(found.map(({ value }) => value), ["win", "win", "lose", "win"]);
  assert.ok(requests.length > 6, `${requests.length} requests`);
});

test("a page at https:// says that it may not read from http://", async () => {
  const { Requests } = await import(pathToFileURL("node_modules/fourbase/requests.js"));
  const requests = new Requests();
  const get = () => requests.get("http://0.0.0.0:1/7x6/manifest", "bytes=0-9");
  globalThis.location = { origin: "https://example.org" };
  // The second try finds out.
  for (const names of [["WouldBlock"], ["Aborted", "WouldBlock"], ["Aborted", "PermissionDenied"]]) {
    assert.throws(get, { name: names[0] });
    requests.again(0);
    if (names[1]) assert.throws(get, { name: names[1], message: names[1] === "PermissionDenied" ? /at https:/ : /./ });
    await requests.load(new AbortController().signal);
  }
  delete globalThis.location;
});

test("an answer that comes too late is not that of another question", async () => {
  const mine = await impatient();
  const { url, requests: made } = await host((answer, _, number) => { answer.delay = number === 1 || number % 5 === 0 ? 400 : 0; });
  await mine.open(`${url}/7x6`);
  await fourbase.openBuiltIn("7x6");
  for (const position of ["4453", "1234567", "44444221", "121212", "4", "123"]) {
    const [{ children }, expected] = await Promise.all([mine, fourbase].map((one) => one.analyse("7x6", position, { line: false })));
    assert.deepEqual(children, expected.children);
  }
  // What came too late was asked for again.
  assert.ok(made.length > 8, `${made.length} requests`);
});

test("a question is cancelled while a host does not answer", async () => {
  const other = await Fourbase.start();
  after(() => other.close());
  let stalls = false;
  const { url } = await host((answer) => { if (stalls) answer.status = undefined; });
  await other.open(`${url}/7x6`, { board: "7x6" });
  stalls = true;
  const begun = performance.now();
  await assert.rejects(other.analyse("7x6", "44444221", { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  await assert.rejects(other.open(`${url}/7x5`, { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  // A host may take 30 seconds, three times.
  assert.ok(performance.now() - begun < 20_000);
});

test("a database that cannot be opened again after a cancelled search is asked for with each question about it, never searched instead", async () => {
  const other = await Fourbase.start({ sharedMemory: false });
  after(() => other.close());
  let isDown = false;
  const { url } = await host((answer) => { if (isDown) answer.status = 403; });
  const cancel = () =>
    assert.rejects(other.analyse("8x8", "", { nodes: 1e12, signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  const open = async () => (await other.boards()).map(({ board }) => board);
  await other.open(`${url}/7x5`);
  await other.openBuiltIn("6x6");
  isDown = true;
  await cancel();
  await assert.rejects(other.analyse("7x5", "44"), { code: "database", message: /403/ });
  await assert.rejects(other.analyse("7x5c4", "44"), { code: "database", message: /403/ });
  assert.equal((await other.analyse("6x6", "44")).source.kind, "database");
  assert.deepEqual(await open(), ["6x6"]);
  isDown = false;
  assert.equal((await other.analyse("7x5", "44")).source.kind, "database");
  isDown = true;
  await cancel();
  assert.equal((await other.openBuiltIn("7x5")).board, "7x5");
  assert.deepEqual(await open(), ["7x5", "6x6"]);
  isDown = false;
  await other.open(`${url}/7x5`);
  isDown = true;
  await cancel();
  await other.close("7x5");
  assert.equal((await other.analyse("7x5", "44", { nodes: 1000 })).source.kind, "search");
});

test("what a host needs to know is sent with each request, and the address may be that of all databases", async () => {
  const seen = [];
  const { url } = await host((answer, path, _, request) => {
    seen.push([path.split("?")[1], request.headers.authorization]);
    if (!path.includes("/7x6/remoteness/")) answer.status = 404;
  });
  const progress = [];
  const options = { board: "7x6", headers: { Authorization: "Bearer 1" }, onProgress: ({ bytes }) => progress.push(bytes) };
  assert.equal((await fourbase.open(`${url}/all?key=1`, options)).keep_plies, 13);
  assert.ok(progress.length > 0 && progress.every((bytes) => bytes > 0), `${progress}`);
  assert.equal((await fourbase.analyse("7x6", "4453", { line: false })).value, "lose");
  assert.ok(seen.length > 2 && seen.every(([key, of]) => key === "key=1" && of === "Bearer 1"), `${seen}`);
  await fourbase.open(`${url}/all/7x6/remoteness?key=2`);
  assert.equal(seen.at(-1)[0], "key=2");
  await assert.rejects(fourbase.open(`${url}/all?key=1`), { code: "database", message: /without a manifest/ });
});

test("what is sent for one database is never sent for another, whichever was opened last, failed or was closed", async () => {
  const mine = await Fourbase.start({ sharedMemory: false });
  const seen = [];
  const { url } = await host((answer, path, _, { headers }) => {
    const [where, key] = path.split("?");
    if (key === "key=wrong") answer.status = 403;
    else seen.push(`${where.match(/7x\d/)?.[0]} ${key} ${headers["x-key"]}`);
  });
  const asked = async (board, position) => {
    seen.length = 0;
    await mine.analyse(board, position, { line: false });
    return [...new Set(seen)];
  };
  await mine.open(`${url}/all/7x6/remoteness?key=1`, { headers: { "X-Key": "a" } });
  await mine.open(`${url}/all?key=2`, { board: "7x5", headers: { "X-Key": "b" } });
  assert.deepEqual(await asked("7x6", "4"), ["7x6 key=1 a"]);
  await assert.rejects(mine.open(`${url}/all/7x6/remoteness?key=wrong`), { code: "database", message: /403/ });
  assert.deepEqual(await asked("7x6", "4453"), ["7x6 key=1 a"]);
  // In another worker, too.
  await assert.rejects(mine.analyse("8x8", "", { nodes: 1e12, signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  assert.deepEqual([await asked("7x5", "44"), await asked("7x6", "44")], [["7x5 key=2 b"], ["7x6 key=1 a"]]);
  await mine.close("7x6");
  await mine.open(`${url}/7x6`);
  assert.deepEqual(await asked("7x6", "123"), ["7x6 undefined undefined"]);
  await mine.close();
});

test("a list of positions is answered in its order, by fewer rounds of requests than one by one, and reports its progress", async () => {
  const positions = ["4453", "1234567", "44444221", "121212", "4", "123"];
  await fourbase.openBuiltIn("7x6");
  const expected = await fourbase.analyseMany("7x6", positions);
  assert.deepEqual(expected.map(({ position }) => position.moves), positions);
  // All requests of a round come before its first answer.
  let [rounds, last] = [0, -Infinity];
  const { url } = await host((answer) => {
    answer.delay = 100;
    rounds += Number(performance.now() - last > 80);
    last = performance.now();
  });
  await fourbase.open(`${url}/7x6`);
  for (const position of positions) await fourbase.analyse("7x6", position, { line: false });
  const alone = rounds;
  await fourbase.open(`${url}/7x6`);
  rounds = 0;
  const steps = [];
  const found = await fourbase.analyseMany("7x6", new Set(positions), { line: false, onProgress: (step) => steps.push(step) });
  assert.deepEqual(found.map(({ children }) => children), expected.map(({ children }) => children));
  assert.deepEqual(steps, [{ done: 6, all: 6 }]);
  assert.ok(rounds > 0 && rounds < alone / 2, `${rounds} rounds, one by one ${alone}`);
  await assert.rejects(fourbase.analyseMany("7x6", ["4", "9"]), { code: "input", message: /9/ });
  for (const no of ["4453", undefined, 4]) await assert.rejects(fourbase.analyseMany("7x6", no), { code: "input", message: /list/ });
  assert.deepEqual(await fourbase.analyseMany("7x6", []), []);
  steps.length = 0;
  await fourbase.analyseMany("7x6", Array(33).fill("4"), { line: false, onProgress: async (step) => steps.push(step) });
  assert.deepEqual(steps.map(({ done }) => done), [32, 33]);
  const thrown = new Error("no more");
  await assert.rejects(fourbase.analyseMany("7x6", ["4"], { onProgress: async () => { throw thrown; } }), thrown);
});

test("a package is closed at the end of its block", async () => {
  const mine = await Fourbase.start();
  await mine[Symbol.asyncDispose]();
  await assert.rejects(mine.boards(), { code: "broken" });
});
