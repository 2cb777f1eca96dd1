// Links, the history of the browser, and positions in and out.

import assert from "node:assert/strict";
import { Truth, ply, withValues } from "./shown.mjs";
import { pageTest } from "./support.mjs";

pageTest("a link opens its game, and back, forward and reload keep it", async ({ screen, page, program, truth, url }) => {
  const opened = await screen.open("4453");
  truth.check(opened);
  const link = (moves) => `${url}/?board=7x6&moves=${moves}`;
  assert.deepEqual([opened.address, opened.link], [link("4453"), link("4453")]);
  await screen.after(screen.play(1), "44531");
  assert.equal((await screen.after(screen.play(7), "445317")).address, link("445317"));
  for (const [moves, step] of [
    ["44531", "goBack"], ["4453", "goBack"], ["44531", "goForward"], ["445317", "goForward"], ["445317", "reload"], ["44531", "goBack"],
  ]) {
    await page[step]();
    const shown = await screen.settledAt(moves);
    assert.equal(shown.address, link(moves));
    truth.check(shown);
  }
  // A ply in the middle is part of the link, and no step of the history.
  await screen.after(page.goForward(), "445317");
  const entries = await page.evaluate("history.length");
  const undone = await screen.after(page.click("#undo"), "44531");
  assert.deepEqual([undone.canRedo, undone.address, undone.link], [true, `${link("445317")}&ply=5`, `${link("445317")}&ply=5`]);
  assert.ok((await screen.after(page.reload(), "44531")).canRedo);
  await screen.after(page.click(ply(2)), "44");
  await screen.after(page.click("#redo"), "445");
  await screen.after(page.click(ply(6)), "445317");
  assert.equal(await page.evaluate("history.length"), entries);
  await screen.after(page.goBack(), "44531");
  await screen.after(page.goForward(), "445317");
  // Another board is a step of the history too.
  await page.selectOption("#board-select", "7x5");
  new Truth(program, "7x5").check(await screen.settled("the other board is shown", ({ board }) => board === "7x5"));
  truth.check(await screen.after(page.goBack(), "445317"));
  // A link that stops being a game is shown as far as it goes, and a link in any notation is read.
  const { error } = await screen.after(page.goto(link("44444448")), "444444");
  assert.equal(error, "This link has a move that is not possible. Move 7: column 4 is full. The moves before it are shown.");
  truth.check(await screen.after(page.goto(`${url}/?board=7x6&position=2_-----------------------X------------------`), "4"));
  for (const [query, moves] of [
    ["pos=4453", "4453"], ["moves=4,4,5,3&ply=3", "445"], ["moves=44&ply=9", "44"], ["moves=44&ply=x", "44"], ["moves=1.+4+4+2.+5", "445"],
  ]) {
    truth.check(await screen.after(page.goto(`${url}/?${query}`), moves));
  }
  // A link of gamesolver.org opens its board from any other.
  await screen.after(page.goto(`${url}/?board=5x4`), "");
  for (const [path, moves] of [["?pos=4453", "4453"], ["en/?pos=445#x", "445"]]) {
    const shown = await screen.after(screen.send("#paste", `https://connect4.gamesolver.org/${path}`, "#paste-go"), moves);
    assert.equal(shown.board, "7x6");
    truth.check(shown);
  }
}, { board: "7x6" });

pageTest("the page works under the path of a proxy", async ({ screen, page, truth, url }) => {
  assert.ok(url.endsWith("/connect4"));
  // The path without the slash at its end leads to the page as well.
  assert.equal((await screen.after(page.goto(url), "")).address, `${url}/?board=7x6&moves=`);
  truth.check(await screen.open("33"));
  const shown = await screen.after(screen.play(2), "332");
  assert.deepEqual([shown.address, shown.link], Array(2).fill(`${url}/?board=5x4&moves=332`));
  const address = await page.inputValue("#export-svg");
  assert.ok(address.startsWith(`${url}/`));
  const picture = await fetch(address);
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/svg+xml"]);
  await screen.choose("first", "perfect");
  await screen.play(2);
  truth.check(await screen.settled("the computer answers", ({ ply }) => ply === 5));
  const names = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  assert.ok(names.length > 15 && names.every((name) => name.startsWith(`${url}/`)), names.join("\n"));
}, { options: ["--base-path", "/connect4"], only: "server" });

