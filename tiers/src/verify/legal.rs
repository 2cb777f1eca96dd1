//! Counts the positions that play can reach. Plays every move of every position, and marks the positions reached with
//! one bit per entry.
//!
//! [`crate::counts`] counts the same positions many times faster, with kernels. This module is an independent check of
//! that count: it builds every position and plays every move by the rules of the game. Mirror images count separately.
//! An entry of a shape (see [`crate::index`]) that is its own mirror image stands for one position; any other entry
//! stands for two.
//!
//! A position with a line may have no entry, so no bit can mark it. It is counted when a move completes the line, and
//! only once: if the move is in the leftmost column that can have been the last move. A column can have been the last
//! move if removing its top piece leaves a position that has no line and that play reaches.

use std::sync::atomic::{AtomicU64, Ordering};

use fourbase::{Position, has_line};
use rayon::prelude::*;

use super::report::{Fault, FaultKind};
use super::walk::position_of;
use super::work::Work;
use crate::database::{Database, DatabaseError};
use crate::index::{Index, Parts, TierDirectory};
use crate::progress::Stage;

/// How many words, of 64 entries each, are counted per report of progress.
const NOTED: u64 = 64;

/// Returns the memory in bytes that counting the legal positions of the kept plies takes: one bit for each entry of two
/// neighbouring tiers.
pub fn counting_bytes(database: &Database) -> u64 {
    let manifest = &database.manifest;
    let kept = manifest.tiers.iter().filter(|tier| manifest.keep_plies.is_none_or(|most| tier.ply <= most));
    let entries: Vec<u64> = kept.map(|tier| tier.entries).collect();
    entries.windows(2).map(|pair| pair[0].saturating_add(pair[1])).max().unwrap_or(0).div_ceil(8)
}

/// Counts the legal positions of at most `last` pieces, finished ones included.
pub(super) fn count(index: &Index, last: u32, work: &Work) -> Result<u64, DatabaseError> {
    let shown = work.begin(Stage::Legal, (0..=last).map(|ply| TierDirectory::new(index, ply).entries()).sum());
    let mut here = Reached::new(index, 0);
    here.add(&Position::start(index.board()));
    let mut legal = 0;
    for ply in 0..=last {
        let next = (ply < last).then(|| Reached::new(index, ply + 1));
        let counts = work.jobs(here.bits.len() as u64).map(|word| {
            if word.is_multiple_of(NOTED) {
                shown.done((64 * NOTED).min(here.directory.entries() - word * 64));
            }
            here.count(word as usize, next.as_ref(), work)
        });
        let count = work.sum(counts.sum())?;
        work.context.progress.tier_done(Stage::Legal, ply, count, 0);
        legal += count;
        work.gather()?;
        let Some(next) = next else { break };
        here = next;
        // Other ranks have reached other entries of this tier: add their bits.
        work.combine(&here.bits);
    }
    shown.end();
    Ok(legal)
}

/// The entries of a tier that play reaches, one bit each.
struct Reached<'a> {
    index: &'a Index,
    directory: TierDirectory,
    bits: Vec<AtomicU64>,
}

impl Reached<'_> {
    fn new(index: &Index, ply: u32) -> Reached<'_> {
        let directory = TierDirectory::new(index, ply);
        let bits = (0..directory.entries().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Reached { index, directory, bits }
    }

    /// Returns the word and the bit of a position; `None` if it has no entry.
    fn bit(&self, parts: &Parts) -> Option<(&AtomicU64, u64)> {
        let entry = self.directory.rank(self.index, parts)?;
        Some((self.bits.get(entry as usize / 64)?, 1 << (entry % 64)))
    }

    /// Adds a position and its mirror image; returns `false` if the position has no entry.
    fn add(&self, position: &Position) -> bool {
        let parts = self.index.split.parts(position);
        let images = if parts.left == parts.right { vec![parts, parts.mirror()] } else { vec![parts] };
        images.iter().all(|parts| self.bit(parts).map(|(word, bit)| word.fetch_or(bit, Ordering::Relaxed)).is_some())
    }

    fn has(&self, position: &Position) -> bool {
        let bit = self.bit(&self.index.split.parts(position));
        bit.is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Counts the reached positions among the 64 entries of word `word`, and the positions with a line that a move from
    /// them reaches. Adds their other children to `next`.
    fn count(&self, word: usize, next: Option<&Reached>, work: &Work) -> u64 {
        let mut bits = self.bits[word].load(Ordering::Relaxed);
        let mut legal = 0;
        while bits != 0 {
            let entry = word as u64 * 64 + u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            let Some(position) = position_of(self.index, &self.directory, entry) else { continue };
            let parts = self.index.split.parts(&position);
            legal += 1 + self.play(&position, next, true, work);
            if parts.left != parts.right {
                legal += 1 + self.play(&position.mirror(), next, false, work);
            }
        }
        legal
    }

    /// Plays all moves. Returns how many positions with a line they reach; each such position counts only for its
    /// leftmost possible last move. Adds the positions without a line to `next` if `adds` is set. The caller sets it
    /// for only one of two mirror images, because [`Reached::add`] adds both.
    fn play(&self, position: &Position, next: Option<&Reached>, adds: bool, work: &Work) -> u64 {
        let Some(next) = next else { return 0 };
        let mut finished = 0;
        for column in position.moves() {
            let child = position.drop_piece(column);
            if has_line(child.board(), child.pieces(position.to_move())) {
                // The leftmost column whose top piece can have been the last move.
                let last = child.parents().find(|(_, parent)| self.has(parent)).map(|(column, _)| column);
                finished += u64::from(last == Some(column));
            } else if adds && !next.add(&child) {
                work.push(Fault::at(FaultKind::NoEntry, "", &child, "a legal position has no entry"));
            }
        }
        finished
    }
}
