//! What the planes of a frontier say of each entry.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a frontier say.
pub(crate) trait Content: Send + Sync + Debug {
    /// Returns what stands for it in files.
    fn kind(&self) -> Kind;

    /// Returns the number of planes.
    fn planes(&self) -> usize;
}

/// Which content a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// Codes of outcomes.
    Values(Values),
    /// Bits of reached positions.
    Reached,
}

impl Kind {
    /// Returns how the names of its files begin.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Values(_) => "frontier-",
            Kind::Reached => "reached-",
        }
    }
}

/// The code of every entry's outcome.
impl Content for Coding {
    fn kind(&self) -> Kind {
        Kind::Values(self.values())
    }

    fn planes(&self) -> usize {
        Coding::planes(self)
    }
}

/// Whether play reaches the entry, and it has no line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached;

impl Content for Reached {
    fn kind(&self) -> Kind {
        Kind::Reached
    }

    fn planes(&self) -> usize {
        1
    }
}
