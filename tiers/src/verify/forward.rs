//! Positions of all tiers against a search forward: what this verification looks up, and what a probe answers.

use fourbase::search::{self, Search};
use fourbase::{Outcome, Player, Position};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::collector::Collector;
use super::fault::Fault;
use super::lookup::Lookup;
use super::report::{Options, Stage};
use super::walk::position_of;
use super::work::{Threads, Work};
use crate::crew::CrewError;
use crate::database::Database;
use crate::index::TierLayout;
use crate::kernel::Values;

/// The table of one thread's search.
const TABLE_BYTES: usize = 16 << 20;

/// How many entries are tried for one that is a position.
const TRIES: u64 = 100;

/// How many searches came to an end.
#[derive(Clone, Copy, Default)]
pub(super) struct Searches {
    pub decided: u64,
    pub undecided: u64,
}

/// Searches the empty board and positions of all tiers alike, which look random (but are always the same).
pub(super) fn check(lookup: &Lookup, options: &Options, work: &Work) -> Result<Searches, CrewError> {
    let database = lookup.database();
    work.begin(Stage::Search, options.searches);
    let tiers = database.board().cells() as u64 + 1;
    let mut searches = Searches::default();
    for ply in 0..tiers {
        // Ply 0 has one position.
        let share = if ply == 0 { options.searches.min(1) } else { share_of(options.searches, tiers, ply) };
        let positions = positions(database, ply as u32, share);
        let engine = || {
            let limits = search::Options {
                table_bytes: TABLE_BYTES,
                node_limit: Some(options.nodes),
                ..search::Options::default()
            };
            Search::new(database.board(), limits)
        };
        let (place, count) = (format!("the searches of ply {ply}"), positions.len() as u64);
        let of_threads = work.share(
            &place,
            count,
            Threads::Each,
            || (0, engine()),
            |(decided, engine), number, faults| {
                let is_decided =
                    positions.get(number as usize).is_some_and(|of| check_position(lookup, engine, of, faults));
                *decided += u64::from(is_decided);
                work.done(1);
            },
        )?;
        let decided = work.sum(of_threads.iter().map(|(decided, _)| decided).sum())?;
        // A small tier has fewer positions.
        work.done_by_all(share - count);
        work.tier_done(Stage::Search, ply as u32, decided);
        searches.decided += decided;
        searches.undecided += count - decided;
    }
    Ok(searches)
}

/// Returns how many of all searches the tier of ply 1 or later has.
fn share_of(searches: u64, tiers: u64, ply: u64) -> u64 {
    let others = searches.saturating_sub(1);
    let before = |ply: u64| u128::from(others) * u128::from(ply - 1) / u128::from(tiers - 1);
    (before(ply + 1) - before(ply)) as u64
}

/// Chooses up to `count` positions of a tier.
fn positions(database: &Database, ply: u32, count: u64) -> Vec<Position> {
    let layout = TierLayout::new(database.index(), ply);
    let one = |number: u64| {
        (0..TRIES).find_map(|attempt| {
            let random = xxh3_64_with_seed(&(number * TRIES + attempt).to_le_bytes(), ply.into());
            position_of(database.index(), &layout, random % layout.entries().max(1))
        })
    };
    let mut positions: Vec<Position> = (0..count).filter_map(one).collect();
    // A small tier gives some positions twice.
    positions.sort_unstable_by_key(|position| [Player::First, Player::Second].map(|player| position.pieces(player)));
    positions.dedup();
    positions
}

/// Compares a position with its search; tells whether that came to an end.
fn check_position(lookup: &Lookup, engine: &mut Search, position: &Position, faults: &Collector) -> bool {
    let searched = match lookup.database().values() {
        Values::Remoteness => engine.solve(position),
        Values::Wdl => engine.value(position).map(|value| Outcome { value, remoteness: None }),
    };
    let Ok(searched) = searched else { return false };
    let ply = position.ply() as u32;
    match lookup.outcome(position) {
        Ok(found) => {
            if found != searched {
                faults.push(Fault::Search { ply, position: *position, found, searched });
            }
            lookup.check_probe(position, found, faults);
        }
        Err(error) => faults.push(Fault::File(error)),
    }
    true
}
