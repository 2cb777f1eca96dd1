//! The rows of a neighbouring tier that a band needs.
//!
//! A band notes what it wants, drop by drop, and then reads it all: a reader lends its words only between two reads.

use std::ops::Range;
use std::vec::IntoIter;

use super::store::{Loaded, Reader};
use crate::files::FileError;
use crate::kernel::Lent;
use crate::kernel::matrix::NO_ROW;

/// The number of an open shape, and of a matrix of it.
pub(crate) type Origin = (usize, usize);

/// Rows of one matrix.
pub(crate) struct Want {
    /// `None` where nothing leads there.
    pub origin: Option<Origin>,
    pub rows: Range<usize>,
    /// Words of each plane of a row: none for all.
    pub words: Range<usize>,
}

impl Want {
    /// Wants whole rows.
    pub fn rows(origin: Option<Origin>, rows: Range<usize>) -> Want {
        Want { origin, rows, words: 0..0 }
    }

    /// Reads them.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn load(&self, reader: &mut impl Reader) -> Result<Option<Loaded>, FileError> {
        match self.origin {
            Some((shape, matrix)) if !self.rows.is_empty() => reader.load(shape, matrix, &self.rows, &self.words),
            _ => Ok(None),
        }
    }
}

/// What a band wants, one list for each kind of drop.
#[derive(Default)]
pub(crate) struct Wanted {
    pub rows: Vec<Want>,
    pub columns: Vec<Want>,
    pub turned: Vec<Want>,
}

impl Wanted {
    /// Reads it all, list by list.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn load(&self, reader: &mut impl Reader) -> Result<IntoIter<Option<Loaded>>, FileError> {
        let mut loaded = Vec::with_capacity(self.rows.len() + self.columns.len() + self.turned.len());
        for want in self.rows.iter().chain(&self.columns).chain(&self.turned) {
            loaded.push(want.load(reader)?);
        }
        Ok(loaded.into_iter())
    }
}

/// Returns the range of the rows that a map leads to.
pub(crate) fn used(map: &[u32]) -> Range<usize> {
    let first = map.iter().find(|row| **row != NO_ROW);
    let last = map.iter().rfind(|row| **row != NO_ROW);
    first.zip(last).map_or(0..0, |(first, last)| *first as usize..*last as usize + 1)
}

/// Returns loaded rows and the number of the first, and lets a map count from that.
pub(crate) fn placed<'b>(reader: &'b impl Reader, rows: Option<&Loaded>, map: &mut [u32]) -> (Lent<'b>, usize) {
    // A matrix without columns is read, but nothing of what is read is used.
    let Some(rows) = rows else { return (Lent::Whole(&[0; 2]), 0) };
    if rows.first > 0 {
        map.iter_mut().filter(|row| **row != NO_ROW).for_each(|row| *row -= rows.first as u32);
    }
    (reader.rows(rows), rows.first)
}
