//! 100 greedy clients and a polite one ask `fourbase serve`: fails if 1 % of the polite look-ups take 150 ms, or if a polite search does
//! not have its turn.
//!
//! `cargo bench -p fourbase-tools --bench load -- [PROGRAM]`
//!
//! `PROGRAM` may be a fourbase of another version, to compare it with. A sample of the answers is compared with a probe of the
//! database. (How many requests a second a server takes is measured by `oha`; the notebook says how.)

#[path = "load/ends.rs"]
mod ends;
#[path = "load/polite.rs"]
mod polite;

use std::process::Command;
use std::time::Duration;

use ends::Served;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fourbase");

fn main() {
    let program = std::env::args().skip(1).find(|argument| argument != "--bench");
    let solved = tempfile::tempdir().expect("a folder");
    // A server wants some database; that of 7x6 is built in.
    let solve = Command::new(PROGRAM).args(["solve", "4x4", "-q", "--db"]).arg(solved.path()).status();
    assert!(solve.expect("a solve").success());
    let served = Served::start(program.as_deref().unwrap_or(PROGRAM), solved.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(polite::measure(&served, Duration::from_secs(60)));
}
