// Small screens, screen readers, and what people set in their system.

import assert from "node:assert/strict";
import { ply, sentence } from "./shown.mjs";
import { PATIENT, pageTest } from "./support.mjs";

const telephone = (width) => ({ viewport: { width, height: 800 }, isMobile: true, hasTouch: true });

for (const width of [375, 320]) {
  pageTest(`telephones of ${width} pixels show all columns`, async ({ screen, page, truth, url, picture }) => {
    // Nothing is scrolled sideways.
    const fits = ({ contentWidth, windowWidth, columns }) => {
      assert.ok(contentWidth <= width && windowWidth <= width, `${contentWidth} in ${windowWidth}`);
      assert.ok(columns[0].left >= 0 && columns.at(-1).left + columns.at(-1).width <= width);
    };
    screen.requestsMayFail = true;
    fits(await screen.open());
    for (const moves of ["1", "12", "123", "1234", "12345", "123456", "1234567"]) {
      const shown = await screen.after(page.tap(`#board button[data-column="${moves.at(-1)}"]`), moves);
      // A finger needs 24 pixels: https://www.w3.org/TR/WCAG22/#target-size-minimum
      assert.ok(shown.columns.every((column) => column.width >= 24));
      fits(shown);
      truth.check(shown);
    }
    truth.checkHistory(await screen.whole(), "1234567");
    for (const button of ["#best-line", "#follow-up-toggle", "#flip"]) await page.tap(button);
    await screen.until("the best line is shown", ({ lineNote }) => lineNote.startsWith("Best line: "));
    await page.selectOption("#first-player", "pomakis");
    await page.fill("#paste", "8");
    await page.tap("#paste-go");
    fits(await screen.until("the error is said", ({ wrong }) => wrong.paste));
    await picture("error");
    await page.selectOption("#first-player", "human");
    fits(await screen.after(page.goto(`${url}/?board=5x4&moves=1212121`), "1212121"));
    // A wide board scrolls within its frame.
    await page.goto(`${url}/?board=32x2&moves=1`);
    assert.ok((await screen.until("the wide board", ({ columns }) => columns.length === 32)).contentWidth <= width);
  }, { board: "7x6", options: PATIENT, device: telephone(width) });
}

for (const [name, device] of [["desktop", {}], ["telephone", telephone(375)]]) {
  pageTest(`the board stays in its place from move to move on a ${name}`, async ({ screen, page }) => {
    // Where it is before the page is scrolled: on a telephone it stays in view then.
    const top = () => page.$eval("#board", (board) => {
      scrollTo(0, 0);
      return board.getBoundingClientRect().top;
    });
    await screen.open();
    const begin = await top();
    await screen.choose("second", "perfect");
    // Columns are full, the game ends: no text takes more room than another.
    for (let shown = await screen.settled(); !shown.over;) {
      const next = shown.ply + 2;
      await screen.play(shown.columns.find(({ pieces }) => pieces.length < 4).column);
      assert.equal(await top(), begin);
      shown = await screen.settled("the computer answers", ({ over, ply }) => over || ply === next);
      assert.equal(await top(), begin);
    }
    await page.click(ply(1));
    await screen.settled("the computer waits", ({ canGoOn }) => canGoOn);
    assert.equal(await top(), begin);
  }, { device });
}

const SIDEWAYS = { viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true };

for (const [name, device] of [["desktop", {}], ["telephone", telephone(390)], ["telephone on its side", SIDEWAYS]]) {
  pageTest(`nothing jumps on a ${name}, from the first paint on`, async ({ screen, page }) => {
    // https://web.dev/articles/cls, but with the shifts after a click as well.
    await page.addInitScript(() => {
      globalThis.shifts = [];
      const keep = (list) => globalThis.shifts.push(...list.getEntries().map(({ value }) => value));
      new PerformanceObserver(keep).observe({ type: "layout-shift", buffered: true });
    });
    const moved = () => page.evaluate("shifts.reduce((sum, value) => sum + value, 0)");
    await screen.open();
    await screen.press("4", "4", "4");
    await screen.whole(3);
    await screen.press("1", "u", "r");
    await screen.whole(4);
    const sum = await moved();
    console.log(`layout shift on a ${name}: ${sum.toFixed(4)}`);
    assert.ok(sum < 0.02, `${sum}`);
    // It does see jumps.
    await page.$eval("#board-frame", (frame) => { frame.style.marginTop = "150px"; });
    await screen.until("the jump is seen", async () => await moved() > 0.05);
  }, { board: "7x6", device });
}

pageTest("a telephone on its side shows the game and its buttons without scrolling", async ({ screen, page, truth, picture }) => {
  truth.check(await screen.open("4443"));
  const bottoms = await page.$$eval("#status, #board .value, #board .name, #controls button", (all) => (
    all.filter((one) => one.checkVisibility()).map((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom])
  ));
  assert.ok(bottoms.length > 20);
  assert.ok(bottoms.every(([top, bottom]) => top >= 0 && bottom <= 390), JSON.stringify(bottoms));
  await picture("sideways");
}, { board: "7x6", device: SIDEWAYS });