pageTest("pasted games and positions are opened and shown in every notation", async ({ screen, page, truth, url }) => {
  await screen.open();
  const { bits, uni } = truth.of("3321").position;
  // Without the order of moves the smallest one is shown.
  const smallest = truth.of(uni).position.moves;
  for (const [text, moves] of [
    ["3321", "3321"], ["-", ""], [bits, smallest], ["1. 3 3 2. 2 1", "3321"], [uni, smallest],
    [`${url}/?board=5x4&moves=332`, "332"], ["3, 3, 2", "332"],
    ["3 3 2 1", "3321"], ["1. 3 3", "33"], [`"33"`, "33"],
    ["1. 3 2. 3 3. 2", "332"], ["3321 1-0", "3321"], ["[3,3,2,1]", "3321"], ["3;3;2", "332"], ["moves: 332", "332"], ["5x4 33", "33"], ["1) 3 2) 3", "33"],
    ["?board=5x4&moves=3321&ply=2", "33"],
  ]) {
    truth.check(await screen.after(screen.send("#paste", text, "#paste-go"), moves));
    const { position } = truth.of(moves);
    for (const notation of ["moves", "bits", "uni"]) {
      assert.equal(await page.inputValue(`#export-${notation}`), position[notation]);
    }
  }
  // Nothing opens nothing.
  await screen.send("#paste", " ", "#paste-go");
  assert.deepEqual((await screen.after(screen.play(1), "331")).wrong, {});
  await page.click("#copy-bits");
  const said = ["Columns as bits copied.", "Copying is not allowed here. The text is selected: press Ctrl+C."];
  await screen.until("the copy is said", async () => said.includes(await page.textContent("#remark")));
});

pageTest("what cannot be read is refused in a sentence that stays while a computer moves", async ({ screen, page, url }) => {
  screen.requestsMayFail = true;
  await screen.open();
  await screen.until("nothing more is asked", async () => await page.textContent("#why") !== "");
  const requests = [];
  page.on("request", (request) => { if (request.url().includes("/api/")) requests.push(request.url()); });
  const refused = async (text, reason) => {
    await screen.send("#paste", text, "#paste-go");
    const { wrong } = await screen.until(`${text.slice(0, 20)} is refused`, (shown) => reason.test(shown.wrong.paste ?? ""));
    assert.deepEqual(Object.keys(wrong), ["paste"]);
  };
  await refused("3".repeat(20_000), /^This text has 20,000 characters, and no game or position needs more than 512\.$/);
  await refused(`${url}/`, /^This link has no game\./);
  await refused("99x99 44", /^99x99 is no board\. Write columns x rows with at most 32 columns and 64 cells/);
  assert.deepEqual(requests, []);
  await refused("1. 3 3. 3", /^Not possible: /);
  await page.selectOption("#second-player", "random");
  await refused("hello", /^Not possible: /);
  await page.click("#restart");
  await refused("hello", /^Not possible: /);
  await page.selectOption("#first-player", "random");
  const { wrong } = await screen.until("the computers have played", ({ over }) => over);
  assert.match(wrong.paste, /^Not possible: /);
  // A drawn board has more than one line.
  const drawn = ". . . . .\n. . . . .\n. . O . .\n. . X . .\n1 2 3 4 5";
  await page.evaluate((text) => {
    // Firefox takes no data for an event of the clipboard that a script makes.
    const event = new Event("paste", { bubbles: true, cancelable: true });
    document.getElementById("paste").dispatchEvent(Object.assign(event, { clipboardData: { getData: () => text } }));
  }, drawn);
  assert.deepEqual((await screen.until("the board is open", ({ moves }) => moves.startsWith("33"))).wrong, {});
});

pageTest("links with a board or moves that are impossible say what may be written", async ({ screen, page, url }) => {
  for (const [query, said] of [
    ["board=99x99", "This link has a board that is not possible. 99x99 is no board. Write columns x rows with at most 32 columns and 64 cells, such as 7x6, 4x4c3 or 6x6m. The empty board is shown."],
    ["board=", "This link has a board that is not possible. That is no board. Write"],
    ["board=64x1", "This link has a board that is not possible. 64x1 is no board. Write"],
    ["board=5x4&moves=11119", "This link has a move that is not possible. Move 5: 5x4 has no column 9. The moves before it are shown."],
  ]) {
    await page.goto(`${url}/?${query}`);
    await screen.until(query, ({ error }) => error.startsWith(said));
  }
  await page.goto(`${url}/?board=5x4&moves=d1d2`);
  assert.equal((await screen.settledAt("44")).error, "");
});

pageTest("an address that is not there leads browsers home, and tells programs", async ({ screen, page, url }) => {
  screen.requestsMayFail = true;
  assert.equal((await page.goto(`${url}/nowhere`)).status(), 404);
  await page.click("a");
  await screen.settled();
  const answer = await fetch(`${url}/nowhere`);
  assert.deepEqual([answer.status, Object.keys(await answer.json())], [404, ["error"]]);
}, { only: "server" });

