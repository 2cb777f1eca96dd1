//! The class `Database`.

use std::ffi::{CString, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Game;
use fourbase::analysis::json::{Envelope, GameAnalysisJson};
use fourbase::analysis::{Analyst, Budget, GameAnalysis, Gap, Lookup, SearchPool, compare_alike};
use fourbase::players::json::MoveRequest;
use fourbase::players::{Kind, KindError, Outcomes};
use fourbase::puzzles::{Puzzle, Puzzles};
use fourbase::search::{Monitor, SearchOptions};
use fourbase_tiers::database::{self, DEFAULT_ROOT, DatabaseError};
use fourbase_tiers::dataset::{Column, Dataset, Format, RowChoice, Selection};
use fourbase_tiers::files::is_address;
use fourbase_tiers::kernel::Values;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::arguments::{
    BoardArgument, Cache, Chunk, Count, Memory, Nodes, Ply, Progress, SampleCount, Seed, cache_bytes, items,
    memory_bytes, most_time, named, root,
};
use crate::call_python;
use crate::export::{self, Export};
use crate::failure::{exception, of_choice, of_database, of_dataset};
use crate::outcome::{Move, Outcome};
use crate::position::{read, read_game};
use crate::positions::{self, Chunks, sample_kind};
use crate::probe::{self, Asked, NO_VALUE, Question};
use crate::rows::{self, Batch};
use crate::stats::stats;
use crate::verify::verify;
use crate::work::{ProgressDisplay, budget, pool, without_gil};

/// A solved board. Threads may share it.
///
/// ``db`` is the folder of all databases, or its address such as ``"http://host/db"``: by default ``$FOURBASE_DB``, else ``db``, as
/// on the command line. Early plies of 7x6, 6x6 and 7x5 are built in; later positions of these boards are searched forward. They
/// answer where no folder is named; a named one must have a database of the board.
///
/// All databases of the board answer together: those in the folder, of both kinds and also unfinished, and the built-in one. So a
/// further database never makes an answer of `probe`, `moves`, `probe_many`, `move_values` and `evaluate` less complete. Everything
/// else that is stored, such as ``values``, `sample` and `export`, is of the best one: complete ones come first, then those in the folder, then
/// those with remoteness.
///
/// Blocks that probes expand are kept in memory: at most ``cache`` bytes, by default an eighth of the free memory, from 256 MiB to
/// 2 GiB, but at most a quarter. Free is what the machine and the limits of a container or a batch job leave. A pickled database keeps
/// the size of its cache, and each process has its own. All blocks of 6x5 take some 800 MiB.
///
/// >>> db = fourbase.Database("5x4")
/// >>> db
/// Database('5x4', values='remoteness')
/// >>> db.probe("1234")
/// Outcome(value='tie', remoteness=16)
/// >>> fourbase.Database("7x6").probe("4444")
/// Outcome(value='win', remoteness=37)
#[pyclass(frozen, weakref, module = "fourbase")]
#[derive(Clone)]
pub struct Database {
    /// All databases of the board, the best one first. Searches find the plies that none of several databases stores.
    pub analyst: Arc<Analyst<database::Database>>,
}

/// How many nodes a search visits on the caller's thread before it moves to another thread: about a millisecond. Starting that
/// thread and waking the pool takes a fifth of a millisecond.
const NODES_AT_ONCE: u64 = 1 << 14;

/// The memory for what a search has found. There may be a search on each thread.
const TABLE_BYTES: usize = 1 << 25;

/// The function that opens the databases in some places with a cache of so many bytes, and these arguments.
type Opening<'py> = (Bound<'py, PyAny>, (Vec<OsString>, u64));

/// The value and the plies of each row.
type ValuesAndPlies<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<u8>>);

impl Database {
    /// Joins the databases of a board, the best one first. They share `cache` bytes.
    fn of(databases: Vec<database::Database>, cache: u64) -> PyResult<Database> {
        let Some(board) = databases.first().map(database::Database::board) else {
            return Err(exception("OptionError", "no database is named; name at least one".to_owned()));
        };
        let cache = database::Cache::new(cache);
        let has_plies = |database: &database::Database| database.values() == Values::Remoteness;
        let is_open = databases.len() > 1 && !databases.iter().all(has_plies);
        let may_search = is_open && databases.iter().any(database::Database::is_complete);
        let databases = databases.into_iter().map(|database| database.with_cache(&cache));
        let options = SearchOptions { table_bytes: TABLE_BYTES, ..SearchOptions::default() };
        let pool = may_search.then(|| Arc::new(SearchPool::new(options)));
        Ok(Database { analyst: Arc::new(Analyst::new(board, databases, pool)) })
    }

    /// Returns the best database.
    pub fn best(&self) -> &database::Database {
        &self.analyst.databases[0]
    }

