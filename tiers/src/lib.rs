//! Connect Four backwards: solve every position of a board, tier by tier, into a compressed database, and probe it.
//!
//! - [`index`] is a perfect hash of the positions of a tier: wings and a spine, matrices of colourings.
//! - [`solve`] computes a tier from the tier after it with the bit-plane loops of [`kernel`], 64 positions a word.
//! - [`quiet`] says which positions a probe can judge by looking at the board; only the others are stored.
//! - [`database`] writes the tiers of a board into a folder and answers probes from it.
//! - [`answer`] answers questions about positions, from a database, by search, or both.
//! - [`counts`] counts the positions that play reaches, by ply, value and remoteness.
//! - [`verify`] checks a database with code of its own.
//! - [`plan`] tells what a solve needs before it starts.
//!
//! ```
//! use fourbase::{Board, Outcome, Position, Value};
//! use fourbase_tiers::database::Database;
//! use fourbase_tiers::kernel::{Kernel, Values};
//! use fourbase_tiers::solve::{BLOCK_WORDS, CHECKPOINT, Options, run};
//!
//! let root = tempfile::tempdir()?;
//! let board: Board = "4x4".parse()?;
//! let options = Options {
//!     board,
//!     values: Values::Remoteness,
//!     root: root.path().to_path_buf(),
//!     memory_bytes: 1 << 30,
//!     kernel: Kernel::detect(),
//!     replace: false,
//!     scratch: None,
//!     block_words: BLOCK_WORDS,
//!     checkpoint: CHECKPOINT,
//!     keep_plies: None,
//! };
//! let report = run(&options, &())?;
//! assert_eq!(report.outcome, Outcome { value: Value::Tie, remoteness: Some(16) });
//!
//! let database = Database::open(&report.folder)?;
//! let position = Position::start(board).play(1)?;
//! assert_eq!(database.probe(&position)?, Outcome { value: Value::Tie, remoteness: Some(15) });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

pub mod answer;
pub mod counts;
pub mod database;
pub mod error;
mod frontier;
pub mod index;
pub mod kernel;
pub mod plan;
pub mod quiet;
pub mod solve;
pub mod verify;
