//! The database: a folder of tier files and a manifest, written by the solver and read by a probe.
//!
//! ```text
//! <db>/<board>/<values>/manifest        what is there
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       checkpoint-NN   all values of one tier, while solving
//! <db>/<board>/<values>.lock            held by the process that solves
//! ```
//!
//! `docs/format.md` gives every byte.

mod checkpoint;
mod chunk;
mod codec;
mod container;
mod envelope;
mod folder;
mod frame;
mod manifest;
mod packing;
mod reader;
mod storage;
mod writer;

pub(crate) use checkpoint::{read_checkpoint, write_checkpoint};
pub(crate) use container::{Written, publish};
pub use envelope::VERSION;
pub use folder::{Summary, folder_of, list};
pub(crate) use folder::{lock_path, remove_database, remove_leftovers};
pub use manifest::{Manifest, State, TierRecord};
pub use reader::{Database, Move};
pub use storage::{Disk, Lock, ReadFile, Storage, WriteFile};
pub(crate) use writer::write_tier;

pub use crate::error::DatabaseError;
