//! Verifies a database without using the solver.
//!
//! This module must not repeat a mistake of the solver. So it shares only this with the solver:
//!
//! - the rules of the game ([`fourbase`]);
//! - the ranking, which gives each position its entry in a tier ([`crate::index`]);
//! - the file layout: the manifest, the envelope, zstd, and the code that cuts a file into blocks with checksums and a
//!   tier into chunks.
//!
//! This module decodes blocks, finds quiet positions (defined in `walk`) and recomputes values with its own code, which
//! follows `docs/reference/file-format.md` and `docs/explanation/algorithm.md`. It uses no kernel, no quiet mask and no
//! other code of the solver. It tests probes and never relies on them.
//!
//! A database is right if five things hold:
//!
//! 1. **Files** (`files`, `tier`). Every byte is what was written, every block decodes, and every tier has as many
//!    entries as the index gives it. If this check fails, checks 2 to 5 are skipped.
//! 2. **Values** (`values`, `lookup`, `walk`). Every chunk has one value for each quiet position, and every stored
//!    value equals the best value that a move leads to. The rules alone give the value of a finished game. So if this
//!    check passes for all values, all of them are right, by induction from the full board down: in a chain of wrong
//!    values, the value nearest the full board has only right values after it, so the check reports that value. The
//!    check covers every stored entry, even positions that no play reaches. If only a sample is checked, a wrong value
//!    can be missed. If the database does not keep all tiers, a forward search gives the values after the last kept
//!    tier.
//! 3. **Play** (`legal`). The empty board has the value that the manifest names, and every legal position without a
//!    line has an entry, up to the last kept ply. This check also counts the legal positions.
//! 4. **Search** (`forward`). A selection of positions from all tiers, kept or not, is searched by [`fourbase::search`]
//!    without the database. Each position must have the value and remoteness that the search finds.
//! 5. **Probes**. [`Database::probe`], which shares masks and kernels with the solver, must return the same outcome for
//!    every recomputed value and every searched position.
//!
//! If `fourbase stats` has saved counts of positions beside the database's folder, they are checked too
//! ([`read_kept`]).
//!
//! Each error of the database is reported as a [`Fault`]. A file that the system refuses to read, or that a newer
//! fourbase has written, is no fault ([`VerifyReport::unread`]). Several processes split the work (`work`).
//!
//! ```
//! use fourbase_tiers::context::Context;
//! use fourbase_tiers::database::Database;
//! use fourbase_tiers::kernel::Values;
//! use fourbase_tiers::solve::Solve;
//! use fourbase_tiers::verify::{VerifyOptions, verify};
//!
//! let root = tempfile::tempdir()?;
//! let solved = Solve::new("4x3".parse()?, Values::Remoteness).root(root.path()).run()?;
//! let database = Database::open(&solved.folder)?;
//! let report = verify(&database, &VerifyOptions::default(), &Context::default())?;
//! assert!(report.is_sound());
//! assert_eq!(report.legal, Some(12_031));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod files;
mod forward;
mod legal;
mod lookup;
mod report;
mod tier;
mod values;
mod walk;
mod work;

use fourbase::{Outcome, Position};

use crate::context::Context;
use crate::counts::{kept_path, read_kept};
use crate::database::{Database, DatabaseError};
use crate::files::{counted, grouped, shown};
pub use legal::counting_bytes;
use lookup::FileLookup;
use report::words;
pub use report::{Fault, FaultKind, Unread, VerifyOptions, VerifyReport};
use tier::StoredTier;
use work::Work;

/// Verifies a complete database, with the processes and the progress of `context`, on rayon's current pool.
///
/// Recomputing a stored value takes some microseconds. Counting legal positions takes about one microsecond for each
/// move of each position; see `docs/explanation/verification.md`. Verifying needs twice the memory of the database's
/// cache: one cache for the blocks decoded here, and one for probes. Counting legal positions also needs one bit for
/// each entry of two neighbouring tiers ([`counting_bytes`]).
///
/// If several processes verify together, each of them calls this function and gets the same faults. Each process reads
/// the manifest and its share of everything else. If the call returns an error in one process, the caller must end the
/// whole job, because the other processes wait for that process.
///
/// # Errors
/// [`DatabaseError::NotSolved`] if tiers are missing, [`DatabaseError::File`] if a message of a process does not
/// decode. Damaged files and wrong values are faults, not errors.
pub fn verify(database: &Database, options: &VerifyOptions, context: &Context) -> Result<VerifyReport, DatabaseError> {
    if let Some(ply) = database.manifest.next_ply() {
        return Err(database.not_solved(ply));
    }
    let mut report = VerifyReport::default();
    let work = Work::new(options, context);
    let stored = files::check(database, &mut report, &work)?;
    if work.is_sound() {
        let lookup = FileLookup::new(database, stored);
        report.stored = lookup.tiers.values().map(StoredTier::count).sum();
        report.checked = values::check(&lookup, &work)?;
        report.root = check_root(&lookup, &work);
        work.gather()?;
        if options.sample.is_none() {
            let last = database.board().cells() as u32;
            let kept = database.manifest.keep_plies.map_or(last, |most| most.min(last));
            report.legal = Some(legal::count(database.index(), kept, &work)?);
        }
        (report.searched, report.undecided) = forward::check(&lookup, &work)?;
    }
    check_counts(database, report.legal, &work);
    work.gather()?;
    let VerifyReport { faults, faults_in_all, unread, .. } = work.into_report();
    Ok(VerifyReport { faults, faults_in_all, unread, ..report })
}

/// Returns the memory in bytes that `threads` threads need in addition to the caches: either one search table each, or
/// the values of a sample that are recomputed together. Counting legal positions needs [`counting_bytes`] instead.
pub fn working_bytes(threads: usize) -> u64 {
    (threads * forward::TABLE_BYTES) as u64
}

/// Compares the value of the empty board with the manifest.
fn check_root(lookup: &FileLookup, work: &Work) -> Option<Outcome> {
    let (database, start) = (lookup.database, Position::start(lookup.database.board()));
    let found = lookup.outcome(&start).map_err(|error| work.push_file_error(&error)).ok()?;
    lookup.check_probe(&start, found, work);
    if let Some(expected) = database.manifest.root().filter(|root| *root != found) {
        let [found, expected] = [found, expected].map(words);
        let message = format!("the empty board: {found} by its moves, {expected} in the manifest");
        work.push(Fault { ply: Some(0), ..Fault::new(FaultKind::Root, message).comparing(found, expected) });
    }
    Some(found)
}

/// Checks the counts beside the database, if there are any. If the verification counted legal positions (`legal`),
/// compares their number with the counts of the kept plies.
fn check_counts(database: &Database, legal: Option<u64>, work: &Work) {
    let (folder, manifest) = (database.folder(), &database.manifest);
    let counts = match read_kept(database.storage(), folder, database.board(), manifest) {
        Ok(counts) => counts,
        Err(error) => {
            let fault = Fault::new(FaultKind::Counts, &error);
            return work.push_error(&DatabaseError::File(error), fault);
        }
    };
    let is_kept = |ply| manifest.keep_plies.is_none_or(|most| ply <= most);
    let found = counts.map(|counts| counts.sum(|row| if is_kept(row.ply) { row.legal } else { 0 }));
    if let (Some(found), Some(expected)) = (found, legal)
        && found != expected
    {
        let [found_words, expected_words] = [counted(found, "legal position"), grouped(expected.into())];
        let message = format!("{}: {found_words}, {expected_words} counted", shown(&kept_path(folder)));
        work.push(Fault::new(FaultKind::Counts, message).comparing(found, expected));
    }
}