pageTest("buttons and fields have 44 pixels for a finger", async ({ screen, page }) => {
  await screen.open("1234");
  await page.click("#best-line");
  const small = await page.$$eval("button, select, summary, #opponents span, input:not([type=checkbox])", (all) => all
    .filter((one) => one.checkVisibility() && (one.offsetHeight < 44 || one.offsetWidth < 44)).map(({ id, offsetHeight }) => [id, offsetHeight]));
  assert.deepEqual(small, []);
}, { board: "7x6", device: telephone(390) });

pageTest("a piece shows where it would fall, only where a pointer can rest", async ({ screen, page, picture }) => {
  const shade = () => style(page, '[data-column="3"] .cell:nth-child(4)', "::after", "opacity");
  await screen.open("33");
  assert.equal(await shade(), "1");
  await page.hover('[data-column="3"]');
  assert.equal(await shade(), "0.5");
  await picture("ghost");
  const rules = await page.evaluate(() => [...document.styleSheets[0].cssRules]
    .map((rule) => [rule.conditionText ?? "", rule.cssText]).filter(([, text]) => text.includes(".next")));
  assert.deepEqual(rules.map(([condition]) => condition), ["(hover: hover)"]);
}, { board: "7x6" });

pageTest("paper shows the pieces of both players", async ({ screen, page }) => {
  await screen.open("4443");
  for (const [media, adjust] of [["screen", "economy"], ["print", "exact"]]) {
    await page.emulateMedia({ media });
    for (const cell of [".cells", ".cell.first", ".cell.second"]) {
      assert.equal(await style(page, cell, "", "printColorAdjust"), adjust, `${cell} on ${media}`);
    }
  }
  assert.equal(await page.isVisible("#undo"), false);
  assert.ok(await page.isVisible("#board") && await page.isVisible("#history"));
}, { board: "7x6" });

pageTest("moves and values are told to screen readers", async ({ screen, page, truth }) => {
  const tells = (text) => page.locator("#live").getByText(text, { exact: true }).first().waitFor({ state: "attached" });
  await screen.open();
  assert.equal(await page.getAttribute("#live", "aria-live"), "polite");
  await screen.play(1);
  await tells("Red plays column 1.");
  await tells(sentence(1, truth.of("1")));
  for (const [key, text] of [["v", "Values are hidden."], ["f", "The board is mirrored."], ["u", "At the start."]]) {
    await screen.press(key);
    await tells(text);
  }
  // What is refused is seen as well.
  await screen.open("1111");
  await screen.press("1");
  await tells("Column 1 is full.");
  assert.equal(await page.textContent("#remark"), "Column 1 is full.");
  await screen.after(screen.press("2"), "11112");
  assert.equal(await page.textContent("#remark"), "");
});

/** Reads a property of an element or of a part of it. */
function style(page, selector, part, property) {
  return page.$eval(selector, (element, [part, property]) => getComputedStyle(element, part)[property], [part, property]);
}

pageTest("pieces do not drop where people want less motion", async ({ screen, page }) => {
  for (const [reducedMotion, animation] of [["no-preference", "drop"], ["reduce", "none"]]) {
    await page.emulateMedia({ reducedMotion });
    await screen.open();
    await screen.play(1);
    assert.equal(await style(page, ".cell.drops", "::after", "animationName"), animation, reducedMotion);
  }
});

pageTest("texts of twice the size fit the window", async ({ screen, page }) => {
  await screen.open("123412");
  await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
  const { contentWidth, windowWidth } = await screen.settled();
  assert.ok(contentWidth <= windowWidth);
  const cut = (rows) => rows.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length;
  assert.equal(await page.$$eval("#history button", cut), 0);
});

pageTest("pieces and values keep their colours where the system forces others", async ({ screen, page, picture }) => {
  const colour = (selector, part = "", property = "backgroundColor") => style(page, selector, part, property);
  for (const forcedColors of ["none", "active"]) {
    await page.emulateMedia({ forcedColors });
    await screen.open("1234");
    await screen.whole();
    const colours = [
      await colour(".cells"), await colour(".cell", "::before"), await colour(".cell.first", "::after"),
      await colour(".cell.second", "::after", "borderTopColor"), await colour("#board .tie path", "", "fill"),
      await colour("#board .lose path", "", "fill"), await colour("#board .column:not([data-best]) .value.known"),
    ];
    assert.equal(new Set(colours).size, colours.length, `${forcedColors}: ${colours}`);
    // The rest takes the colours of the system.
    const same = await colour(".hint", "", "color") === await colour("h1", "", "color");
    assert.equal(same, forcedColors === "active");
    await picture(forcedColors);
  }
});
