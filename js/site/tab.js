// The transport of the page without a server: the npm package answers, in a worker of the tab. Loading this file connects the page to the
// package; it is loaded before app.js.

import { Fourbase } from "fourbase";
import { isOpen } from "../../tools/page/facts.js";
import { parseBoard } from "../../tools/page/notation.js";
import { remark } from "../../tools/page/notices.js";
import { Trouble, connect } from "../../tools/page/transport.js";
import { Boards, FIRST_BOARDS } from "./boards.js";

/** How far a search for one position goes. */
const BUDGET = { seconds: 3 };

/** How many milliseconds other questions wait at most for the first values, once the package has begun. */
const PATIENCE = 1000;

/** The kind of trouble that the page shows for each code of the package's errors; all other codes are `failed`. */
const KINDS = { input: "refused", limit: "unanswered" };

/** The board of the address, whose database is loaded beside the module, unless the address names another database. */
const query = new URLSearchParams(location.search);
const first = query.get("board") ?? "7x6";

let started;
let haveValues;
/** Resolves when the first values are there, or after `PATIENCE`. Other questions wait for this. */
export const valued = new Promise((resolve) => { haveValues = resolve; });

/** Starts the package, once. After a failure the next question tries again. */
function start() {
  const folders = { wasm: new URL(FOLDERS.wasm, document.baseURI), databases: new URL(FOLDERS.databases, document.baseURI) };
  const isBuiltIn = Fourbase.builtIn.includes(first) && !query.has("db");
  started ??= Fourbase.start({ ...folders, first: isBuiltIn ? first : undefined })
    .then(async (fourbase) => {
      const boards = new Boards(fourbase, isBuiltIn ? first : undefined);
      if (query.has("db")) await openPlace(fourbase, boards, query.get("db"));
      setTimeout(haveValues, PATIENCE);
      return { fourbase, boards };
    })
    .catch((error) => {
      started = undefined;
      throw error;
    });
  return started;
}

/** Opens the database at an address of this host, or of one that the publisher of the page has named, and says where it is. */
async function openPlace(fourbase, boards, text) {
  try {
    if (!URL.canParse(text, document.baseURI)) throw new Error(`"${text}" is no address`);
    const place = new URL(text, document.baseURI);
    if (![location.origin, ...SOURCES].includes(place.origin)) {
      throw new Error(`this page reads none of ${place.origin}; its publisher can allow that`);
    }
    const { board } = await fourbase.open(place, { signal: AbortSignal.timeout(10_000) });
    boards.take(board);
    if (board !== first) {
      query.set("board", board);
      location.replace(`?${query}`);
    }
    remark(`The database of ${board} is at ${place.origin}.`);
  } catch ({ message }) {
    remark(`The database of the address cannot be opened: ${message}. The values are the page's own.`);
  }
}

/** Opens a database of which somebody has chosen the files. They stay in this tab. */
const openFiles = (files) => reach(async ({ fourbase, boards }) => {
  const { board } = await fourbase.open(files);
  boards.take(board);
  history.pushState(null, "", `?board=${board}`);
  dispatchEvent(new PopStateEvent("popstate"));
  remark(`The database of ${board} is open in this tab.`);
});

const picker = Object.assign(document.createElement("input"), { type: "file", id: "database-files", multiple: true });
picker.addEventListener("change", async () => {
  await openFiles(picker.files).catch(({ message }) => remark(message));
  // The same files may be chosen again.
  picker.value = "";
});
const label = document.createElement("label");
label.append("Open a database: all files of its folder ", picker);
document.getElementById("others").append(label);

/** The answers: those with a value wait until the board is ready. */
const answers = {
  async boards({ fourbase }) {
    const open = await fourbase.boards();
    const others = FIRST_BOARDS.filter((board) => open.every((other) => other.board !== board));
    const cells = ({ board }) => parseBoard(board).width * parseBoard(board).height;
    return { boards: [...open, ...others.map((board) => ({ board }))].sort((one, other) => cells(one) - cells(other)) };
  },
  players: ({ fourbase }, { board }) => fourbase.players(board),
  async puzzle({ fourbase, boards }, { board, seed }, { signal }) {
    // A puzzle is of the middle of the game.
    await boards.ready(board, Fourbase.firstPlies);
    return { puzzles: await fourbase.puzzles(board, { ...BUDGET, seed, signal }) };
  },
  random: ({ fourbase }, { board, ply, seed }) => fourbase.random(board, { ply: ply && Number(ply), seed }),
  async position({ fourbase, boards }, { board, position, line = false, why = false }, { signal, onPart, onProgress }) {
    await boards.ready(board, position.length, onProgress);
    const onFound = onPart && (({ analysis }) => analysis && onPart(analysis));
    const analyse = () => fourbase.analyse(board, position, { ...BUDGET, line, why, signal, onProgress: onFound });
    const found = await analyse().finally(haveValues);
    if (!boards.grows(board)) return found;
    // If the later plies fail to load, the first answer stays.
    const whole = boards.whole(board);
    whole.catch(() => {});
    return isOpen(found) ? whole.then(analyse, () => found) : found;
  },
  async analysis({ fourbase, boards }, { board, start = "", moves }, { signal }) {
    const plies = start.length + moves.length;
    await boards.ready(board, plies);
    // The page asks for the history of a game only once, so a long game waits for the later plies. If they fail to load, it is searched.
    if (plies >= Fourbase.firstPlies) await boards.whole(board, signal).catch(() => {});
    return fourbase.analyseGame(board, moves, { ...BUDGET, start, signal });
  },
  async move({ fourbase, boards }, { board, start = "", moves, player, seed }, { signal }) {
    await boards.ready(board, start.length + moves.length);
    const choose = () => fourbase.choose(board, moves, player, { ...BUDGET, start, seed, signal });
    return choose().catch(async (error) => {
      if (error.code !== "limit" || !boards.grows(board)) throw error;
      // If the later plies fail to load, the move stays undecided.
      await boards.whole(board, signal).catch(() => {
        signal.throwIfAborted();
        throw error;
      });
      return choose();
    });
  },
};

/** Runs a step, after the first values unless they are its own; its errors become troubles of the page. */
async function reach(step, isOfValues = false) {
  try {
    const parts = await start();
    if (!isOfValues) await valued;
    return await step(parts);
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Trouble) throw error;
    // A tab may stay open while a newer version takes the place of the files.
    const isOld = /(status 404|worker.js cannot be loaded)$/.test(error.message);
    throw new Trouble(isOld ? "old" : KINDS[error.code] ?? "failed", error.message);
  }
}

connect({
  ask: (name, fields, options) => reach((parts) => answers[name](parts, fields, options), name === "position"),
  async picture({ board, position }) {
    const svg = await reach(({ fourbase }) => fourbase.drawSvg(board, position));
    return `data:image/svg+xml,${encodeURIComponent(svg)}`;
  },
  complaints: { failed: (text) => `There are no values: ${text}.` },
});

// The worker begins before the page is drawn. The first question reports a failure.
start().catch(() => {});

/** Waits until all that the first board needs is loaded. */
export async function loaded() {
  const { boards } = await start();
  await boards.whole(first);
}
