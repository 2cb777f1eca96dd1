//! Listing and drawing positions.
//!
//! - [`PositionList`] lists the positions of a ply in the order of the index: those of all entries, or only the legal
//!   ones. It can also solve the ply, and then adds the outcomes of the positions;
//! - [`Sampler`] draws unfinished positions at random; the same seed gives the same positions. [`Draws`] draws a given
//!   number of positions, on request without repeats;
//! - [`GradedPositions`] lists or draws the positions that are used to grade a player, with the outcomes of all moves;
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
