// Whole games against the players, also when the server goes away.

import assert from "node:assert/strict";
import { ply, withValues } from "./shown.mjs";
import { PATIENT, pageTest } from "./support.mjs";

const GONE = "The server cannot be reached. The page tries again every 5 seconds; you can play on without values.";

/**
 * Plays the first player by clicks until the game is over. `choose` gets the moves, best first. Compares every look at the page on
 * the way with the command line, and the history and the end of the game.
 */
async function playToTheEnd(screen, truth, choose) {
  screen.seen = [];
  for (let shown = await screen.settled(); !shown.over;) {
    const next = shown.ply + 2;
    await screen.play(choose(truth.of(shown.moves).children).column);
    shown = await screen.settled("the computer answers", ({ over, ply }) => over || ply === next);
  }
  const end = await screen.whole();
  assert.ok(screen.seen.filter(({ settled, over }) => settled && !over).length > Math.floor(end.ply / 3));
  screen.seen.forEach((seen) => truth.check(seen));
  truth.checkHistory(end, end.moves);
  truth.checkEnd(end);
  return end;
}

pageTest("whole games of 5x4 against perfect show every value", async ({ screen, page, truth, picture }) => {
  await screen.open();
  await screen.choose("second", "perfect");
  const tied = await playToTheEnd(screen, truth, (moves) => moves[0]);
  assert.deepEqual([tied.ply, tied.lines], [20, []]);
  await picture("tie");
  await screen.after(page.click("#restart"), "");
  const lost = await playToTheEnd(screen, truth, (moves) => moves.at(-1));
  assert.ok(lost.ply % 2 === 0 && lost.lines.length > 0);
  // Undo goes back to the last move of the person, and the computer plays the same side from there.
  await page.click("#undo");
  const undone = await screen.whole(lost.ply - 2);
  truth.check(undone);
  truth.checkHistory(undone, lost.moves);
});

pageTest("a whole game of 7x6 against perfect shows every value", async ({ screen, page, truth, url }) => {
  await page.goto(`${url}/`);
  await screen.choose("second", "perfect:first");
  const won = await playToTheEnd(screen, truth, (moves) => moves[0]);
  assert.deepEqual([won.ply, won.lines.length > 0], [41, true]);
}, { board: "7x6", options: PATIENT });

pageTest("players have the levels that a board allows", async ({ screen, page, url }) => {
  const levels = (count) => screen.until(`${count} levels`, async () => await page.locator("#first-level option").count() === count);
  await screen.open("4");
  await page.selectOption("#first-player", "pomakis");
  await levels(11);
  await page.selectOption("#first-level", "11");
  await page.selectOption("#board-select", "6x6");
  await levels(12);
  // A level that is too high here is not asked for: the computer moves at once, with the highest one. The search for the values
  // goes on when the server is gone.
  screen.requestsMayFail = true;
  await page.goto(`${url}/?board=32x2`);
  const moved = await screen.until("the computer moves", ({ ply }) => ply === 1);
  assert.equal(moved.error, "");
  await levels(6);
  assert.equal(await page.inputValue("#first-level"), "6");
}, { board: "7x6" });

pageTest("two computers play a game that is stepped through and goes on", async ({ screen, page, truth }) => {
  await screen.open(truth.of("").line.slice(0, 12));
  for (const side of ["second", "first"]) await screen.choose(side, "perfect:first");
  await screen.until("the game is over", ({ over }) => over);
  const end = await screen.whole();
  truth.checkEnd(end);
  truth.checkHistory(end, end.moves);
  for (const back of [1, 2, 3]) {
    await page.click("#undo");
    assert.ok((await screen.whole(end.ply - back)).canGoOn);
  }
  await page.click("#redo");
  await screen.whole(end.ply - 2);
  await page.click("#go-on");
  assert.equal((await screen.whole(end.ply)).moves, end.moves);
});

