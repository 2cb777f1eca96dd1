//! How positions are drawn at random.

use std::fmt;

/// A kind of sample. All kinds draw unfinished positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Every unfinished legal position of the plies is equally likely.
    Uniform,
    /// One of the plies is drawn, and random moves are played up to it.
    RandomPlay,
    /// Like random play, and again until the moves of the position differ in value.
    ChoiceMatters,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Uniform, Kind::RandomPlay, Kind::ChoiceMatters];

    /// Returns the kind with a name; `None` where no kind has it.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Kind;
    /// assert_eq!(Kind::named("random-play"), Some(Kind::RandomPlay));
    /// assert_eq!(Kind::named("chosen"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Uniform => "uniform",
            Kind::RandomPlay => "random-play",
            Kind::ChoiceMatters => "choice-matters",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
