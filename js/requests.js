// Asks hosts for the worker of node, which waits for the answers.

import { workerData } from "node:worker_threads";

const { port, done, timeout } = workerData;

port.on("message", async ({ address, range }) => {
  try {
    const headers = { Range: range, "Accept-Encoding": "identity" };
    const controller = new AbortController();
    const response = await fetch(address, { headers, signal: AbortSignal.any([controller.signal, AbortSignal.timeout(timeout)]) });
    const isPart = response.status === 206;
    const body = isPart ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array();
    // Another answer may be a whole, long file, so its body is not read.
    if (!isPart) controller.abort();
    port.postMessage({ status: response.status, headers: [...response.headers].map((header) => header.join(": ")).join("\n"), body });
  } catch (error) {
    port.postMessage({ error: error.cause?.message ?? error.message });
  }
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
