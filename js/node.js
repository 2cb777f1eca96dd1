// The package in node, Deno and Bun: threads, files and paths are those of node.

import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { FourbaseError, platform, shown } from "./link.js";

const { address, load: fetched } = platform;

Object.assign(platform, {
  start(receive, fail) {
    const worker = new Worker(new URL("./worker-node.js", import.meta.url));
    return worker.on("message", receive).on("error", ({ message }) => fail(message)).on("exit", () => fail("it has ended; ask again"));
  },
  address(text) {
    // A letter and a colon are a drive.
    return /^[a-z][a-z\d+.-]+:/i.test(text) ? address(text) : pathToFileURL(text).href;
  },
  async folderOf(place, text) {
    if (!place.startsWith("file:")) return undefined;
    try {
      const path = fileURLToPath(place);
      const names = (await readdir(path)).filter((name) => /^(manifest|tier-\d+)$/.test(name));
      return Object.fromEntries(names.map((name) => [name, `${path}/${name}`]));
    } catch ({ code, message }) {
      if (code?.startsWith("E") && code !== "ENOENT" && code !== "ENOTDIR") throw new FourbaseError("database", message);
      throw new FourbaseError("input", `"${shown(text)}" is no address and no folder; write one such as https://host/7x6/remoteness`);
    }
  },
  async source(file) {
    // A worker of node cannot read a Blob synchronously.
    return file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : typeof file === "string" ? file : undefined;
  },
  async load(url, signal) {
    return url.protocol === "file:" ? readFile(url, { signal }) : fetched(url, signal);
  },
});

export * from "./index.js";
