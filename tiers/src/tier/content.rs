//! What the planes of a tier store of each entry.

use std::fmt::Debug;

use fourbase::Board;
use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a tier store.
pub trait Content: Copy + Send + Sync + Debug {
    /// A tier begins with the blocks that an earlier run has left. Otherwise it begins empty, since what was counted with those
    /// blocks is lost.
    const RESUMES: bool;

    /// Returns the same content at another ply.
    fn at(&self, board: Board, ply: u32) -> Self;

    /// Returns how files record it.
    fn kind(&self) -> Kind;

    /// Returns the number of planes.
    fn planes(&self) -> usize;
}

/// Which content a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Codes of outcomes.
    Values(Values),
    /// Bits of reached positions.
    Reached,
}

impl Kind {
    /// Returns how the names of its files begin: the same for both kinds of values.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Values(_) => "frontier-",
            Kind::Reached => "reached-",
        }
    }
}

/// The code of every entry's outcome.
impl Content for Coding {
    const RESUMES: bool = true;

    fn at(&self, board: Board, ply: u32) -> Coding {
        Coding::new(board, self.values(), ply)
    }

    fn kind(&self) -> Kind {
        Kind::Values(self.values())
    }

    fn planes(&self) -> usize {
        Coding::planes(self)
    }
}

/// Whether play reaches the entry and has not ended there with a line.
#[derive(Clone, Copy, Debug)]
pub struct Reached;

impl Content for Reached {
    const RESUMES: bool = false;

    fn at(&self, _: Board, _: u32) -> Reached {
        Reached
    }

    fn kind(&self) -> Kind {
        Kind::Reached
    }

    fn planes(&self) -> usize {
        1
    }
}
