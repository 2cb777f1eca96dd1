// The keys.

import assert from "node:assert/strict";
import { spaced, withValues } from "./shown.mjs";
import { pageTest } from "./support.mjs";

pageTest("keys play, undo, redo, hide, flip and begin anew", async ({ screen, page, truth, picture }) => {
  await screen.open();
  await screen.after(screen.press("4", "5"), "45");
  // The first arrow leads into the middle, the next ones to its neighbours.
  await screen.press("ArrowLeft");
  assert.equal((await screen.settled()).focus, "column 4");
  assert.equal((await screen.after(screen.press("ArrowLeft", "Enter"), "453")).focus, "column 3");
  await screen.after(screen.press(" "), "4533");
  const played = await screen.after(screen.press("ArrowDown"), "45333");
  assert.deepEqual([played.focus, played.canRedo], ["column 3", false]);
  truth.check(played);

  assert.ok((await screen.after(screen.press("u"), "4533")).canRedo);
  await screen.after(screen.press("r"), "45333");
  for (const moves of ["4533", "453", "45"]) {
    const undone = await screen.after(screen.press("u"), moves);
    truth.check(undone);
    assert.equal(undone.plies.length, 6);
  }
  // The same move again keeps the moves after it. Another one drops them.
  assert.equal((await screen.after(screen.press("3"), "453")).plies.length, 6);
  const other = await screen.after(screen.press("1"), "4531");
  assert.deepEqual([other.plies.length, other.canRedo], [5, false]);

  await screen.press("v");
  const hidden = await screen.until("values are hidden", (shown) => withValues(shown).length === 0);
  assert.equal(hidden.status, "Red to move.");
  assert.ok(hidden.columns.every(({ text, name }) => text === "" && !name.includes(" in ")));
  assert.deepEqual(withValues(await screen.after(screen.press("2"), "45312")), []);
  assert.deepEqual(withValues(await screen.after(page.reload(), "45312")), []);
  await screen.press("v");
  truth.check(await screen.until("values are shown", (shown) => withValues(shown).length === 7));

  await screen.press("f");
  const flipped = await screen.until("the board is mirrored", (shown) => shown.columns[0].column === 7);
  truth.check(flipped);
  assert.ok(flipped.columns.every(({ left }, at) => at === 0 || flipped.columns[at - 1].left < left));
  await picture("flipped");
  await screen.after(screen.press("7"), "453127");
  await screen.press("ArrowRight", "ArrowRight", "Enter");
  // To the right of the middle is column 3 now.
  truth.check(await screen.settledAt("4531273"));
  await screen.press("f");
  await screen.until("the board is no longer mirrored", (shown) => shown.columns[0].column === 1);

  assert.equal((await screen.after(screen.press("n"), "")).plies.length, 1);
  // Fields keep their keys, and a switch turns the keys off.
  await page.locator("#paste").pressSequentially("12uf");
  await page.click("#keys-toggle");
  const same = await screen.after(screen.press("4"), "");
  assert.deepEqual([same.focus, same.columns[0].column], ["keys-toggle", 1]);
}, { board: "7x6" });

pageTest("letters are columns of wide boards, and commands with Shift", async ({ screen, truth }) => {
  await screen.open();
  for (const moves of ["b", "b9", "b9a", "b9ac"]) {
    await screen.after(screen.press(moves.at(-1)), moves);
  }
  assert.equal((await screen.settled()).lineNote, "");
  await screen.press("Shift+B");
  const { line } = truth.of("b9ac");
  await screen.until("the line is shown", ({ lineNote }) => lineNote === spaced(line));
  // No column has this letter, so it is the command without Shift too.
  await screen.after(screen.press("u"), "b9a");
  await screen.after(screen.press("Shift+R"), "b9ac");
}, { board: "12x1", solved: "12x1" });