    /// Identifies the databases in comparisons: by hash or, while a solve is unfinished and there is no hash, by folder.
    pub fn identity(&self) -> Vec<OsString> {
        let identity = |database: &database::Database| match database.manifest.hash {
            Some(hash) => hash.to_string().into(),
            None => database.folder().into(),
        };
        self.analyst.databases.iter().map(identity).collect()
    }

    /// Calls `ask` with a short search on this thread. If the short search does not decide, or the answer may be more complete
    /// (`is_whole`), calls `ask` again on another thread, so that Ctrl-C can stop the long search. The long search reuses what the
    /// short one found.
    fn ask<T: Send>(
        &self,
        position: &Bound<'_, PyAny>,
        nodes: Option<Nodes>,
        progress: Progress<'_>,
        is_whole: impl Fn(&T) -> bool,
        ask: impl Fn(&fourbase::Position, &mut Budget) -> Result<T, DatabaseError> + Sync,
    ) -> PyResult<T> {
        let (py, board, nodes) = (position.py(), self.analyst.board, nodes.map(|nodes| nodes.0));
        let (position, databases) = (read(board, position)?, &self.analyst.databases);
        let at_once = nodes.map_or(NODES_AT_ONCE, |nodes| nodes.min(NODES_AT_ONCE));
        // A database at an address skips the short search: its host may take long to answer, and a forked process has no threads
        // but those of `pool`.
        if !databases.iter().any(|database| is_address(database.folder())) {
            let answer = without_gil(py, || ask(&position, &mut Budget { nodes: Some(at_once), ..Budget::default() }))?;
            let is_open = match &answer {
                Ok(answer) => self.analyst.may_search() && !is_whole(answer),
                Err(error) => database::Database::gap(error) == Some(Gap::Budget),
            };
            if !is_open || nodes == Some(at_once) {
                return answer.map_err(of_database);
            }
        }
        let fields = |monitor: &Monitor| Some(("nodes", monitor.nodes(), nodes, monitor.nodes()));
        let display = ProgressDisplay::new(py, board, "Progress", progress)?;
        display
            .run_interruptible(py, &*pool()?, fields, |monitor| ask(&position, &mut budget(nodes, monitor)))?
            .map_err(of_database)
    }
}

impl Database {
    /// Reads many positions, and probes them or all their moves. Returns them with the values and the plies of [`probe::probe`].
    fn probe_rows(
        &self,
        positions: &Bound<'_, PyAny>,
        encoding: Option<&str>,
        errors: &str,
        nodes: Option<Nodes>,
        progress: Progress<'_>,
        asked: Asked,
    ) -> PyResult<(Batch, Vec<i8>, Vec<u8>)> {
        let (py, board) = (positions.py(), self.analyst.board);
        let batch = rows::read(Some(board), positions, encoding, errors)?;
        let display = ProgressDisplay::new(py, board, "Progress", progress)?;
        let question = Question { nodes: nodes.map(|nodes| nodes.0), is_masked: errors == "mask", display, done: None };
        let (values, plies) = probe::probe(py, &self.analyst, question, &batch, asked)?;
        Ok((batch, values, plies))
    }
}

