//! Counts are the same however they are made.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{counts_of, legal_of, of_values};
use crate::counts::pull::share;
use crate::counts::sweep::sweep_tier;
use crate::counts::{Count, CountError};
use crate::files::Memory;
use crate::index::{Index, TierDirectory, images};
use crate::kernel::{Kernel, Values};
use crate::long;
use crate::solve::{Plan, Progress};
use crate::tier::{BLOCK_WORDS, Home, InMemory, Logs, Reached, Room, Store, Watch};

/// Shows every tier of a sweep in memory, with the number of its positions without a line.
fn each_tier(board: &str, kernel: Kernel, mut show: impl FnMut(&Index, &crate::tier::MemoryTier<Reached>, u64)) {
    let index = Index::new(board.parse().unwrap(), kernel).unwrap();
    let files = Memory::default();
    let room = Room { block_words: BLOCK_WORDS, cache_bytes: 0, slice_words: 0, wide: None };
    let mut home =
        InMemory::new(Logs { storage: &files, folder: "logs".as_ref(), index: &index, room, crew: None }, Reached);
    let mut parents = None;
    for ply in 0..=index.board().cells() as u32 {
        let mut tier = home.make(ply, None).unwrap();
        let found = sweep_tier(&index, &mut tier, parents.as_ref(), 1 << 28, &Watch::none()).unwrap().unwrap();
        show(&index, &tier, found.without_line);
        parents = Some(tier);
    }
}

/// The bits of a tier, shown in the order of its matrices, and how many positions they stand for.
fn bits(index: &Index, tier: &crate::tier::MemoryTier<Reached>) -> (Vec<u64>, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let shown = pool.install(|| {
        tier.visit(
            index,
            || (Vec::new(), 0),
            |(bits, positions), matrix, _, words| {
                bits.extend_from_slice(words);
                *positions += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() * images(matrix);
                Ok(())
            },
        )
    });
    shown.unwrap().remove(0)
}

#[test]
fn every_kernel_reaches_the_same_positions() {
    long::skips("5x4, 4x6 and 5x4c3 with every kernel");
    for &board in long::scale(&["4x4", "6x3", "4x4c2m"][..], &["5x4", "4x6", "6x3", "5x4c3", "4x4c2m"]) {
        let reached = |kernel| {
            let mut tiers = Vec::new();
            each_tier(board, kernel, |index, tier, positions| tiers.push((bits(index, tier), positions)));
            tiers
        };
        let expected = reached(Kernel::portable());
        assert!(Kernel::all().into_iter().all(|kernel| reached(kernel) == expected), "{board}");
    }
}

#[test]
fn the_plane_holds_as_many_positions_as_are_counted() {
    each_tier("5x4", Kernel::detect(), |index, tier, positions| assert_eq!(bits(index, tier).1, positions));
}

#[test]
fn any_number_of_threads_and_every_kernel_counts_the_same() {
    long::skips("5x4 and 4x6; takes 4x4 and 6x3");
    let (valued, legal) = long::scale(("4x4", "6x3"), ("5x4", "4x6"));
    let on = |threads, kernel| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let count = Count::new(valued.parse().unwrap(), Some(Values::Remoteness)).kernel(kernel);
        pool.install(|| (of_values(&count), legal_of(legal)))
    };
    let expected = on(1, Kernel::portable());
    for kernel in Kernel::all() {
        assert!([1, 2, 3].into_iter().all(|threads| on(threads, kernel) == expected), "{kernel:?}");
    }
}

/// Sums the entries that are reported.
#[derive(Default)]
struct Heard {
    begun: AtomicU64,
    solved: AtomicU64,
}

impl Progress for Heard {
    fn tier(&self, _: u32, entries: u64) {
        self.begun.fetch_add(entries, Relaxed);
    }

    fn solved(&self, entries: u64) {
        self.solved.fetch_add(entries, Relaxed);
    }
}

#[test]
fn every_entry_is_told_twice_once_each_way() {
    let board = "4x4".parse().unwrap();
    let heard = Heard::default();
    Count::new(board, Some(Values::Wdl)).run_with(&heard).unwrap();
    let index = Index::new(board, Kernel::detect()).unwrap();
    let entries: u64 = (0..=16).map(|ply| TierDirectory::new(&index, ply).entries()).sum();
    assert_eq!((heard.begun.into_inner(), heard.solved.into_inner()), (2 * entries, 2 * entries));
}

#[test]
fn a_count_that_does_not_fit_memory_is_refused_with_both_figures() {
    let (board, root) = ("5x4".parse().unwrap(), tempfile::tempdir().unwrap());
    for limit in [0, 1 << 20, 24 << 20] {
        let error = Count::new(board, Some(Values::Wdl)).root(root.path()).memory(limit).run().unwrap_err();
        let CountError::Memory { needed_bytes, limit_bytes, .. } = error else { panic!("{error}") };
        assert!(needed_bytes > u128::from(limit) && limit_bytes == limit, "{error}");
    }
    // The most: the two tiers, and one bit an entry.
    let index = Index::new(board, Kernel::detect()).unwrap();
    let plan = Plan::exact(&index, Values::Wdl);
    let most = plan.memory_bytes + plan.entries / 16 + plan.entries / 8;
    Count::new(board, Some(Values::Wdl)).root(root.path()).memory(most as u64).run().unwrap();
}

#[test]
fn counts_read_back_as_they_were_written() {
    let counts = counts_of("4x4m", Values::Remoteness);
    let bytes = bincode::serde::encode_to_vec(&counts, bincode::config::standard()).unwrap();
    let (back, _): (crate::counts::Counts, usize) =
        bincode::serde::decode_from_slice(&bytes, bincode::config::standard()).unwrap();
    assert_eq!(back, counts);
}

#[test]
fn the_pieces_of_a_large_matrix_share_out_all_finished_rows() {
    for all in [1usize, 512, 513, 3000, 6435] {
        for finished in [0usize, 1, 63, 64, 65, 700, 6435, 20_000] {
            let mut next = 0;
            for start in (0..all).step_by(512) {
                let share = share(finished, &(start..all.min(start + 512)), all);
                assert_eq!(share.start, next, "{finished} of {all}");
                assert!(share.start.is_multiple_of(64) || share.is_empty(), "{finished} of {all}");
                next = share.end;
            }
            assert_eq!(next, finished, "{finished} of {all}");
        }
    }
    assert_eq!(share(70, &(0..0), 0), 0..70, "a matrix without rows has its finished rows all the same");
}
