//! What the planes of a tier store for each entry.

use fourbase::Board;
use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a tier store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The code of every entry's outcome.
    Values(Values),
    /// One bit for each entry. The bit is set if play can reach the entry's position and the position has no line.
    Reached,
}

impl Kind {
    /// Returns the prefix of the names of files with this content. Both kinds of [`Values`] have the same prefix.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Values(_) => "frontier-",
            Kind::Reached => "reached-",
        }
    }

    /// Returns the coding of the tier with `ply` pieces. For [`Kind::Reached`], the coding has one plane, which encodes
    /// no outcomes.
    pub fn coding(self, board: Board, ply: u32) -> Coding {
        let Kind::Values(values) = self else {
            let mut coding = Coding::new(board, Values::Wdl, ply);
            coding.planes = 1;
            return coding;
        };
        Coding::new(board, values, ply)
    }
}