pageTest("a game goes on after the server was stopped and started again", async ({ screen, page, program, truth, picture }) => {
  screen.requestsMayFail = true;
  await screen.open("12");
  await program.stop();
  // Two people play on without values.
  for (const [column, moves] of [[3, "123"], [4, "1234"]]) {
    await screen.play(column);
    const shown = await screen.until("the error is said", (now) => now.moves === moves && now.canRetry && now.error !== "");
    assert.deepEqual([shown.error, shown.settled], [GONE, false]);
    truth.check(shown);
  }
  await picture("gone");
  // A keyboard stays where it is while the page tries again.
  await page.focus("#retry");
  await screen.press("Enter");
  const again = await screen.until("it is said again", ({ canRetry }) => canRetry);
  assert.deepEqual([again.focus, again.error, again.moves, again.settled], ["retry", GONE, "1234", false]);
  await program.serve();
  await page.click("#retry");
  const back = await screen.whole();
  assert.deepEqual([back.moves, back.error, back.canRetry], ["1234", "", false]);
  truth.check(back);
  truth.checkHistory(back, "1234");

  // A person waits for a computer.
  await screen.choose("second", "perfect");
  await program.stop();
  await screen.play(1);
  const waits = await screen.until("the error is said", ({ canRetry, settled, thinking }) => canRetry && !settled && !thinking);
  assert.deepEqual([waits.moves, waits.error], ["12341", GONE]);
  await program.serve();
  await page.click("#retry");
  const answered = await screen.settled("the computer answers", ({ ply }) => ply === 6);
  assert.ok(answered.error === "" && answered.moves.startsWith("12341"));
  truth.check(answered);
  await playToTheEnd(screen, truth, (moves) => moves[0]);
}, { only: "server" });

pageTest("a busy server is asked again after the seconds that it names", async ({ screen, page, context, truth }) => {
  screen.requestsMayFail = true;
  let asked = 0;
  const busy = { status: 503, headers: { "Retry-After": "1" } };
  await context.route(/\/api\/v1\/position\?/, (route) => (asked++ === 0 ? route.fulfill(busy) : route.continue()));
  await page.goto(screen.address);
  const text = "The server is busy. The page asks again in 1 second.";
  await screen.until("the trouble is said", ({ error, canRetry }) => error === text && canRetry);
  truth.check(await screen.settled("the page has asked again", ({ error }) => error === ""));
}, { only: "server" });

pageTest("a board that is too large is said without alarm, with a guess as a hint, and can be tried again", async ({ screen, page, url }) => {
  const givenUp = ({ canRetry, error, source }) => canRetry && error === "" && source.startsWith("8x7 is not solved this early");
  screen.requestsMayFail = true;
  await page.goto(`${url}/?board=8x7&moves=44`);
  const { columns } = await screen.until("the search is given up", givenUp);
  assert.ok(columns.every(({ value }) => value === null));
  // One can play on.
  await screen.press("4");
  await screen.until("it is given up again", (shown) => shown.moves === "444" && givenUp(shown));
  await page.click("#retry");
  await screen.until("it is tried again", givenUp);
  await page.click("#hint");
  await page.waitForFunction(() => /A guess: column [1-8]\.$/.test(document.getElementById("remark").textContent));
  // Where a perfect player finds no move, the strongest one moves.
  await screen.choose("second", "perfect");
  await screen.until("a computer moves", ({ ply }) => ply === 4);
  assert.match(await page.textContent("#remark"), /^Perfect play is not known here, so pomakis:\d+ moved\.$/);
  assert.match(await page.textContent("#live"), /Yellow plays column \d \(pomakis:\d+\)\./);
  // What is known has its reason.
  await page.goto(`${url}/?board=8x7&moves=12121&second=human`);
  const some = await screen.until("some moves are decided", givenUp);
  assert.deepEqual([some.columns[0].value, some.columns[2].value], [null, "lose"]);
  await page.hover('#board [data-column="3"]');
  await screen.until("the reason is told", async () => (await page.textContent("#why")).startsWith("3: Red completes "));
}, { options: ["--search-nodes", "2000"], only: "server" });

pageTest("one tap begins a game against a level, with hidden values, hints and changed sides", async ({ screen, page, truth, picture }) => {
  await screen.open();
  const opponent = (name) => page.getByLabel(name, { exact: true }).check();
  await opponent("easy");
  assert.equal(await page.textContent("#sides-note"), "You are Red and begin.");
  await screen.play(4);
  const answered = await screen.settled("the level answers", ({ ply }) => ply === 2);
  assert.deepEqual([withValues(answered), answered.status], [[], "Red to move."]);
  await screen.until("the level is told", async () => (await page.textContent("#live")).includes("(level:2)"));
  // A hint is one of the best moves, shown once and counted.
  const best = truth.of(answered.moves).children.filter(({ value, remoteness }, _, [first]) => value === first.value && remoteness === first.remoteness);
  await page.click("#hint");
  const hint = Number((await page.textContent("#remark")).match(/^Hint: column (\d)\.$/)[1]);
  assert.ok(best.some(({ column }) => column === hint));
  assert.deepEqual([await page.textContent("#hint"), await page.getAttribute(`[data-column="${hint}"] [data-ghost]`, "data-ghost")], ["Hint (1)", "hint"]);
  await picture("hint");
  await screen.play(hint);
  await screen.settled("it answers again", ({ ply }) => ply === 4);
  assert.equal(await page.locator("[data-ghost]").count(), 0);
  // The other side begins a new game at once. Without an opponent the values are there again.
  await page.click("#swap");
  await page.click("#restart");
  const begun = await screen.settled("the level begins", ({ ply }) => ply === 1);
  assert.deepEqual([begun.status, await page.textContent("#sides-note"), await page.textContent("#hint")], ["Yellow to move.", "You are Yellow.", "Hint"]);
  await opponent("nobody: analyse");
  truth.check(await screen.settled("the values are shown", (shown) => withValues(shown).length === 5));
  await screen.until("the reason is told", async () => await page.textContent("#why") !== "");
  await page.click("#first");
  await screen.settledAt("");
  await page.click("#last");
  await screen.settledAt(begun.moves);
}, { folded: true });

