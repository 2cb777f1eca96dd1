// The snippets of README.md compile, and run in node with what a page has replaced.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Fourbase } from "fourbase";
import { host } from "./host.mjs";
import { ownFilesOf } from "./place.mjs";

const snippets = [...readFileSync("README.md", "utf8").matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text);

/** What a page has, and what the text before a snippet has begun. */
const GIVEN = {
  input: "{ onchange?: () => Promise<void>; files: FileList }",
  bar: "HTMLProgressElement",
  stop: "{ onclick?: () => void }",
  show: "(what: unknown) => void",
};

test("the snippets of the README are TypeScript that compiles", () => {
  mkdirSync("readme", { recursive: true });
  snippets.forEach((text, number) => {
    const begins = ['import { Fourbase } from "fourbase";', "declare const fourbase: Fourbase;"].filter((line) => !text.includes(line.split(" from")[0].replace("declare ", "").split(":")[0]));
    const given = Object.entries(GIVEN).map(([name, type]) => `declare const ${name}: ${type};`);
    writeFileSync(`readme/${number}.mts`, [...begins, ...given, text, "export {};"].join("\n"));
  });
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"];
  const run = () => execFileSync("node_modules/.bin/tsc", [...options, ...snippets.map((_, number) => `readme/${number}.mts`)], { encoding: "utf8" });
  assert.doesNotThrow(run, ({ stdout }) => assert.fail(stdout));
});

for (const text of snippets) {
  test(`the snippet of the README runs: ${text.split("\n").find((line) => line.includes("fourbase."))}`, async () => {
    const { url } = await host();
    cpSync("databases/7x5", "db/5x5/remoteness", { recursive: true });
    const shown = [];
    const show = (...what) => shown.push(...what);
    const [input, bar, stop] = [{ files: (await ownFilesOf("7x5", ["manifest", "tier-01"]))[1] }, {}, {}];
    const mine = text.includes("const fourbase") ? undefined : await Fourbase.start();
    // What goes on in the background is awaited, and must not warn.
    const body = text.replace(/^import .*\n/, "").replace("https://example.org/6x5", `${url}/all/7x5`).replace(/^(?=.*\.catch\()/m, "await ");
    const warn = (error) => assert.fail(error.message);
    await mine?.openBuiltIn("7x6");
    const names = ["Fourbase", "input", "bar", "stop", "show", "console", ...(mine ? ["fourbase"] : [])];
    const run = new (async () => {}).constructor(...names, body);
    const running = run(Fourbase, input, bar, stop, show, { log: show, warn }, mine);
    if (!body.includes("stop.onclick")) await running;
    else {
      setTimeout(() => stop.onclick(), 300);
      await assert.rejects(running, { name: "AbortError" });
    }
    await input.onchange?.();
    if (/show|console|bar/.test(body)) assert.ok(shown.length > 0 || bar.value > 0, body);
    await mine?.close();
  });
}
