// In a worker of your own: new Worker(new URL("./worker.js", import.meta.url), { type: "module" })
import { Fourbase } from "fourbase";

const started = Fourbase.start({ first: "7x6" });
globalThis.onmessage = async ({ data }) => {
  const { value, remoteness } = await (await started).analyse("7x6", data);
  globalThis.postMessage(`${value} in ${remoteness}`);
};
