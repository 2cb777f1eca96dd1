//! The database as it is read: opening, probing, listing.
//!
//! [`Database::probe`] looks at the board first ([`quiet`](crate::quiet)); a quiet position is looked up in its tier's file
//! ([`format`](mod@crate::format)), through a bounded cache of expanded blocks. Positions of tiers that the database does not
//! keep are searched forward. Whatever the files hold, a probe gives what was solved or an error, and its memory is bounded
//! by the lengths of the files and by the tables of the board.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod beyond;
mod cache;
mod check;
mod codes;
mod embedded;
mod error;
mod keep;
mod list;
mod many;
mod moves;
mod open;
mod parents;
mod probe;
mod tier;

pub(crate) use beyond::Effort;
#[cfg(feature = "testing")]
pub(crate) use cache::Cache;
pub use error::DatabaseError;
pub use list::{Listing, Summary, list};
pub use moves::Move;
pub(crate) use moves::{best_line, moves, sort};
pub use open::Database;
pub(crate) use tier::OpenTier;
