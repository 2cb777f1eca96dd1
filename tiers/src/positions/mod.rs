//! Listing and drawing positions.
//!
//! - [`PositionList`] lists a ply in the order of the index: every entry, or the legal positions, and with their outcomes if
//!   it is asked to solve the ply;
//! - [`Sampler`] draws unfinished positions at random, the same for the same seed, and [`Draws`] a number of them, also distinct ones;
//! - [`GradedPositions`] lists or draws the positions in which a player is graded, with the outcomes of their moves;
//! - [`unforced()`] lists the positions of the UCI data set.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod draws;
mod error;
mod graded;
mod list;
mod sample;
mod unforced;

use std::fmt;

use fourbase::{Player, Position};

pub use draws::Draws;
pub use error::PositionError;
pub use graded::{GradedPortion, GradedPositions};
pub use list::{PositionBatch, PositionList};
pub use sample::{Sampler, check_plies};
pub use unforced::unforced;

/// A kind of sample. All kinds draw unfinished positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// Every unfinished legal position of the plies is equally likely, so most samples come from the plies with most
    /// positions.
    Uniform,
    /// Draws one of the plies, and plays random moves up to it.
    RandomPlay,
    /// Like `RandomPlay`, but draws again until the moves of the position differ in value.
    ChoiceMatters,
}

impl SampleKind {
    /// Returns the kind with this name; `None` if no kind has it.
    ///
    /// ```
    /// use fourbase_tiers::positions::SampleKind;
    /// assert_eq!(SampleKind::named("random-play"), Some(SampleKind::RandomPlay));
    /// assert_eq!(SampleKind::named("chosen"), None);
    /// ```
    pub fn named(name: &str) -> Option<SampleKind> {
        let kinds = [SampleKind::Uniform, SampleKind::RandomPlay, SampleKind::ChoiceMatters];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            SampleKind::Uniform => "uniform",
            SampleKind::RandomPlay => "random-play",
            SampleKind::ChoiceMatters => "choice-matters",
        }
    }
}

impl fmt::Display for SampleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Returns the same one for a position and its mirror image: the one whose bitboards are the smaller numbers.
pub(crate) fn representative(position: &Position) -> Position {
    let key = |position: &Position| [Player::First, Player::Second].map(|player| position.pieces(player));
    let mirror = position.mirror();
    if key(&mirror) < key(position) { mirror } else { *position }
}
