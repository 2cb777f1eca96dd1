// The page without a server, without a network, and where something is missing.

import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pageTest } from "../page/support.mjs";

const SITE = process.env.FOURBASE_SITE;

/** Waits until the browser keeps the page, and a file of the database. */
const kept = (screen, name) => screen.until(`${name} is kept`, () => screen.page.evaluate(async (name) => {
  const { active } = await navigator.serviceWorker.getRegistration() ?? {};
  if (active?.state !== "activated") return false;
  const [cache] = await caches.keys();
  return (await (await caches.open(cache)).keys()).some(({ url }) => url.endsWith(name));
}, name));

pageTest("after the first visit the page works without a network", async ({ screen, page, program, truth, url }) => {
  truth.check(await screen.open());
  await kept(screen, "7x6/tier-13.bin");
  await program.stop();
  truth.check(await screen.open("4444441"));
  // Then it may share memory with its worker, which ends a search at once.
  assert.equal(await page.evaluate("crossOriginIsolated"), true);
  // All plies are there, and computers, pictures and what solves small boards.
  truth.check(await screen.open("44444415527"));
  await screen.choose("first", "perfect");
  await page.selectOption("#second-player", "pomakis");
  await screen.until("two computers play", ({ ply }) => ply > 14);
  assert.match(await page.inputValue("#export-svg"), /^data:image/);
  for (const side of ["first", "second"]) await page.selectOption(`#${side}-player`, "human");
  const { status, error } = await screen.after(page.goto(`${url}/index.html?board=4x4&moves=11`), "11");
  assert.deepEqual([status.startsWith("Red to move: a tie with best play."), error], [true, ""], status);
}, { board: "7x6", only: "site" });

pageTest("the browser keeps the page only after the first values", async ({ screen, page, context, truth }) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await context.route("**/engine_bg.wasm", (route) => held.then(() => route.continue()));
  const registrations = () => page.evaluate("navigator.serviceWorker.getRegistrations().then(({ length }) => length)");
  await page.goto(screen.address, { waitUntil: "commit" });
  await page.waitForTimeout(2000);
  assert.equal(await registrations(), 0);
  release();
  truth.check(await screen.settledAt(""));
  await screen.until("it is kept", async () => await registrations() === 1);
}, { board: "7x6", only: "site" });

pageTest("a new version takes the place of the old one", async ({ screen, page, context, program, truth, url }) => {
  truth.check(await screen.open());
  await kept(screen, "7x6/tier-13.bin");
  const [old, ...others] = await page.evaluate("caches.keys()");
  assert.deepEqual([old.startsWith(`fourbase ${url}/ `), others], [true, []]);
  // Another text in the document is another version. The cache of another page of the host stays.
  const next = join(program.folder, "next");
  cpSync(SITE, next, { recursive: true });
  const change = (name, from, to) => writeFileSync(join(next, name), readFileSync(join(next, name), "utf8").replace(from, to));
  change("index.html", "Connect Four, solved</h1>", "Another version</h1>");
  change("service-worker.js", old.split(" ").at(-1), "another");
  program.show(next);
  await page.evaluate("caches.open('fourbase http://127.0.0.1/other/ 1')");
  await page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())");
  const names = ["fourbase http://127.0.0.1/other/ 1", `fourbase ${url}/ another`];
  await screen.until("the new version is here", () =>
    page.evaluate(async (names) => `${(await caches.keys()).sort()}` === `${names}`, names));
  // Its databases are the same, and stay.
  const paths = await page.evaluate(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url), names[1]);
  assert.ok(paths.some((path) => path.endsWith("7x6/tier-13.bin")), paths.join("\n"));
  // The open page goes on with its own version.
  truth.check(await screen.after(page.click('#board button[data-column="4"]'), "4"));
  assert.equal(await page.textContent("h1"), "Connect Four, solved");
  truth.check(await screen.open("44"));
  assert.equal(await page.textContent("h1"), "Another version");
  // What the host does not have any more is said to be missing, also by the service worker.
  const databases = readdirSync(next).find((name) => name.startsWith("databases-"));
  rmSync(join(next, databases, "7x5"), { recursive: true });
  screen.requestsMayFail = true;
  await page.goto(`${url}/?board=7x5`);
  await screen.until("the next step is said", ({ error }) => /\/7x5\/(manifest|tier-0\d)\.bin: status 404\.$/.test(error));
}, { board: "7x6", only: "site" });

