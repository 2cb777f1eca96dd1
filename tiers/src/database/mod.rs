//! The database as it is read: opening, probing, listing.
//!
//! [`Database::probe`] looks at the board first ([`quiet`](crate::quiet)); a quiet position is looked up in its tier's file
//! ([`format`](mod@crate::format)), through a bounded cache of expanded blocks. Positions of tiers that the database does not
//! keep are searched forward. An [`Analyst`](fourbase::analysis::Analyst) asks it for moves and best play, and lets searches
//! complete it ([`choose`]). Whatever the files hold, a probe gives what was solved or an error, and its memory is bounded
//! by the lengths of the files and by the tables of the board.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod ahead;
mod cache;
mod embedded;
mod error;
mod fallback;
mod files;
mod json;
mod lookup;
mod many;
mod misplaced;
mod open;
mod probe;
#[cfg(test)]
mod tests;
mod tier;

#[cfg(feature = "testing")]
pub(crate) use cache::Cache;
pub use error::{DatabaseError, Misplaced};
pub use json::BoardJson;
pub use lookup::{When, choose};
pub use misplaced::{DEFAULT_ROOT, check_root, looks_like_address};
pub(crate) use open::searches;
pub use open::{Database, Listing, Summary, list};
pub(crate) use tier::OpenTier;
