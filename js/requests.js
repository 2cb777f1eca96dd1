// Asks hosts for the worker of node, which waits for the answers.

import { workerData } from "node:worker_threads";

const { port, done, timeout } = workerData;

port.on("message", async ({ id, address, range }) => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeout / 1000} seconds`)), timeout);
  try {
    const headers = { Range: range, "Accept-Encoding": "identity" };
    const response = await fetch(address, { headers, signal: controller.signal });
    const body = response.status === 206 ? await read(response, range) : new Uint8Array();
    const lines = [...response.headers].map((header) => header.join(": ")).join("\n");
    port.postMessage({ id, status: response.status, headers: lines, body });
  } catch (error) {
    // An error of several addresses has no message of its own.
    port.postMessage({ id, error: error.cause?.message || error.cause?.code || error.message });
  }
  clearTimeout(timer);
  // Another answer than a part may be a whole, long file, so its body is not read.
  controller.abort();
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
});

/** Reads the part of a file that was asked for, whatever the host sends. */
async function read(response, range) {
  const [first, last] = range.slice("bytes=".length).split("-").map(Number);
  const parts = [];
  let length = 0;
  for await (const part of response.body) {
    length += part.length;
    if (length > last - first + 1) throw new Error("the host sent more bytes than it was asked for");
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
