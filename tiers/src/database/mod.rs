//! Databases for readers: opening, probing, listing.
//!
//! [`Database::probe`] first evaluates the board ([`quiet`](crate::quiet)). It looks a quiet position up in its tier's
//! file ([`format`](mod@crate::format)), through a bounded cache of expanded blocks, and searches forward if the
//! database does not keep the tier. An [`Analyst`](fourbase::analysis::Analyst) uses a database for moves and best
//! play, and can complete it with searches ([`choose`]). Whatever the files contain, a probe returns what was solved or
//! an error, and its memory is bounded by the lengths of the files and the tables of the board.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod ahead;
mod cache;
mod embedded;
mod error;
mod fallback;
mod json;
mod lookup;
mod many;
mod misplaced;
mod open;
mod probe;
#[cfg(test)]
mod tests;
mod tier;

pub(crate) use cache::{BlockCache, BlockWeighter};
pub use cache::{Cache, DEFAULT_CACHE_BYTES};
pub use error::{DatabaseError, Misplaced};
pub use json::BoardJson;
pub use lookup::{When, choose};
pub use many::{moves_of_many, outcomes_of_many};
pub use misplaced::{DEFAULT_ROOT, check_root, looks_like_address};
pub(crate) use open::searches;
pub use open::{Database, Listing, list};
pub(crate) use tier::OpenTier;
