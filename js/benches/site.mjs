// Measures the page without a server in Chromium: node js/benches/site.mjs [visits]. It needs the site in target/site and the modules of
// .ci/page. It fails where a value is wrong. Beside the times there is the CPU time of all of Chromium's processes, which other work on the
// machine disturbs less. docs/notebook/browser.md has figures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { host } from "./host.mjs";

const TARGET = fileURLToPath(new URL("../../target/", import.meta.url));
const { chromium } = createRequire(`${TARGET}page-tests/`)("playwright-core");
const visits = Number(process.argv[2] ?? 5);

/** The expected values of the moves on empty boards, from the first column on. */
const EMPTY = {
  "7x6": "lose 40, lose 42, tie 42, win 41, tie 42, lose 42, lose 40",
  "5x5": "tie 25, tie 25, tie 25, tie 25, tie 25",
  "6x4": "lose 24, lose 24, lose 24, lose 24, lose 24, lose 24",
};

/** How many milliseconds a new window gets before the visit: Chromium first loads parts of its own, which are not measured. */
const SETTLE = 2000;

/**
 * Notes, in milliseconds since the visit began, when a move can be played and when all values are there, and then logs a message. It runs
 * in the page, and nothing else queries the page until then: a test's own queries would cost the page some 30 ms.
 */
function watch() {
  const times = globalThis.times = {};
  const look = () => {
    if (document.querySelector("#board button[aria-disabled=false]")) times.playable ??= performance.now();
    if (document.body?.dataset.ready !== "true" || times.values) return;
    times.values = performance.now();
    console.log("all values are there");
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

const program = await chromium.launch({ executablePath: process.env.FOURBASE_CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: false });

const session = await program.newBrowserCDPSession();
const processes = async () => (await session.send("SystemInfo.getProcessInfo")).processInfo;
const cpu = async () => (await processes()).reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);

/** Opens an empty board, checks its values, and returns the page with the times. */
async function visit(context, url, board) {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(watch);
  await new Promise((resolve) => { setTimeout(resolve, SETTLE); });
  const before = await cpu();
  const whole = page.waitForEvent("console", { predicate: (message) => message.text() === "all values are there" });
  await page.goto(`${url}?board=${board}`);
  await whole;
  const values = await page.$$eval("#board button", (columns) => columns.map(({ dataset }) => `${dataset.value} ${dataset.remoteness}`));
  assert.equal(values.join(", "), EMPTY[board], board);
  return { page, cpu: await cpu() - before, ...await page.evaluate("times") };
}

/** For each thing that is measured, its milliseconds in each visit. */
const times = new Map();
const note = (what, time) => times.set(what, [...times.get(what) ?? [], time]);

for (let number = 0; number < visits; number += 1) {
  const { url, line, sent, stop } = await host(`${TARGET}site`, "/connect4/");
  Object.assign(line, { bytesPerSecond: 200_000, latency: 150 });
  const context = await program.newContext();
  const { page, playable, values, cpu } = await visit(context, url, "7x6");
  const before = [...sent].filter(([name]) => !name.includes("tier-1"));
  note("first visit, 1.6 Mbit/s and 150 ms: a move can be played", playable);
  note("first visit: all values of the empty 7x6", values);
  note("first visit: CPU time until then", cpu);
  const loaded = await page.waitForFunction(() => {
    const last = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/7x6/tier-13.bin"));
    return last?.responseEnd > 0 && { name: last.name, time: last.responseEnd };
  });
  const last = await loaded.jsonValue();
  note("first visit: all plies of 7x6 are loaded", last.time);
  note("first visit: the page is kept for use without a network", await page.evaluate(async (name) => {
    await navigator.serviceWorker.ready;
    while (!await caches.match(name)) await new Promise((resolve) => { setTimeout(resolve, 50); });
    return performance.now();
  }, last.name));
  await page.close();
  if (number === 0) {
    const sum = (some) => some.reduce((all, [, bytes]) => all + bytes, 0);
    console.log(`bytes before the first values: code ${sum(before.filter(([name]) => !name.startsWith("databases-")))}, `
      + `database ${sum(before.filter(([name]) => name.startsWith("databases-")))}; in all, kept: ${sum([...sent])}`);
  }
  const again = await visit(context, url, "7x6");
  note("second visit on that line: values", again.values);
  await again.page.close();
  await stop();
  const offline = await visit(context, url, "7x6");
  note("offline: values", offline.values);
  note("offline: CPU time until then", offline.cpu);
  await context.close();
}

const { url, stop } = await host(`${TARGET}site`, "/connect4/");
for (const board of ["6x4", "5x5"]) {
  for (let number = 0; number < visits; number += 1) {
    const context = await program.newContext();
    const { values, cpu } = await visit(context, url, board);
    note(`${board}, from opening the page to its values, which are solved in the tab`, values);
    note(`${board}: CPU time until then`, cpu);
    await context.close();
  }
}
// Prints the least, the median and the greatest time of each measurement.
for (const [what, some] of times) {
  const sorted = some.sort((one, other) => one - other).map((time) => time.toFixed(0));
  console.log(`${what}: ${sorted.length} times, ms: ${sorted[0]}, ${sorted[Math.floor(sorted.length / 2)]}, ${sorted.at(-1)}`);
}

// Prints the memory that the tab takes after it has shown positions of all plies.
const context = await program.newContext();
const { page } = await visit(context, url, "7x6");
for (let number = 0; number < 100; number += 1) {
  await page.fill("#random-ply", String(number % 42));
  await page.click("#random");
  await page.waitForFunction(() => document.body.dataset.ready === "true");
}
const own = (await processes()).filter(({ type }) => type === "renderer").map(({ id }) => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
});
console.log(`memory of the tab, as its share of the machine's: ${Math.max(...own).toFixed(0)} MiB`);
await context.close();
await stop();
await program.close();
