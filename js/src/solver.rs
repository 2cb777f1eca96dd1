//! Solving and counting small boards in memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::{Board, BoardError};
use fourbase_tiers::context::Context;
use fourbase_tiers::counts::{Stats, count_by_value};
use fourbase_tiers::files::{Memory, ReadStorage, Storage};
use fourbase_tiers::kernel::{Values, ValuesError};
use fourbase_tiers::progress::{Progress, Stage};
use fourbase_tiers::solve::{Plan, Solve, SolveError};
use js_sys::{Array, Uint8Array};
use thiserror::Error;
use wasm_bindgen::prelude::*;

use crate::host::{self, Host};
use crate::{error, line};

/// Solves and counts, one board after another.
#[wasm_bindgen]
pub struct Solver;

#[wasm_bindgen]
impl Solver {
    /// Makes a solver. The host watches its work.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host) -> Solver {
        host::set(host);
        Solver
    }

    /// Solves a board within so many bytes for tiers and files. Returns the files of its database, each with its name.
    pub fn solve(&self, board: &str, values: &str, memory: f64) -> Result<Vec<Array>, Failure> {
        let (solve, plan) = prepare(board, values, memory)?;
        fits(&solve, plan.memory_bytes() + plan.database_bytes(), memory)?;
        let storage = Memory::default();
        let folder =
            solve.run_on(&Context { storage: &storage, progress: &Steps::default(), ..Context::default() })?.folder;
        let names = storage.names(&folder).map_err(Failure::File)?;
        let file = |name: String| {
            let file = storage.open(&folder.join(&name))?;
            let mut bytes = vec![0; file.size()? as usize];
            file.read_exact_at(&mut bytes, 0)?;
            storage.remove(&folder.join(&name))?;
            Ok(Array::of2(&name.into(), &Uint8Array::from(&*bytes)))
        };
        names.into_iter().map(file).collect::<Result<_, _>>().map_err(Failure::File)
    }

    /// Counts the positions of a board within so many bytes. Returns a line of JSON.
    pub fn stats(&self, board: &str, values: &str, memory: f64) -> Result<String, Failure> {
        let (solve, plan) = prepare(board, values, memory)?;
        fits(&solve, plan.memory_bytes() + plan.entries() / 4, memory)?;
        let counts = count_by_value(
            &solve,
            &Context { storage: &Memory::default(), progress: &Steps::default(), ..Context::default() },
        )?;
        Ok(line("stats", Stats::of(&counts, None)))
    }
}

/// Reads the arguments of a solve. Returns the solve and its plan, which has estimates.
fn prepare(board: &str, values: &str, memory: f64) -> Result<(Solve, Plan), Failure> {
    let board: Board = board.parse()?;
    let values: Values = values.parse()?;
    Ok((Solve::new(board, values).memory(memory as u64), Plan::estimate(board, values)))
}

fn fits(solve: &Solve, needed: u128, limit: f64) -> Result<(), Failure> {
    let (board, limit) = (solve.board, limit as u64);
    if needed <= u128::from(limit) { Ok(()) } else { Err(Failure::Memory { board, needed, limit }) }
}

/// Says why a board was not solved or counted.
#[derive(Debug, Error)]
pub enum Failure {
    /// Not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Not what a database stores.
    #[error(transparent)]
    Values(#[from] ValuesError),
    /// A board that does not fit.
    #[error("solving {board} needs {needed} bytes, and {limit} are allowed; allow more memory, or search instead")]
    Memory {
        /// The board.
        board: Board,
        /// The bytes of tiers and files.
        needed: u128,
        /// The limit.
        limit: u64,
    },
    /// A solve or a count that did not finish.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A file in memory that cannot be read.
    #[error("{0}; allow more memory, or search instead")]
    File(std::io::Error),
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let code = match failure {
            Failure::Board(_) | Failure::Values(_) => "input",
            _ => "memory",
        };
        error(code, &failure.to_string())
    }
}

/// Reports the steps of the solve to the host.
#[derive(Default)]
struct Steps {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress for Steps {
    fn begin(&self, stage: Stage, steps: u64, done: u64) {
        if stage == Stage::Solve {
            self.done.store(done, Relaxed);
            self.all.store(steps, Relaxed);
        }
    }

    fn done(&self, stage: Stage, steps: u64) {
        if stage == Stage::Solve {
            self.done.fetch_add(steps, Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        host::poll(self.done.load(Relaxed), self.all.load(Relaxed))
    }
}
