//! The class `Database`.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourbase::analysis::{Analyst, Budget, Gap, Lookup};
use fourbase::search::Monitor;
use fourbase_tiers::database::{self, DatabaseError};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arguments::{BoardArgument, Errors, cache_bytes, memory_bytes, root};
use crate::chunks::{Chunks, chunk};
use crate::failure::of_database;
use crate::outcome::{Move, Outcome};
use crate::position::read;
use crate::rows;
use crate::rows::probe::{self, MoveValues};
use crate::sample;
use crate::wait::{briefly, patiently, pool};

/// A solved board. Threads may share it.
///
/// ``db`` is the folder of all databases: by default ``$FOURBASE_DB``, else ``db``, as on the command line. Early plies of
/// 7x6, 6x6 and 7x5 are part of fourbase and serve where the folder has no complete database of the board; later positions of
/// these boards are searched forward. Of two databases of a board, the one with remoteness is opened.
///
/// What probes expand is kept in memory: at most ``cache`` bytes, by default an eighth of the free memory, from 256 MiB to
/// 2 GiB. All of 6x5 takes some 800 MiB.
///
/// >>> db = fourbase.Database("5x4")
/// >>> db
/// Database('5x4', values='remoteness')
/// >>> db.probe("1234")
/// Outcome(value='tie', remoteness=16)
/// >>> fourbase.Database("7x6").probe("4444")
/// Outcome(value='win', remoteness=37)
#[pyclass(frozen, weakref, module = "fourbase")]
pub struct Database(pub Arc<database::Database>);

/// The nodes of a search before it gets a thread of its own: about a millisecond. To start the thread and to wake the pool
/// takes a fifth of that.
const NODES_AT_ONCE: u64 = 1 << 14;

/// The value and the plies of each row.
type ValuesAndPlies<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<u8>>);

/// The board of a database, and the folder of all databases.
type Place = (String, Option<PathBuf>);

impl Database {
    /// Opens the database in a folder.
    pub fn open(py: Python<'_>, folder: &Path) -> PyResult<Database> {
        let opened = briefly(py, || database::Database::open(folder))?.map_err(of_database)?;
        Ok(Database(Arc::new(opened.with_cache(cache_bytes()))))
    }