pageTest("a reason is told for the position and for the move that is looked at", async ({ screen, page, picture }) => {
  const told = (text) => screen.until(text, async () => await page.textContent("#why") === text);
  await screen.open("112233");
  await told("Red completes a line at column 4, row 1.");
  await page.hover('[data-column="5"]');
  await told("5: Red threatens column 4, row 1, so Yellow must play there.");
  await picture("reason");
  // A click is not lost when the focus moves on, on a value or on a row of the history.
  await screen.after(screen.play(5), "1122335");
  await screen.after(page.locator('[data-column="4"] .value .word').first().click(), "11223354");
  await page.locator(`${ply(0)} .worth span`).click();
  await screen.until("the start is shown", (shown) => shown.ply === 0);
}, { board: "7x6" });

for (const [width, height, least] of [[1366, 657, 490], [2560, 1440, 1000]]) {
  pageTest(`the board is ${least} pixels wide in a window of ${width} x ${height}, with its buttons below`, async ({ screen, page }) => {
    await screen.open("4453");
    const [board, buttons] = await Promise.all(["#board", "#game-buttons"].map((id) => page.locator(id).boundingBox()));
    assert.ok(board.width >= least && buttons.y + buttons.height <= height, JSON.stringify([board, buttons]));
  }, { board: "7x6", device: { viewport: { width, height } }, folded: true });
}

pageTest("a line that loses is named where the position is decided", async ({ screen, page }) => {
  await page.goto(screen.address);
  const { status } = await screen.settled();
  assert.match(status, /^Red (wins: Yellow|loses: Red) must complete a line, at the latest in \d+ plies\.$|^Red to move: a tie with best play\.$/);
}, { board: "3x3c3m", solved: "4x4" });

pageTest("the puzzle of the day is tried until it is solved, and counts the days", async ({ screen, page, program, truth }) => {
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toLocaleDateString("sv-SE");
  await page.addInitScript(([last]) => {
    // Firefox runs this in the empty page as well, which has no storage.
    if (origin !== "null") localStorage.setItem("fourbase.practise", localStorage.getItem("fourbase.practise") ?? JSON.stringify({ last, days: 6 }));
  }, [Number(day(1).replaceAll("-", ""))]);
  await screen.open();
  const note = (begins) => screen.until(begins, async () => (await page.textContent("#practise-note")).startsWith(begins));
  await note("6 days in a row. The puzzle of today waits.");
  await page.click("#best-line");
  await page.click("#daily");
  const [{ position, solution }] = program.json("puzzles", "7x6", "--date", day(0)).puzzles;
  const shown = await screen.settledAt(position.moves);
  assert.match(shown.status, /^(Red|Yellow) to move: one move (holds the tie|wins.*)\. Find it\.$/);
  // Nothing tells the solution.
  assert.deepEqual([withValues(shown), shown.summary, shown.lineNote, shown.plies.filter(({ value }) => value)], [[], "", "", []]);
  const wrong = solution === 1 ? 2 : 1;
  await screen.play(wrong);
  await screen.until("it is wrong", async () => (await page.textContent("#remark")).startsWith(`Column ${wrong} gives the `));
  await screen.play(solution);
  const solved = await screen.settledAt(`${position.moves}${solution}`);
  assert.equal(solved.plies.at(-1).isMistake, false);
  await note("7 days in a row. Solved today.");
  await page.reload();
  await note("7 days in a row. Solved today.");
  // Another one is of the board that is shown; whoever looks at the values has given it up.
  await screen.open();
  await page.click("#puzzle");
  await screen.until("another one is drawn", ({ status, ply }) => ply > 0 && status.endsWith("Find it."));
  await page.click("#values-toggle");
  truth.check(await screen.settled("the values are shown", (seen) => withValues(seen).length > 0));
}, { solved: "5x4" });
