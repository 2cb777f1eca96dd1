// Measures the package of `.ci/js`, and checks its answers: node js/benches/package.mjs [node|chromium] [positions of each ply].
// CPU time is that of the process, in Chromium of the process of the tab; other work on the machine disturbs it least. In Chromium
// each question adds a fraction of a millisecond of the browser's own work to it. docs/notebook/browser.md has figures.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { loadavg } from "node:os";
import { open } from "../../target/js/tested/test/browser/open.mjs";

const MIB = 2 ** 20;

async function inNode() {
  const { Fourbase } = await import("../../target/js/tested/node_modules/fourbase/node.js");
  let fourbase;
  return {
    /** Calls a method; returns what it resolves to and the milliseconds of the clock. */
    async ask(method, ...args) {
      const start = performance.now();
      const answer = method === "start" ? void (fourbase = await Fourbase.start()) : await fourbase[method](...args);
      return [answer, performance.now() - start];
    },
    cpu: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    memory: () => `${(process.memoryUsage().rss / MIB).toFixed(0)} MiB resident`,
    end: () => fourbase.close(),
  };
}

/** Returns a process's milliseconds of processor time: exact, of its living threads only, or to 10 ms, with its ended threads too. */
function spent(process, withEnded) {
  if (withEnded) {
    const [user, system] = readFileSync(`/proc/${process}/stat`, "utf8").split(") ")[1].split(" ").slice(11);
    return 10 * (Number(user) + Number(system));
  }
  const folder = `/proc/${process}/task`;
  const nanoseconds = (thread) => Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0]);
  return readdirSync(folder).reduce((sum, thread) => sum + nanoseconds(thread) / 1e6, 0);
}

/** Finds the process of a page: the one that is busiest while the page runs a loop. */
async function processOf(page, browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const tabs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => ({ id, before: spent(id) }));
  await page.evaluate("let sum = 0; for (let step = 0; step < 2e9; step += 1) sum += step % 3; sum");
  const busy = tabs.map(({ id, before }) => ({ id, time: spent(id) - before }));
  return busy.reduce((one, other) => (one.time > other.time ? one : other)).id;
}

async function inChromium() {
  const chromium = await open();
  const page = await chromium.page("isolated");
  await page.evaluate("import('fourbase').then((package) => (globalThis.Fourbase = package.Fourbase))");
  const tab = await processOf(page, chromium.browser);
  const resident = (name) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${tab}/status`, "utf8"))[1]) / 1024).toFixed(0);
  return {
    ask: (...words) =>
      page.evaluate(async ([method, ...args]) => {
        const start = performance.now();
        const answer = method === "start" ? void (globalThis.it = await globalThis.Fourbase.start()) : await globalThis.it[method](...args);
        return [answer, performance.now() - start];
      }, words),
    cpu: (withEnded) => spent(tab, withEnded),
    memory: () => `${resident("VmRSS")} MiB resident, at most ${resident("VmHWM")}`,
    end: () => chromium.end(),
  };
}

const [where = "node", each = "50"] = process.argv.slice(2);
const place = await { node: inNode, chromium: inChromium }[where]();

async function ask(withEnded, ...words) {
  const before = place.cpu(withEnded);
  const [answer, clock] = await place.ask(...words);
  return { answer, clock, cpu: place.cpu(withEnded) - before };
}

function show(name, asked) {
  const parts = ["cpu", "clock"].map((kind) => {
    const times = asked.map((one) => one[kind]).sort((one, other) => one - other);
    const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
    return `${kind} median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(1)}`;
  });
  console.log(`${name}: ${asked.length} positions, ms: ${parts.join("; ")}`);
}

const show1 = (name, { cpu, clock }) => console.log(`${name}: ms: cpu ${cpu.toFixed(0)}, clock ${clock.toFixed(0)}`);

/** Asks for the values of all moves of a position; then, without a clock, whether the best of them leads to what is expected. */
async function values(moves) {
  const asked = await ask(false, "analyse", "7x6", moves, { line: false });
  const { value, remoteness, children } = asked.answer;
  if (children.length > 0) {
    const [best] = children;
    assert.deepEqual([best.value, best.remoteness], [value, remoteness], moves);
    const [next] = await place.ask("analyse", "7x6", moves + best.column, { line: false });
    assert.deepEqual([next.value, next.remoteness], [{ win: "lose", tie: "tie", lose: "win" }[value], remoteness - 1], moves);
  }
  return asked;
}

const load = () => console.log(`load: ${loadavg().map((load) => load.toFixed(1)).join(" ")}`);
load();
show1("ready", await ask(true, "start"));
show1("first plies of 7x6 open", await ask(true, "openBuiltIn", "7x6", { first: true }));
show1("all built-in plies of 7x6 open", await ask(true, "openBuiltIn", "7x6"));
const all = [];
for (let ply = 0; ply < 42; ply += 1) {
  const asked = [];
  for (let seed = 0; seed < Number(each); seed += 1) {
    const drawn = await place.ask("random", "7x6", { ply, seed }).catch(() => undefined);
    if (drawn) asked.push(await values(drawn[0].position.moves));
  }
  if (asked.length > 0) show(`ply ${ply}`, asked);
  all.push(...asked);
}
show("all plies", all);
const [{ line, value, remoteness }] = await place.ask("analyse", "7x6");
assert.deepEqual([line.length, value, remoteness], [41, "win", 41]);
const perfect = [];
for (let ply = 0; ply <= line.length; ply += 1) perfect.push(await values(line.slice(0, ply)));
perfect.forEach(({ answer }, ply) => assert.equal(answer.remoteness, 41 - ply));
show("the perfect line", perfect);
console.log(`memory: ${place.memory()}`);
const SOLVED = { "4x4": ["tie", 16], "5x4": ["tie", 20], "6x4": ["lose", 24], "5x5": ["tie", 25], "6x5": ["tie", 30] };
for (const [board, expected] of Object.entries(SOLVED)) {
  for (let again = 0; again < (board === "6x5" ? 1 : 3); again += 1) {
    const solved = await ask(true, "solve", board);
    assert.deepEqual([solved.answer.value, solved.answer.remoteness], expected);
    show1(`${board} solved`, solved);
  }
}
console.log(`memory: ${place.memory()}`);
load();
await place.end();
