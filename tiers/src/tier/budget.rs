//! The memory that the tiers of a run share.

/// What the tiers of a run may take in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryBudget {
    /// About how many words a block has; [`BLOCK_WORDS`](super::BLOCK_WORDS) except in tests.
    pub block_words: usize,
    /// For the blocks of the tier that is read and of the one that is filled.
    pub cache_bytes: u64,
    /// For one matrix that is read across, in each thread.
    pub slice_words: usize,
    /// For a tier whose expanded blocks do not fit: more words of such a matrix, and the bytes that this takes off
    /// `cache_bytes`. Every slice costs the expansion of its matrix.
    pub wide: Option<(usize, u64)>,
}

impl MemoryBudget {
    /// For tiers that stay in memory, two at a time.
    pub fn unlimited(block_words: usize) -> MemoryBudget {
        // More bytes than any machine has; sums do not overflow.
        MemoryBudget { block_words, cache_bytes: 1 << 50, slice_words: usize::MAX, wide: None }
    }

    /// For reading from front to back, without memory for more than a block.
    pub fn sequential(block_words: usize) -> MemoryBudget {
        MemoryBudget { cache_bytes: 0, ..MemoryBudget::unlimited(block_words) }
    }

    /// Returns the budget of a tier that takes so many bytes if all of it is expanded.
    pub(super) fn of_tier(self, expanded_bytes: u64) -> MemoryBudget {
        match self.wide {
            Some((slice_words, bytes)) if !self.fits(expanded_bytes) => {
                MemoryBudget { slice_words, cache_bytes: self.cache_bytes.saturating_sub(bytes), wide: None, ..self }
            }
            _ => MemoryBudget { wide: None, ..self },
        }
    }

    /// Tells whether a tier that takes so many bytes expanded leaves room for some deltas.
    pub(super) fn fits(&self, expanded_bytes: u64) -> bool {
        expanded_bytes <= self.cache_bytes / 16 * 15
    }
}
