//! Kinds of samples.

use std::fmt;

/// A kind of sample. All kinds draw unfinished positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// Every unfinished legal position of the plies is equally likely, so that most are of the plies that have most positions.
    Uniform,
    /// One of the plies is drawn, and random moves are played up to it.
    RandomPlay,
    /// Like random play, and again until the moves of the position differ in value.
    ChoiceMatters,
}

impl SampleKind {
    /// Returns its name.
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
