//! Connect Four backwards: solve every position of a board, tier by tier, into a compressed database, and probe it.
//!
//! Each module uses only the modules above it in this table.
//!
//! | module | what it does |
//! |---|---|
//! | [`kernel`] | works on bit planes, rows and matrices, 64 positions a word |
//! | [`index`] | numbers the positions of a tier (a perfect hash): wings and a spine, matrices of colourings |
//! | [`files`] | stores, writes durably, starts every file, compresses |
//! | [`communicator`] | connects the processes of a job: what the solver needs of MPI, and which rank does which job |
//! | [`quiet`] | evaluates positions by the board alone; only the others, the quiet ones, are stored |
//! | [`tier`] | holds the planes of a tier: in memory, or in blocks that go into a log |
//! | [`progress`] | receives the progress of long work (and the [`solve::Plan`] of a solve), and can stop it |
//! | [`context`] | what long work needs besides its request: files, processes, progress |
//! | [`format`](mod@format) | reads and writes the files of a database, byte by byte |
//! | [`solve`] | solves tiers from the full board down, each from the tier after it |
//! | [`counts`] | counts legal positions by ply, value and remoteness: tiers from the empty board up |
//! | [`database`] | opens databases and looks positions up, for [`fourbase::analysis`] too |
//! | [`positions`] | lists and draws positions: all entries or all legal positions of a ply, or a random sample |
//! | [`dataset`] | writes positions with their values into files, for machine learning |
//! | [`verify`] | checks a database with code of its own |
//!
//! ```
//! use fourbase::{Outcome, Position, Value};
//! use fourbase_tiers::database::Database;
//! use fourbase_tiers::kernel::Values;
//! use fourbase_tiers::solve::Solve;
//!
//! let root = tempfile::tempdir()?;
//! let report = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path()).memory(1 << 30).run()?;
//! assert_eq!(report.outcome, Outcome { value: Value::Tie, remoteness: Some(16) });
//!
//! let database = Database::open(&report.folder)?;
//! let position = Position::start(database.board()).play(1)?;
//! assert_eq!(database.probe(&position)?, Outcome { value: Value::Tie, remoteness: Some(15) });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub use fourbase_kernels as kernel;

pub mod communicator;
pub mod context;
pub mod counts;
pub mod database;
pub mod dataset;
pub mod files;
pub mod format;
pub mod index;

#[cfg(test)]
#[path = "../../tests/support/long.rs"]
mod long;
pub mod positions;
pub mod progress;
pub mod quiet;
pub mod solve;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tier;
pub mod verify;
