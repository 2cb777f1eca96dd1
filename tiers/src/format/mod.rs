//! The files of a database: what every byte means. `docs/reference/file-format.md` is the specification.
//!
//! ```text
//! <db>/<board>/<values>/manifest        what the folder holds
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       frontier-NN.S   all values of one tier, while solving
//! <db>/<board>/<values>.lock            held by the process that solves
//! ```
//!
//! From a solved tier to its file: `tier_file` walks the tier in groups of `chunk`s and takes the symbols of the quiet
//! entries (`codec`), which `kernel::pack` lays out in bytes, block by block. Reading goes the same way back. The `manifest`
//! names the files with their hashes.
//!
//! Files are data from outside: nothing that they record is believed beyond what their lengths and the board allow.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub(crate) mod chunk;
pub(crate) mod codec;
mod folder;
mod manifest;
pub(crate) mod plausible;
pub(crate) mod tier_file;

pub(crate) use folder::{
    MANIFEST, REPLACEMENT, TIER_PREFIX, has_leftovers, remove_database, remove_leftovers, tier_path,
};
pub use folder::{board_and_values_of, folder_of, lock_path};
pub use manifest::{Hash, Manifest, State, TierRecord};
pub(crate) use manifest::{check_length, is_stored};
pub(crate) use tier_file::write_tier;
