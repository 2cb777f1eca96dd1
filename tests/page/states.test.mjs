// The states that a person sees, from the first sight to the review: in each, axe-core looks for barriers, and a picture is taken if a
// folder for pictures is named.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withValues } from "./shown.mjs";
import { AXE, FIREFOX, PATIENT, PICTURES, pageTest } from "./support.mjs";

const finger = (width, height) => ({ viewport: { width, height }, ...(!FIREFOX && { isMobile: true }), hasTouch: true });
const screenOf = (width, height) => ({ viewport: { width, height } });
const DEVICES = { desktop: screenOf(1280, 800), telephone: finger(390, 844) };
/** Seen in pictures alone. */
const OTHERS = { laptop: screenOf(1366, 657), projector: screenOf(2560, 1440), sideways: finger(844, 390) };

/** Each state, and how it comes about. */
const STATES = {
  async first({ screen }) {
    await screen.open();
  },
  async values({ screen }) {
    await screen.open("44536");
    await screen.whole();
  },
  async reason({ screen, page }) {
    await screen.open("44444");
    await page.focus('#board [data-column="4"]');
    await screen.press("ArrowRight");
    await screen.until("the reason is told", async () => (await page.textContent("#why")).startsWith("5: "));
  },
  async expert({ screen, page }) {
    await screen.open("332");
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await page.click("#best-line");
    await page.click("#follow-up-toggle");
    await screen.until("the best line is shown", ({ lineNote }) => lineNote.startsWith("Best line: "));
  },
  async error({ screen, page }) {
    await screen.open("44536");
    await screen.send("#paste", "9", "#paste-go");
    await screen.until("the error is said", ({ wrong }) => wrong.paste);
    await page.locator("#paste").scrollIntoViewIfNeeded();
  },
  async game({ screen, page }) {
    await screen.open();
    await page.click("#opponents label:nth-of-type(4)");
    await screen.play(4);
    await screen.settled("the computer answers", ({ ply }) => ply === 2);
    await page.click("#hint");
    await screen.until("a hint is given", async () => await page.textContent("#remark") !== "");
  },
  async over({ screen }) {
    await screen.open("1212121");
    await screen.whole();
  },
  async review({ screen, page }) {
    await screen.open("444443533");
    await screen.whole();
    await page.click("#next-mistake");
    await screen.settled("the mistake is shown", ({ step }) => step !== "");
  },
  async puzzle({ screen, page }) {
    await screen.open();
    await page.click("#daily");
    await screen.settled("the puzzle is there", ({ ply }) => ply > 0);
  },
  async presentation({ screen, page }) {
    await screen.open("44536");
    await page.evaluate(() => document.getElementById("present").click());
    await screen.until("the values are covered", (shown) => withValues(shown).length === 0);
  },
  async embedded({ screen, page }) {
    await screen.after(page.goto(`${screen.address}&moves=33&embed=1`), "33");
  },
};

/**
 * Runs axe-core on the page as it is, with the rule for the contrast of texts of level AAA: the violations with their elements, and how many
 * rules passed.
 */
async function violations(page) {
  if (await page.evaluate("typeof axe") !== "object") await page.evaluate(AXE);
  const report = await page.evaluate(() => globalThis.axe.run(document, { rules: { "color-contrast-enhanced": { enabled: true } } }));
  const told = ({ html, any }) => `${html} ${any[0]?.message}`;
  return [report.violations.map(({ id, nodes }) => `${id}: ${nodes.map(told).join("; ")}`), report.passes.length];
}

const papers = new Set();
for (const [name, device] of Object.entries(PICTURES ? { ...DEVICES, ...OTHERS } : DEVICES)) {
  for (const colorScheme of ["light", "dark"]) {
    pageTest(`no state has a barrier on a ${name} in ${colorScheme} colours`, async (parts) => {
      const { screen, page, picture } = parts;
      screen.requestsMayFail = true;
      for (const [state, arrive] of Object.entries(STATES)) {
        await arrive(parts);
        const [found, passed] = await violations(page);
        assert.deepEqual([found, passed > 20], [[], true], state);
        await picture(state);
        // What a state has chosen is not of the next one.
        await page.evaluate(() => localStorage.clear());
      }
      papers.add(await page.$eval("body", (body) => getComputedStyle(body).backgroundColor));
      // It does find violations.
      await page.$eval("#status", (status) => { status.style.color = "#777"; });
      await page.evaluate(() => document.documentElement.removeAttribute("lang"));
      const [found] = await violations(page);
      assert.deepEqual(found.map((text) => text.split(":")[0]).sort(), ["color-contrast-enhanced", "html-has-lang"]);
    }, { board: "7x6", device: { ...device, colorScheme }, options: PATIENT, folded: true });
  }
}

test("the schemes have different colours", () => assert.equal(papers.size, 2));