/// Reads the name of a player.
pub fn read_kind(name: &str) -> PyResult<Kind> {
    name.parse().map_err(|error: KindError| exception("OptionError", error.to_string()))
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (board, db=None, *, cache=None))]
    pub fn find(py: Python<'_>, board: BoardArgument, db: Option<PathBuf>, cache: Option<Cache>) -> PyResult<Database> {
        let (is_named, root) = (db.is_some(), root(db));
        let found = without_gil(py, || database::Database::find_all(&root, board.0))?.map_err(of_database)?;
        // A folder with a typing mistake has no databases either. The built-in one is slower.
        if is_named && found.iter().all(|database| database.is_embedded) {
            return Err(of_database(DatabaseError::Missing { board: board.0, root }));
        }
        for database in &found {
            let unfinished = || (found[0].is_embedded && !database.is_complete()).then(|| database.not_solved(0));
            let text = match (&database.passed_over, unfinished()) {
                (Some(fault), _) => format!("passed over another database: {fault}"),
                (None, Some(fault)) => format!("another database is unfinished: {fault}"),
                (None, None) => continue,
            };
            let text = CString::new(text).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
        }
        Database::of(found, cache.map_or_else(cache_bytes, |bytes| bytes.0))
    }

    /// The name of the board.
    #[getter]
    fn board(&self) -> String {
        self.analyst.board.to_string()
    }

    /// What is stored: ``'remoteness'``, or ``'wdl'`` for values without it.
    #[getter]
    fn values(&self) -> String {
        self.best().values().to_string()
    }

    /// The folder of the database; ``None`` for a built-in one, and at an address.
    #[getter]
    pub fn folder(&self) -> Option<PathBuf> {
        (!self.best().is_embedded && !is_address(self.best().folder())).then(|| self.best().folder().to_path_buf())
    }

    /// The deepest ply that is stored; ``None`` if all are. Later positions are searched forward.
    #[getter]
    fn keep_plies(&self) -> Option<u32> {
        self.best().manifest.keep_plies
    }

    /// The number of entries, with mirror images once.
    #[getter]
    fn entries(&self) -> u64 {
        self.best().manifest.entries()
    }

    /// What the empty board is worth; ``None`` if no database of the board is finished.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        let outcomes = self.analyst.databases.iter().filter_map(|database| database.manifest.root());
        outcomes.max_by_key(|outcome| outcome.remoteness.is_some()).map(Outcome)
    }

    /// The BLAKE3 of the database, 64 hexadecimal digits; ``None`` if the solve is not finished. Equal databases have equal
    /// hashes on every machine.
    ///
    /// >>> fourbase.Database("5x4").hash[:16]
    /// 'bf24785a4e22734d'
    #[getter]
    fn hash(&self) -> Option<String> {
        self.best().manifest.hash.map(|hash| hash.to_string())
    }

    /// Returns what a position is worth to its player to move. ``position`` is a text or a `Position`.
    ///
    /// ``nodes`` limits the search of a position that is not stored. `SearchLimit` is raised if the value is not decided within the
    /// limit; if only the remoteness is not, it is None.
    /// ``progress`` is that of `probe_many`.
    ///
    /// >>> fourbase.Database("5x4").probe(fourbase.Position("5x4", "1234").play(3))
    /// Outcome(value='tie', remoteness=15)
    #[pyo3(signature = (position, *, nodes=None, progress=None))]
    fn probe(&self, position: &Bound<'_, PyAny>, nodes: Option<Nodes>, progress: Progress<'_>) -> PyResult<Outcome> {
        let is_whole = |outcome: &fourbase::Outcome| outcome.remoteness.is_some();
        let ask = |position: &_, budget: &mut _| self.analyst.outcome(position, budget);
        self.ask(position, nodes, progress, is_whole, ask).map(Outcome)
    }

    /// Lists the legal moves, best first: the soonest win, ties, the latest loss; equally good ones by column.
    ///
    /// >>> for move in fourbase.Database("5x4").moves("1234"):
    /// ...     print(move.column, move.value, move.remoteness)
    /// 3 tie 16
    /// 1 lose 16
    /// 2 lose 16
    /// 4 lose 16
    /// 5 lose 16
    #[pyo3(signature = (position, *, nodes=None, progress=None))]
    fn moves(&self, position: &Bound<'_, PyAny>, nodes: Option<Nodes>, progress: Progress<'_>) -> PyResult<Vec<Move>> {
        let is_whole = |moves: &Vec<(usize, fourbase::Outcome)>| moves.iter().all(|(_, of)| of.remoteness.is_some());
        let ask = |position: &_, budget: &mut _| {
            let mut moves = self.analyst.every_move(position, budget)?;
            compare_alike(&mut moves);
            moves.sort_by_key(|(column, outcome)| (*outcome, *column));
            Ok(moves)
        };
        Ok(self.ask(position, nodes, progress, is_whole, ask)?.into_iter().map(Move::of).collect())
    }

    /// Finds the mistakes of a game, as ``fourbase analyse`` does. ``game`` is a text of moves in any notation, played from the position
    /// ``start`` (default: the empty board); the game may be unfinished.
    ///
    /// ``why`` adds what each mistake allows. ``nodes`` limits the search in each position that is not stored. What is not decided
    /// within the limit is None, and after the first such position, earlier ones get only a quick search. ``progress`` is that of
    /// `probe_many`.
    ///
    /// >>> analysis = fourbase.Database("4x4").analyse("1213344")
    /// >>> analysis.summary
    /// 'X 1 mistake, O 1; decided at move 7; best was 1'
    /// >>> step = analysis.steps[5]
    /// >>> step.column, step.verdict, step.columns
    /// (4, 'mistake: tie to loss', [1, 2, 3])
    #[pyo3(signature = (game, *, start=None, why=false, nodes=None, progress=None))]
    fn analyse<'py>(
        &self,
        game: &Bound<'py, PyAny>,
        start: Option<&Bound<'py, PyAny>>,
        why: bool,
        nodes: Option<Nodes>,
        progress: Progress<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, board, nodes) = (game.py(), self.analyst.board, nodes.map(|nodes| nodes.0));
        let start = start.map_or(Ok(fourbase::Position::start(board)), |start| read(board, start))?;
        let game = read_game(start, game)?;
        let display = ProgressDisplay::new(py, board, "Progress", progress)?;
        let fields = |monitor: &Monitor| Some(("nodes", monitor.nodes(), None::<u64>, monitor.nodes()));
        let analysis = display.run_interruptible(py, &*pool()?, fields, |monitor| {
            let mut analysis = GameAnalysis::of(&game, |position, most| {
                let least = [most, nodes].into_iter().flatten().min();
                self.analyst.analyse(position, why, &mut budget(least, monitor), None)
            })?;
            if why {
                analysis.explain();
            }
            Ok(analysis)
        })?;
        let mut json = Vec::new();
        Envelope::new("analyse", GameAnalysisJson::of(&analysis.map_err(of_database)?)).push_to(&mut json);
        call_python(py, "GameAnalysis", (json,))
    }

    /// Returns what many positions are worth: an int8 array of values (1 win, 0 tie, -1 lose) and a uint8 array of plies to
    /// the end (255 where they are unknown, because the databases store only values).
    ///
    /// ``positions`` is a list of texts or of `Position`; a uint64 array (n, 2) of bitboards; an int8 array (n, rows, columns)
    /// with the top row first and 0, 1, 2 for nothing, the first and the second player; or anything else that
    /// `fourbase.decode` reads, with its name as ``encoding``.
    ///
    /// ``nodes`` limits the search for each row that is not stored; 0 takes only what is stored. If one database stores values and
    /// another one remoteness, plies that are not stored are searched too. A row that is no position raises `PositionError`, and a
    /// row whose value is not decided within the limit raises `SearchLimit`; the exception has the row's index as ``row``. With
    /// ``errors="mask"`` such a row has the value -128 and 255 plies instead.
    ///
    /// ``progress`` is called with a `Progress` up to twenty times a second, on the thread of the caller, and at the end; an error
    /// that it raises stops the call. By default a terminal shows a line after a second; True shows it at once, and False never.
    ///
    /// >>> values, plies = fourbase.Database("5x4").probe_many(["", "1234", "12343"])
    /// >>> values.tolist(), plies.tolist()
    /// ([0, 0, 0], [20, 16, 15])
    #[pyo3(signature = (positions, *, encoding=None, errors="raise", nodes=None, progress=None))]
    fn probe_many<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        encoding: Option<&str>,
        errors: &str,
        nodes: Option<Nodes>,
        progress: Progress<'py>,
    ) -> PyResult<ValuesAndPlies<'py>> {
        let py = positions.py();
        let (_, values, plies) = self.probe_rows(positions, encoding, errors, nodes, progress, Asked::Value)?;
        Ok((PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies)))
    }

    /// Returns what every move of many positions is worth to the player who makes it: an int8 array of values and a uint8
    /// array of plies, each (n, columns), and a bool array of the legal moves. The first column has index 0.
    ///
    /// Illegal moves have the value -128 and 255 plies, and so have all moves of a finished game. With ``errors="mask"``, so have
    /// all moves of a row that is no position, and each move that is not decided within ``nodes``. See `probe_many` for the
    /// arguments.
    ///
    /// >>> table = fourbase.Database("5x4").move_values(["1234"])
    /// >>> table.values.tolist(), table.plies.tolist()
    /// ([[-1, -1, 0, -1, -1]], [[16, 16, 16, 16, 16]])
    #[pyo3(signature = (positions, *, encoding=None, errors="raise", nodes=None, progress=None))]
    fn move_values<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        encoding: Option<&str>,
        errors: &str,
        nodes: Option<Nodes>,
        progress: Progress<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = positions.py();
        let (batch, values, plies) = self.probe_rows(positions, encoding, errors, nodes, progress, Asked::Moves)?;
        let shape = [batch.positions.len(), self.analyst.board.width()];
        let mut legal = vec![false; values.len()];
        for (position, row) in batch.positions.iter().zip(legal.chunks_mut(shape[1])) {
            position.iter().flat_map(fourbase::Position::moves).for_each(|column| row[column] = true);
        }
        let arrays = (
            PyArray1::from_vec(py, values).reshape(shape)?,
            PyArray1::from_vec(py, plies).reshape(shape)?,
            PyArray1::from_vec(py, legal).reshape(shape)?,
        );
        call_python(py, "MoveValues", arrays)
    }

    /// Returns what a network learns from many positions, as `Targets`: values, plies, Pons' scores, masks of the legal, the
    /// value-keeping and the fastest moves, and a policy.
    ///
    /// ``policy`` is ``'optimal'`` (by default: all moves that keep the value, alike), ``'fastest'`` (those that win soonest or lose latest), or a
    /// temperature: the softmax of the scores of the moves divided by it. See `probe_many` for the other arguments; a row that is no
    /// position is an error.
    ///
    /// >>> targets = fourbase.Database("5x4").targets(["1234", ""], policy="optimal")
    /// >>> targets.values.tolist(), targets.scores.tolist(), targets.policy.round(2).tolist()
    /// ([0, 0], [0, 0], [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.33..., 0.33..., 0.33..., 0.0]])
    #[pyo3(signature = (positions, *, encoding=None, policy=None, nodes=None, progress=None))]
    fn targets<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        encoding: Option<&str>,
        policy: Option<Bound<'py, PyAny>>,
        nodes: Option<Nodes>,
        progress: Progress<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, board) = (positions.py(), self.analyst.board);
        let policy = call_python(py, "policy", (policy,))?;
        // A softmax needs the score of every move, the others only tell the best moves from the rest.
        let asked = if policy.is_instance_of::<PyString>() { Asked::BestMoves } else { Asked::Moves };
        let (batch, values, plies) = self.probe_rows(positions, encoding, "raise", nodes, progress, asked)?;
        let positions = batch.positions.into_iter().flatten();
        let end = |position: fourbase::Position| position.primitive().map_or(NO_VALUE, probe::number);
        let (left, ends): (Vec<i16>, Vec<i8>) =
            positions.map(|position| ((board.cells() - position.ply()) as i16, end(position))).unzip();
        let shape = [left.len(), board.width()];
        let values = PyArray1::from_vec(py, values).reshape(shape)?;
        let plies = PyArray1::from_vec(py, plies).reshape(shape)?;
        let (left, ends) = (PyArray1::from_vec(py, left), PyArray1::from_vec(py, ends));
        let has_plies = self.best().values() == Values::Remoteness;
        call_python(py, "targets", (values, plies, left, ends, has_plies, board.is_misere(), policy))
    }

    /// Iterates over the positions of a ply that no line has finished, in the order of the index, each followed by its mirror
    /// image if that is another position. A chunk has ``positions`` (a uint64 array (n, 2) of bitboards), ``values`` and
    /// ``plies`` as `probe_many` gives them.
    ///
    /// ``legal`` leaves out positions that no game reaches. If it is quicker than probing each position, all later plies are solved
    /// first and the legal positions are found ply by ply, in at most ``memory`` bytes (default: 80 % of the free memory).
    /// Positions that are not stored are searched. A ply for which a trial of about a second estimates more than ``hours`` is refused;
    /// None allows any time. ``progress`` is that of `probe_many`; during this work it counts entries of the index.
    ///
    /// >>> for chunk in fourbase.Database("5x4").positions(2):
    /// ...     print(len(chunk.positions), chunk.values.sum(), chunk.plies.max())
    /// 25 -2 18
    #[pyo3(signature = (ply, *, legal=true, chunk=65536, memory=None, hours=24.0, progress=None))]
    fn positions(
        &self,
        py: Python<'_>,
        ply: Ply,
        legal: bool,
        #[pyo3(from_py_with = Chunk::read)] chunk: usize,
        memory: Option<Memory>,
        hours: Option<f64>,
        progress: Progress<'_>,
    ) -> PyResult<Chunks> {
        let limits = (memory.map_or_else(memory_bytes, |bytes| bytes.0), most_time(hours)?);
        Chunks::new(py, self.clone(), ply.0, legal, chunk, limits, progress)
    }

    /// Draws unfinished positions at random, with their values: the same for the same seed. A `numpy.random.Generator` as ``seed`` draws
    /// one.
    ///
    /// ``plies`` are the plies to draw from (default: all). ``kind`` says what is drawn:
    ///
    /// - ``'uniform'``: every legal position of all these plies together is equally likely, so most drawn positions are late ones:
    ///   on 7x6 half of them have 31 pieces or more, and 78 % end within 3 plies.
    /// - ``'random-play'``: a ply is drawn, then random moves are played up to that ply; both are repeated if the game ends
    ///   earlier. Early plies are therefore more likely than late ones, and their few positions come up again and again: on 7x6 the
    ///   empty board 4,691 times in 100,000.
    /// - ``'choice-matters'``: as ``'random-play'``, repeated until the moves of the position differ in value.
    ///
    /// For equal numbers of positions at each ply, make one call for each ply. With ``distinct=True``, as in `export`, a position
    /// comes up once, as itself or as its mirror image; a ``count`` above the number of such positions is an error. ``progress`` is
    /// that of `probe_many`.
    ///
    /// >>> drawn = fourbase.Database("5x4").sample(1000, plies=range(4, 12), seed=1)
    /// >>> drawn.positions.shape, drawn.values.shape
    /// ((1000, 2), (1000,))
    #[pyo3(signature = (count, *, plies=None, seed=1, kind="uniform", distinct=false, progress=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: Count,
        plies: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = Seed::read)] seed: u64,
        kind: &str,
        distinct: bool,
        progress: Progress<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = RowChoice::Sample { count: count.0, kind: sample_kind(kind)?, seed };
        let display = ProgressDisplay::new(py, self.analyst.board, "Progress", progress)?;
        let choice = Selection::new(self.analyst.board, rows, items("plies", plies)?, distinct);
        positions::sample(py, self.best(), choice, &display)
    }

    /// Writes positions with their values to a file, for machine learning, and returns the number of rows. A file
    /// ``NAME.md`` beside it explains the columns. The same arguments give the same file.
    ///
    /// Every legal position of ``plies`` (default: all but full boards, which have no moves) that no line has finished is written;
    /// with ``sample=N``, N unfinished ones are drawn as `sample` draws them, with its ``kind`` and ``seed``. ``distinct=True``
    /// writes only one of a position and its mirror image, and writes each position of a sample once. ``unforced=True`` lists the
    /// positions in which no move would complete a line, of ply 8 by default.
    ///
    /// ``format`` is ``'parquet'``, ``'csv'``, ``'npz'`` or ``'uci'``; by default the end of the path decides (``.data`` is the
    /// text of the UCI data set, whose positions are the unforced ones). NPZ holds all rows in memory while it is made, and has
    /// -128 and 255 for an illegal move; the other formats have nulls.
    ///
    /// ``columns`` are some of ``moves``, ``bits``, ``uni``, ``bitboards``, ``ply``, ``value``, ``remoteness``, ``score``,
    /// ``move-values``, ``move-remoteness``; by default bitboards and all that the database knows. ``nodes`` limits the search of a
    /// position that is not stored. ``memory`` limits the bytes outside the cache: for listing a ply, for the positions of a
    /// distinct sample, and for the positions looked up at once. An existing file is an error unless ``replace=True``. The new file
    /// gets its name only when it is complete. An export is refused if a trial of about a second estimates that it takes more than
    /// ``hours``; None allows any time. ``progress`` is that of `probe_many`.
    ///
    /// >>> import pathlib, tempfile
    /// >>> db, folder = fourbase.Database("5x4"), pathlib.Path(tempfile.mkdtemp())
    /// >>> db.export(folder / "5x4.csv", plies=range(3), columns=["moves", "value", "remoteness"])
    /// 31
    /// >>> (folder / "5x4.csv").read_text().splitlines()[:4]
    /// ['moves,value,remoteness', '-,0,20', '3,0,19', '1,1,19']
    /// >>> db.export(folder / "5x4.parquet", sample=1000, kind="choice-matters", distinct=True)
    /// 1000
    #[pyo3(signature = (path, *, plies=None, sample=None, kind=None, seed=None, distinct=false, unforced=false,
        format=None, columns=None, replace=false, nodes=None, memory=None, hours=24.0,
        progress=None))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        plies: Option<Bound<'py, PyAny>>,
        sample: Option<SampleCount>,
        kind: Option<&str>,
        seed: Option<Seed>,
        distinct: bool,
        unforced: bool,
        format: Option<&str>,
        columns: Option<Bound<'py, PyAny>>,
        replace: bool,
        nodes: Option<Nodes>,
        memory: Option<Memory>,
        hours: Option<f64>,
        progress: Progress<'py>,
    ) -> PyResult<u64> {
        let sample = sample.map(|count| count.0);
        if sample.is_none() && (kind.is_some() || seed.is_some()) {
            let message = "kind=... and seed=... say how a sample is drawn; write sample=N as well, or leave them out";
            return Err(exception("OptionError", message.to_owned()));
        }
        let seed = seed.map_or(1, |seed| seed.0);
        let (format, kind) = (export::format(format, &path)?, sample_kind(kind.unwrap_or("uniform"))?);
        let (plies, names) = (items::<u32>("plies", plies.as_ref())?, items::<String>("columns", columns.as_ref())?);
        if names.is_some() && format == Some(Format::Uci) {
            let message = "the format 'uci' has columns of its own; leave columns out, or write unforced=True";
            return Err(exception("OptionError", message.to_owned()));
        }
        let options = [
            ("plies", plies.as_ref().map(|plies| format!("{plies:?}"))),
            ("sample", sample.map(|count| format!("{count}, kind={:?}, seed={seed}", kind.name()))),
            ("distinct", distinct.then(|| "True".to_owned())),
            ("unforced", unforced.then(|| "True".to_owned())),
            ("format", Some(format!("{:?}", format.map_or("npz", Format::name)))),
            ("columns", names.as_ref().map(|names| format!("{names:?}"))),
        ];
        let options = options.into_iter().filter_map(|(name, value)| Some(format!(", {name}={}", value?)));
        let (file, options) = (path.file_name().unwrap_or_default(), String::from_iter(options));
        let made_with = format!("fourbase.Database(\"{}\").export({file:?}{options})", self.board());
        let (rows, unit) = match sample {
            Some(_) if unforced => {
                let message = "sample=... draws at random and unforced=True lists; give one of them";
                return Err(exception("OptionError", message.to_owned()));
            }
            Some(count) => (RowChoice::Sample { count, kind, seed }, "positions"),
            None if unforced || format == Some(Format::Uci) => (RowChoice::Unforced, "plies"),
            None => (RowChoice::All, "entries"),
        };
        let mut choice = Selection::new(self.analyst.board, rows, plies, distinct);
        choice.plies.sort_unstable();
        choice.plies.dedup();
        let columns = names.map(|names| names.iter().map(|name| named("columns", name, &Column::ALL)).collect());
        let columns = columns.transpose()?.unwrap_or_else(|| Column::usual(self.analyst.board, self.best().values()));
        let display = ProgressDisplay::new(py, self.analyst.board, "Progress", progress)?;
        let mut dataset = Dataset::new(self.best(), choice, columns).map_err(of_dataset)?;
        dataset.budget.nodes = nodes.map(|nodes| nodes.0);
        dataset.memory_bytes = memory.map_or_else(memory_bytes, |bytes| bytes.0);
        dataset.most_time = most_time(hours)?;
        Export { dataset, format, file: path, made_with, unit, display }.write(py, replace)
    }

    /// Returns the column, from 1, that a player of the program chooses: ``"level:1"`` to ``"level:5"``, ``"perfect"``,
    /// ``"random"``, ``"pomakis:4"`` and others, as ``fourbase match --help`` lists them. The same position and ``seed`` give the
    /// same move. ``nodes`` limits the searches for values that are not stored. The player ``"follow-up"`` answers the last move, so it
    /// needs a text of moves.
    ///
    /// >>> fourbase.Database("7x6").choose("112233", "level:1")
    /// 4
    #[pyo3(signature = (position, player, *, seed=1, nodes=None))]
    fn choose(
        &self,
        position: &Bound<'_, PyAny>,
        player: &str,
        #[pyo3(from_py_with = Seed::read)] seed: u64,
        nodes: Option<Nodes>,
    ) -> PyResult<usize> {
        let (py, board, nodes) = (position.py(), self.analyst.board, nodes.map(|nodes| nodes.0));
        let game = position.extract().ok().and_then(|moves| Game::parse(board, moves).ok());
        let game = game.map_or_else(|| read(board, position).map(Game::start), Ok)?;
        let request = MoveRequest { kind: read_kind(player)?, seed, game };
        let choice = ProgressDisplay::default().run_interruptible(
            py,
            &*pool()?,
            |_| None::<(u8,)>,
            |monitor| {
                let outcomes =
                    |position: &fourbase::Position| Ok(self.analyst.moves(position, &mut budget(nodes, monitor))?);
                request.choose(Box::new(outcomes))
            },
        )?;
        Ok(choice.map_err(of_choice)?.column + 1)
    }

    /// Makes a player of the program that `evaluate` takes, or that you call with a position: `choose` with these arguments, but a player
    /// that draws its moves draws anew at each call, so evaluate it with ``repeats=2``. The same ``seed`` gives the same moves in the same
    /// order of calls. Players can be pickled. ``"follow-up"`` answers the last move only where it is called with a text of moves.
    ///
    /// >>> player = fourbase.Database("5x4").player("pomakis:4")
    /// >>> player("1213")
    /// 5
    /// >>> round(fourbase.evaluate(player, "5x4", sample=1000)["keeps"].mean, 3)
    /// 0.763
    #[pyo3(signature = (player, *, seed=1, nodes=None))]
    fn player<'py>(
        slf: &Bound<'py, Self>,
        player: &str,
        #[pyo3(from_py_with = Seed::read)] seed: u64,
        nodes: Option<Nodes>,
    ) -> PyResult<Bound<'py, PyAny>> {
        read_kind(player)?;
        let options = PyDict::new(slf.py());
        options.set_item("player", player)?;
        // With a number, a drawing player would play the same whenever it is in a position.
        options.set_item("seed", slf.py().import("numpy.random")?.call_method1("default_rng", (seed,))?)?;
        options.set_item("nodes", nodes.map(|nodes| nodes.0))?;
        slf.py().import("functools")?.getattr("partial")?.call((slf.getattr("choose")?,), Some(&options))
    }

    /// Counts the legal positions of each ply that are won, tied and lost, mirror images and finished positions included, as ``fourbase
    /// stats`` does. Counting solves the board once more, in at most ``memory`` bytes (default: 80 % of the free memory) or else in
    /// files; the counts are then kept beside the database. ``progress`` is that of `probe_many`, and counts entries of the index.
    ///
    /// >>> stats = fourbase.Database("4x4").stats()
    /// >>> stats.legal[:5].tolist(), int(stats.legal.sum())
    /// ([1, 4, 16, 52, 160], 161029)
    #[pyo3(signature = (*, memory=None, progress=None))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        memory: Option<Memory>,
        progress: Progress<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stats(py, self, memory.map_or_else(memory_bytes, |bytes| bytes.0), progress)
    }

    /// Checks the best database against the rules of the game, as ``fourbase verify`` does, and returns how many values were recomputed: all,
    /// or ``sample`` of them. With ``sample``, legal positions are not counted. A fault raises `DatabaseDamaged`. ``memory`` is that of `stats`.
    ///
    /// >>> fourbase.Database("4x4").verify()
    /// 15710
    #[pyo3(signature = (*, sample=None, memory=None, progress=None))]
    fn verify(
        &self,
        py: Python<'_>,
        sample: Option<SampleCount>,
        memory: Option<Memory>,
        progress: Progress<'_>,
    ) -> PyResult<u64> {
        verify(py, self, sample.map(|count| count.0), memory.map_or_else(memory_bytes, |bytes| bytes.0), progress)
    }

    /// Draws puzzles: positions in which exactly one move keeps the win or the tie, each a `Puzzle`. They come from games of the
    /// players ``level:1`` to ``level:5``, and no two are equal or mirror images. The same seed draws the same puzzles everywhere;
    /// that of a day has the digits of its date, such as 20261129. There are fewer than ``count`` if the board has no more.
    /// ``nodes`` limits the searches for values that are not stored. A remoteness that is not known raises `DatabaseError`.
    ///
    /// >>> puzzle = fourbase.Database("7x6").puzzles(seed=20261129)[0]
    /// >>> puzzle.position.moves, puzzle.solution
    /// ('4256', 2)
    #[pyo3(signature = (count=1, *, seed=1, nodes=None, progress=None))]
    fn puzzles<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = Count::read)] count: u64,
        #[pyo3(from_py_with = Seed::read)] seed: u64,
        nodes: Option<Nodes>,
        progress: Progress<'py>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (board, nodes) = (self.analyst.board, nodes.map(|nodes| nodes.0));
        let display = ProgressDisplay::new(py, board, "Progress", progress)?;
        let done = AtomicU64::new(0);
        let fields = |monitor: &Monitor| Some(("puzzles", done.load(Relaxed), count, monitor.nodes()));
        let drawn = display.run_interruptible(py, &*pool()?, fields, |monitor| {
            let outcomes: Outcomes<'_> = Box::new(|position| {
                let mut budget = budget(nodes, monitor);
                let outcomes = self.analyst.every_move(position, &mut budget)?;
                // What is stored is found without a look at the monitor.
                if monitor.is_cancelled() { Err(DatabaseError::from(budget.limit(board)).into()) } else { Ok(outcomes) }
            });
            let puzzles = Puzzles::new(board, outcomes, seed).take(usize::try_from(count).unwrap_or(usize::MAX));
            let puzzles = puzzles.inspect(|_| _ = done.fetch_add(1, Relaxed));
            puzzles.collect::<Result<Vec<_>, _>>()
        })?;
        let puzzle = |puzzle: Puzzle| {
            let (position, outcome) = (crate::position::Position(*puzzle.position()), Outcome(puzzle.outcome));
            call_python(py, "Puzzle", (position, outcome, puzzle.solution + 1, puzzle.replies, puzzle.level))
        };
        drawn.map_err(of_choice)?.into_iter().map(puzzle).collect()
    }

    fn __repr__(&self) -> String {
        let embedded = self.best().is_embedded;
        let kept = self.keep_plies().map_or_else(String::new, |most| format!(", keep_plies={most}"));
        let place = if embedded { ", built in" } else { "" };
        format!("Database('{}', values='{}'{kept}{place})", self.board(), self.values())
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let mut rows = String::new();
        for name in ["board", "values", "keep_plies", "entries", "outcome", "folder", "hash"] {
            let value = slf.getattr(name)?.str()?.to_string().replace('&', "&amp;").replace('<', "&lt;");
            rows += &format!("<tr><td>{name}</td><td>{value}</td></tr>");
        }
        Ok(format!("<table>{rows}</table>"))
    }

    fn __eq__(&self, other: &Database) -> bool {
        self.identity() == other.identity()
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyTuple::new(py, self.identity())?.hash()
    }

    /// Pickles where the databases are, the best one first, and the size of their cache in bytes. A place is a folder, an address,
    /// or the board of a built-in database. The process that unpickles them opens the databases there.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Opening<'py>> {
        let place = |database: &database::Database| match database.folder() {
            _ if database.is_embedded => Ok(self.board().into()),
            folder if is_address(folder) => Ok(folder.into()),
            folder => std::path::absolute(folder).map(OsString::from),
        };
        let places = self.analyst.databases.iter().map(place).collect::<Result<_, _>>()?;
        Ok((py.get_type::<Database>().getattr("_open")?, (places, self.best().cache.bytes)))
    }

    /// Opens the databases in some places, the best one first.
    #[staticmethod]
    #[pyo3(name = "_open")]
    pub fn open(py: Python<'_>, places: Vec<PathBuf>, cache: u64) -> PyResult<Database> {
        // A folder is an absolute path, so it is not the name of a board.
        let open = |place: &PathBuf| match place.to_str().and_then(|board| board.parse().ok()) {
            Some(board) => database::Database::embedded(board)?
                .ok_or_else(|| DatabaseError::Missing { board, root: DEFAULT_ROOT.into() }),
            None => database::Database::open(place),
        };
        let opened = without_gil(py, || places.iter().map(open).collect::<Result<_, _>>())?;
        Database::of(opened.map_err(of_database)?, cache)
    }
}
