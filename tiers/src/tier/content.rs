//! What the planes of a tier store for each entry.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a tier store.
pub trait Content: Copy + Send + Sync + Debug {
    /// Returns the content as files record it.
    fn kind(&self) -> Kind;

    /// Returns the number of planes.
    fn planes(&self) -> usize;
}

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Codes of outcomes.
    Values(Values),
    /// Bits of reached positions.
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
}

/// The code of every entry's outcome.
impl Content for Coding {
    fn kind(&self) -> Kind {
        Kind::Values(self.values)
    }

    fn planes(&self) -> usize {
        self.planes
    }
}

/// One bit for each entry: set if play can reach the position and it has no line.
#[derive(Clone, Copy, Debug)]
pub struct Reached;

impl Content for Reached {
    fn kind(&self) -> Kind {
        Kind::Reached
    }

    fn planes(&self) -> usize {
        1
    }
}
