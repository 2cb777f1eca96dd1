// A static host for measurements. It compresses files and marks those that never change as immutable. All clients, service workers too,
// share one line, whose speed and latency can be set.

import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", png: "image/png", wasm: "application/wasm",
  webmanifest: "application/manifest+json" };

/** How many bytes are sent at a time. */
const PART = 1024;

/** How many milliseconds of lateness of this process the line makes up for. */
const LATE = 50;

const after = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Serves a folder under a path. `line.bytesPerSecond` and `line.latency` (in ms) can be changed; `sent` has the bytes sent by file. */
export async function host(folder, path) {
  const line = { bytesPerSecond: Infinity, latency: 0 };
  const sent = new Map();
  const files = new Map(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
    const name = join(entry.parentPath ?? entry.path, entry.name).slice(folder.length).replace(/^\/+/, "");
    const type = TYPES[name.split(".").at(-1)] ?? "application/octet-stream";
    const bytes = readFileSync(join(folder, name));
    return [name, { name, type, ...(type.includes("octet") ? { body: bytes } : { body: gzipSync(bytes, { level: 9 }), encoding: "gzip" }) }];
  }));
  let free = 0;
  const server = createServer(async (request, response) => {
    await after(line.latency);
    const name = new URL(request.url, "http://host").pathname.slice(path.length) || "index.html";
    const file = files.get(name);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, {
      "Content-Type": file.type, "Content-Length": file.body.length, ...(file.encoding && { "Content-Encoding": file.encoding }),
      "Cache-Control": name.includes("/") ? "public, max-age=31536000, immutable" : "no-cache",
    });
    for (let at = 0; at < file.body.length; at += PART) {
      const part = file.body.subarray(at, at + PART);
      free = Math.max(free, performance.now() - LATE) + (part.length / line.bytesPerSecond) * 1000;
      // Timers count in whole milliseconds, so shorter waits are skipped.
      if (free - performance.now() > 2) await after(free - performance.now());
      response.write(part);
      sent.set(name, (sent.get(name) ?? 0) + part.length);
    }
    response.end();
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => { server.close(resolve); });
  };
  return { url: `http://127.0.0.1:${server.address().port}${path}`, line, sent, stop };
}
