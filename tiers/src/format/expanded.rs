//! A block as it is probed: see [`super::codec`] for what is in it.

use std::ops::Range;

use super::chunk::Chunks;
use super::packing;
use crate::files::frame;
use crate::kernel::Coding;

/// A block as it is probed.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// Symbols before each chunk, and all of them.
    starts: Vec<u32>,
    /// The counts, then the packed symbols.
    bytes: Vec<u8>,
}

impl Expanded {
    /// Expands a block of `count` chunks; `None` where it does not hold what it should. Allocates no more than that
    /// many chunks can hold.
    pub fn new(payload: &[u8], count: usize, chunks: &Chunks, coding: &Coding) -> Option<Expanded> {
        let most_symbols = count * chunks.each as usize;
        let bytes = frame::expand(payload, 2 * count + packing::packed_bytes(coding, most_symbols))?;
        let (counts, symbols) = bytes.split_at_checked(2 * count)?;
        let mut starts = vec![0];
        let mut sum = 0u32;
        for count in counts.as_chunks().0.iter().map(|bytes| u32::from(u16::from_le_bytes(*bytes))) {
            if count > chunks.each {
                return None;
            }
            sum += count;
            starts.push(sum);
        }
        let whole = symbols.len() == packing::packed_bytes(coding, sum as usize);
        (whole && packing::are_symbols(coding, symbols)).then_some(Expanded { starts, bytes })
    }

    /// Returns the symbols of a chunk, as numbers from the block's first on.
    fn symbols(&self, chunk: usize) -> Option<Range<usize>> {
        Some(*self.starts.get(chunk)? as usize..*self.starts.get(chunk + 1)? as usize)
    }

    /// Counts the symbols of a chunk of the block.
    pub fn count(&self, chunk: usize) -> usize {
        self.symbols(chunk).map_or(0, |symbols| symbols.len())
    }

    /// Returns the symbols of a chunk, plane after plane, each of `⌈count / 64⌉` words.
    pub fn planes(&self, coding: &Coding, chunk: usize) -> Vec<u64> {
        let (_, packed) = self.bytes.split_at(2 * (self.starts.len() - 1));
        let symbols = self.symbols(chunk).unwrap_or_default();
        packing::unpack(coding, packed, symbols.start, symbols.len())
    }

    /// Returns the memory that the block takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + self.bytes.len() + size_of::<Expanded>()
    }
}
