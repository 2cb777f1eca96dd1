// A worker in node: reads files that were opened by their paths.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { serve } from "./answering.js";

const receive = serve((message) => parentPort.postMessage(message), {
  open: (file) => (typeof file === "string" ? openSync(file) : file),
  size: (file) => (typeof file === "number" ? fstatSync(file).size : file.length),
  read(file, offset, length) {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  },
  close(file) {
    if (typeof file === "number") closeSync(file);
  },
});
parentPort.on("message", receive);
