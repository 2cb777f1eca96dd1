//! Verifying a database without the solver.
//!
//! A mistake of the solver must not be made a second time here. So this module shares with the solver the rules of the
//! game ([`fourbase`]), the ranking ([`crate::index`]: which position has which entry) and the file layout (the manifest,
//! the envelope, how a file is cut into blocks with checksums and a tier into chunks, and zstd). It decodes blocks, finds
//! quiet positions and recomputes values with code of its own, written by `docs/format.md` and `docs/algorithm.md`. It
//! calls no kernel, no mask of quiet positions and nothing of the solver; a probe is what it tests, not what it uses.
//!
//! A database is right if five things hold:
//!
//! 1. **Files** (`files`). Every byte is what was written, every block decodes, and every tier has the entries of the
//!    index. Where that fails the rest is not tried.
//! 2. **Values** (`values`, `lookup`). Every chunk has as many values as quiet positions, and every stored value is the
//!    best of what its moves lead to. A finished game needs no file, so a database that satisfies this everywhere is
//!    right everywhere, by induction from the full board down: of several wrong values the one with the most pieces on
//!    the board has only right ones after it, and does not fit. That holds for every stored entry, also those that no
//!    play reaches. A sample can miss a wrong value. Where not all tiers are kept, the moves of the last that is are
//!    searched forward.
//! 3. **Figures** (`published`, `legal`). The empty board has the value that others have published, and from it as many
//!    positions are reached, each with an entry.
//! 4. **Search** (`forward`). Positions of all tiers, stored or not, have the value and remoteness that
//!    [`fourbase::search`] finds, which knows nothing of databases.
//! 5. **Probes**. [`Database::probe`], which shares masks and kernels with the solver, answers for every value that is
//!    recomputed and every position that is searched what was found here.
//!
//! Faults are data: which tier, block and entry, what is stored there and what should be.
//!
//! ```
//! use fourbase_tiers::database::Database;
//! use fourbase_tiers::kernel::Values;
//! use fourbase_tiers::solve::Solve;
//! use fourbase_tiers::verify::{self, verify};
//!
//! let root = tempfile::tempdir()?;
//! let solved = Solve::new("4x3".parse()?, Values::Remoteness).root(root.path()).run()?;
//! let database = Database::open(&solved.folder)?;
//! let report = verify(&database, &verify::Options::default(), &())?;
//! assert!(report.is_sound());
//! assert_eq!(report.legal, Some(12_031));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codes;
mod collector;
mod decode;
mod fault;
mod files;
mod forward;
mod legal;
mod lookup;
mod published;
mod sight;
#[cfg(test)]
mod tests;
mod tier;
mod values;
mod walk;

use fourbase::{Board, Outcome, Position};

use crate::database::{Database, DatabaseError};
use crate::format::Hash;
use crate::kernel::Values;
use collector::Collector;
pub use fault::{Fault, Figure};
use lookup::Lookup;
pub use published::{Published, published};
use tier::StoredTier;

/// How thorough to be.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many of the stored values are recomputed, spread evenly over all tiers: exactly so many, or all where there
    /// are fewer; `None` for all of them. Legal positions are only counted with `None`.
    pub sample: Option<u64>,
    /// How many positions are searched forward; on small boards fewer, because each is searched once.
    pub searches: u64,
    /// The most nodes that the search of one position may take; one that takes more is given up.
    pub nodes: u64,
    /// How many faults are kept; the others are only counted.
    pub faults: usize,
}

impl Default for Options {
    /// Returns all values, 1,000 searches of at most 200,000 nodes (some seconds on any board), 20 faults.
    fn default() -> Options {
        Options { sample: None, searches: 1000, nodes: 200_000, faults: 20 }
    }
}

/// A part of a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Checksums; a step is a tier.
    Files,
    /// Stored values against their moves; a step is an entry of the index, or a value of a sample.
    Values,
    /// Counting legal positions; a step is an entry of the index.
    Legal,
    /// Searching forward; a step is a position.
    Search,
}

/// Hears how a verification goes. The methods may be called from any thread and should be quick.
pub trait Progress: Sync {
    /// A stage of so many steps begins.
    fn begins(&self, _stage: Stage, _steps: u64) {}

    /// More steps of the stage are done.
    fn done(&self, _steps: u64) {}
}

/// Says nothing.
impl Progress for () {}

