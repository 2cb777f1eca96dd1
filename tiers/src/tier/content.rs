//! What the planes of a tier store of each entry.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::kernel::{Coding, Values};

/// What the planes of a tier store.
pub trait Content: Copy + Send + Sync + Debug {
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
    fn kind(&self) -> Kind {
        Kind::Values(self.values)
    }

    fn planes(&self) -> usize {
        self.planes
    }
}

/// Whether play reaches the entry and has not ended there with a line.
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
