//! The grades of the player `rating`: how near a win is.

use std::fmt;

/// How near a win is: 20 for one just made, 11 to 19 for farther ones, 10 for none in sight, 9 to 1 for losses, 1 for
/// the nearest. Higher is better for the mover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Grade(u8);

impl Grade {
    /// Nothing is known yet.
    pub(super) const UNKNOWN: Grade = Grade(0);
    /// No win within the horizon.
    pub(super) const NONE: Grade = Grade(10);
    /// A win just made.
    pub(super) const WIN: Grade = Grade(20);
    /// A threshold that no grade reaches, so no node closes.
    pub(super) const NEVER: Grade = Grade(21);

    /// Returns the number, 1 to 20.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the grade as the previous ply sees it.
    pub(super) fn turned(self) -> Grade {
        let grade = 20 - self.0;
        Grade(if grade < 10 { grade + 1 } else { grade })
    }

    /// Returns the threshold of the next node.
    pub(super) fn threshold(self) -> Grade {
        let grade = self.turned();
        Grade(if grade > Grade::NONE { grade.0 + 1 } else { grade.0 })
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
