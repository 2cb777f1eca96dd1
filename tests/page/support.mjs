// The program, its server and a browser, for the tests of the page. `.ci/page` installs what they need and starts them.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Truth, look } from "./shown.mjs";

const TARGET = fileURLToPath(new URL("../../target", import.meta.url));
const PROGRAM = process.env.FOURBASE_PROGRAM ?? join(TARGET, "debug/fourbase");
/** The folder of the page without a server. Without it the tests are of the page of `fourbase serve`. */
const SITE = process.env.FOURBASE_SITE;
/** A folder for pictures, if they are wanted. */
export const PICTURES = process.env.FOURBASE_SCREENSHOTS;
const modules = createRequire(join(TARGET, "page-tests/"));

/** Looks for what keeps people with disabilities from using the page. */
export const AXE = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");

/** No page takes longer to show what a test waits for, on any machine. */
const LIMIT = 60_000;

/** Options of a server whose searches end when they are done, however slow the machine is. */
export const PATIENT = ["--search-nodes", "1e9", "--search-seconds", "60"];

/** Another browser than Chromium: Firefox, over WebDriver BiDi. */
export const FIREFOX = process.env.FOURBASE_FIREFOX;
const { chromium, firefox } = modules("playwright-core");
const browsers = new Map();
after(() => Promise.all([...browsers.values()].map(async (browser) => (await browser).close())));

