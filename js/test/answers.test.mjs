// What is answered, in node and in a page.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Fourbase } from "fourbase";
import { published } from "./place.mjs";

const fourbase = await Fourbase.start();
after(() => fourbase.close());

const outcome = ({ value, remoteness }) => ({ value, remoteness });

test("a board that is solved has the published values, and its answers are those of searches", async () => {
  const drawn = await Promise.all(Array.from({ length: 160 }, (_, seed) => fourbase.random("4x4", { ply: seed % 16, seed })));
  const ask = () => Promise.all(drawn.map(({ position }) => fourbase.analyse("4x4", position.moves, { line: false })));
  const searched = await ask();
  assert.equal(searched[0].source.kind, "search");
  const solved = await fourbase.solve("4x4");
  // The hash of all values, and the counts, are those of docs/reference/boards.md.
  assert.equal(solved.hash, "67c5b416b40364391fec8313ba405c4f8d1411e79afd6c272b8336d889dee9bb");
  assert.deepEqual([solved.value, solved.remoteness, solved.stores], ["tie", 16, "remoteness"]);
  const { legal, primitive, win, tie, lose } = await fourbase.stats("4x4");
  assert.deepEqual([legal, primitive, win, tie, lose], [161029, 26740, 38675, 90120, 32234]);
  const found = await ask();
  assert.equal(found[0].source.kind, "database");
  found.forEach((answer, number) => {
    const { children, ...expected } = searched[number];
    assert.deepEqual([outcome(answer), answer.children], [outcome(expected), children], drawn[number].position.moves);
  });
});

/** Reads a score of Pons' sets: a win is 22 minus the stones of the winner at the end. */
function ofScore(moves, score) {
  if (score === 0) return { value: "tie", remoteness: 42 - moves.length };
  // The winner is the player to move, or the other one.
  const winner = score > 0 ? moves.length % 2 : (moves.length + 1) % 2;
  return { value: score > 0 ? "win" : "lose", remoteness: 2 * (22 - Math.abs(score)) - 1 + winner - moves.length };
}

test("every listed spelling is read or refused as listed", async () => {
  const escapes = { "\\n": "\n", "\\t": "\t", "\\r": "\r" };
  for (const row of (await published("spellings.tsv")).slice(1)) {
    const [kind, board, text, meaning] = row.split("\t");
    if (kind !== "text") continue;
    const asked = fourbase.position(board, text.replace(/\\[ntr]/g, (escape) => escapes[escape]));
    if (meaning.startsWith("= ")) {
      const expected = await fourbase.position(board, meaning.slice(2));
      assert.equal((await asked).position.bits, expected.position.bits, row);
    } else {
      await assert.rejects(asked, (error) => error.message.includes(meaning.slice(2)), row);
    }
  }
});

for (const name of ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2"]) {
  test(`300 positions of ${name} have the published outcome`, async () => {
    const lines = await published(`pons/${name}`);
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

test("reasons are given where they are asked for, for the position, its moves, and the mistakes of a game", async () => {
  const found = await fourbase.analyse("4x4", "112233", { why: true });
  assert.equal(found.reason.text, "X completes a line at column 4, row 1");
  assert.deepEqual([found.reason.kind, found.reason.player, found.reason.last], ["ends-now", "first", [4, 1]]);
  assert.ok(found.children.every(({ reason }) => reason.text.length > 0));
  const plain = await fourbase.analyse("4x4", "112233");
  assert.deepEqual([plain.reason, plain.children[0].reason], [null, null]);
  const refutations = async (why) => (await fourbase.analyseGame("4x4", "1212133", { why })).steps.map(({ refutation }) => refutation?.kind);
  const [none, game] = [await refutations(false), await refutations(true)];
  assert.ok(none.every((kind) => kind === undefined));
  assert.deepEqual(game.slice(5), ["ends-now", "best-play"]);
});

test("a package that begins with a board has its first plies, and draws positions", async () => {
  const mine = await Fourbase.start({ first: "7x6" });
  assert.deepEqual((await mine.boards()).map(({ board, keep_plies }) => [board, keep_plies]), [["7x6", 9]]);
  const picture = await mine.drawSvg("7x6", "4453");
  assert.ok(picture.startsWith("<svg ") && picture.includes("<title>Connect Four 7x6, 4 pieces, the first player to move</title>"), picture);
  await mine.close();
});

test("players move, and chance repeats itself with its seed", async () => {
  const { players } = await fourbase.players("7x6");
  assert.deepEqual(players.map(({ player }) => player), ["level", "perfect", "random", "pomakis", "window", "rating", "follow-up"]);
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

test("exactly one move of a puzzle keeps its value, and a seed draws the same puzzles again", async () => {
  const puzzles = await fourbase.puzzles("7x6", { count: 5, seed: 20261129 });
  assert.equal(puzzles.length, 5);
  assert.deepEqual(await fourbase.puzzles("7x6", { count: 2, seed: 20261129 }), puzzles.slice(0, 2));
  for (const { position, value, solution } of puzzles) {
    const { children } = await fourbase.analyse("7x6", position.moves, { line: false });
    assert.deepEqual(children.filter((child) => child.value === value).map(({ column }) => column), [solution]);
  }
});

test("many puzzles are stopped by a signal, and wrong numbers of them are refused", async () => {
  const many = { count: 1e9, signal: AbortSignal.timeout(300) };
  await assert.rejects(fourbase.puzzles("7x6", many), { name: "TimeoutError" });
  assert.deepEqual(await fourbase.puzzles("7x6", { count: 0 }), []);
  for (const wrong of [{ count: NaN }, { count: -1 }, { count: 1.5 }, { seed: 1.5 }, { nodes: "x" }]) {
    await assert.rejects(fourbase.puzzles("7x6", wrong), { code: "input" });
  }
  await assert.rejects(fourbase.puzzles("8x8", { nodes: 0 }), { code: "limit" });
});

test("a small board is solved whole, with values alone as well", async () => {
  const steps = [];
  const solved = await fourbase.solve("5x4", { values: "wdl", onProgress: (progress) => steps.push(progress) });
  assert.deepEqual([solved.stores, solved.value, solved.remoteness], ["wdl", "tie", null]);
  const found = await fourbase.analyse("5x4");
  assert.deepEqual([outcome(found), found.line.length], [{ value: "tie", remoteness: 20 }, 20]);
  assert.ok(steps.every(({ done, all }) => done >= 0 && done <= all));
});