pageTest("random positions and other boards are opened", async ({ screen, page, truth }) => {
  await screen.open();
  for (const number of [7, 4, 9]) {
    await screen.send("#random-ply", `${number}`, "#random");
    truth.check(await screen.settled("a random position", ({ ply }) => ply === number));
  }
  // Without a number any will do.
  await screen.send("#random-ply", "", "#random");
  assert.equal((await screen.settled()).error, "");
  await screen.write("#board-columns", "4");
  await screen.send("#board-rows", "3", "#board-go");
  const shown = await screen.settled("the other board is shown", ({ board }) => board === "4x3");
  assert.deepEqual([shown.columns.length, shown.moves], [4, ""]);
  screen.requestsMayFail = true;
  await screen.write("#board-columns", "99");
  await screen.send("#board-rows", "99", "#board-go");
  await screen.until("the error is said", ({ wrong, error }) => wrong["board-custom"]?.startsWith("99x99 is no board.") && !error);
  await screen.send("#random-ply", "13", "#random");
  await screen.until("its error is said", ({ wrong }) => wrong["random-ply"]?.startsWith("Not possible: "));
  await screen.send("#paste", "44x", "#paste-go");
  const wrong = await screen.until("the third error is said", (now) => now.wrong.paste);
  assert.deepEqual([Object.keys(wrong.wrong), wrong.error], [["paste", "random-ply", "board-custom"], ""]);
  // They are over with the next move.
  assert.deepEqual((await screen.after(screen.play(1), "1")).wrong, {});
});

pageTest("a link holds the players and that values are hidden, and a frame shows the board alone", async ({ screen, page, url }) => {
  await page.goto(`${url}/?board=5x4&moves=12`);
  await screen.settledAt("12");
  await page.selectOption("#second-player", "level");
  const { link } = await screen.until("the link has the player", (shown) => shown.link.endsWith("&moves=12&second=level%3A3&values=off"));
  await page.selectOption("#second-player", "human");
  await page.goto(link);
  const opened = await screen.settledAt("12");
  assert.deepEqual([withValues(opened), await page.inputValue("#second-player"), await page.inputValue("#second-level")], [[], "level", "3"]);
  await page.goto(`${url}/?board=5x4&moves=12&second=human&embed=1`);
  await screen.settledAt("12");
  const seen = await page.$$eval("section, header", (parts) => parts.filter((part) => part.offsetHeight > 1).map(({ id }) => id));
  assert.deepEqual(seen, ["play"]);
  assert.equal(await page.getAttribute("#whole a", "href"), `${url}/?board=5x4&moves=12`);
});

pageTest("a presentation covers the values until somebody asks for them", async ({ screen, page, picture }) => {
  await screen.open("12");
  await page.click("#present");
  const covered = await screen.until("they are covered", (shown) => withValues(shown).length === 0);
  assert.equal(covered.status, "Red to move.");
  await picture("covered");
  await page.click("#values-toggle");
  await screen.until("they are shown", (shown) => withValues(shown).length === 5);
  await screen.play(3);
  await screen.until("the next are covered", ({ moves, columns }) => moves === "123" && columns.every(({ text }) => text === ""));
  await page.click("#present");
  await screen.until("they are shown again", (shown) => withValues(shown).length === 5);
});

pageTest("pieces are set and removed by hand, and what no game can have is said", async ({ screen, page, truth }) => {
  screen.requestsMayFail = true;
  await screen.open();
  const piece = (value) => page.check(`#editor input[value="${value}"]`);
  await piece("0");
  await screen.play(2);
  await screen.settled("one piece", ({ columns }) => columns[1].pieces === "1");
  await screen.play(2);
  await screen.until("two pieces of one player", ({ error, columns }) => columns[1].pieces === "11" && error.startsWith("Not possible: "));
  await piece("1");
  await screen.play(3);
  const set = await screen.settled("three pieces", ({ error, columns }) => columns[2].pieces === "2" && error === "");
  const uni = await page.inputValue("#export-uni");
  assert.equal(set.columns[0].value, truth.of(uni).children.find(({ column }) => column === 1).value);
  await piece("remove");
  await screen.play(2);
  await screen.settled("it is removed", ({ columns }) => columns[1].pieces === "1");
  await piece("");
  await screen.play(5);
  await screen.settled("it is played", ({ columns }) => columns[4].pieces === "1");
});

pageTest("a rule that is not the usual one is said in words", async ({ screen, page }) => {
  await screen.open();
  await page.check("#board-loses");
  await screen.write("#board-line", "3");
  await screen.write("#board-columns", "4");
  await screen.send("#board-rows", "4", "#board-go");
  await screen.settled("the board is shown", ({ board }) => board === "4x4c3m");
  assert.equal(await page.textContent("#rule"), "Whoever completes a line of 3 loses.");
});
