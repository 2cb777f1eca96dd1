import type * as json from "./answers.js";

/** A board: columns x rows, then cN for lines of N instead of 4, then m for misère, such as "7x6" or "5x4c3m". */
export type Board = string;
/** For the player to move. */
export type Value = "win" | "lose" | "tie";
export type Player = "first" | "second";
/** What a database stores. */
export type Stores = "wdl" | "remoteness";

/** What was loaded so far from the host of a database. */
export type LoadProgress = { bytes: number };
/** What a search has done so far: nodes; or, of `analyse`, all that is known by now; or what was loaded for it. */
export type SearchProgress = { nodes: number } | { analysis: Analysis } | LoadProgress;
/** What a solve, or a list of questions, has done so far: steps of all. */
export type SolveProgress = { done: number; all: number };
export type Progress = SearchProgress | SolveProgress;

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

export interface Watched<P extends Progress = SearchProgress> {
  /** Ends the work; the promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
  /**
   * Called about 20 times a second during a search or a solve, and whenever parts from a host have come. If it throws, the work ends, and
   * the promise is rejected with what it threw.
   */
  onProgress?: (progress: P) => void;
}

/** How far the searches for one position may go; without any limit 100,000,000 nodes. */
export interface Budget extends Watched {
  nodes?: number;
  seconds?: number;
}

/** An answer without the nulls of the fields that only a text without an answer has. */
type Answered<Answer, Field extends keyof Answer> = Omit<Answer, Field | "input"> & { [Key in Field]: NonNullable<Answer[Key]> };

/** The line of `fourbase query --json`. */
export type Analysis = Answered<json.Query, "position" | "source">;
export type Step = json.StepJson & { player: Player };
type Judged = Answered<json.Analyse, "position" | "source" | "over" | "undecided_moves" | "mistakes">;
/** The line of `fourbase analyse --json`. */
export type GameAnalysis = Omit<Judged, "steps" | "error"> & { steps: Step[]; error: null };
/** The line of `fourbase convert --json`. */
export type Description = Answered<json.Position, "position" | "over" | "canonical" | "mirror" | "drawing"> & { error: null };
/** The line of `fourbase stats --json`. */
export type Stats = Omit<Answered<json.Stats, "stores" | "outcomes">, "plies"> & { plies: Array<Answered<json.Row, "outcomes">> };
export type {
  BoardJson as Database,
  Mistake,
  Move as Choice,
  OutcomeRow as Count,
  Players,
  PositionJson as Position,
  Random as RandomPosition,
  ReasonJson as Reason,
  SourceJson as Source,
} from "./answers.js";

export interface Solve extends Watched<SolveProgress> {
  /** What is stored; remoteness if this is left out. */
  values?: Stores;
  /** The most bytes of memory; 2^30 if this is left out. */
  memory?: number;
}

/** A file: bytes, a File that the user has chosen, or in node the path of a file. */
export type FileSource = Uint8Array | ArrayBuffer | Blob | string;

/** An error, with the reason in words and as a code. */
export class FourbaseError extends Error {
  /**
   * "input": a mistake in the arguments. "limit": not decided within the budget. "database": files that cannot be loaded, or are
   * wrong. "memory": a board that does not fit, or no memory is left. "broken": the worker has failed or is closed.
   */
  code: "input" | "limit" | "database" | "memory" | "broken";
}

/** A worker that answers questions about positions, one after another. */
export class Fourbase {
  private constructor();

  /** Starts a worker. */
  static start(options?: {
    /** The folder of the built-in databases; a relative address counts from the page, in node from the current folder. */
    databases?: string | URL;
    /** The folder of the modules. */
    wasm?: string | URL;
    /** A built-in database whose first plies are loaded beside the module, and opened. */
    first?: Board;
    /** Set to false to end the worker in order to cancel, as in a page that is not cross-origin isolated. */
    sharedMemory?: boolean;
  }): Promise<Fourbase>;

  /** The boards whose early plies are in the package. */
  static readonly builtIn: Board[];

  /** The deepest ply that `first` opens: some 120 KB of 7x6. */
  static readonly firstPlies: number;

  /** Finds the value of a position, of its moves, and best play (unless `line` is false); with `why` also the reasons. */
  analyse(board: Board, position?: string, options?: Budget & { line?: boolean; why?: boolean }): Promise<Analysis>;

  /**
   * Analyses positions in their order. All of them are answered, or the promise is rejected. The budget is that of each position.
   * `onProgress` is called after each 32 positions, and after the last one.
   */
  analyseMany(
    board: Board,
    positions: Iterable<string>,
    options?: Omit<Budget, "onProgress"> & Watched<SolveProgress> & { line?: boolean; why?: boolean },
  ): Promise<Analysis[]>;

  /** Finds the mistakes of a game; with `why` also what each allows (`refutation`). The budget is that of each position. */
  analyseGame(board: Board, moves: string, options?: Budget & { start?: string; why?: boolean }): Promise<GameAnalysis>;

  /** Asks a player, such as "perfect" or "pomakis:5", for its move after `moves`. */
  choose(board: Board, moves: string, player: string, options?: Budget & { start?: string; seed?: number }): Promise<json.Move>;

  /** Lists the players, with the levels that are allowed on a board. */
  players(board: Board): Promise<json.Players>;

  /** Draws an unfinished position of `ply` pieces, or of any number. The same seed gives the same position. */
  random(board: Board, options?: { ply?: number; seed?: number }): Promise<json.Random>;

  /**
   * Draws puzzles: positions with exactly one good move. The same seed draws the same ones; that of a day has the digits of its date,
   * such as 20261129.
   */
  puzzles(board: Board, options?: Budget & { count?: number; seed?: number }): Promise<json.PuzzleJson[]>;

  /** Describes a position, in any notation, without its value. */
  position(board: Board, position?: string): Promise<Description>;

  /** Draws a position, in any notation, as SVG. */
  drawSvg(board: Board, position?: string): Promise<string>;

  /** Lists the boards whose databases are open. */
  boards(): Promise<json.BoardJson[]>;

  /** Solves a small board in memory and opens its database: 5x5 takes two seconds and 60 MB. */
  solve(board: Board, options?: Solve): Promise<json.BoardJson>;

  /** Counts the legal positions of a small board, by ply, value and remoteness. */
  stats(board: Board, options?: Solve): Promise<Stats>;

  /**
   * Opens the files of one database folder, or the database at an address such as "https://host/7x6/remoteness", of which a question
   * reads only the parts that it needs; in node also a folder by its path. `board` refuses a database of another board; with it, the
   * address may be that of the folder of all databases. `headers` and `credentials` are those of `fetch`, for each request; what
   * follows a `?` in the address is sent with each request, too. `headers` are not sent to another address: with them, a host that
   * redirects is an error.
   */
  open(
    files: Iterable<File> | Record<string, FileSource> | string | URL,
    options?: Watched<LoadProgress> & { board?: Board; headers?: HeadersInit; credentials?: RequestCredentials },
  ): Promise<json.BoardJson>;

  /** Loads and opens a built-in database; with `first` only its first plies, about 120 KB, and later positions are searched. */
  openBuiltIn(board: Board, options?: { first?: boolean; signal?: AbortSignal }): Promise<json.BoardJson>;

  /**
   * Closes the database of a board, and frees its files; the worker's memory is freed once no database is open. Without a board, ends
   * the worker.
   */
  close(board?: Board): Promise<void>;

  /** Ends the worker, at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
