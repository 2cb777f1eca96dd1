//! Stored values that were looked up before, by their places.

use fourbase::Outcome;

/// An entry of a stored tier: its ply, and its number.
pub(super) type Place = (u32, u64);

/// Some stored values. None by default.
#[derive(Default)]
pub(super) struct Known {
    places: Vec<Place>,
    outcomes: Vec<Option<Outcome>>,
}

impl Known {
    /// Takes places in order, each once, with the value of each: `None` if it could not be looked up.
    pub fn new(places: Vec<Place>, outcomes: Vec<Option<Outcome>>) -> Known {
        Known { places, outcomes }
    }

    /// Returns a value.
    pub fn get(&self, place: Place) -> Option<Outcome> {
        let number = self.places.binary_search(&place).ok()?;
        self.outcomes.get(number).copied().flatten()
    }
}
