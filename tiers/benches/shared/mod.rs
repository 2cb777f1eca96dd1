//! Arguments, random positions and CPU time, for all benchmarks.
#![allow(dead_code, reason = "every benchmark uses a part")]

use fourbase::{Board, Position};
use fourbase_tiers::kernel::{Kernel, Values};

/// Returns the arguments of a benchmark, or `default` where there are none.
pub fn arguments(default: &[&str]) -> Vec<String> {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if given.is_empty() { default.iter().map(|argument| (*argument).to_owned()).collect() } else { given }
}

/// Reads `BOARD:VALUES`.
pub fn board_and_values(argument: &str) -> (Board, Values) {
    let (board, values) = argument.split_once(':').expect("BOARD:VALUES");
    (board.parse().expect("a board"), values.parse().expect("wdl or remoteness"))
}

/// Takes `--kernel NAME`, which comes last, off the arguments. Without it returns the best kernel of this machine.
pub fn take_kernel(arguments: &mut Vec<String>) -> Kernel {
    let Some(at) = arguments.iter().position(|argument| argument == "--kernel") else { return Kernel::detect() };
    let name = arguments.drain(at..).nth(1).expect("--kernel NAME");
    *Kernel::all().iter().find(|kernel| kernel.name() == name).expect("a kernel of this machine")
}

/// A generator of xorshift numbers.
pub struct Random(pub u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }
}

impl Random {
    pub fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }

    /// Plays at random to a ply, or to the end of the game.
    pub fn play(&mut self, board: Board, ply: usize) -> Position {
        let mut position = Position::start(board);
        while position.ply() < ply && position.primitive().is_none() {
            let columns: Vec<usize> = position.moves().collect();
            position = position.drop_piece(columns[self.below(columns.len())]);
        }
        position
    }
}

/// Returns the CPU seconds of the process, of all its threads, and of the system on its behalf.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    seconds(rustix::time::ClockId::ProcessCPUTime)
}

/// Returns the CPU seconds of this thread, and of the system on its behalf.
#[cfg(unix)]
pub fn thread_seconds() -> f64 {
    seconds(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn seconds(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
