// Compiles only if the types of the package are those of its functions: the examples of the README, with their results.

import { Fourbase, FourbaseError, type Analysis, type Database, type Progress, type Reason, type SolveProgress } from "fourbase";

export async function examples(files: FileList, picture: HTMLElement, signal: AbortSignal): Promise<Database[]> {
  const fourbase: Fourbase = await Fourbase.start({ first: "7x6" });
  await fourbase.openBuiltIn("7x6", { first: true, signal });
  const analysis: Analysis = await fourbase.analyse("7x6", "4453", { seconds: 5, signal, line: false, why: true });
  const why: Reason | null = analysis.reason;
  const best: number | undefined = analysis.children[0]?.column;
  picture.textContent = `${analysis.value} in ${analysis.remoteness}: column ${best}, ${why?.text}`;
  await fourbase.open(files, { board: "7x6" });
  await fourbase.open({ manifest: new Uint8Array(), "tier-01": new ArrayBuffer(1) });
  await fourbase.open("https://host/7x6/remoteness");
  await fourbase.open(new URL("https://host/7x6/remoteness"), { board: "7x6" });
  const onProgress = (progress: Progress) => {
    if ("nodes" in progress) picture.textContent = `${progress.nodes} nodes`;
    else if ("done" in progress) picture.textContent = `${progress.done / progress.all}`;
    else if ("bytes" in progress) picture.textContent = `${progress.bytes} bytes`;
    else picture.textContent = progress.analysis.value;
  };
  const bar = ({ done, all }: SolveProgress) => (picture.textContent = `${done / all}`);
  await fourbase.solve("4x4", { onProgress: ({ done, all }) => bar({ done, all }) });
  // @ts-expect-error A search does not know how much it has to do.
  await fourbase.analyse("8x7", "", { onProgress: ({ done }) => done });
  const many: Analysis[] = await fourbase.analyseMany("7x6", ["", "4"], { line: false, onProgress: bar });
  await fourbase.open("https://host/db", { board: "7x6", headers: { Authorization: many.length.toString() }, onProgress: ({ bytes }) => bytes });
  const solved: Database = await fourbase.solve("5x5", { values: "wdl", onProgress });
  const game = await fourbase.analyseGame("7x6", "445366", { start: "", nodes: 1e6, why: true });
  const mistakes: number = game.mistakes.first.length + game.steps.length + (game.steps[0]?.refutation?.cells.length ?? 0);
  const { column, reason } = await fourbase.choose("7x6", "44", "pomakis:5", { seed: 2 });
  picture.title = `${mistakes} ${column} ${reason.length} ${solved.hash?.length}`;
  // @ts-expect-error A board is a text.
  await fourbase.analyse(7, "4");
  // @ts-expect-error There is no such option.
  await fourbase.solve("4x4", { value: "wdl" });
  try {
    await fourbase.analyse("7x6", "nonsense");
  } catch (error) {
    if (error instanceof FourbaseError && error.code === "input") picture.title = error.message;
  }
  picture.innerHTML = await fourbase.drawSvg("7x6", "4453");
  const boards = await fourbase.boards();
  await fourbase.close();
  return boards;
}
