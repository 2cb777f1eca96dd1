//! The database as it is read: opening, probing, listing.
//!
//! [`Database::probe`] looks at the board first ([`quiet`](crate::quiet)); a quiet position is looked up in its tier's file
//! ([`format`](mod@crate::format)), through a bounded cache of expanded blocks. Positions of tiers that the database does not
//! keep are searched forward. Whatever the files hold, a probe gives what was solved or an error, and its memory is bounded
//! by the lengths of the files and by the tables of the board.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod cache;
mod embedded;
mod error;
pub(crate) mod fallback;
mod files;
mod many;
mod open;
mod probe;
pub(crate) mod question;
mod tier;

#[cfg(feature = "testing")]
pub(crate) use cache::Cache;
pub use error::DatabaseError;
pub use many::Move;
pub(crate) use many::{best_line, moves, sort};
pub use open::{Database, Listing, Summary, list};
pub(crate) use tier::OpenTier;
