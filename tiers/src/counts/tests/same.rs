//! Counts are the same however they are made, and what is not theirs is refused.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{counts_of, index, solved};
use crate::counts::pull::share;
use crate::counts::{CountError, ReachTier, SolveAndCountError, Sweep, TallyError, count, legal, solve_and_count};
use crate::kernel::{Kernel, Values};
use crate::plan::Plan;
use crate::solve::Progress;

/// The words of every row of a tier.
fn rows(tier: &ReachTier) -> Vec<u64> {
    let matrices = tier.layout().matrices().iter().enumerate();
    matrices.flat_map(|(n, of)| (0..of.rows as usize).flat_map(move |row| tier.row_words(n, row).to_vec())).collect()
}

#[test]
fn every_kernel_reaches_the_same_positions() {
    for board in ["5x4", "4x6", "6x3", "5x4c3", "4x4c2m"] {
        let indexes: Vec<_> = Kernel::all().into_iter().map(|kernel| index(board, kernel)).collect();
        let mut sweeps: Vec<_> = indexes.iter().map(Sweep::new).collect();
        loop {
            let tiers: Vec<_> = sweeps.iter().map(|sweep| rows(sweep.tier())).collect();
            assert!(tiers.windows(2).all(|pair| pair[0] == pair[1]), "{board}");
            if sweeps.iter_mut().map(Sweep::advance).filter(|advanced| *advanced).count() == 0 {
                break;
            }
        }
        let totals: Vec<_> = indexes.iter().map(legal).collect();
        assert!(totals.windows(2).all(|pair| pair[0] == pair[1]), "{board}");
    }
}

#[test]
fn any_number_of_threads_counts_the_same() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (counts_of("5x4", Values::Remoteness), legal(&index("4x6", Kernel::detect()))))
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(3));
}

#[test]
fn solving_on_the_way_counts_what_solved_tiers_count() {
    for board in ["1x1", "1x8", "8x2", "4x4", "5x4", "3x6", "4x4c3", "4x4m", "3x4c3m", "5x2c5", "6x3"] {
        for values in [Values::Wdl, Values::Remoteness] {
            let index = index(board, Kernel::detect());
            let counts = solve_and_count(&index, values, u64::MAX, &()).unwrap();
            assert_eq!(counts, counts_of(board, values), "{board} {values}");
        }
    }
}

#[test]
fn solving_on_the_way_counts_the_same_on_any_number_of_threads_and_with_every_kernel() {
    let on = |threads, kernel| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve_and_count(&index("5x4", kernel), Values::Remoteness, u64::MAX, &()).unwrap())
    };
    let expected = on(1, Kernel::portable());
    for kernel in Kernel::all() {
        assert!([1, 2, 3].into_iter().all(|threads| on(threads, kernel) == expected), "{kernel:?}");
    }
}

/// Sums the entries that it hears of.
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
    let index = index("4x4", Kernel::detect());
    let heard = Heard::default();
    solve_and_count(&index, Values::Wdl, u64::MAX, &heard).unwrap();
    let entries: u64 = solved(&index, Values::Wdl).iter().map(|tier| tier.layout.entries()).sum();
    assert_eq!((heard.begun.into_inner(), heard.solved.into_inner()), (2 * entries, 2 * entries));
}

#[test]
fn a_count_that_does_not_fit_memory_is_refused_with_both_figures() {
    let index = index("5x4", Kernel::detect());
    let solve_bytes = Plan::exact(&index, Values::Wdl).memory_bytes as u64;
    for limit in [0, solve_bytes - 1, solve_bytes + 1000] {
        let error = solve_and_count(&index, Values::Wdl, limit, &()).unwrap_err();
        let SolveAndCountError::Memory { needed_bytes, limit_bytes, .. } = error else { panic!("{error}") };
        assert!(needed_bytes > u128::from(limit) && limit_bytes == limit, "{error}");
    }
    // One bit an entry is the bound.
    let entries: u64 = solved(&index, Values::Wdl).iter().map(|tier| tier.layout.plane_words() as u64).sum();
    solve_and_count(&index, Values::Wdl, solve_bytes + 8 * entries, &()).unwrap();
}

#[test]
fn the_plane_holds_as_many_positions_as_are_counted() {
    let index = index("5x4", Kernel::detect());
    let mut sweep = Sweep::new(&index);
    while sweep.advance() {
        let tier = sweep.tier();
        let mut positions = 0;
        for (number, matrix) in tier.layout().matrices().iter().enumerate() {
            let ones: usize = (0..matrix.rows as usize).map(|row| tier.row(number, row).count_ones()).sum();
            positions += ones as u64 * if matrix.left == matrix.right { 1 } else { 2 };
        }
        assert_eq!(positions, tier.without_line());
    }
}

#[test]
fn values_of_another_ply_are_refused() {
    let index = index("4x4", Kernel::detect());
    let tiers = solved(&index, Values::Wdl);
    let error = count(&index, Values::Wdl, |ply| Ok::<_, Infallible>(&tiers[ply as usize ^ 1])).unwrap_err();
    assert!(matches!(error, CountError::Tally(TallyError::OtherTier { ply: 0, found_ply: 1, .. })), "{error}");
    let error = count(&index, Values::Remoteness, |ply| Ok::<_, Infallible>(&tiers[ply as usize])).unwrap_err();
    assert!(error.to_string().contains("values"), "{error}");
}

#[test]
fn a_tier_that_cannot_be_read_is_named() {
    let index = index("4x4", Kernel::detect());
    let tiers = solved(&index, Values::Wdl);
    let read = |ply: u32| if ply < 3 { Ok(&tiers[ply as usize]) } else { Err(std::io::Error::other("torn")) };
    let error = count(&index, Values::Wdl, read).unwrap_err();
    assert_eq!(error.to_string(), "the values of ply 3 could not be read");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "torn");
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
