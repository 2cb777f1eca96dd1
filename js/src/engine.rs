//! Answers the questions of JavaScript, as `fourbase query`, `analyse`, `play`, `convert` and `stats` do.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fourbase::analysis::json::{AnalysisJson, GameAnalysisJson, PositionJson};
use fourbase::analysis::{Analysis, AnalysisError, Budget, DEFAULT_NODES, DescriptionJson, GameAnalysis, SearchPool};
use fourbase::players::json::{MoveRequest, PlayersJson, RandomJson};
use fourbase::puzzles::{Puzzles, PuzzlesJson};
use fourbase::search::{Monitor, SearchOptions};
use fourbase::{Board, Game, Position, notation};
use fourbase_tiers::database::{BoardJson, Cache, Database, DatabaseError, When, choose};
use fourbase_tiers::files::{FileError, Http, is_address};
use fourbase_tiers::format::{board_and_values_of, folder_of};
use fourbase_tiers::kernel::Values;
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_time::Instant;

use crate::failure::Failure;
use crate::files::{FOLDER, HostFiles};
use crate::host::{self, Host};
use crate::http::HostClient;
use crate::line;

type Analyst = fourbase::analysis::Analyst<Database>;

/// The most bytes that the table of a search takes.
const TABLE_BYTES: usize = 64 << 20;

/// How many bytes of expanded blocks each database keeps in memory.
const CACHE_BYTES: u64 = 32 << 20;

/// The time between two reports of what is known so far.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers questions; each board has at most one database.
#[wasm_bindgen]
pub struct Engine {
    pool: Arc<SearchPool>,
    analysts: HashMap<Board, Analyst>,
    /// The last analysis, if it was whole: who asks for its reasons next need not wait for another search.
    last: Option<Analysis>,
}

