//! The files of a database: what every byte means. `docs/format.md` is the specification.
//!
//! ```text
//! <db>/<board>/<values>/manifest        what the folder holds
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       frontier-NN.S   all values of one tier, while solving
//! <db>/<board>/<values>.lock            held by the process that solves
//! ```
//!
//! From a solved tier to its file: `tier_file` walks the tier in groups of `chunk`s and takes the symbols of the quiet
//! entries (`codec`), which lie in bytes as `packing` says; the blocks go into a `container`. Reading goes the same
//! way back: the container's blocks are `expanded`. The `manifest` names the files with their `hash`es.
//!
//! Files are data from outside: nothing that they record is believed beyond what their lengths and the board allow.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub(crate) mod chunk;
pub(crate) mod codec;
pub(crate) mod container;
pub(crate) mod expanded;
mod folder;
mod hash;
mod manifest;
pub(crate) mod packing;
pub(crate) mod plausible;
mod tier_file;

pub(crate) use folder::{MANIFEST, has_leftovers, remove_database, remove_leftovers, tier_path};
pub use folder::{board_and_values_of, folder_of, lock_path};
pub use hash::Hash;
pub use manifest::{Manifest, State, TierRecord};
pub(crate) use manifest::{check_hash, is_stored};
#[cfg(feature = "testing")]
pub(crate) use tier_file::header;
pub(crate) use tier_file::{Expected, open, write_tier, write_tier_together};
