//! The same board gives the same bytes, whatever the kernels, the threads and the memory.

use std::collections::BTreeMap;

use rayon::ThreadPoolBuilder;

use crate::support::board::board;
use crate::support::files::{assert_same, folder_files};
use crate::support::long;
use crate::support::shared;
use crate::support::solved::Solved;
use crate::support::solves::{MEMORY_BYTES, Solve};
use crate::support::tiers::{Kernel, Plan, Values};

/// Solves on this many threads.
fn solve_on(threads: usize, solve: &Solve) -> BTreeMap<String, Vec<u8>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| solve.whole())
}

/// Solves with every kernel on 1, 2 and 3 threads.
fn every_kernel_and_thread_count(name: &str, values: Values) {
    let base = Solve::new(board(name), values);
    let expected = solve_on(1, &base.with_kernel(Kernel::portable()));
    assert!(expected.contains_key("manifest"), "{name}: {:?}", expected.keys());
    // Three threads share out what two do, and one was enough for what is expected.
    let threads = long::scale(3..=3, 1..=3);
    for kernel in Kernel::all() {
        for threads in threads.clone() {
            let what = format!("{name} {values}, {} kernels, {threads} threads", kernel.name());
            assert_same(&solve_on(threads, &base.with_kernel(kernel)), &expected, &what);
        }
    }
}

fn both_values(names: &[&str]) {
    for name in names {
        for values in [Values::Wdl, Values::Remoteness] {
            every_kernel_and_thread_count(name, values);
        }
    }
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_boards_of_even_width() {
    long::skips("4x5 and 8x2 with every kernel");
    both_values(long::scale(&["4x4", "2x9", "4x4c3", "4x4m"], &["4x4", "4x5", "8x2", "2x9", "4x4c3", "4x4m"]));
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_boards_of_odd_width() {
    long::skips("5x4 and 3x6 with every kernel");
    both_values(long::scale(&["1x8", "7x2", "5x4c3", "5x3m"], &["5x4", "3x6", "1x8", "7x2", "5x4c3", "5x3m"]));
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_boards_where_the_first_or_no_pieces_win() {
    both_values(&["1x1", "2x2c2", "3x3c1", "4x3c5"]);
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_5x5() {
    if !long::skips("5x5 wdl with every kernel and number of threads") {
        every_kernel_and_thread_count("5x5", Values::Wdl);
    }
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_6x4() {
    long::skips("6x4 with remoteness; takes 6x4 wdl");
    every_kernel_and_thread_count("6x4", long::scale(Values::Wdl, Values::Remoteness));
}

#[test]
fn the_memory_limit_does_not_show_in_the_files() {
    for name in long::scale(&["5x4"][..], &["5x4", "4x6"]) {
        let ample = Solve::new(board(name), Values::Remoteness);
        let needed = Plan::new(ample.board(), ample.values(), MEMORY_BYTES).memory_bytes();
        let tight = ample.with_memory_bytes(u64::try_from(needed).expect("little"));
        assert_same(&tight.whole(), &ample.whole(), name);
    }
}

#[test]
fn checkpoints_on_the_way_do_not_show_in_the_files() {
    long::skips("checkpoints of 5x4");
    for &name in long::scale(&["4x5m", "3x3c3"][..], &["5x4", "4x5m", "3x3c3"]) {
        let rare = Solve::new(board(name), Values::Remoteness);
        assert_same(&rare.stepwise().whole(), &rare.whole(), name);
    }
}

#[test]
fn files_on_disk_have_the_bytes_of_files_in_memory() {
    for values in [Values::Wdl, Values::Remoteness] {
        let board = board("5x4");
        let solved = Solved::by(&Solve::new(board, values));
        let expected = shared::files(board, values);
        assert_same(&folder_files(&solved.folder()), &expected, "5x4");
    }
}
