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
  assert.deepEqual(plies.map(({ isMistake }) => isMistake), [false, true, false, false, true, true, true]);
  assert.equal(shown.summary, "Red 2 mistakes, Yellow 2; decided at move 6; best was 3.");
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
  assert.equal(marked.plies[1].worth, "Yellow wins in 19 plies\nmistake: tie to loss; best: 2, 3 or 4");
});

pageTest("the review leads from mistake to mistake, and a move is tried again", async ({ screen, page, truth }) => {
  await screen.open("123412");
  await screen.whole();
  // From the end it begins again.
  for (const at of [1, 4, 5, 6, 1]) {
    await page.click("#next-mistake");
    const gone = await screen.settledAt("123412".slice(0, at));
    assert.match(gone.step, new RegExp(`^${at}\\. ${"123412"[at - 1]}: mistake: (tie to loss|win to tie); best: `));
  }
  assert.equal((await screen.settledAt("1")).plies.length, 7);
  // The move before a mistake is tried again; the moves after it are gone.
  await screen.after(page.click(ply(5)), "12341");
  await page.click("#retry-here");
  truth.check(await screen.settledAt("1234"));
  await screen.play(3);
  const better = await screen.whole(5);
  assert.equal(better.step, "5. 3: best");
  truth.checkHistory(better, "12343");
  // Each move of the best line is a button.
  await page.click("#best-line");
  const { lineNote } = await screen.until("the line is there", (shown) => /^Best line: \d/.test(shown.lineNote));
  const line = lineNote.replace(/\D/g, "");
  await page.click("#line-note button:nth-of-type(3)");
  truth.check(await screen.settledAt(`12343${line.slice(0, 3)}`));
  assert.equal((await screen.until("the line goes on", (shown) => shown.lineNote)).lineNote.replace(/\D/g, ""), line.slice(3));
});

pageTest("the end of a game leads to another game or to its review", async ({ screen, page }) => {
  await screen.open("1213141");
  const end = await screen.whole();
  assert.equal(end.status, "Red wins with a line in column 1.");
  await page.click("#review");
  await screen.settledAt("1");
  await page.click("#last");
  await screen.settledAt("1213141");
  await page.click("#rematch");
  assert.equal((await screen.settledAt("")).plies.length, 1);
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
  assert.equal(plies[2].isMistake, false);
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
  assert.equal(await note.getAttribute("data-gives"), "win to tie");
  assert.equal(await note.textContent(), "The rule answers with column 1: a mistake: win to tie.");
  // Where the rule's column is full, or nobody has moved, it has no reply.
  await screen.press("n");
  await screen.until("the rule has no reply", async () => (await note.textContent()).startsWith("The rule has no reply here."));
  assert.equal(await note.getAttribute("data-column"), "");
});