/** Returns a browser that shows pages in a colour scheme. Firefox takes it at its start alone, Chromium for each page. */
function browserOf({ colorScheme }) {
  const scheme = FIREFOX ? colorScheme : "";
  if (!browsers.has(scheme)) {
    browsers.set(scheme, FIREFOX
      ? firefox.launch({
        executablePath: FIREFOX, channel: "moz-firefox",
        firefoxUserPrefs: { "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1 },
      })
      // Without a sandbox, which needs rights that a container does not have.
      : chromium.launch({ executablePath: process.env.FOURBASE_CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: false }));
  }
  return browsers.get(scheme);
}

/** The program in a folder of its own, with the database of a board. */
class Program {
  constructor(board) {
    this.address = "127.0.0.1:0";
    this.folder = mkdtempSync(join(TARGET, "page-tests/folder-"));
    execFileSync(PROGRAM, ["solve", board, "--quiet"], { cwd: this.folder });
  }

  /** Returns the line of JSON that a command prints, whatever its exit code is. */
  json(...words) {
    const { stdout } = spawnSync(PROGRAM, [...words, "--json"], { cwd: this.folder, encoding: "utf8" });
    return JSON.parse(stdout.split("\n")[0]);
  }

  /** Starts the server, where it was before, and waits until it listens. Its address has no slash at the end. */
  async serve(options = []) {
    this.child = spawn(PROGRAM, ["serve", "--listen", this.address, ...options], { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(this.child.stdout, "data");
    [, this.url, this.address] = /^listening on (http:\/\/([^/]+).*)\/\n$/.exec(String(line));
    return this.url;
  }

  /** Ends the server, if it runs. */
  async stop() {
    if (this.child.kill("SIGKILL")) await once(this.child, "exit");
  }
}

/** The program, and the page without a server: on a host that knows nothing of it, under a path. */
class Site extends Program {
  port = "0";

  /** The folder that the host shows under the path; another one is another version of the page. */
  show(site) {
    const root = join(this.folder, "host");
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    symlinkSync(site, join(root, "connect4"));
    return root;
  }

  async serve() {
    const options = ["--bind", "127.0.0.1", "--directory", this.show(SITE)];
    this.child = spawn("python3", ["-um", "http.server", this.port, ...options], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(this.child.stdout, "data");
    [, this.port] = /port (\d+)/.exec(String(line));
    this.url = `http://127.0.0.1:${this.port}/connect4`;
    return this.url;
  }
}

/** A page, and what it has shown. */
class Screen {
  constructor(page, address) {
    Object.assign(this, { page, address, seen: [], complaints: [], requestsMayFail: false });
    page.setDefaultTimeout(LIMIT);
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => this.complaints.push(message.text()));
  }

  /** Looks at the page until something holds, and returns that look. A page that is being loaded has nothing to see yet. */
  async until(what, holds) {
    for (const begin = Date.now(); ;) {
      const shown = await this.page.evaluate(look).catch(() => null);
      if (shown && JSON.stringify(shown) !== JSON.stringify(this.seen.at(-1))) this.seen.push(shown);
      if (shown && await holds(shown)) return shown;
      assert.ok(Date.now() - begin < LIMIT, what);
      await this.page.waitForTimeout(25);
    }
  }

  /** Waits until the page has all values of its position and no computer thinks. */
  settled(what = "all values are there", holds = () => true) {
    return this.until(what, (shown) => shown.settled && holds(shown));
  }

  /** Waits until a game of these moves is shown with all values. */
  settledAt(moves) {
    return this.settled(`the game ${moves} is shown`, (shown) => shown.moves === moves);
  }

  /** Waits until all values of the history are there as well, at a ply if one is named. */
  whole(ply) {
    const isReviewed = ({ plies, summary }) => plies.length === 1 || (summary !== "" && !summary.startsWith("The review"));
    const holds = (shown) => (ply ?? shown.ply) === shown.ply && shown.plies.every(({ value }) => value) && isReviewed(shown);
    return this.settled("the history is whole", holds);
  }

  /** Waits until something was done, and the game of these moves is shown with all values. */
  async after(action, moves) {
    await action;
    return this.settledAt(moves);
  }

  /** Opens a game of the board of the test, with all values. */
  open(moves = "") {
    return this.after(this.page.goto(`${this.address}&moves=${moves}`), moves);
  }

  /** Clicks on a column. */
  play(column) {
    return this.page.click(`#board button[data-column="${column}"]`);
  }

  /** Lets a program play a side, and shows the values, which are hidden in a game until somebody asks for them. */
  async choose(side, player) {
    await this.page.selectOption(`#${side}-player`, player);
    if (await this.page.getAttribute("#values-toggle", "aria-pressed") === "false") await this.page.click("#values-toggle");
  }

  /** Presses keys, one after the other, wherever the focus is. */
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Writes into a field. What Playwright types in Firefox comes after a number that is there. */
  write(field, text) {
    return this.page.$eval(field, (input, text) => { input.value = text; }, text);
  }

  /** Writes into a field, and sends it with a button. */
  async send(field, text, button) {
    await this.write(field, text);
    await this.page.click(button);
  }
}

/**
 * Runs a test on a page of its own. `board` is the one that `screen.open` shows and `truth` knows, `solved` has a database, `options`
 * are those of the server, and `device` those of the browser. `only` is "server" or "site"; Firefox leaves out what `needsChromium`. What
 * the page folds away is open unless `folded` is set. The browser must have nothing to complain about at the end: no exception, and
 * nothing that the page's policy forbids.
 */
export function pageTest(title, body, { board = "5x4", solved = "5x4", options = [], device = {}, only = "", needsChromium = false, folded = false } = {}) {
  if (only === (SITE ? "server" : "site") || (needsChromium && FIREFOX)) return;
  test(title, { timeout: 10 * LIMIT }, async () => {
    const program = new (SITE ? Site : Program)(solved);
    const url = await program.serve(options);
    const context = await (await browserOf(device)).newContext({ viewport: { width: 1280, height: 1000 }, ...device });
    const page = await context.newPage();
    const screen = new Screen(page, `${url}/?board=${board}`);
    const unfold = () => addEventListener("DOMContentLoaded", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    if (!folded) await page.addInitScript(unfold);
    /** Stores a picture of the window, for looking at, if a folder is named. */
    const picture = async (what) => {
      const name = `${title}-${what}.png`.replaceAll(/[ ,]+/g, "-");
      if (PICTURES) await page.screenshot({ path: join(PICTURES, name) });
    };
    try {
      await body({ screen, page, context, program, url, picture, truth: new Truth(program, board) });
      await picture("end");
      const ofRequests = (text) => screen.requestsMayFail && text.startsWith("Failed to load resource");
      // To take a picture, Playwright gives Firefox a style that the page's policy forbids.
      const ofPictures = (text) => FIREFOX && PICTURES && text.includes("an inline style");
      assert.deepEqual(screen.complaints.filter((text) => !ofRequests(text) && !ofPictures(text)), []);
    } catch (error) {
      // What was seen last tells more than what failed.
      console.error(title, screen.seen.at(-1));
      await picture("failed");
      throw error;
    } finally {
      await context.close();
      await program.stop();
      rmSync(program.folder, { recursive: true });
    }
  });
}
