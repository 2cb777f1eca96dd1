//! Reads and writes the files of a database. `docs/reference/file-format.md` specifies what every byte means.
//!
//! ```text
//! <db>/<board>/<values>/manifest        the contents of the folder
//!                       tier-01         the quiet positions of ply 1, then 3, 5, ...
//!                       frontier-NN.S   all values of one tier, while solving
//! <db>/<board>/<values>.lock            locked by the solving process
//! ```
//!
//! To write a file, `tier_file` goes through a solved tier in groups of chunks (`chunk`), `codec` collects the symbols
//! of the quiet entries block by block, and `kernel::pack` packs the symbols into bytes. Reading does the same in
//! reverse. The `manifest` lists the files with their hashes.
//!
//! Files can come from anybody. A reader accepts a number from a file only if the file's length and the board allow it.

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
pub(crate) use manifest::{board_name, check_length, is_stored};
pub(crate) use tier_file::{check_versions, write_tier};
