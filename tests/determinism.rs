//! The same board gives the same bytes, whatever the kernels, the threads and the memory.

use std::collections::BTreeMap;
use std::time::Duration;

use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::Options;
use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::support::files::{assert_same, folder_files};
use crate::support::in_memory::whole_database;
use crate::support::options::{MEMORY_BYTES, options};
use crate::support::solved::Solved;

/// Solves on this many threads.
fn solve_on(threads: usize, options: &Options) -> BTreeMap<String, Vec<u8>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| whole_database(options))
}

/// Solves with every kernel on 1, 2 and 3 threads.
fn every_kernel_and_thread_count(name: &str, values: Values) {
    let locks = TempDir::new().expect("a temporary folder");
    let base = options(locks.path(), name.parse().expect("a board"), values);
    let expected = solve_on(1, &Options { kernel: Kernel::portable(), ..base.clone() });
    assert!(expected.contains_key("manifest"), "{name}: {:?}", expected.keys());
    for kernel in Kernel::all() {
        for threads in 1..=3 {
            let what = format!("{name} {values}, {} kernels, {threads} threads", kernel.name());
            assert_same(&solve_on(threads, &Options { kernel, ..base.clone() }), &expected, &what);
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
    both_values(&["4x4", "4x5", "8x2", "2x9", "4x4c3", "4x4m"]);
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_boards_of_odd_width() {
    both_values(&["5x4", "3x6", "1x8", "7x2", "5x4c3", "5x3m"]);
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_boards_where_the_first_or_no_pieces_win() {
    both_values(&["1x1", "2x2c2", "3x3c1", "4x3c5"]);
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_5x5() {
    every_kernel_and_thread_count("5x5", Values::Wdl);
}

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_on_6x4() {
    every_kernel_and_thread_count("6x4", Values::Remoteness);
}

#[test]
fn the_memory_limit_does_not_show_in_the_files() {
    let locks = TempDir::new().expect("a temporary folder");
    for name in ["5x4", "4x6"] {
        let ample = options(locks.path(), name.parse().expect("a board"), Values::Remoteness);
        let needed = Plan::new(ample.board, ample.values, MEMORY_BYTES).memory_bytes;
        let tight = Options { memory_bytes: u64::try_from(needed).expect("little"), ..ample.clone() };
        assert_same(&whole_database(&tight), &whole_database(&ample), name);
    }
}

#[test]
fn checkpoints_on_the_way_do_not_show_in_the_files() {
    let locks = TempDir::new().expect("a temporary folder");
    for name in ["5x4", "4x5m", "3x3c3"] {
        let rare = options(locks.path(), name.parse().expect("a board"), Values::Remoteness);
        let after_every_tier = Options { checkpoint: Duration::ZERO, ..rare.clone() };
        assert_same(&whole_database(&after_every_tier), &whole_database(&rare), name);
    }
}

#[test]
fn files_on_disk_have_the_bytes_of_files_in_memory() {
    let locks = TempDir::new().expect("a temporary folder");
    for values in [Values::Wdl, Values::Remoteness] {
        let board = "5x4".parse().expect("a board");
        let solved = Solved::new(board, values);
        let expected = whole_database(&options(locks.path(), board, values));
        assert_same(&folder_files(&solved.folder()), &expected, "5x4");
    }
}
