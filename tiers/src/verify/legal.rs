//! Counting the positions that play reaches, by playing: every move of every position, one bit an entry.
//!
//! [`crate::counts`] does the same many times faster and with kernels, and counts the plies that a database does not
//! keep. Here every position is set up, and every move is a move of the game. Mirror images count apart. An entry of a
//! shape that is its own mirror image is one position, any other two.
//!
//! A position that a line has finished need not have an entry, so it is counted where it is reached: by its first last
//! move. Of all columns whose top piece could be the last, so that without it there is no line and play reaches what is
//! left, that is the leftmost.

use std::sync::atomic::{AtomicU64, Ordering};

use fourbase::{Board, Player, Position, has_line};

use super::collector::Collector;
use super::fault::Fault;
use super::report::Stage;
use super::walk::position_of;
use super::work::{Threads, Work};
use crate::crew::CrewError;
use crate::index::{Index, TierLayout};

/// Words of 64 entries that one thread takes in a row.
const RUN: usize = 64;

/// Words that processes tell each other at once.
const UNITED: usize = 1 << 20;

/// The entries of a tier that play reaches.
struct Reached {
    layout: TierLayout,
    bits: Vec<AtomicU64>,
}

impl Reached {
    fn new(index: &Index, ply: u32) -> Reached {
        let layout = TierLayout::new(index, ply);
        let bits = (0..layout.entries().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Reached { layout, bits }
    }

    /// Notes a position and its mirror image; `false` where there is no entry for it.
    fn add(&self, index: &Index, position: &Position) -> bool {
        let parts = index.split().parts(position);
        let images = if parts.left == parts.right { vec![parts, parts.mirror()] } else { vec![parts] };
        images.iter().all(|parts| {
            let entry = index.rank(&self.layout, parts);
            entry.is_some_and(|entry| {
                self.bits[entry as usize / 64].fetch_or(1 << (entry % 64), Ordering::Relaxed);
                true
            })
        })
    }

    /// Adds what the other processes have noted.
    fn unite(&self, work: &Work) {
        if work.size() == 1 {
            return;
        }
        for part in self.bits.chunks(UNITED) {
            let mut words: Vec<u64> = part.iter().map(|word| word.load(Ordering::Relaxed)).collect();
            work.unite(&mut words);
            part.iter().zip(words).for_each(|(word, united)| word.store(united, Ordering::Relaxed));
        }
    }

    fn has(&self, index: &Index, position: &Position) -> bool {
        let entry = index.rank(&self.layout, &index.split().parts(position));
        entry.is_some_and(|entry| self.bits[entry as usize / 64].load(Ordering::Relaxed) >> (entry % 64) & 1 == 1)
    }
}

/// Counts the legal positions of at most `last` pieces, finished ones included. The stage has begun, with a step for
/// every entry of these plies.
pub(super) fn count(index: &Index, last: u32, work: &Work) -> Result<u64, CrewError> {
    let mut here = Reached::new(index, 0);
    here.add(index, &Position::start(index.board()));
    let mut legal = 0;
    for ply in 0..=last {
        let next = (ply < last).then(|| Reached::new(index, ply + 1));
        let (words, place) = (here.bits.len(), format!("the legal positions of ply {ply}"));
        let runs = words.div_ceil(RUN) as u64;
        let counts = work.share(
            &place,
            runs,
            Threads::Each,
            || 0,
            |count: &mut u64, run, faults| {
                let run = run as usize * RUN..words.min((run as usize + 1) * RUN);
                let tier = Tier { index, here: &here, next: next.as_ref(), faults };
                work.done(here.layout.entries().min(run.end as u64 * 64) - run.start as u64 * 64);
                *count += run.map(|word| tier.count(word)).sum::<u64>();
            },
        )?;
        let count = work.sum(counts.iter().sum())?;
        work.tier_done(Stage::Legal, ply, count);
        legal += count;
        let Some(next) = next else { break };
        here = next;
        here.unite(work);
    }
    Ok(legal)
}

/// What all threads know while a tier is counted.
struct Tier<'a> {
    index: &'a Index,
    here: &'a Reached,
    next: Option<&'a Reached>,
    faults: &'a Collector,
}

impl Tier<'_> {
    /// Counts the positions of 64 entries and the finished ones after them; notes the others after them.
    fn count(&self, word: usize) -> u64 {
        let mut bits = self.here.bits[word].load(Ordering::Relaxed);
        let mut legal = 0;
        while bits != 0 {
            let entry = word as u64 * 64 + u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            let Some(position) = position_of(self.index, &self.here.layout, entry) else { continue };
            let parts = self.index.split().parts(&position);
            legal += 1 + self.play(&position, true);
            if parts.left != parts.right {
                legal += 1 + self.play(&position.mirror(), false);
            }
        }
        legal
    }

    /// Plays all moves; returns how many positions they finish with a line. Of two mirror images one has `others`
    /// noted.
    fn play(&self, position: &Position, others: bool) -> u64 {
        let Some(next) = self.next else { return 0 };
        let mut finished = 0;
        for column in position.moves() {
            let child = position.drop_piece(column);
            if has_line(child.board(), child.pieces(position.to_move())) {
                finished += u64::from(self.first_last_move(&child) == Some(column));
            } else if others && !next.add(self.index, &child) {
                self.faults.push(Fault::NoEntry { ply: child.ply() as u32, position: child });
            }
        }
        finished
    }

    /// Finds the first column that a game can have ended in.
    fn first_last_move(&self, position: &Position) -> Option<usize> {
        let board = position.board();
        let [first, second] = [Player::First, Player::Second].map(|player| position.pieces(player));
        let last = position.to_move().other();
        (0..board.width()).find(|&column| {
            let Some(top) = position.height(column).checked_sub(1) else { return false };
            let cell = 1u64 << board.cell(column, top);
            if position.piece(column, top) != Some(last) || has_line(board, position.pieces(last) & !cell) {
                return false;
            }
            let before = without(board, [first, second], cell);
            before.is_some_and(|before| self.here.has(self.index, &before))
        })
    }
}

fn without(board: Board, [first, second]: [u64; 2], cell: u64) -> Option<Position> {
    Position::from_bitboards(board, first & !cell, second & !cell).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Count, Counted};
    use crate::kernel::Kernel;
    use crate::long;

    #[test]
    fn playing_reaches_as_many_positions_as_the_kernels_count() {
        for name in ["4x4", "5x3", "3x5", "4x4c3", "4x3m", "5x4c3", "1x8", "8x2", "2x2c2", "3x3c1", "1x1", "4x3c5"] {
            if ["5x4c3", "8x2"].contains(&name) && long::skips(format_args!("the legal positions of {name}")) {
                continue;
            }
            let index = Index::new(name.parse().unwrap(), Kernel::portable()).unwrap();
            let (faults, cells) = (Collector::new(1), index.board().cells());
            let Counted::Legal(plies) = Count::new(index.board(), None).run().unwrap() else {
                panic!("legal positions")
            };
            for last in [cells, cells / 2, 0] {
                let expected: u64 = plies.iter().take(last + 1).map(|ply| ply.legal).sum();
                assert_eq!(
                    count(&index, last as u32, &Work::new(None, &faults, &())).unwrap(),
                    expected,
                    "{name} to ply {last}"
                );
            }
            assert!(faults.is_empty());
        }
    }
}