#[wasm_bindgen]
impl Engine {
    /// Makes an engine without databases. The host reads files and watches long work.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host) -> Engine {
        host::set(host);
        let options = SearchOptions { table_bytes: TABLE_BYTES, ..SearchOptions::default() };
        Engine { pool: Arc::new(SearchPool::new(options).keep_idle(1)), analysts: HashMap::new(), last: None }
    }

    /// Opens the database whose files have these names and sizes. The host numbers the files from `first` on. A built-in database
    /// has an expected `hash`, and its files are then checked against their hashes. With `most`, tiers after that ply are left out.
    /// Returns the board as a line of JSON, and closes an earlier database of this board.
    pub fn open(
        &mut self,
        names: Vec<String>,
        sizes: &[f64],
        first: u32,
        board: Option<String>,
        hash: Option<String>,
        most: Option<u32>,
    ) -> Result<String, Failure> {
        let mut database = Database::open_on(Arc::new(HostFiles::new(names, sizes, first)), FOLDER.as_ref())?;
        check_board(&database, board)?;
        let is_built_in = hash.is_some();
        if let Some(expected) = hash {
            let found = database.manifest.hash.map(|hash| hash.to_string()).unwrap_or_default();
            if found != expected {
                return Err(Failure::OtherHash { expected, found });
            }
            database.is_embedded = true;
        }
        if let Some(most) = most {
            database = database.with_plies_up_to(most)?;
        }
        if is_built_in {
            database.check_hashes()?;
        }
        self.put(database)
    }

    /// Opens the database at an address, or that of `board` below it, which is asked for first: hosts answer in many ways to requests
    /// for missing files. Returns its board as a line of JSON, and closes an earlier database of this board.
    pub fn open_address(&mut self, address: &str, board: Option<String>) -> Result<String, Failure> {
        let (http, root) = (Arc::new(Http::new(Arc::new(HostClient))), Path::new(address));
        let open = |folder: &Path| Database::open_on(http.clone(), folder);
        let is_missing = |error: &DatabaseError| matches!(error, DatabaseError::Missing { .. });
        let found = match board.as_ref().filter(|_| board_and_values_of(root).is_none()) {
            None => open(root),
            Some(board) => {
                let board = board.parse()?;
                let below = |values| open(&folder_of(root, board, values));
                let found = below(Values::Remoteness);
                let found = found.or_else(|error| if is_missing(&error) { below(Values::Wdl) } else { Err(error) });
                match found {
                    // If the address is not that of a database either, the first error says more.
                    Err(error) if !is_late(&error) => open(root).map_err(|other| {
                        if is_missing(&error) && !is_without_manifest(&other) { other } else { error }
                    }),
                    found => found,
                }
            }
        };
        let database = found?;
        check_board(&database, board)?;
        self.put(database)
    }

    /// Closes the database of a board.
    pub fn close(&mut self, board: &str) -> Result<(), Failure> {
        self.last = None;
        self.analysts.remove(&board.parse()?);
        Ok(())
    }

    /// Lists the boards whose databases are open.
    pub fn boards(&self) -> String {
        let databases = self.analysts.values().flat_map(|analyst| &analyst.databases);
        let mut boards: Vec<&Database> = databases.collect();
        boards.sort_by_key(|database| (database.board().cells(), database.board().to_string()));
        let boards: Vec<_> = boards.into_iter().map(described).collect();
        line("boards", json!({ "boards": boards }))
    }

    /// Describes a position, without its value.
    pub fn position(&self, board: &str, text: &str) -> Result<String, Failure> {
        let position = notation::parse(board.parse()?, text)?;
        Ok(line("position", DescriptionJson::of(&position, PositionJson::typed(&position, text))))
    }

    /// Draws a position as SVG.
    #[wasm_bindgen(js_name = drawSvg)]
    pub fn draw_svg(&self, board: &str, text: &str) -> Result<String, Failure> {
        Ok(notation::draw_svg(&notation::parse(board.parse()?, text)?))
    }

    /// Analyses a position within a budget, with its reasons if these are wanted; with `is_watched`, the host receives what is known
    /// so far.
    pub fn analyse(
        &mut self,
        board: &str,
        text: &str,
        nodes: Option<f64>,
        seconds: Option<f64>,
        with_line: bool,
        with_reasons: bool,
        is_watched: bool,
    ) -> Result<String, Failure> {
        let position = notation::parse(board.parse()?, text)?;
        let mut budget = budget(nodes, seconds);
        let write = |analysis: &Analysis| {
            let limit = analysis.limit.map(|limit| limit.to_string());
            line("query", AnalysisJson::of(analysis, text, limit))
        };
        let next = std::cell::Cell::new(Instant::now() + PAUSE);
        let report = |analysis: &Analysis| {
            if Instant::now() >= next.get() {
                host::found(&write(analysis));
                next.set(Instant::now() + PAUSE);
            }
        };
        let is_same = |last: &Analysis| with_reasons && last.position == position && last.line.is_some() == with_line;
        let mut analysis = match self.last.take().filter(is_same) {
            Some(last) => last,
            None => {
                let listener = is_watched.then_some(&report as &dyn Fn(&Analysis));
                self.analyst(position.board())?.analyse(&position, with_line, &mut budget, listener)?
            }
        };
        not_cancelled(&budget, position.board())?;
        self.last = Some(analysis.clone()).filter(|analysis| analysis.limit.is_none());
        if with_reasons {
            analysis.explain();
        }
        Ok(write(&analysis))
    }

    /// Finds the mistakes of a game from the position `start`, with what each of them allows if that is wanted. Each position has
    /// this budget.
    #[wasm_bindgen(js_name = analyseGame)]
    pub fn analyse_game(
        &mut self,
        board: &str,
        start: &str,
        moves: &str,
        nodes: Option<f64>,
        seconds: Option<f64>,
        with_reasons: bool,
    ) -> Result<String, Failure> {
        let game = read(board, start, moves)?;
        let analyst = self.analyst(game.board())?;
        if analyst.databases.iter().any(|database| is_address(database.folder())) {
            // Asks for what all positions need, before the first search.
            let errors = game.positions().iter().filter_map(|position| {
                let mut budget = Budget { nodes: Some(0), ..Budget::default() };
                analyst.analyse(position, with_reasons, &mut budget, None).err()
            });
            let errors = Vec::from_iter(errors);
            if let Some(error) = errors.into_iter().find(|error| matches!(error, DatabaseError::File(_))) {
                return Err(error.into());
            }
        }
        let mut analysis = GameAnalysis::of(&game, |position, most| {
            let mut budget = budget(nodes, seconds);
            budget.nodes = [most, budget.nodes].into_iter().flatten().min();
            let analysis = analyst.analyse(position, with_reasons, &mut budget, None)?;
            not_cancelled(&budget, game.board())?;
            Ok::<_, Failure>(analysis)
        })?;
        if with_reasons {
            analysis.explain();
        }
        Ok(line("analyse", GameAnalysisJson::of(&analysis)))
    }

    /// Asks a player for a move in a game from the position `start`.
    pub fn choose(
        &mut self,
        board: &str,
        start: &str,
        moves: &str,
        player: &str,
        seed: f64,
        nodes: Option<f64>,
        seconds: Option<f64>,
    ) -> Result<String, Failure> {
        let game = read(board, start, moves)?;
        let request = MoveRequest { kind: player.parse()?, seed: seed as u64, game };
        let (analyst, budget) = (self.analyst(request.game.board())?, budget(nodes, seconds));
        let outcomes = |position: &Position| Ok(analyst.moves(position, &mut budget.clone())?);
        Ok(line("move", request.answer(Box::new(outcomes))?))
    }

    /// Lists the players of a board.
    pub fn players(&self, board: &str) -> Result<String, Failure> {
        Ok(line("players", PlayersJson::of(board.parse()?)))
    }

    /// Draws at most `count` puzzles. Each question about a position of their games has this budget.
    pub fn puzzles(
        &mut self,
        board: &str,
        count: f64,
        seed: f64,
        nodes: Option<f64>,
        seconds: Option<f64>,
    ) -> Result<String, Failure> {
        let board: Board = board.parse()?;
        let analyst = self.analyst(board)?;
        let outcomes = |position: &Position| {
            let mut budget = budget(nodes, seconds);
            let outcomes = analyst.every_move(position, &mut budget)?;
            // What is stored is found without asking the host.
            if let Some(monitor) = budget.monitor.as_ref().filter(|_| host::poll(0, 0)) {
                monitor.cancel();
            }
            not_cancelled(&budget, board).map_err(DatabaseError::from)?;
            Ok(outcomes)
        };
        let puzzles = Puzzles::new(board, Box::new(outcomes), seed as u64).take(count as usize);
        let puzzles = puzzles.collect::<Result<Vec<_>, _>>()?;
        Ok(line("puzzles", PuzzlesJson::of(board, seed as u64, &puzzles)))
    }

    /// Draws an unfinished position of `ply` pieces, or of any number.
    pub fn random(&self, board: &str, ply: Option<f64>, seed: f64) -> Result<String, Failure> {
        let ply = ply.map(|ply| ply as u64);
        Ok(line("random", RandomJson::of(board.parse()?, ply, seed as u64)?))
    }
}

