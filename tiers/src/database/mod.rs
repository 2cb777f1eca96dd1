//! The database: a folder of tier files and a manifest, written by the solver and read by a probe.
//!
//! ```text
//! <db>/<board>/<values>/manifest     what is there
//!                       tier-00      the empty board
//!                       tier-01      ...
//! <db>/<board>/<values>.lock         held by the process that solves
//! ```
//!
//! `docs/format.md` gives every byte.

mod codec;
mod container;
mod envelope;
mod folder;
mod manifest;
mod reader;
mod storage;
mod writer;

pub use envelope::VERSION;
pub use folder::{Summary, folder_of, list};
pub use manifest::{Manifest, State, TierRecord};
pub use reader::{Database, Move};
pub use storage::{Disk, Lock, ReadFile, Storage, WriteFile};
pub(crate) use folder::{lock_path, remove_files};
pub(crate) use writer::{load_tier, write_tier};

pub use crate::error::DatabaseError;
