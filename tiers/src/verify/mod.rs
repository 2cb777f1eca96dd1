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
//! The counts that `fourbase stats` keeps beside the database are checked too ([`read_kept`]).
//!
//! Faults are data: which tier, block and entry, what is stored there and what should be. A file that the system does not
//! let be read is no fault ([`Report::unread`]).
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

mod ahead;
mod codes;
mod collector;
mod decode;
mod error;
mod fault;
mod files;
mod forward;
mod groups;
mod known;
mod legal;
mod lookup;
mod published;
mod report;
mod sample;
mod sight;
#[cfg(test)]
mod tests;
mod tier;
mod value;
mod values;
mod walk;
mod work;

use std::ops::RangeInclusive;

use fourbase::{Outcome, Position};

use crate::counts::{CountError, Counted, count_legal, kept_path, legal_bytes, read_kept};
use crate::database::Database;
use crate::index::TierDirectory;
use collector::Collector;
pub use error::VerifyError;
pub use fault::{Fault, Figure};
use lookup::Lookup;
pub use published::{Published, published};
pub use report::{Options, Progress, Report, Stage};
use tier::StoredTier;
use work::Work;

/// Verifies a complete database. Runs on rayon's current pool.
///
/// Takes some microseconds for every stored value, and about one for every move of a legal position where those are
/// counted: see `docs/verification.md`. Memory is twice the database's cache, once for what is decoded here and once for
/// what probes expand, and, while counting, two bits for every entry of a tier.
///
/// With a crew each member calls this and gets the same report. Each reads the manifest and its share of everything else; where a member
/// returns an error, its caller has to end the whole job: the others wait for it.
///
/// # Errors
/// [`VerifyError::Database`] where tiers are missing. [`VerifyError::Crew`] where members do not read the same bytes. What is wrong with the files is no error but a fault.
pub fn verify(database: &Database, options: &Options, progress: &dyn Progress) -> Result<Report, VerifyError> {
    let board = database.board();
    if let Some(ply) = database.manifest().next_ply(board) {
        return Err(database.not_solved(ply).into());
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
        unread: Vec::new(),
    };
    let work = Work::new(options.crew, &faults, progress);
    let stored = files::check(database, &mut report, &work)?;
    if faults.is_empty() {
        if options.sample.is_none() {
            check_memory(database, options.memory_bytes)?;
        }
        let lookup = Lookup::new(database, stored);
        report.stored = lookup.tiers().map(StoredTier::count).sum();
        report.checked = values::check(&lookup, options.sample, &work)?;
        report.root = check_root(&lookup, &faults);
        if options.sample.is_none() {
            report.legal = check_legal(database, &work)?;
        }
        let searches = forward::check(&lookup, options, &work)?;
        (report.searched, report.undecided) = (searches.decided, searches.undecided);
    }
    check_counts(database, report.legal, &faults);
    work.agree("the counts and the empty board")?;
    let found = faults.into_findings();
    (report.faults, report.faults_in_all, report.unread) = (found.faults, found.faults_in_all, found.unread);
    Ok(report)
}

/// Refuses a count of the plies that are not kept which does not fit into memory. To find that out takes the tables of the
/// board, whose size a forged database could choose, so the files are read before.
fn check_memory(database: &Database, limit_bytes: u64) -> Result<(), CountError> {
    let (board, is_published) = (database.board(), published(database.board()).is_some_and(|of| of.legal.is_some()));
    if !is_published || last_kept(database) == last_ply(database) {
        return Ok(());
    }
    let needed = legal_bytes(database.index());
    if needed <= limit_bytes {
        return Ok(());
    }
    Err(CountError::Memory { board, needed_bytes: needed.into(), limit_bytes })
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

/// Checks the counts that are kept beside the database, where there are any, and compares them with the number of legal
/// positions, where these were counted.
fn check_counts(database: &Database, legal: Option<u64>, faults: &Collector) {
    let (folder, manifest) = (database.folder(), database.manifest());
    match read_kept(database.storage(), folder, database.board(), manifest) {
        Ok(Some(counts)) => {
            let found = counts.total().legal;
            if let Some(expected) = legal.filter(|legal| *legal != found) {
                faults.push(Fault::CountedLegal { file: kept_path(folder), found, expected });
            }
        }
        Ok(None) => {}
        Err(error) => faults.push(Fault::Counts(error)),
    }
}

/// Returns the memory that counting legal positions takes: two neighbouring tiers, a bit an entry. 0 where nothing is
/// published to compare them with. The plies that are not kept may take more, which is found out only when all files are
/// known to be sound: see [`Options::memory_bytes`].
pub fn counting_bytes(database: &Database) -> u64 {
    if published(database.board()).is_none_or(|published| published.legal.is_none()) {
        return 0;
    }
    let tiers = &database.manifest().tiers;
    let pairs = tiers.windows(2).map(|pair| pair[0].entries.saturating_add(pair[1].entries));
    pairs.max().unwrap_or(0).div_ceil(8)
}

fn last_ply(database: &Database) -> u32 {
    database.board().cells() as u32
}

/// Returns the last ply that the database keeps.
fn last_kept(database: &Database) -> u32 {
    database.manifest().keep_plies().map_or(last_ply(database), |most| most.min(last_ply(database)))
}

/// Counts the legal positions of a board whose number is published, and compares.
///
/// Those of the kept plies are played, because each needs an entry in the database. The plies after them are not in the
/// database, and there [`counts`](crate::counts) is as good: it has no part in what is verified.
fn check_legal(database: &Database, work: &Work) -> Result<Option<u64>, VerifyError> {
    let Some(expected) = published(database.board()).and_then(|published| published.legal) else { return Ok(None) };
    let (index, cells, last) = (database.index(), last_ply(database), last_kept(database));
    let entries = |plies: RangeInclusive<u32>| plies.map(|ply| TierDirectory::new(index, ply).entries()).sum::<u64>();
    let counted_entries = if last < cells { entries(0..=cells) } else { 0 };
    work.begin(Stage::Legal, entries(0..=last) + counted_entries);
    let mut found = legal::count(index, last, work)?;
    if last < cells {
        // The first process counts them for all.
        let counted = if work.is_first() { count_after(database, last, work)? } else { 0 };
        found += work.sum(counted)?;
    }
    if found != expected {
        work.faults.push(Fault::Legal { found, expected });
    }
    Ok(Some(found))
}

/// Counts the legal positions of more than `last` pieces.
fn count_after(database: &Database, last: u32, work: &Work) -> Result<u64, CountError> {
    let plies = match count_legal(database.index(), &|entries| work.done(entries))? {
        Counted::Legal(plies) => Vec::from_iter(plies.iter().map(|ply| (ply.ply, ply.legal))),
        Counted::Values(counts) => Vec::from_iter(counts.plies.iter().map(|ply| (ply.ply, ply.legal))),
    };
    Ok(plies.into_iter().filter(|(ply, _)| *ply > last).map(|(_, legal)| legal).sum())
}