impl Engine {
    /// Puts a database in the place of an earlier one of its board.
    fn put(&mut self, database: Database) -> Result<String, Failure> {
        self.last = None;
        let database = database.with_cache(&Cache::new(CACHE_BYTES));
        let (board, described) = (database.board(), described(&database));
        self.analysts.insert(board, choose(board, When::Auto, || Ok(vec![database]), || Arc::clone(&self.pool))?);
        Ok(line("board", described))
    }

    /// Returns what answers for a board: its database, or a search.
    fn analyst(&mut self, board: Board) -> Result<&Analyst, Failure> {
        if !self.analysts.contains_key(&board) {
            let missing = || Err(DatabaseError::Missing { board, root: FOLDER.into() });
            self.analysts.insert(board, choose(board, When::Auto, missing, || Arc::clone(&self.pool))?);
        }
        self.analysts.get(&board).ok_or(Failure::Database(DatabaseError::Missing { board, root: FOLDER.into() }))
    }
}

/// Refuses a database of another board than the one that was asked for.
fn check_board(database: &Database, expected: Option<String>) -> Result<(), Failure> {
    let (found, expected) = (database.board(), expected.map(|board| board.parse()).transpose()?);
    expected
        .filter(|expected| *expected != found)
        .map_or(Ok(()), |expected| Err(Failure::OtherBoard { expected, found }))
}

/// Returns whether a host has not answered yet, or not in time.
fn is_late(error: &DatabaseError) -> bool {
    use std::io::ErrorKind::{HostUnreachable, TimedOut, WouldBlock};
    let DatabaseError::File(FileError::Io { source, .. }) = error else { return false };
    matches!(source.kind(), HostUnreachable | TimedOut | WouldBlock)
}

fn is_without_manifest(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::File(FileError::Wrong { what: "the folder", .. }))
}

fn described(database: &Database) -> BoardJson {
    BoardJson::of(database.board(), &database.manifest, database.is_embedded)
}

/// Reads a game that begins from a position.
fn read(board: &str, start: &str, moves: &str) -> Result<Game, Failure> {
    Ok(Game::parse_from(notation::parse(board.parse()?, start)?, moves)?)
}

/// Returns the budget of a question: [`DEFAULT_NODES`] nodes if the question has neither limit.
fn budget(nodes: Option<f64>, seconds: Option<f64>) -> Budget {
    let nodes = nodes.map(|nodes| nodes as u64).or_else(|| seconds.is_none().then_some(DEFAULT_NODES));
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let monitor = Some(Arc::new(Monitor::polling(|nodes| host::poll(nodes, 0))));
    Budget { nodes, deadline, monitor, ..Budget::default() }
}

/// Refuses an answer that the host has stopped.
fn not_cancelled(budget: &Budget, board: Board) -> Result<(), AnalysisError> {
    let is_cancelled = budget.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
    if is_cancelled { Err(budget.limit(board)) } else { Ok(()) }
}
