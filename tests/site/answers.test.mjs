// The page without a server: where its values come from, and that nothing leaves the tab.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { pageTest } from "../page/support.mjs";

test("what is loaded before the first value, without its database, has at most 365 kilobytes after gzip", () => {
  const site = process.env.FOURBASE_SITE;
  const names = readdirSync(site, { recursive: true }).filter((name) => /(index\.html|page\.js|worker\.js|style\.css|engine_bg\.wasm)$/.test(name));
  const bytes = names.filter((name) => name !== "service-worker.js").map((name) => gzipSync(readFileSync(join(site, name)), { level: 9 }).length);
  const sum = bytes.reduce((all, one) => all + one, 0);
  console.log(`${sum} bytes before the first value`);
  assert.ok(bytes.length === 5 && sum <= 365_000, `${bytes}`);
});

/** Collects the addresses that a browser asks for. */
function requests(context) {
  const all = [];
  context.on("request", (request) => all.push(`${request.method()} ${request.url()}`));
  return all;
}

pageTest("a small board is solved in the tab, and loads no database", async ({ screen, page, context, truth, url }) => {
  const all = requests(context);
  for (const moves of ["", "1", "12", "1223", "1234123412"]) truth.check(await screen.open(moves));
  await screen.open("12");
  assert.match(await page.textContent("#answered"), /^Looked up in a database\./);
  assert.ok(all.length > 5 && all.every((request) => request.startsWith(`GET ${url}/`)), all.join("\n"));
  assert.deepEqual(all.filter((request) => request.includes("/databases-")), []);
  assert.ok(all.some((request) => request.endsWith("/solver_bg.wasm")));
}, { board: "4x4", solved: "4x4", only: "site" });

pageTest("the first plies of 7x6 come first, then the others, and no other board's", async ({ screen, page, context, truth }) => {
  const all = requests(context);
  truth.check(await screen.open());
  await screen.until("all plies are there", () => all.some((request) => request.endsWith("/7x6/tier-13.bin")));
  const databases = all.filter((request) => request.includes("/databases-")).map((request) => request.split("/").slice(-2).join("/"));
  assert.deepEqual([...new Set(databases)].sort(), ["manifest.bin", ...[1, 3, 5, 7, 9, 11, 13].map((ply) => `tier-${String(ply).padStart(2, "0")}.bin`)]
    .map((name) => `7x6/${name}`));
  truth.check(await screen.open("44444415527"));
  await page.selectOption("#board-select", "7x5");
  await screen.settled("the other board has values", ({ board, columns }) => board === "7x5" && columns.every(({ value }) => value));
  assert.ok(all.some((request) => request.endsWith("/7x5/tier-09.bin")));
}, { board: "7x6", only: "site" });

pageTest("a larger board is solved while a bar grows, and one can play on", async ({ screen, page, truth }) => {
  await page.goto(screen.address);
  await page.waitForSelector("#progress:not([hidden])");
  assert.equal(await page.textContent("#source"), "Solving 5x5 …");
  await screen.play(3);
  truth.check(await screen.settledAt("3"));
  assert.ok(await page.isHidden("#progress"));
}, { board: "5x5", solved: "5x5", only: "site" });

pageTest("a board that is too large says so", async ({ screen, page }) => {
  await page.goto(screen.address);
  const { columns, error, source } = await screen.until("the search is given up", ({ canRetry }) => canRetry);
  assert.equal(error, "");
  assert.match(source, /^8x7 is not solved this early in the game: the search gave up\./);
  assert.ok(columns.every(({ name }) => name.includes("not solved here")));
}, { board: "8x7", only: "site" });

pageTest("the picture is part of the page", async ({ screen, page }) => {
  await screen.open("332");
  await screen.until("the picture is there", async () => (await page.inputValue("#export-svg")).startsWith("data:image/svg+xml,"));
  const [svg, link] = [await page.inputValue("#export-svg"), page.locator("#svg-link")];
  assert.equal(decodeURIComponent(svg).match(/<circle/g).length, 20 + 1);
  assert.deepEqual([await link.getAttribute("href"), await link.getAttribute("download")], [svg, ""]);
}, { only: "site" });

pageTest("the browser lets the page send nothing anywhere", async ({ screen, page }) => {
  await screen.open();
  const refused = await page.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => resolve([effectiveDirective, blockedURI]));
    fetch("https://example.org/", { mode: "no-cors" }).then(() => resolve([]), () => {});
  }));
  assert.deepEqual(refused, ["connect-src", "https://example.org/"]);
  screen.complaints = [];
}, { only: "site" });
