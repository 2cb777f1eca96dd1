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

/// What became of a mistake.
struct Planted {
    /// Whether a verification finds it.
    is_found: bool,
    /// Whether a verification by probes alone would find nothing.
    probes_fit: bool,
    /// The hash of the files that were written.
    hash: Option<Hash>,
}

/// Makes a mistake while a board is solved and while its database is verified.
fn plant(mistake: Option<Mistake>, name: &str, values: Values) -> Option<Planted> {
    with(mistake, || {
        let root = tempfile::tempdir().unwrap();
        let database = solved(root.path(), name, values)?;
        // All values, and no count of legal positions, in which the solver has no part.
        let options = Options { sample: Some(u64::MAX), searches: 50, faults: usize::MAX, ..Options::default() };
        let report = verify(&database, &options, &()).unwrap();
        let (is_found, probes_fit) = (!report.is_sound(), probes_fit(&database));
        // A sample of nearly all, in batches, is checked in another order.
        let sample = Some(report.stored.saturating_sub(1));
        let sampled = verify(&database, &Options { sample, ..options }, &()).unwrap();
        assert_eq!(sampled.is_sound(), report.is_sound(), "{name} {values} {mistake:?}");
        println!("{name} {values} {mistake:?}: {} faults; probes fit: {probes_fit}", report.faults_in_all);
        Some(Planted { is_found, probes_fit, hash: database.manifest().hash() })
    })
}

/// What a board is solved with wrongly is found, or has written the right bytes: on small boards a mistake may have no
/// effect. Returns how many mistakes were found, and those that probes alone would not have found.
fn check(name: &str, values: Values, mistakes: &[Mistake]) -> (usize, Vec<Mistake>) {
    let sound = plant(None, name, values).unwrap();
    assert!(!sound.is_found && sound.probes_fit, "{name} {values}");
    let (mut found, mut hidden) = (0, Vec::new());
    for &mistake in mistakes {
        let Some(planted) = plant(Some(mistake), name, values) else { continue };
        let is_found = planted.is_found;
        assert!(is_found || planted.hash == sound.hash, "{name} {values}: {mistake:?} is not found");
        found += usize::from(is_found);
        hidden.extend((is_found && planted.probes_fit).then_some(mistake));
    }
    (found, hidden)
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
/// that knows the format from its description finds that the files are not what it says.
#[test]
fn mistakes_of_the_solver_are_found_also_those_that_cancel_in_probes() {
    // Without remoteness no number counts from the latest ply.
    let (found, hidden) = check("4x4", Values::Wdl, &MISTAKES[..8]);
    assert_eq!(found, 8);
    assert!(hidden.contains(&Mistake::MaskShows) && hidden.contains(&Mistake::Packing), "{hidden:?}");
    assert!(hidden.contains(&Mistake::Arms), "{hidden:?}");
    long::skips("seven of nine mistakes on 4x4 with remoteness");
    let mistakes = long::scale(&[Mistake::MaskShows, Mistake::Latest][..], &MISTAKES);
    let (_, hidden) = check("4x4", Values::Remoteness, mistakes);
    assert!(hidden.contains(&Mistake::MaskShows) && hidden.contains(&Mistake::Latest), "{hidden:?}");
}

#[test]
fn mistakes_of_the_solver_are_found_on_other_boards() {
    for name in ["4x3", "5x3", "4x3m"] {
        if name == "5x3" && long::skips("mistakes on 5x3") {
            continue;
        }
        for values in [Values::Wdl, Values::Remoteness] {
            let (found, hidden) = check(name, values, &MISTAKES);
            println!("{name} {values}: {found} mistakes found, of those probes fit each other for {hidden:?}");
            assert!(found >= 3, "{name} {values}");
        }
    }
}
