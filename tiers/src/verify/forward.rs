//! Searches positions of all tiers forward. The result of each search must equal the outcome that [`FileLookup`] reads
//! from the files, and that outcome must equal the result of a probe.

use fourbase::Position;
use fourbase::search::{self, Search};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lookup::{FileLookup, searched};
use super::report::{Fault, FaultKind, words};
use super::walk::position_of;
use super::work::{Work, share};
use crate::database::{Database, DatabaseError};
use crate::index::TierDirectory;
use crate::progress::Stage;

/// The bytes of a thread's search table.
pub(super) const TABLE_BYTES: usize = 16 << 20;

/// The number of nodes after which a search is given up.
const MOST_NODES: u64 = 200_000;

/// How many random entries are tried to find one position, because some entries stand for no position.
const TRIES: u64 = 100;

/// Searches the empty board and about the same number of positions from each later tier. The choice is pseudorandom,
/// and the same in every run. Returns how many searches found an outcome, and how many were given up.
pub(super) fn check(lookup: &FileLookup, work: &Work) -> Result<(u64, u64), DatabaseError> {
    let wanted = work.options.searches;
    let board = lookup.database.board();
    let shown = work.begin(Stage::Search, wanted);
    let last = board.cells() as u64;
    let limits = search::SearchOptions { table_bytes: TABLE_BYTES, node_limit: Some(MOST_NODES), ..Default::default() };
    let (mut decided, mut undecided) = (0, 0);
    for ply in 0..=last {
        // Ply 0 has only the empty board; the plies from 1 on share the other searches.
        let (others, before) = (wanted.saturating_sub(1), ply.saturating_sub(1));
        let count = if ply == 0 { wanted.min(1) } else { share(others, ply, last) - share(others, before, last) };
        let positions = positions(lookup.database, ply as u32, count);
        let found = work.jobs(positions.len() as u64).map_init(
            || Search::new(board, limits.clone()),
            |engine, number| {
                let position = positions.get(number as usize);
                let is_decided = position.is_some_and(|position| check_position(lookup, engine, position, work));
                shown.done(1);
                u64::from(is_decided)
            },
        );
        let found = work.sum(found.sum())?;
        work.context.progress.tier_done(Stage::Search, ply as u32, found, 0);
        decided += found;
        undecided += positions.len() as u64 - found;
    }
    shown.end();
    work.gather()?;
    Ok((decided, undecided))
}

/// Chooses at most `count` positions of a tier.
fn positions(database: &Database, ply: u32, count: u64) -> Vec<Position> {
    let directory = TierDirectory::new(database.index(), ply);
    let one = |number: u64| {
        (0..TRIES).find_map(|attempt| {
            let random = xxh3_64_with_seed(&(number * TRIES + attempt).to_le_bytes(), ply.into());
            position_of(database.index(), &directory, random % directory.entries().max(1))
        })
    };
    let mut positions: Vec<Position> = (0..count).filter_map(one).collect();
    // In a small tier, some positions are drawn twice.
    positions.sort_unstable_by_key(Position::bitboards);
    positions.dedup();
    positions
}

/// Compares a position with its search. Returns whether the search found an outcome.
fn check_position(lookup: &FileLookup, engine: &mut Search, position: &Position, work: &Work) -> bool {
    let Ok(expected) = searched(engine, lookup.database.values(), position) else { return false };
    match lookup.outcome(position) {
        Ok(found) => {
            if found != expected {
                let [found, expected] = [found, expected].map(words);
                let what = format!("looked up {found}, a search forward finds {expected}");
                work.push(Fault::at(FaultKind::Search, "", position, what).comparing(found, expected));
            }
            lookup.check_probe(position, found, work);
        }
        Err(error) => work.push_file_error(&error),
    }
    true
}
