//! What the writer needs of a solved tier, wherever it is.

#![allow(clippy::indexing_slicing, reason = "places of the layout that the tier was made with")]

use super::chunk::Chunks;
use crate::error::DatabaseError;
use crate::index::{Index, Located};
use crate::kernel::Coding;
use crate::solve::Tier;

/// A solved tier. Threads share it.
pub(crate) trait TierValues: Sync {
    /// What one thread reads rows through.
    type Rows<'a>: Rows
    where
        Self: 'a;

    /// Returns the ply of the tier.
    fn ply(&self) -> u32;

    /// Returns how outcomes are written.
    fn coding(&self) -> &Coding;

    /// Returns how the database cuts the tier.
    fn chunks(&self) -> Chunks;

    /// Returns the number of entries of every shape, in order.
    fn shape_entries(&self) -> Vec<u64>;

    /// Lists the matrices from the one that holds `entry` on.
    fn located_from<'a>(&'a self, index: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a>;

    /// Begins to read.
    fn rows<'a>(&'a self, index: &'a Index) -> Result<Self::Rows<'a>, DatabaseError>;
}

/// Rows of a tier, read by one thread and best in their order.
pub(crate) trait Rows {
    /// Returns a row: its planes one after the other, each of whole words.
    fn row(&mut self, located: &Located, row: usize) -> Result<&[u64], DatabaseError>;
}

impl TierValues for Tier {
    type Rows<'a> = &'a Tier;

    fn ply(&self) -> u32 {
        self.layout.ply()
    }

    fn coding(&self) -> &Coding {
        &self.coding
    }

    fn chunks(&self) -> Chunks {
        Chunks::of_tier(self.layout.entries(), self.layout.matrices().len() as u64)
    }

    fn shape_entries(&self) -> Vec<u64> {
        self.layout.shape_entries()
    }

    fn located_from<'a>(&'a self, _: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a> {
        Box::new(self.layout.located_from(entry))
    }

    fn rows<'a>(&'a self, _: &'a Index) -> Result<&'a Tier, DatabaseError> {
        Ok(self)
    }
}

impl Rows for &Tier {
    fn row(&mut self, located: &Located, row: usize) -> Result<&[u64], DatabaseError> {
        let words = located.matrix.words() * self.coding.planes();
        Ok(&self.matrix_words(located.number)[row * words..])
    }
}
