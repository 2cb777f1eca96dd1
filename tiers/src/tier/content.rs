//! What the planes of a tier store for each entry.

use fourbase::Board;
use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a tier store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The code of every entry's outcome.
    Values(Values),
    /// One bit for each entry: set if play can reach the position and it has no line.
    Reached,
}

impl Kind {
    /// Returns the prefix of the names of files with this content. It is the same for both kinds of values.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Values(_) => "frontier-",
            Kind::Reached => "reached-",
        }
    }

    /// Returns the coding of the tier with `ply` pieces. The bits of [`Kind::Reached`] are one plane, and no outcomes.
    pub fn coding(self, board: Board, ply: u32) -> Coding {
        let Kind::Values(values) = self else {
            let mut coding = Coding::new(board, Values::Wdl, ply);
            coding.planes = 1;
            return coding;
        };
        Coding::new(board, values, ply)
    }
}
