//! Helpers for tests. Other packages need the feature `testing` to use them. They are no part of a release.
//!
//! - `plant` makes databases with wrong values, `forge` databases with valid checksums but no valid contents.
//! - `fuzzing` runs each parser on arbitrary bytes with valid checksums.
//! - `Threads` runs several ranks as threads of one process.
//! - This file lists reachable positions, makes databases in memory, stops solves, and selects boards for short and
//!   long runs.

mod checks;
#[cfg(feature = "testing")]
pub mod forge;
#[cfg(feature = "testing")]
pub mod fuzzing;
#[cfg(feature = "testing")]
pub mod plant;
mod threads;

pub use threads::Threads;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use fourbase::{Board, Position};

use crate::context::Context;
use crate::database::Database;
use crate::files::{FileError, Memory};
use crate::progress::Progress;
use crate::solve::Solve;

/// Returns the positions that play can reach, finished games included: one set for each ply.
pub fn plies(board: Board) -> impl Iterator<Item = HashSet<Position>> {
    let next = |tier: &HashSet<Position>| {
        let children = tier.iter().flat_map(|of| of.moves().map(|column| of.drop_piece(column)));
        Some(children.collect())
    };
    std::iter::successors(Some(HashSet::from([Position::start(board)])), next).take(board.cells() + 1)
}

/// Runs a solve in memory, and opens its database `N` times.
pub fn solved<const N: usize>(solve: &Solve) -> [Database; N] {
    let storage = Arc::new(Memory::default());
    let folder = solve.run_on(&Context { storage: &*storage, ..Context::default() }).expect("a solve").folder;
    [(); N].map(|()| Database::open_on(storage.clone(), &folder).expect("a database"))
}

/// Returns the small boards; in a long run, the large ones too.
#[cfg(test)]
pub fn boards<T: Clone + std::fmt::Debug>(small: &[T], large: &[T]) -> Vec<T> {
    if crate::long::skips(format_args!("{large:?}")) { small.to_vec() } else { [small, large].concat() }
}

/// Stops a solve when it begins this many tiers, counted over all ranks. Panics if the solve starts over.
pub struct Stop(pub AtomicU32);

impl Progress for Stop {
    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    fn tier(&self, _: u32, _: u64) {
        let _ = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
    }

    fn starts_over(&self, why: &FileError) {
        panic!("{why}");
    }
}
