//! The database: a folder of tier files and a manifest, written by the solver and read by a probe.
//!
//! ```text
//! <db>/<board>/<values>/manifest        what is there
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       frontier-NN.S    all values of one tier, while solving
//! <db>/<board>/<values>.lock            held by the process that solves
//! ```
//!
//! `docs/format.md` gives every byte. A database is data from outside: whatever is in its files, a probe gives what was
//! solved or an error, and what it allocates is bounded by the lengths of the files and by the tables of the board.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod beyond;
mod bits;
mod cache;
mod check;
mod chunk;
mod codec;
mod container;
mod disk;
pub(crate) mod envelope;
mod expanded;
mod folder;
#[doc(hidden)]
pub mod forge;
pub(crate) mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod hash;
mod list;
mod locate;
mod manifest;
mod many;
mod moves;
mod open;
mod packing;
#[doc(hidden)]
pub mod plant;
mod probe;
mod publish;
mod remoteness;
mod storage;
mod tier;
mod values;
mod writer;

pub(crate) use chunk::Chunks;
pub use disk::Disk;
pub use envelope::VERSION;
pub use folder::folder_of;
pub(crate) use folder::{create_folder, has_leftovers, lock_path, names_of, remove_database, remove_leftovers};
pub use hash::Hash;
pub use list::{Listing, Summary, list};
pub use manifest::{Manifest, State, TierRecord};
pub use moves::Move;
pub(crate) use moves::{best_line, moves, sort};
pub use open::Database;
pub(crate) use publish::{Written, io_error, publish};
pub use remoteness::RemotenessSearch;
pub use storage::{Lock, ReadFile, Storage, WriteFile};
pub(crate) use tier::OpenTier;
pub(crate) use values::{Rows, TierValues};
pub(crate) use writer::write_tier;

pub use crate::error::DatabaseError;
