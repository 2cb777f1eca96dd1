// The page without a server: its transport, the page itself, and what keeps it for use without a network.

import { loaded, valued } from "./tab.js";
import "../../tools/page/app.js";

/** Once there are values, keeps the page in the browser, and when the first board is loaded, the databases loaded so far. */
async function keep() {
  await valued;
  await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  const { active } = await navigator.serviceWorker.ready;
  await loaded();
  active.postMessage(performance.getEntriesByType("resource").map(({ name }) => name));
}

// Files that cannot be kept are loaded again at the next visit.
if ("serviceWorker" in navigator) keep().catch(() => {});
