// Keeps the page for use without a network, with the databases that it has used. `js/site/build` writes the constants: VERSION is a hash
// of all files, FILES are those that every board needs, DATABASES is the folder of the others, and POLICY says where the package may read.

/** Caches of other pages of the same host have other names. */
const CACHES = `fourbase ${registration.scope} `;
const CACHE = CACHES + VERSION;

/** The script that the document of this version names. */
const SCRIPT = FILES.find((path) => path.endsWith("/page.js"));

/** The headers that allow a page to share memory with its worker: a search then stops within milliseconds. */
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

// The next visit has the new version, also with *Reload* in a tab that stays open.
addEventListener("install", (event) => event.waitUntil(keep(FILES).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(Promise.all([forget(), clients.claim()])));
// Keeps the files that the page had loaded before this worker was there. If the browser has no room, they are loaded when they are needed.
addEventListener("message", (event) => event.waitUntil(keep(event.data.map(pathOf).filter(isFixed)).catch(() => {})));
addEventListener("fetch", (event) => {
  const path = event.request.method === "GET" ? pathOf(event.request.url) : undefined;
  const isPage = path === "" || path === "index.html";
  if (isPage || FILES.includes(path) || isFixed(path)) event.respondWith(answer(isPage ? "./" : path));
});

/** Returns the path of an address within the site; undefined elsewhere. */
function pathOf(address) {
  const [plain] = address.split(/[?#]/);
  return plain.startsWith(registration.scope) ? plain.slice(registration.scope.length) : undefined;
}

/** Whether a file never changes: the name of its folder has a hash. */
function isFixed(path) {
  return /^(page|wasm|databases)-[0-9a-f]+\//.test(path);
}

/** Puts files into the cache: from that of an older version, if they never change, or from the network. */
async function keep(paths) {
  const cache = await caches.open(CACHE);
  await Promise.all(paths.map(async (path) => {
    const known = isFixed(path) ? await caches.match(path) : undefined;
    const response = known ?? await load(path, { cache: isFixed(path) ? "default" : "no-cache" });
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    // A host may still have the document of an older version. Then this worker is not installed, and a later visit tries again.
    if (path === "./" && !(await response.clone().text()).includes(SCRIPT)) throw new Error("the document is that of another version");
    await cache.put(path, response);
  }));
}

async function load(path, options) {
  const response = await fetch(path, options);
  const type = response.headers.get("Content-Type") ?? "";
  // Some hosts answer a request for a missing file with a document.
  const status = response.ok && isFixed(path) && type.startsWith("text/html") ? 404 : response.status;
  // The document has its own policy; a worker does not inherit it.
  const policy = path.endsWith("/worker.js") ? { "Content-Security-Policy": POLICY } : {};
  return new Response(response.body, { status, headers: { "Content-Type": type, ...ISOLATED, ...policy } });
}

/** Deletes the caches of older versions. Databases that this version has too are kept in its cache, if there is room. */
async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(CACHES) && name !== CACHE).map(async (name) => {
    const requests = await (await caches.open(name)).keys();
    await keep(requests.map(({ url }) => pathOf(url)).filter((path) => path.startsWith(DATABASES))).catch(() => {});
    await caches.delete(name);
  }));
}

async function answer(path) {
  const cache = await caches.open(CACHE);
  // The response is returned as it was put there: a copy made here would take longer to reach the page.
  const kept = await cache.match(path);
  if (kept) return kept;
  const response = await load(path);
  // What is loaded later is kept too, if there is room.
  if (response.ok && isFixed(path)) cache.put(path, response.clone()).catch(() => {});
  return response;
}