/// What a verification found.
#[derive(Debug)]
pub struct Report {
    /// The board.
    pub board: Board,
    /// The kind of values.
    pub values: Values,
    /// Outcome of the empty board, as looked up; `None` where that fails.
    pub root: Option<Outcome>,
    /// Files that were read through: the manifest and the stored tiers.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The deepest ply whose tier is kept, where not all are.
    pub keep_plies: Option<u32>,
    /// Hash of the whole database, as the manifest says. The files were compared with it.
    pub hash: Option<Hash>,
    /// Stored values that were recomputed.
    pub checked: u64,
    /// All stored values; 0 where a file could not be read.
    pub stored: u64,
    /// Legal positions, where they were counted.
    pub legal: Option<u64>,
    /// Positions whose outcome a search forward has found.
    pub searched: u64,
    /// Positions whose search was given up.
    pub undecided: u64,
    /// The first faults: by file, then by tier from the full board down and by entry.
    pub faults: Vec<Fault>,
    /// All faults.
    pub faults_in_all: u64,
}

impl Report {
    /// Tells whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults_in_all == 0
    }
}

/// Verifies a complete database. Runs on rayon's current pool.
///
/// Takes some microseconds for every stored value, and about one for every move of a legal position where those are
/// counted: see `docs/verification.md`. Memory is twice the database's cache, once for what is decoded here and once for
/// what probes expand, and, while counting, two bits for every entry of a tier.
///
/// # Errors
/// [`DatabaseError::NotSolved`] where tiers are missing. What is wrong with the files is no error but a fault.
pub fn verify(database: &Database, options: &Options, progress: &dyn Progress) -> Result<Report, DatabaseError> {
    let board = database.board();
    if let Some(ply) = database.manifest().next_ply(board) {
        return Err(database.not_solved(ply));
    }
    let faults = Collector::new(options.faults);
    let mut report = Report {
        board,
        values: database.values(),
        root: None,
        files: 0,
        bytes: 0,
        keep_plies: database.manifest().keep_plies(),
        hash: database.manifest().hash(),
        checked: 0,
        stored: 0,
        legal: None,
        searched: 0,
        undecided: 0,
        faults: Vec::new(),
        faults_in_all: 0,
    };
    let stored = files::check(database, &mut report, &faults, progress);
    if faults.is_empty() {
        let lookup = Lookup::new(database, stored);
        report.stored = lookup.tiers().map(StoredTier::count).sum();
        report.checked = values::check(&lookup, options.sample, &faults, progress);
        report.root = check_root(&lookup, &faults);
        if options.sample.is_none() {
            report.legal = check_legal(database, &faults, progress);
        }
        let searches = forward::check(&lookup, options, &faults, progress);
        (report.searched, report.undecided) = (searches.decided, searches.undecided);
    }
    (report.faults, report.faults_in_all) = faults.into_faults();
    Ok(report)
}

/// Compares the value of the empty board with the manifest and with what is published.
fn check_root(lookup: &Lookup, faults: &Collector) -> Option<Outcome> {
    let (database, start) = (lookup.database(), Position::start(lookup.database().board()));
    let found = match lookup.outcome(&start) {
        Ok(found) => found,
        Err(error) => {
            faults.push(Fault::File(error));
            return None;
        }
    };
    lookup.check_probe(&start, found, faults);
    let differs = |expected: Outcome, figure| faults.push(Fault::Root { found, expected, figure });
    match database.manifest().root() {
        Some(root) if root != found => differs(root, Figure::Manifest),
        _ => {}
    }
    if let Some(Published { outcome: Some(published), .. }) = published(database.board()) {
        // Where either remoteness is not known the values alone are compared.
        let remoteness = found.remoteness.and(published.remoteness).or(found.remoteness);
        let expected = Outcome { remoteness, ..published };
        if expected != found {
            differs(expected, Figure::Published);
        }
    }
    Some(found)
}

/// Returns the memory that counting legal positions takes: two neighbouring tiers, a bit an entry. 0 where nothing is
/// published to compare them with.
pub fn counting_bytes(database: &Database) -> u64 {
    if published(database.board()).is_none_or(|published| published.legal.is_none()) {
        return 0;
    }
    let tiers = &database.manifest().tiers;
    let pairs = tiers.windows(2).map(|pair| pair[0].entries.saturating_add(pair[1].entries));
    pairs.max().unwrap_or(0).div_ceil(8)
}

/// Counts the legal positions of a board whose number is published, and compares.
fn check_legal(database: &Database, faults: &Collector, progress: &dyn Progress) -> Option<u64> {
    let expected = published(database.board())?.legal?;
    let found = legal::count(database.index(), faults, progress);
    if found != expected {
        faults.push(Fault::Legal { found, expected });
    }
    Some(found)
}
