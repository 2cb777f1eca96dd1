// A server of static files and a browser, for the tests and for bench.mjs: Chromium, or the Firefox that FOURBASE_FIREFOX names. `.ci/js` installs what drives the browser.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

/** The folder in which the package is installed. */
const ROOT = resolve(import.meta.dirname, "../..");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** What a page may load and do with WebAssembly, by the first part of its path. */
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline'";
const HEADERS = {
  isolated: ISOLATED,
  plain: {},
  strict: { "Content-Security-Policy": `${POLICY} 'wasm-unsafe-eval'` },
  forbidden: { "Content-Security-Policy": POLICY },
};

/** A page whose imports are those of the tests: the modules of node have their places taken. */
const PAGE = `<!doctype html><title>fourbase</title><script type="importmap">${JSON.stringify({
  imports: {
    fourbase: "./node_modules/fourbase/index.js",
    "node:assert/strict": "./test/browser/assert.mjs",
    "node:test": "./test/browser/runner.mjs",
    "./test/place.mjs": "./test/browser/place.mjs",
  },
})}</script><input type="file" id="files" multiple><input type="file" id="folder" webkitdirectory>`;

/** A service worker that keeps whole files of databases, and answers requests for parts with them. */
const KEEPING = `onactivate = (event) => event.waitUntil(clients.claim());
addEventListener("fetch", (event) => /manifest|tier/.test(event.request.url) && event.respondWith(kept(event.request.url)));
async function kept(url) {
  const cache = await caches.open("files");
  if (!await cache.match(url)) await cache.put(url, await fetch(url));
  return cache.match(url);
}`;

async function serve(request, response) {
  const [, kind, ...parts] = decodeURIComponent(new URL(request.url, "http://localhost").pathname).split("/");
  const send = (status, type, body) => response.writeHead(status, { "Content-Type": type, ...HEADERS[kind] }).end(body);
  if (!HEADERS[kind] || parts.includes("..")) return send(404, "text/plain");
  if (parts[0] === "keeping.js") return send(200, "text/javascript", KEEPING);
  if (parts.join("") === "") return send(200, "text/html", PAGE);
  const truth = process.env.FOURBASE_TRUTH;
  const file = parts[0] === "truth" && truth ? join(truth, ...parts.slice(1)) : join(ROOT, ...parts);
  const body = await readFile(file).catch(() => undefined);
  return body ? send(200, TYPES[extname(file)] ?? "application/octet-stream", body) : send(404, "text/plain");
}

const { FOURBASE_CHROMIUM: CHROMIUM = "/usr/bin/chromium", FOURBASE_FIREFOX: FIREFOX } = process.env;
export const NAME = FIREFOX ? "Firefox" : "Chromium";

/** Starts a server and a browser. `page(kind)` opens a page of one kind of headers; `end` ends both. */
export async function open(options = []) {
  const { chromium, firefox } = createRequire(join(ROOT, "node_modules/"))("playwright-core");
  const browser = FIREFOX
    // Over WebDriver BiDi.
    ? await firefox.launch({ executablePath: FIREFOX, channel: "moz-firefox" })
    // Without a sandbox, which needs rights that a container does not have.
    : await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false, args: options });
  const server = createServer(serve);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    browser,
    async page(kind, prepare) {
      const page = await browser.newPage();
      if (prepare) await page.addInitScript(prepare);
      await page.goto(`${url}/${kind}/`);
      return page;
    },
    async end() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
