//! Compares a whole solve with its kernels alone, in CPU seconds of one run each.
//!
//! `cargo bench -p fourbase-tiers --bench whole -- [BOARD:VALUES[:MIB] ...]`
//!
//! The run of the kernels makes tables and layouts and solves in memory; it writes nothing. The whole solve writes a
//! database into the system's temporary folder. It keeps its tiers in memory or, if MIB is given, in files with that
//! many MiB of memory. Both must find the same outcome. CPU seconds are those of all threads, and of the system on
//! their behalf. The kernels of 6x6 `wdl` need 7 GB of memory.

#[cfg(unix)]
mod shared;

#[cfg(unix)]
fn main() {
    let arguments = shared::arguments(&["6x5:wdl", "6x5:wdl:300", "6x5:remoteness"]);
    let threads = rayon::current_num_threads();
    println!("{threads} threads; CPU seconds of the kernels alone, of the whole solve, and how many times as many");
    arguments.iter().for_each(|argument| compare(argument));
}

#[cfg(not(unix))]
fn main() {
    println!("whole: CPU seconds are not measured on this system");
}

#[cfg(unix)]
fn compare(argument: &str) {
    use fourbase_tiers::index::Index;
    use fourbase_tiers::kernel::Kernel;
    use fourbase_tiers::solve::{Solve, in_memory};

    let (board, values, mib) = shared::board_and_values(argument);
    let (outcome, _, kernels) = shared::timed(|| {
        let index = Index::new(board, Kernel::detect()).expect("a board that fits");
        in_memory(&index, values, |_| ()).expect("a solve").expect("an outcome")
    });
    let root = tempfile::tempdir().expect("a folder");
    let scratch = mib.map(|_| root.path().join("scratch"));
    let memory_bytes = mib.map_or(u64::MAX, |mib| u64::from(mib) << 20);
    let solve = Solve::new(board, values).root(root.path()).scratch(scratch).memory(memory_bytes);
    let (report, _, whole) = shared::timed(|| solve.run().expect("a solve"));
    assert_eq!(report.outcome, outcome, "the empty board of {board}");
    let place = mib.map_or("in memory".into(), |mib| format!("in files, {mib} MiB"));
    println!("{board} {values} {place}: {kernels:.2}, {whole:.2}, {:.2}", whole / kernels);
}
