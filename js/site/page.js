// The page without a server: its transport, the page itself, and what keeps it for use without a network.

import { loaded } from "./tab.js";
import "../../tools/page/app.js";

/** Once the first board is loaded, keeps the page and the databases loaded so far in the browser. */
async function keep() {
  await loaded();
  await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage(performance.getEntriesByType("resource").map(({ name }) => name));
}

// Files that cannot be kept are loaded again at the next visit.
if ("serviceWorker" in navigator) keep().catch(() => {});
