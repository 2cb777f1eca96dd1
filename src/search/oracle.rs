//! Values from elsewhere, such as a database of values alone. A search of a remoteness need not prove them again: a move
//! that gives the value away is cut at once, and a tie is exact.

use crate::{Position, Value};

/// Knows what positions are worth, win, lose or tie.
pub trait Oracle: Sync {
    /// Returns what an unfinished position is worth to its player to move; `None` where that is not known.
    fn value(&self, position: &Position) -> Option<Value>;

    /// Tells whether it cannot answer any more, such as after a file that cannot be read. The search then ends as if it was
    /// cancelled. It asks from time to time, about once a millisecond.
    fn has_failed(&self) -> bool {
        false
    }

    /// The search asks only about positions with at least this many empty cells: later ones are searched sooner than a
    /// database is read.
    fn least_empty_cells(&self) -> u32 {
        LEAST_EMPTY_CELLS
    }
}

/// From how many empty cells on a database is asked, by measurement. The remoteness of 60 random positions of 7x6 with 8 to 14 pieces took 3.0 CPU seconds without a database. With one of 3.7 GB,
/// whose blocks had to be expanded for most answers (50 microseconds, or some hundred nodes), it took 2.9 seconds for 28 or 30
/// cells, 3.4 for 24 and 5.7 for 22.
const LEAST_EMPTY_CELLS: u32 = 28;
