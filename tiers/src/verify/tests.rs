//! Mistakes of the solver itself, made while it solves and while its database is verified, are found.

use std::path::Path;

use fourbase::Position;

use super::walk::position_of;
use super::{Options, verify};
use crate::database::Database;
use crate::format::Hash;
use crate::index::TierDirectory;
use crate::kernel::Values;
use crate::long;
use crate::quiet::{StaticEvaluation, evaluate};
use crate::solve::Solve;
use crate::testing::mistakes::{Mistake, with};

/// Solves a board and opens its database; `None` where the solver notices itself that something is wrong.
fn solved(root: &Path, name: &str, values: Values) -> Option<Database> {
    let report = Solve::new(name.parse().unwrap(), values).root(root).replace(true).run().ok()?;
    Some(Database::open(&report.folder).unwrap())
}

/// Tells whether every stored position is worth the best of its moves where probes say what all of them are worth: what a
/// verification that trusts masks, packing and kernels can find.
fn probes_fit(database: &Database) -> bool {
    (1..=database.board().cells() as u32).step_by(2).all(|ply| {
        let tier = TierDirectory::new(database.index(), ply);
        let positions = (0..tier.entries()).filter_map(|entry| position_of(database.index(), &tier, entry));
        positions
            .filter(|position| evaluate(position) == StaticEvaluation::Quiet)
            .all(|position| fits(database, &position))
    })
}

fn fits(database: &Database, position: &Position) -> bool {
    let outcome = |column| Some(database.probe(&position.drop_piece(column)).ok()?.parent());
    let outcomes: Option<Vec<_>> = position.moves().map(outcome).collect();
    let best = outcomes.and_then(|outcomes| outcomes.into_iter().min());
    database.probe(position).ok() == best
}

/// Makes a mistake while a board is solved and while its database is verified. Returns whether the verification finds it,
/// whether one by probes alone would find nothing, and the hash of the files; `None` where the solver notices it.
fn plant(mistake: Option<Mistake>, name: &str, values: Values) -> Option<(bool, bool, Option<Hash>)> {
    with(mistake, || {
        let root = tempfile::tempdir().unwrap();
        let database = solved(root.path(), name, values)?;
        // All values, and no count of legal positions, in which the solver has no part.
        let options = Options { sample: Some(u64::MAX), searches: 50, faults: usize::MAX, ..Options::default() };
        let report = verify(&database, &options, &()).unwrap();
        // A sample of nearly all, in batches, is checked in another order.
        let sample = Some(report.stored.saturating_sub(1));
        let sampled = verify(&database, &Options { sample, ..options }, &()).unwrap();
        assert_eq!(sampled.is_sound(), report.is_sound(), "{name} {values} {mistake:?}");
        Some((!report.is_sound(), probes_fit(&database), database.manifest().hash()))
    })
}

const MISTAKES: [Mistake; 9] = [
    Mistake::MaskHides,
    Mistake::MaskShows,
    Mistake::MaskMoves,
    Mistake::Packing,
    Mistake::Unpack,
    Mistake::Solve,
    Mistake::Compress,
    Mistake::Arms,
    Mistake::Latest,
];

/// Some mistakes cancel: what is written wrong is read wrong in the same way. Probes then fit each other, and only code
/// that knows the format from its description finds that the files are not what it says. On small boards a mistake may have
/// no effect, and the bytes are right.
#[test]
fn mistakes_of_the_solver_are_found_also_those_that_cancel_in_probes() {
    long::skips("seven of nine mistakes on 4x4 with remoteness");
    let mistakes = long::scale(&[Mistake::MaskShows, Mistake::Latest][..], &MISTAKES);
    for (name, values, mistakes, least, hidden) in [
        // Without remoteness no number counts from the latest ply.
        ("4x4", Values::Wdl, &MISTAKES[..8], 8, &[Mistake::MaskShows, Mistake::Packing, Mistake::Arms][..]),
        ("4x4", Values::Remoteness, mistakes, 2, &[Mistake::MaskShows, Mistake::Latest]),
        ("4x3m", Values::Wdl, &MISTAKES, 3, &[]),
        ("4x3m", Values::Remoteness, &MISTAKES, 3, &[]),
    ] {
        let (is_found, fits, sound) = plant(None, name, values).unwrap();
        assert!(!is_found && fits, "{name} {values}");
        let mut count = 0;
        for &mistake in mistakes {
            let Some((is_found, fits, hash)) = plant(Some(mistake), name, values) else { continue };
            println!("{name} {values} {mistake:?}: found: {is_found}; probes fit: {fits}");
            assert!(is_found || hash == sound, "{name} {values}: {mistake:?} is not found");
            assert!(is_found && fits || !hidden.contains(&mistake), "{name} {values}: {mistake:?} is not hidden");
            count += usize::from(is_found);
        }
        assert!(count >= least, "{name} {values}: {count}");
    }
}
