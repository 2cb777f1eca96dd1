//! The files of a database: what every byte means. `docs/reference/file-format.md` is the specification.
//!
//! ```text
//! <db>/<board>/<values>/manifest        the contents of the folder
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       frontier-NN.S   all values of one tier, while solving
//! <db>/<board>/<values>.lock            locked by the solving process
//! ```
//!
//! Writing: `tier_file` reads a solved tier in groups of `chunk`s, `codec` collects the symbols of the quiet entries
//! block by block, and `kernel::pack` packs them into bytes. Reading does the same in reverse. The `manifest` lists the
//! files with their hashes.
//!
//! Files come from outside: a reader trusts nothing that they record beyond what their lengths and the board allow.

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
pub use manifest::{Hash, Manifest, TierRecord};
pub(crate) use manifest::{check_length, is_stored};
pub(crate) use tier_file::{check_versions, write_tier};
