//! Connect Four backwards: solve every position of a board, tier by tier, into a compressed database, and probe it.
//!
//! Each module uses only the modules above it in this table.
//!
//! | module | what it does |
//! |---|---|
//! | [`kernel`] | computes on bit planes: a word holds one bit of each of 64 positions |
//! | [`index`] | numbers the positions of a tier (a perfect hash); explains wings, the spine, shapes and matrices |
//! | [`files`] | reads and writes files: storage, durable writes, the header of each file, compression |
//! | [`communicator`] | connects processes (the part of MPI that the solver needs), and splits jobs between them |
//! | [`quiet`] | evaluates positions from the board alone; a database mainly stores the others (quiet positions) |
//! | [`tier`] | holds the bit planes of a tier in blocks, in memory or in a log on disk |
//! | [`progress`] | receives the progress of long work (and the [`solve::Plan`] of a solve), and can stop the work |
//! | [`context`] | bundles the environment of long work: files, processes, progress |
//! | `memory` | tells how much memory may be used (with the feature `memory`) |
//! | [`format`](mod@format) | reads and writes the files of a database, byte by byte |
//! | [`solve`] | solves tiers from the full board down, each from the tier after it |
//! | [`counts`] | counts legal positions by ply, value and remoteness, from the empty board up |
//! | [`database`] | opens databases and looks positions up, also on behalf of [`fourbase::analysis`] |
//! | [`positions`] | lists and draws positions: all entries or all legal positions of a ply, or a random sample |
//! | [`dataset`] | writes positions with their values into files, for machine learning |
//! | [`verify`] | checks a database with independent code |
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
#[cfg(feature = "memory")]
pub mod memory;
pub mod positions;
pub mod progress;
pub mod quiet;
pub mod solve;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tier;
pub mod verify;