pageTest("the page can be installed", async ({ screen, page, context, url }) => {
  await screen.open();
  const session = await context.newCDPSession(page);
  const { url: manifest, errors } = await session.send("Page.getAppManifest");
  assert.deepEqual([manifest, errors], [`${url}/manifest.webmanifest`, []]);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
  const { icons, ...fields } = JSON.parse(readFileSync(join(SITE, "manifest.webmanifest")));
  assert.deepEqual([fields.start_url, fields.scope, fields.display], ["./", "./", "standalone"]);
  for (const { src, sizes } of icons.filter(({ type }) => type === "image/png")) {
    const icon = readFileSync(join(SITE, src));
    // The width and the height of a PNG.
    assert.equal(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`, sizes);
  }
}, { only: "site", needsChromium: true });

pageTest("a browser without room for the page uses it all the same", async ({ screen, page, context, program, truth }) => {
  const session = await context.newCDPSession(page);
  const { origin } = new URL(program.url);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 100_000 });
  truth.check(await screen.open());
  const state = await page.evaluate(async () => {
    const { installing } = await navigator.serviceWorker.register("service-worker.js");
    while (installing.state === "installing") await new Promise((resolve) => { setTimeout(resolve, 50); });
    return installing.state;
  });
  assert.equal(state, "redundant");
  truth.check(await screen.open("44444415527"));
  // With room for a part, that part is kept.
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 5_000_000 });
  truth.check(await screen.open());
  await kept(screen, "page.js");
}, { board: "7x6", only: "site", needsChromium: true });

pageTest("without WebAssembly a sentence says so, and one can play", async ({ screen, page }) => {
  await page.addInitScript("delete globalThis.WebAssembly");
  await page.goto(screen.address);
  const sentence = "There are no values: WebAssembly is missing or switched off; use another browser.";
  await screen.until("the sentence is there", ({ error }) => error === sentence);
  await screen.play(4);
  await screen.until("the move is there", ({ moves, error }) => moves === "4" && error === sentence);
}, { board: "7x6", only: "site" });

pageTest("what cannot be loaded is said, and loaded when it is asked for again", async ({ screen, page, context, program, truth }) => {
  screen.requestsMayFail = true;
  await context.route("**/7x6/tier-03.bin", (route) => route.abort());
  await page.goto(screen.address);
  const { error } = await screen.until("the trouble is said", ({ canRetry }) => canRetry);
  assert.match(error, /^There are no values: cannot load http:.*\/7x6\/tier-03\.bin: (Failed to fetch|NetworkError when attempting to fetch resource)\.$/);
  await context.unroute("**/7x6/tier-03.bin");
  await context.route("**/7x6/tier-03.bin", (route) => route.fulfill({ status: 404 }));
  await page.click("#retry");
  await screen.until("the next step is said", (shown) => shown.error.endsWith("/7x6/tier-03.bin: status 404."));
  await context.unroute("**/7x6/tier-03.bin");
  // The page may have a newer version, so it is loaded again.
  await page.evaluate("document.body.dataset.isOld = true");
  await page.click("#retry");
  truth.check(await screen.settledAt(""));
  assert.equal(await page.evaluate("document.body.dataset.isOld"), undefined);
  // A module that is none is said too, where the browser does not keep the page.
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active) for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  });
  await context.route("**/engine_bg.wasm", (route) => route.fulfill({ body: "no module" }));
  await page.goto(`${program.url}/?board=7x5`);
  await screen.until("the module is wrong", (shown) => shown.error.startsWith("There are no values: "));
}, { board: "7x6", only: "site" });

pageTest("where later plies cannot be loaded and a search finds nothing, another player moves instead of the perfect one", async ({ screen, page, context }) => {
  screen.requestsMayFail = true;
  await context.route("**/7x6/tier-11.bin", (route) => route.abort());
  // Searches of a millisecond.
  await context.route("**/page.js", async (route) => {
    const text = await (await route.fetch()).text();
    assert.ok(text.includes("{seconds:3}"));
    await route.fulfill({ body: text.replace("{seconds:3}", "{seconds:.001}"), contentType: "text/javascript" });
  });
  await page.goto(`${screen.address}&moves=112436776`);
  await screen.until("the board is there", ({ ply }) => ply === 9);
  await page.selectOption("#second-player", "perfect");
  await screen.until("a computer moves", ({ ply }) => ply === 10);
  assert.match(await page.textContent("#remark"), /^Perfect play is not known here, so pomakis:\d+ moved\.$/);
}, { board: "7x6", only: "site" });

pageTest("opened from a file it says what to do", async ({ screen, page }) => {
  await page.goto(pathToFileURL(join(SITE, "index.html")).href);
  assert.match(await page.textContent("#error"), /^A browser cannot run this page from a file\. Serve its folder,/);
  // The browser complains about the files, as it has to; Firefox does not under Playwright, which lets files read each other.
  screen.complaints = [];
}, { only: "site", needsChromium: true });
