/** A board: columns x rows, then cN for lines of N instead of 4, then m for misère, such as "7x6" or "5x4c3m". */
export type Board = string;
/** For the player to move. */
export type Value = "win" | "lose" | "tie";
export type Player = "first" | "second";
/** What a database stores. */
export type Stores = "wdl" | "remoteness";

/** What was done so far: nodes of a search, or steps of all of a solve; or, of `analyse`, all that is known by now. */
export type Progress = { nodes: number } | { done: number; all: number } | { analysis: Analysis };

export interface Watched {
  /** Ends the work; the promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
  /** Called about 20 times a second during long work. */
  onProgress?: (progress: Progress) => void;
}

/** How far the searches for one position may go; without any limit 100,000,000 nodes. */
export interface Budget extends Watched {
  nodes?: number;
  seconds?: number;
}

export interface Position {
  /** An order of moves that leads here; null if no game does. */
  moves: string | null;
  bits: string;
  uni: string;
  ply: number;
  to_move: Player;
}

export interface Outcome {
  value: Value | null;
  /** Plies to the end. */
  remoteness: number | null;
}

export interface Scored extends Outcome {
  /** Pons' score for the player to move, of the position or after the move; null if the remoteness is unknown. */
  score: number | null;
}

export interface Source {
  kind: "board" | "database" | "search";
  folder: string | null;
  stores: Stores | null;
  keep_plies: number | null;
  hash: string | null;
  nodes: number | null;
}

/** The line of `fourbase query --json`. */
export interface Analysis extends Scored {
  schema: 1;
  command: "query";
  board: Board;
  position: Position;
  /** The moves, best first, for the player who makes them. Columns count from 1. */
  children: Array<{ column: number } & Scored>;
  /** Best play. */
  line: string | null;
  source: Source;
  /** Whether a limit was reached before the value was known. */
  undecided: boolean;
  error: string | null;
}

export interface Mistake {
  number: number;
  column: number;
  from: Value;
  to: Value;
  reason: string;
}

export interface Step extends Outcome {
  number: number;
  player: Player;
  column: number;
  played_value: Value | null;
  played_remoteness: number | null;
  keeps: boolean | null;
  plies_lost: number | null;
  columns: number[];
  reason: string | null;
}

/** The line of `fourbase analyse --json`. */
export interface GameAnalysis extends Outcome {
  schema: 1;
  command: "analyse";
  board: Board;
  position: Position;
  over: boolean;
  winner: Player | null;
  undecided_moves: number;
  steps: Step[];
  mistakes: { first: Mistake[]; second: Mistake[] };
  source: Source;
  error: null;
}

export interface Choice {
  schema: 1;
  command: "move";
  board: Board;
  position: Position;
  player: string;
  seed: number;
  column: number;
  reason: string;
  rule: boolean;
}

export interface Players {
  schema: 1;
  command: "players";
  board: Board;
  players: Array<{ player: string; levels: number | null }>;
}

export interface RandomPosition {
  schema: 1;
  command: "random";
  board: Board;
  position: Position;
  seed: number;
}

/** The line of `fourbase convert --json`. */
export interface Description {
  schema: 1;
  command: "position";
  board: Board;
  position: Position;
  over: boolean;
  value: Value | null;
  canonical: Position;
  mirror: Position;
  drawing: string;
  error: null;
}

/** A board with its database. */
export interface Database extends Outcome {
  board: Board;
  width: number;
  height: number;
  connect: number;
  misere: boolean;
  stores: Stores;
  /** The deepest ply in the database; null if it has all. */
  keep_plies: number | null;
  embedded: boolean;
  entries: number;
  bytes: number;
  hash: string | null;
}

export interface Sums {
  legal: number | null;
  primitive: number | null;
  with_line: number | null;
  win: number | null;
  lose: number | null;
  tie: number | null;
}

export interface Count {
  value: Value;
  remoteness: number | null;
  legal: number;
  /** One of the positions, as moves. */
  example: string | null;
}

/** The line of `fourbase stats --json`. */
export interface Stats extends Sums {
  schema: 1;
  command: "stats";
  board: Board;
  stores: Stores;
  plies: Array<{ ply: number; outcomes: Count[] } & Sums>;
  outcomes: Count[];
}

export interface Solve extends Watched {
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
    /** The folder of the built-in databases. */
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

  /** Finds the value of a position, of its moves, and best play (unless `line` is false). */
  analyse(board: Board, position?: string, options?: Budget & { line?: boolean }): Promise<Analysis>;

  /** Finds the mistakes of a game. The budget is that of each position. */
  analyseGame(board: Board, moves: string, options?: Budget & { start?: string }): Promise<GameAnalysis>;

  /** Asks a player, such as "perfect" or "pomakis:5", for its move after `moves`. */
  choose(board: Board, moves: string, player: string, options?: Budget & { start?: string; seed?: number }): Promise<Choice>;

  /** Lists the players, with the levels that are allowed on a board. */
  players(board: Board): Promise<Players>;

  /** Draws an unfinished position of `ply` pieces, or of any number. The same seed gives the same position. */
  random(board: Board, options?: { ply?: number; seed?: number }): Promise<RandomPosition>;

  /** Describes a position, in any notation, without its value. */
  position(board: Board, position?: string): Promise<Description>;

  /** Draws a position, in any notation, as SVG. */
  drawSvg(board: Board, position?: string): Promise<string>;

  /** Lists the boards whose databases are open. */
  boards(): Promise<Database[]>;

  /** Solves a small board in memory and opens its database: 5x5 takes two seconds and 60 MB. */
  solve(board: Board, options?: Solve): Promise<Database>;

  /** Counts the legal positions of a small board, by ply, value and remoteness. */
  stats(board: Board, options?: Solve): Promise<Stats>;

  /**
   * Opens the files of one database folder, or the database at an address such as "https://host/7x6/remoteness", of which a question
   * reads only the parts that it needs. `board` refuses a database of another board.
   */
  open(files: Iterable<File> | Record<string, FileSource> | string | URL, options?: { board?: Board; signal?: AbortSignal }): Promise<Database>;

  /** Loads and opens a built-in database; with `first` only its first plies, about 120 KB, and later positions are searched. */
  openBuiltIn(board: Board, options?: { first?: boolean; signal?: AbortSignal }): Promise<Database>;

  /** Closes the database of a board; without a board, ends the worker. */
  close(board?: Board): Promise<void>;
}
