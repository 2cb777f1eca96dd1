//! Listing and drawing positions.
//!
//! - [`PositionList`] lists a ply in the order of the index: every entry, or only the legal positions. It adds their
//!   outcomes if it is told to solve the ply;
//! - [`Sampler`] draws unfinished positions at random, the same for the same seed. [`Draws`] draws a given number of
//!   them, distinct ones if wanted;
//! - [`GradedPositions`] lists or draws the positions in which a player is graded, with the outcomes of their moves;
//! - [`unforced()`] lists the positions of the UCI data set.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod error;
mod graded;
mod list;
mod sample;
mod unforced;

pub use error::PositionError;
pub use graded::{GradedPortion, GradedPositions};
pub use list::{PositionBatch, PositionList};
pub(crate) use sample::check_plies;
pub use sample::{Draws, SampleKind, Sampler};
pub use unforced::unforced;
pub(crate) use unforced::{LAST_UNFORCED_PLY, representative};
