// What the page shows beside the values of moves: best play, the history, the rule.

import assert from "node:assert/strict";
import { ply, spaced } from "./shown.mjs";
import { pageTest } from "./support.mjs";

pageTest("the best line is that of the command line and is played move by move", async ({ screen, truth }) => {
  const shows = (line) => screen.until("the line is shown", ({ lineNote }) => lineNote === spaced(line));
  await screen.open("12");
  await screen.press("b");
  const { line } = truth.of("12");
  await shows(line);
  for (const played of [1, 2, 3, 4]) {
    truth.check(await screen.after(screen.press("p"), `12${line.slice(0, played)}`));
    await shows(line.slice(played));
  }
  const here = `12${line.slice(0, 4)}`;
  const worst = `${truth.of(here).children.at(-1).column}`;
  assert.notEqual(worst, line[4]);
  await screen.after(screen.press(worst), here + worst);
  await shows(truth.of(here + worst).line);
});

pageTest("the history marks mistakes and leads to every ply", async ({ screen, page, truth, url, picture }) => {
  const game = "123412";
  await screen.open(game);
  const { plies, ...shown } = await screen.whole();
  truth.checkHistory({ plies, ...shown }, game);
  assert.deepEqual(plies.map(({ mistake }) => mistake), ["", "tie -> loss", "", "", "win -> tie", "tie -> loss", "win -> tie"]);
  await picture("mistakes");
  for (const at of [2, 5, 0, 6, 1]) {
    const gone = await screen.after(page.click(ply(at)), game.slice(0, at));
    assert.equal(gone.address, `${url}/?board=5x4&moves=${game}${at < 6 ? `&ply=${at}` : ""}`);
    truth.check(gone);
    truth.checkHistory(gone, game);
  }
  // A mistake is marked as soon as it is made.
  await screen.after(page.click("#restart"), "");
  await screen.play(1);
  const marked = await screen.whole(1);
  truth.checkHistory(marked, "1");
  assert.equal(marked.plies[1].worth, "Yellow wins in 19 plies\nmistake: tie -> loss");
});

pageTest("a game from a set-up position has values, a history and players", async ({ screen, page, truth, url }) => {
  // No game leads here: the lowest pieces are the second player's.
  const start = "1_--XO--XO------------";
  await page.goto(`${url}/?board=5x4&start=${start}&moves=5`);
  await screen.settled("the game is shown", ({ ply }) => ply === 1);
  await screen.press("l");
  await screen.choose("second", "perfect");
  const { error, status, plies } = await screen.whole(2);
  assert.ok(error === "" && status.endsWith("The game starts from a set-up position."), `${error} ${status}`);
  for (const [ply, text] of [[0, start], [2, await page.inputValue("#export-uni")]]) {
    const { value, remoteness } = truth.of(text);
    assert.deepEqual([plies[ply].value, plies[ply].remoteness], [value, remoteness]);
  }
  // The perfect player kept the value.
  assert.equal(plies[2].mistake, "");
  await page.selectOption("#second-player", "human");
  await screen.play(4);
  await screen.whole(3);
  await screen.until("the rule answers", async () => await page.getAttribute("#follow-up-note", "data-column") === "4");
});

pageTest("the rule of the second player is shown, and where it gives value away", async ({ screen, page }) => {
  const note = page.locator("#follow-up-note");
  await screen.open("1");
  await screen.press("l");
  await screen.until("the rule answers", async () => await note.getAttribute("data-column") === "1");
  assert.equal(await note.getAttribute("data-gives"), "win -> tie");
  assert.equal(await note.textContent(), "The rule answers with column 1: a mistake: win -> tie.");
  // Where the rule's column is full, or nobody has moved, it has no reply.
  await screen.press("n");
  await screen.until("the rule has no reply", async () => (await note.textContent()).startsWith("The rule has no reply here."));
  assert.equal(await note.getAttribute("data-column"), "");
});
