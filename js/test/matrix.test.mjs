// The examples in the runtimes and with the bundlers that js/README.md names. FOURBASE_MATRIX=all runs all rows, else those of each day.
// npm installs what a row needs, in a folder of its own.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { open } from "./browser/open.mjs";

const isAll = process.env.FOURBASE_MATRIX === "all";
const chromium = process.env.FOURBASE_CHROMIUM ? await open() : undefined;
after(() => chromium?.end());

const EXPECTED = "lose in 36, 4x4: tie";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Installs packages and the package itself into a new folder, with the examples. */
function folderOf(name, packages) {
  const folder = resolve("matrix", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync("examples", folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  if (packages.length > 0) {
    execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", ...packages], { cwd: folder, stdio: "pipe" });
  }
  cpSync("node_modules/fourbase", join(folder, "node_modules/fourbase"), { recursive: true });
  return folder;
}

const run = (folder, program, ...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });

/** Programs are packages of their own for each machine. */
const MACHINE = `${process.platform}-${process.arch}`;

/** Runtimes: what npm installs, and the program there. */
const RUNTIMES = [
  ["this node", [], process.execPath, [], true],
  ...[18, 20, 22, 24].map((version) => [`node ${version}`, [`node-${MACHINE}@${version}`], `node_modules/node-${MACHINE}/bin/node`, []]),
  ["Bun", [`@oven/bun-${MACHINE}`], `node_modules/@oven/bun-${MACHINE}/bin/bun`, []],
  ["Deno", [`@deno/${MACHINE}-glibc`], `node_modules/@deno/${MACHINE}-glibc/deno`, ["run", "-A"]],
];

for (const [name, packages, program, words] of RUNTIMES.filter((row) => isAll || row[4])) {
  test(`${name} runs the example`, () => {
    const folder = folderOf(name, packages);
    assert.match(run(folder, resolve(folder, program), ...words, "node.mjs"), /^column 3: lose in 36\n(.*\n){6}$/);
  });
}

/** Bundlers: what npm installs, and the commands that write the folder `dist`. Where `isCopied`, files are copied beside the bundle. */
const COPY = ["cp", "-r", ...["worker.js", "answering.js", "requests.js", "wasm", "databases"].map((file) => `node_modules/fourbase/${file}`), "bundler/index.html", "dist"];
const BUNDLERS = [
  ...[5, 6, 7, 8].map((version) => [`Vite ${version}`, [`vite@${version}`], [["node_modules/.bin/vite", "build", "bundler", "--outDir", "../dist"]], version === 8]),
  ["webpack 5", ["webpack@5", "webpack-cli"], [["node_modules/.bin/webpack", "./bundler/main.js", "--mode", "production", "--output-path", "dist"], ["cp", "bundler/index.html", "dist"]]],
  ["Parcel", ["parcel@2"], [["node_modules/.bin/parcel", "build", "bundler/index.html", "--dist-dir", "dist", "--no-cache"]]],
  ["esbuild", ["esbuild"], [["node_modules/.bin/esbuild", "bundler/main.js", "--bundle", "--format=esm", "--outdir=dist"], COPY], true],
  ["Rollup", ["rollup@4", "@rollup/plugin-node-resolve"], [["node_modules/.bin/rollup", "bundler/main.js", "--plugin", "node-resolve={browser:true}", "--dir", "dist"], COPY]],
];

/** Serves a folder. */
async function served(folder) {
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url, "http://host").pathname.replace(/\/$/, "/index.html"));
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${server.address().port}/`;
}

/** Returns what a page shows in the end. */
async function shown(url, prepare = () => {}) {
  const page = await chromium.browser.newPage();
  await prepare(page);
  const seen = [];
  page.on("console", (message) => seen.push(message.text()));
  page.on("pageerror", (error) => seen.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => document.body?.textContent.trim(), undefined, { timeout: 20_000 }).catch(() => {});
  const text = (await page.evaluate(() => document.body?.textContent ?? "")).trim();
  await page.close();
  return text || seen.join("\n");
}

if (chromium) {
  for (const [name, packages, commands] of BUNDLERS.filter((row) => isAll || row[3])) {
    test(`${name} builds the example, and Chromium runs it`, async () => {
      const folder = folderOf(name, packages);
      for (const [program, ...words] of commands) run(folder, program === "cp" ? program : join(folder, program), ...words);
      assert.equal(await shown(await served(join(folder, "dist"))), EXPECTED);
    });
  }

  test("a worker of the page uses the package", async () => {
    const folder = folderOf("worker", ["esbuild"]);
    run(folder, join(folder, "node_modules/.bin/esbuild"), "worker.js", "--bundle", "--format=esm", "--outfile=dist/own.js");
    run(folder, ...COPY);
    writeFileSync(join(folder, "dist/index.html"), `<!doctype html><script type="module">
      const worker = new Worker("own.js", { type: "module" });
      worker.onmessage = ({ data }) => { document.body.textContent = data; };
      worker.postMessage("4453");
    </script>`);
    assert.equal(await shown(await served(join(folder, "dist"))), "lose in 36");
  });

  for (const version of isAll ? [5, 6, 7, 8] : []) {
    test(`Vite ${version} serves the example in development`, async () => {
      const folder = folderOf(`Vite ${version} dev`, [`vite@${version}`]);
      const port = 20_000 + (process.pid % 10_000) + version;
      const server = spawn(join(folder, "node_modules/.bin/vite"), ["bundler", "--port", port, "--strictPort", "--host", "127.0.0.1"], { cwd: folder, stdio: "ignore" });
      after(() => server.kill());
      for (let time = 0; time < 300 && !(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)); time += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.equal(await shown(`http://127.0.0.1:${port}/`), EXPECTED);
    });
  }

  test("a plain page imports the package from the address of another site", async () => {
    const site = resolve("node_modules/fourbase");
    const fromCdn = (page) => page.context().route(/^https:\/\/unpkg\.com\/fourbase@/, (route) => {
      const path = join(site, new URL(route.request().url()).pathname.replace(/^\/fourbase@[^/]*\//, ""));
      return route.fulfill({ path, contentType: TYPES[extname(path)], headers: { "Access-Control-Allow-Origin": "*" } });
    });
    assert.equal(await shown(`${await served(resolve("examples"))}page.html`, fromCdn), "lose in 36");
    // The policy that README.md names.
    const policy = "script-src 'unsafe-inline' 'wasm-unsafe-eval' https://unpkg.com; connect-src https://unpkg.com; worker-src blob: https://unpkg.com";
    mkdirSync("matrix/policy", { recursive: true });
    const page = readFileSync("examples/page.html", "utf8");
    writeFileSync("matrix/policy/index.html", page.replace("<title>", `<meta http-equiv="Content-Security-Policy" content="${policy}"><title>`));
    assert.equal(await shown(await served(resolve("matrix/policy")), fromCdn), "lose in 36");
  });
}
