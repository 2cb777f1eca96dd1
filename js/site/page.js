// The page without a server: its transport, the page itself, and what keeps it for use without a network.

import { loaded } from "./tab.js";
import "../../tools/page/app.js";

/** Keeps the page in the browser, with the databases that were loaded by now, once nobody waits for them any more. */
async function keep() {
  await loaded();
  await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage(performance.getEntriesByType("resource").map(({ name }) => name));
}

// What cannot be kept is loaded again with the next visit.
if ("serviceWorker" in navigator) keep().catch(() => {});
