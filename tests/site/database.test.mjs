// Databases that a page without a server reads: at another address, and from the disk.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pageTest } from "../page/support.mjs";

const BUILD = fileURLToPath(new URL("../../js/site/build.mjs", import.meta.url));

/** A host that lets pages of other sites read ranges of the files of a folder, and counts them. */
async function host(folder) {
  const requests = [];
  const server = createServer(({ url, headers }, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Expose-Headers", "Content-Range, ETag");
    let bytes;
    try {
      bytes = readFileSync(join(folder, url));
    } catch {
      return response.writeHead(404).end();
    }
    requests.push(url);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (first === undefined) return response.writeHead(200).end(bytes);
    const part = bytes.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, { "Content-Range": `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`, ETag: '"1"' }).end(part);
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  server.unref();
  return { origin: `http://127.0.0.1:${server.address().port}`, requests };
}

pageTest("the page reads a database at an address that its publisher allows, and says where it is", async ({ screen, page, context, program, truth, url }) => {
  const data = await host(join(program.folder, "db"));
  const next = join(program.folder, "next");
  execFileSync("node", [BUILD, next, "", data.origin]);
  program.show(next);
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  // The board is that of the database.
  await page.goto(`${url}/?db=${data.origin}/5x4/remoteness`);
  truth.check(await screen.settled("5x4 has values", ({ board, columns }) => board === "5x4" && columns.every(({ value }) => value)));
  assert.match(await page.textContent("#remark"), new RegExp(`is at ${data.origin}\\.`));
  truth.check(await screen.after(page.click('#board button[data-column="3"]'), "3"));
  assert.match(await page.textContent("#answered"), /^Looked up in a database\./);
  assert.match(await page.inputValue("#export-link"), /db=http/);
  assert.match(page.url(), /db=http/);
  // Without a board the moves stay, and another board has no database of this one.
  await page.goto(`${url}/?moves=31&db=${data.origin}/5x4/remoteness`);
  truth.check(await screen.settled("the moves are there", ({ board, moves }) => board === "5x4" && moves === "31"));
  await page.selectOption("#board-select", "4x4");
  await screen.until("the address has no database", () => !page.url().includes("db=") && page.url().includes("board=4x4"));
  // Kept by the browser, the worker still has its policy.
  await page.evaluate("navigator.serviceWorker.ready");
  const worker = await page.evaluate(async () => {
    const [script] = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith("/worker.js"));
    return (await fetch(script)).headers.get("Content-Security-Policy");
  });
  assert.match(worker, new RegExp(`connect-src 'self' ${data.origin}$`));
  truth.check(await screen.after(page.goto(`${url}/?board=5x4&moves=3142&db=${data.origin}/5x4/remoteness`), "3142"));
  assert.ok(data.requests.length > 3);
  // Nothing is asked elsewhere.
  assert.deepEqual(asked.filter((address) => ![url, data.origin].some((known) => address.startsWith(known))), []);
}, { only: "site" });

test("the headers of the page name its files below its address, and give its worker the policy that the documentation shows", () => {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  execFileSync("node", [BUILD, folder, "https://example.org/connect4/", "https://data.example.org"]);
  const lines = readFileSync(join(folder, "_headers"), "utf8").trim().split("\n");
  for (const path of lines.filter((line) => !line.startsWith(" "))) {
    const [, below] = /^\/connect4\/(.*?)\*?$/.exec(path) ?? assert.fail(path);
    assert.ok(existsSync(join(folder, below)), path);
  }
  const policy = lines[lines.findIndex((line) => line.endsWith("/worker.js")) + 1];
  const page = readFileSync(new URL("../../docs/how-to/publish-a-database.md", import.meta.url), "utf8");
  assert.ok(page.includes(`\n    ${policy.trim()}\n`), policy);
  rmSync(folder, { recursive: true });
});

pageTest("the page opens no database of a host that its publisher has not named", async ({ screen, page, truth, url }) => {
  await page.goto(`${url}/?board=5x4&db=https://example.org/5x4/remoteness`);
  await screen.until("it says so", () => page.textContent("#remark").then((text) => text.includes("this page reads none of https://example.org")));
  // Its own values are there.
  truth.check(await screen.settledAt(""));
}, { only: "site" });

pageTest("somebody opens the files of a database", async ({ screen, page, program, truth }) => {
  await screen.open("1");
  const folder = join(program.folder, "db/5x4/remoteness");
  const names = readdirSync(folder).filter((name) => name === "manifest" || name.startsWith("tier-"));
  await page.setInputFiles("#database-files", names.map((name) => join(folder, name)));
  await screen.until("it is open", () => page.textContent("#remark").then((text) => text === "The database of 5x4 is open in this tab."));
  truth.check(await screen.settledAt(""));
  await page.setInputFiles("#database-files", [join(folder, names.at(-1))]);
  await screen.until("the manifest is missing", () => page.textContent("#remark").then((text) => /manifest/.test(text)));
}, { only: "site" });
