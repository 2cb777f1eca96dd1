// The page without a server: another transport answers in its place.

import assert from "node:assert/strict";
import { pageTest } from "./support.mjs";

/** Connects a transport that knows one answer, and is too busy for moves. It runs in the browser. */
async function connectOther() {
  const { Trouble, connect } = await import(new URL("page/transport.js", document.baseURI).href);
  const children = [1, 2, 3, 4, 5].map((column) => ({ column, value: column === 2 ? "win" : "tie", remoteness: 10 + column }));
  const position = { value: "win", remoteness: 12, children, source: { kind: "search", nodes: 5 }, error: null, line: "2345" };
  const answers = {
    position: [{ ...position, children: children.map(({ column }) => ({ column, value: null, remoteness: null })) }, position],
    analysis: [{ steps: [{ value: "tie", remoteness: 20 }], value: "win", remoteness: 12 }],
    players: [{ players: [] }],
    boards: [{ boards: [{ board: "5x4" }] }],
  };
  globalThis.asked = new Set();
  connect({
    async ask(name, fields, { onPart }) {
      globalThis.asked.add(name);
      if (!answers[name]) throw new Trouble("busy", "", 3);
      if (onPart) answers[name].forEach(onPart);
      return answers[name].at(-1);
    },
    picture: async ({ position }) => `data:,${position}`,
    complaints: { busy: (seconds) => `The tab is busy for ${seconds} s.` },
  });
}

pageTest("another transport answers in the place of the server", async ({ screen, page, program }) => {
  // A browser may ask for the icon again.
  screen.requestsMayFail = true;
  await screen.open();
  await page.evaluate(connectOther);
  await program.stop();
  await screen.play(3);
  const { columns, plies, status, error } = await screen.whole(1);
  assert.deepEqual(columns.map(({ text }) => text), ["tie\nin 11", "win\nin 12", "tie\nin 13", "tie\nin 14", "tie\nin 15"]);
  assert.deepEqual([plies[1].worth, status, error], ["Yellow wins in 12\nmistake: tie -> loss", "Yellow to move: win in 12.", ""]);
  assert.equal(await page.inputValue("#export-svg"), "data:,3");
  await screen.press("b");
  await screen.until("the line is shown", ({ lineNote }) => lineNote === "Best line: 2 3 4 5");
  await page.focus("#board-select");
  await page.selectOption("#second-player", "perfect");
  await screen.until("the trouble is said in its words", (shown) => shown.error === "The tab is busy for 3 s." && shown.canRetry);
  assert.deepEqual(await page.evaluate("[...asked].sort()"), ["boards", "move", "position"]);
}, { only: "server" });
