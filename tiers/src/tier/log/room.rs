//! The memory that the tiers of a run share.

use crate::kernel::SPARE_PART;
use crate::tier::store::PAD;

/// What the tiers of a run may take in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// About how many words a block has; [`BLOCK_WORDS`] except in tests.
    pub block_words: usize,
    /// For expanded blocks of the tier that is read and of the one that is filled.
    pub cache_bytes: u64,
    /// For one matrix that is read across, in each thread.
    pub slice_words: usize,
    /// For a tier whose expanded blocks do not fit: more words of such a matrix, and the bytes that this takes off
    /// `cache_bytes`. Every slice costs the expansion of its matrix.
    pub wide: Option<(usize, u64)>,
}

impl Room {
    /// Returns the room of a tier that takes so many bytes if it is expanded.
    pub(super) fn of_tier(self, expanded_bytes: u64) -> Room {
        match self.wide {
            Some((slice_words, bytes)) if !self.fits(expanded_bytes) => {
                Room { slice_words, cache_bytes: self.cache_bytes.saturating_sub(bytes), wide: None, ..self }
            }
            _ => Room { wide: None, ..self },
        }
    }

    /// Tells whether a tier that takes so many bytes expanded leaves room for some deltas.
    pub(super) fn fits(&self, expanded_bytes: u64) -> bool {
        expanded_bytes <= self.cache_bytes / 16 * 15
    }
}

/// Returns what some blocks of so many words in all take together, expanded.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    let words = (words + blocks * PAD) as u64;
    64 * blocks as u64 + 8 * (words + words / SPARE_PART as u64)
}
