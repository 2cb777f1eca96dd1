// Measures the package of `.ci/js` in CPU time, which other work on the machine disturbs least: node js/bench.mjs [positions of each ply].
// docs/notebook/browser.md has figures.

import { Fourbase } from "../target/js/tested/node_modules/fourbase/index.js";

const each = Number(process.argv[2] ?? 50);
const milliseconds = async (work) => {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};
const sorted = (times) => times.sort((one, other) => one - other);
const show = (name, times) => {
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  console.log(`${name}: ${times.length} positions, ms: median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(1)}`);
};

let fourbase;
console.log(`ready: ${(await milliseconds(async () => (fourbase = await Fourbase.start()))).toFixed(0)} ms`);
const first = await milliseconds(() => fourbase.openBuiltIn("7x6", { first: true }));
console.log(`first plies of 7x6 open: ${first.toFixed(0)} ms; all: ${(await milliseconds(() => fourbase.openBuiltIn("7x6"))).toFixed(0)} ms`);
const ask = (moves) => milliseconds(() => fourbase.analyse("7x6", moves, { line: false }));
const all = [];
for (let ply = 0; ply < 42; ply += 1) {
  const times = [];
  for (let seed = 0; seed < each; seed += 1) {
    const random = await fourbase.random("7x6", { ply, seed }).catch(() => undefined);
    if (random) times.push(await ask(random.position.moves));
  }
  if (times.length > 0) show(`ply ${ply}`, sorted(times));
  all.push(...times);
}
show("all plies", sorted(all));
const { line } = await fourbase.analyse("7x6");
const perfect = [];
for (let ply = 0; ply <= line.length; ply += 1) perfect.push(await ask(line.slice(0, ply)));
show("the perfect line", sorted(perfect));
console.log(`memory of the process: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`);
for (const board of ["4x4", "5x4", "6x4", "5x5"]) {
  console.log(`${board} solved: ${((await milliseconds(() => fourbase.solve(board))) / 1000).toFixed(2)} s`);
}
await fourbase.close();