    /// Asks with a short search first, and then on another thread, so that Ctrl-C can stop it. What the short search found
    /// helps the long one.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        nodes: Option<u64>,
        ask: impl Fn(&database::Database, &mut Budget) -> Result<T, DatabaseError> + Sync,
    ) -> PyResult<T> {
        let database = &*self.0;
        let at_once = nodes.map_or(NODES_AT_ONCE, |nodes| nodes.min(NODES_AT_ONCE));
        match briefly(py, || ask(database, &mut Budget { nodes: Some(at_once), ..Budget::default() }))? {
            Err(error)
                if database::Database::gap(&error) == Some(Gap::Budget)
                    && nodes.is_none_or(|nodes| nodes > NODES_AT_ONCE) => {}
            answer => return answer.map_err(of_database),
        }
        let monitor = Arc::new(Monitor::default());
        let mut budget = Budget { nodes, monitor: Some(Arc::clone(&monitor)), ..Budget::default() };
        patiently(py, &*pool()?, || monitor.cancel(), |_| Ok(()), || ask(database, &mut budget))?.map_err(of_database)
    }
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (board, db=None, *, cache=None))]
    fn new(py: Python<'_>, board: BoardArgument, db: Option<PathBuf>, cache: Option<u64>) -> PyResult<Database> {
        let root = root(db);
        let found = briefly(py, || database::Database::find_or_embedded(&root, board.0))?.map_err(of_database)?;
        if let Some(fault) = found.passed_over() {
            let text = CString::new(format!("passed over another database: {fault}")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
        }
        Ok(Database(Arc::new(found.with_cache(cache.unwrap_or_else(cache_bytes)))))
    }

    /// The name of the board.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// What is stored: ``'remoteness'``, or ``'wdl'`` for values alone.
    #[getter]
    fn values(&self) -> String {
        self.0.values().to_string()
    }

    /// The folder of the database; ``None`` for one that is part of fourbase.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        (!self.0.is_embedded()).then(|| self.0.folder().to_path_buf())
    }

    /// The deepest ply that is stored; ``None`` if all are. Later positions are searched forward.
    #[getter]
    fn keep_plies(&self) -> Option<u32> {
        self.0.manifest().keep_plies()
    }

    /// The number of entries, with mirror images once.
    #[getter]
    fn entries(&self) -> u64 {
        self.0.manifest().entries()
    }

    /// What the empty board is worth; ``None`` if the solve is not finished.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.0.manifest().root().map(Outcome)
    }

    /// The BLAKE3 of the database, 64 hexadecimal digits; ``None`` if the solve is not finished. Equal databases have equal
    /// hashes on every machine.
    ///
    /// >>> fourbase.Database("5x4").hash[:16]
    /// 'bf24785a4e22734d'
    #[getter]
    fn hash(&self) -> Option<String> {
        self.0.manifest().hash().map(|hash| hash.to_string())
    }

    /// Returns what a position is worth to its player to move. ``position`` is a text or a `Position`.
    ///
    /// ``nodes`` limits the search of a position that is not stored; where it is reached, `SearchLimit` is raised.
    ///
    /// >>> fourbase.Database("5x4").probe(fourbase.Position("5x4", "1234").play(3))
    /// Outcome(value='tie', remoteness=15)
    #[pyo3(signature = (position, *, nodes=None))]
    fn probe(&self, py: Python<'_>, position: &Bound<'_, PyAny>, nodes: Option<u64>) -> PyResult<Outcome> {
        let position = read(self.0.board(), position)?;
        self.ask(py, nodes, |database, budget| database.look_up(&position, budget)).map(Outcome)
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
    #[pyo3(signature = (position, *, nodes=None))]
    fn moves(&self, py: Python<'_>, position: &Bound<'_, PyAny>, nodes: Option<u64>) -> PyResult<Vec<Move>> {
        let position = read(self.0.board(), position)?;
        let moves = self.ask(py, nodes, |database, budget| {
            Analyst::new(database.board(), Some(database), None).moves(&position, budget)
        });
        Ok(moves?.into_iter().map(Move::of).collect())
    }

    /// Returns what many positions are worth: an int8 array of values (1 win, 0 tie, -1 lose) and a uint8 array of plies to
    /// the end (255 where a database has values alone).
    ///
    /// ``positions`` is a list of texts or of `Position`; a uint64 array (n, 2) of bitboards; an int8 array (n, rows, columns)
    /// with the top row first and 0, 1, 2 for nothing, the first and the second player; or anything else that
    /// `fourbase.decode` reads, with its name as ``encoding``.
    ///
    /// A row that is no position raises `PositionError` with its index, or with ``errors="mask"`` has the value -128 and 255
    /// plies.
    ///
    /// >>> values, plies = fourbase.Database("5x4").probe_many(["", "1234", "12343"])
    /// >>> values.tolist(), plies.tolist()
    /// ([0, 0, 0], [20, 16, 15])
    #[pyo3(signature = (positions, *, encoding=None, errors=Errors::Raise, nodes=None))]
    #[pyo3(text_signature = "($self, positions, *, encoding=None, errors='raise', nodes=None)")]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        encoding: Option<&str>,
        errors: Errors,
        nodes: Option<u64>,
    ) -> PyResult<ValuesAndPlies<'py>> {
        let batch = rows::read(py, Some(self.0.board()), positions, encoding, errors)?;
        let (values, plies) = probe::many(py, &self.0, nodes, &batch)?;
        Ok((PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies)))
    }

    /// Returns what every move of many positions is worth to the player who makes it: an int8 array of values and a uint8
    /// array of plies, each (n, columns), and a bool array of the legal moves. The first column has index 0.
    ///
    /// Illegal moves have the value -128 and 255 plies; so have all moves of a finished game, and of a row that is no position
    /// with ``errors="mask"``. See `probe_many` for the arguments.
    ///
    /// >>> table = fourbase.Database("5x4").move_values(["1234"])
    /// >>> table.values.tolist(), table.plies.tolist()
    /// ([[-1, -1, 0, -1, -1]], [[16, 16, 16, 16, 16]])
    #[pyo3(signature = (positions, *, encoding=None, errors=Errors::Raise, nodes=None))]
    #[pyo3(text_signature = "($self, positions, *, encoding=None, errors='raise', nodes=None)")]
    fn move_values<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        encoding: Option<&str>,
        errors: Errors,
        nodes: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch = rows::read(py, Some(self.0.board()), positions, encoding, errors)?;
        let MoveValues { values, plies, legal } = probe::moves(py, &self.0, nodes, &batch)?;
        let shape = [batch.positions.len(), self.0.board().width()];
        let arrays = (
            PyArray1::from_vec(py, values).reshape(shape)?,
            PyArray1::from_vec(py, plies).reshape(shape)?,
            PyArray1::from_vec(py, legal).reshape(shape)?,
        );
        py.import("fourbase._types")?.getattr("MoveValues")?.call1(arrays)
    }

    /// Iterates over the positions of a ply that no line has finished, in the order of the index, each followed by its mirror
    /// image if that is another position. A chunk has ``positions`` (a uint64 array (n, 2) of bitboards), ``values`` and
    /// ``plies`` as `probe_many` gives them.
    ///
    /// ``legal`` leaves out positions that no game reaches; this goes through all earlier plies, with two bits an entry in
    /// memory (``memory`` is the most bytes; default: 80 % of the free memory).
    ///
    /// >>> for chunk in fourbase.Database("5x4").positions(2):
    /// ...     print(len(chunk.positions), chunk.values.sum(), chunk.plies.max())
    /// 25 -2 18
    #[pyo3(signature = (ply, *, legal=true, chunk=65536, memory=None))]
    fn positions(&self, py: Python<'_>, ply: u32, legal: bool, chunk: usize, memory: Option<u64>) -> PyResult<Chunks> {
        Chunks::new(py, &self.0, ply, legal, chunk, memory.unwrap_or_else(memory_bytes))
    }

    /// Draws unfinished positions at random, with their values: the same for the same seed.
    ///
    /// ``plies`` are the plies to draw from (default: all). ``kind`` is ``'uniform'``: every legal position of these plies is
    /// equally likely; ``'random-play'``: a ply is drawn, and random moves are played up to it; or ``'choice-matters'``: the
    /// same, and again until the moves of the position differ in value. Positions may come up several times.
    ///
    /// >>> drawn = fourbase.Database("5x4").sample(1000, plies=range(4, 12), seed=1)
    /// >>> drawn.positions.shape, drawn.values.shape
    /// ((1000, 2), (1000,))
    #[pyo3(signature = (count, *, plies=None, seed=1, kind="uniform"))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        plies: Option<&Bound<'py, PyAny>>,
        seed: u64,
        kind: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kind = sample::kind(kind)?;
        let plies = match plies {
            Some(plies) => plies.try_iter()?.map(|ply| ply?.extract()).collect::<PyResult<Vec<u32>>>()?,
            None => (0..self.0.board().cells() as u32).collect(),
        };
        chunk(py, &self.0, sample::positions(py, &self.0, count, &plies, seed, kind)?)
    }

    /// Writes positions with their values to a file, for machine learning, and returns the number of rows. A file
    /// ``NAME.md`` beside it explains the columns. The same arguments give the same file.
    ///
    /// Every legal position of ``plies`` (default: all) that no line has finished is written; with ``sample=N``, N unfinished
    /// ones are drawn as `sample` draws them (``kind``, ``seed``). ``distinct=True`` writes only one of a position and its mirror
    /// image, and of a sample each once. ``unforced=True`` lists the positions in which no move would complete a line, of ply 8 by
    /// default.
    ///
    /// ``format`` is ``'parquet'``, ``'csv'``, ``'npz'`` or ``'uci'``; by default the end of the path tells it (``.data`` is the
    /// text of the UCI data set, whose positions are the unforced ones). NPZ holds all rows in memory while it is made, and has
    /// -128 and 255 for an illegal move; the others have nulls.
    ///
    /// ``columns`` are some of ``moves``, ``bits``, ``uni``, ``bitboards``, ``ply``, ``value``, ``remoteness``, ``score``,
    /// ``move-values``, ``move-remoteness``; by default bitboards and all that the database knows. ``nodes`` limits the search of
    /// a position that is not stored, and ``memory`` the bytes for listing a ply. An existing file is an error unless
    /// ``replace=True``; it takes its name when it is whole.
    ///
    /// >>> import pathlib, tempfile
    /// >>> db, folder = fourbase.Database("5x4"), pathlib.Path(tempfile.mkdtemp())
    /// >>> db.export(folder / "5x4.csv", plies=range(3), columns=["moves", "value", "remoteness"])
    /// 31
    /// >>> (folder / "5x4.csv").read_text().splitlines()[:4]
    /// ['moves,value,remoteness', '-,0,20', '3,0,19', '1,1,19']
    /// >>> db.export(folder / "5x4.parquet", sample=1000, kind="choice-matters", distinct=True)
    /// 1000
    #[pyo3(signature = (path, *, plies=None, sample=None, kind="uniform", seed=1, distinct=false, unforced=false,
        format=None, columns=None, replace=false, nodes=None, memory=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword")]
    fn export<'py>(
        slf: &Bound<'py, Self>,
        path: Bound<'py, PyAny>,
        plies: Option<Bound<'py, PyAny>>,
        sample: Option<u64>,
        kind: &str,
        seed: u64,
        distinct: bool,
        unforced: bool,
        format: Option<&str>,
        columns: Option<Bound<'py, PyAny>>,
        replace: bool,
        nodes: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let options = PyDict::new(py);
        options.set_item("plies", plies)?;
        options.set_item("sample", sample)?;
        options.set_item("kind", kind)?;
        options.set_item("seed", seed)?;
        options.set_item("distinct", distinct)?;
        options.set_item("unforced", unforced)?;
        options.set_item("columns", columns)?;
        options.set_item("nodes", nodes)?;
        options.set_item("memory", memory)?;
        py.import("fourbase._export")?.getattr("export")?.call1((slf, path, format, replace, options))
    }

    fn __repr__(&self) -> String {
        let embedded = self.0.is_embedded();
        let kept = self.keep_plies().map_or_else(String::new, |most| format!(", keep_plies={most}"));
        let place = if embedded { ", part of fourbase" } else { "" };
        format!("Database('{}', values='{}'{kept}{place})", self.board(), self.values())
    }

    /// A database is pickled as its place: the other process opens it there.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Place)> {
        // <db>/<board>/<values>
        let folder = self.folder().and_then(|folder| std::path::absolute(folder).ok());
        let root = folder.and_then(|folder| folder.ancestors().nth(2).map(Path::to_path_buf));
        Ok((py.get_type::<Database>(), (self.board(), root)))
    }
}
