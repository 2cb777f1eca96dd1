import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { Fourbase } from "fourbase";
import { everyPosition, ofScore, published } from "./support.mjs";

const fourbase = await Fourbase.start();
after(() => fourbase.close());

const outcome = ({ value, remoteness }) => ({ value, remoteness });

test("every position of 4x4 and its moves are worth what a search says that shares no code with the package", async () => {
  const positions = everyPosition();
  const compare = async (some) => {
    for (let at = 0; at < some.length; at += 1000) {
      const batch = some.slice(at, at + 1000);
      const answers = await Promise.all(batch.map(({ moves }) => fourbase.analyse("4x4", moves, { line: false })));
      answers.forEach((answer, number) => {
        const { moves, children, ...expected } = batch[number];
        assert.deepEqual({ ...outcome(answer), children: answer.children }, { ...expected, children }, moves);
      });
    }
  };
  await compare(positions.filter((_, number) => number % 20 === 0));
  const solved = await fourbase.solve("4x4");
  assert.deepEqual([solved.value, solved.remoteness, solved.stores], ["tie", 16, "remoteness"]);
  await compare(positions);
  const counted = await fourbase.stats("4x4");
  // Those of the package have the finished ones as well.
  assert.equal(counted.legal - counted.primitive, positions.length);
  assert.equal(counted.legal, 161029);
});

for (const name of ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2"]) {
  test(`300 positions of ${name} have the published outcome`, async (t) => {
    const lines = published(`pons/${name}`, t);
    if (!lines) return;
    await fourbase.openBuiltIn("7x6");
    const some = lines.filter((_, number) => number % Math.floor(lines.length / 300) === 0).slice(0, 300);
    assert.equal(some.length, 300);
    for (const line of some) {
      const [moves, score] = line.split(" ");
      const found = await fourbase.analyse("7x6", moves);
      assert.deepEqual(outcome(found), ofScore(moves, Number(score)), moves);
      assert.equal(found.line.length, found.remoteness, moves);
    }
  });
}

test("first plies alone give the values of all plies that they have, and later positions are searched", async () => {
  const first = await fourbase.openBuiltIn("7x6", { first: true });
  assert.deepEqual([first.value, first.remoteness, first.keep_plies], ["win", 41, 9]);
  const late = await fourbase.analyse("7x6", "4444435555211");
  assert.deepEqual([late.source.kind, late.source.keep_plies], ["search", 9]);
  const whole = await fourbase.openBuiltIn("7x6");
  assert.deepEqual([whole.keep_plies, whole.embedded], [13, true]);
  const again = await fourbase.analyse("7x6", "4444435555211");
  assert.deepEqual(again.children, late.children);
  assert.deepEqual((await fourbase.boards()).map(({ board }) => board), ["4x4", "7x6"]);
});

test("answers are the JSON of the program", async (t) => {
  const program = process.env.FOURBASE_PROGRAM;
  if (!program) return t.skip("FOURBASE_PROGRAM names no program");
  const run = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  await fourbase.openBuiltIn("7x6");
  for (const text of ["", "4", "445", "44 4", "4444435555211"]) {
    const found = await fourbase.analyse("7x6", text);
    // How many nodes a search visits depends on what it has seen before.
    const nodes = { source: { ...found.source, nodes: 0 } };
    const expected = run("query", "7x6", text, "--db", "none");
    assert.deepEqual({ ...found, ...nodes }, { ...expected, source: { ...expected.source, nodes: 0 } });
    assert.equal(JSON.stringify(Object.keys(found)), JSON.stringify(Object.keys(expected)));
    assert.deepEqual(await fourbase.position("7x6", text), run("convert", "7x6", text));
  }
  const game = "44444221";
  const [found, expected] = [await fourbase.analyseGame("7x6", game), run("analyse", "7x6", game, "--db", "none")];
  assert.deepEqual({ ...found, source: 0 }, { ...expected, source: 0 });
});

test("players move, and chance repeats itself with its seed", async () => {
  const { players } = await fourbase.players("7x6");
  assert.deepEqual(players.map(({ player }) => player), ["perfect", "random", "pomakis", "window", "rating", "follow-up"]);
  const choice = await fourbase.choose("7x6", "", "perfect");
  assert.deepEqual([choice.column, choice.player], [4, "perfect"]);
  for (const { player, levels } of players) {
    const name = levels ? `${player}:2` : player;
    const one = await fourbase.choose("7x6", "445", name, { seed: 7 });
    assert.deepEqual(await fourbase.choose("7x6", "445", name, { seed: 7 }), one);
  }
  const random = await fourbase.random("7x6", { ply: 12, seed: 5 });
  assert.deepEqual([random.position.ply, random.seed], [12, 5]);
  assert.deepEqual(await fourbase.random("7x6", { ply: 12, seed: 5 }), random);
  assert.ok((await fourbase.random("5x4")).position.ply < 20);
});

test("a small board is solved whole, with values alone as well", async () => {
  const steps = [];
  const solved = await fourbase.solve("5x4", { values: "wdl", onProgress: (progress) => steps.push(progress) });
  assert.deepEqual([solved.stores, solved.value, solved.remoteness], ["wdl", "tie", null]);
  const found = await fourbase.analyse("5x4");
  assert.deepEqual([outcome(found), found.line.length], [{ value: "tie", remoteness: 20 }, 20]);
  assert.ok(steps.every(({ done, all }) => done >= 0 && done <= all));
});
