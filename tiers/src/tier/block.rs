//! A block of a tier in memory: expanded, or as its delta.

use std::sync::Arc;

use super::pages::Paged;
use crate::files::FileError;
use crate::kernel::delta::UndoDelta;
use crate::kernel::{Kernel, SPARE_PART, Words};

/// The words beyond the last row that a kernel may read (and never uses): a stream is read two words at a time.
pub(super) const PAD: usize = 2;

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<Words>;

/// Makes a block of `length` words and lets `fill` write them.
///
/// # Errors
/// Those of `fill`.
pub(super) fn expanded(
    length: usize,
    fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
) -> Result<Expanded, FileError> {
    let mut words = Words::of_any_values(length + PAD);
    words.get_mut(..length).map_or(Ok(()), fill)?;
    Ok(Arc::new(words))
}

/// Returns what some blocks of so many words in all take together, expanded.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    let words = (words + blocks * PAD) as u64;
    64 * blocks as u64 + 8 * (words + words / SPARE_PART as u64)
}

/// A block that is not in the log yet.
#[derive(Clone, Debug)]
pub(super) enum DirtyBlock {
    Expanded(Expanded),
    Delta(Arc<DeltaBlock>),
}

/// A block in memory as its delta.
#[derive(Debug)]
pub(super) struct DeltaBlock {
    pub delta: Paged,
    pub planes: usize,
    /// Words of the block.
    pub length: usize,
}

impl DirtyBlock {
    /// Returns the words of the block; `buffer` is for those of a delta.
    pub fn expand(self, kernel: Kernel, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        match self {
            DirtyBlock::Expanded(words) => Ok(words),
            DirtyBlock::Delta(block) => expanded(block.length, |out| {
                kernel.run(UndoDelta { delta: block.delta.read(buffer), planes: block.planes, out });
                Ok(())
            }),
        }
    }
}

/// Returns what a delta of so many bytes takes in memory.
pub(super) fn delta_bytes(bytes: usize) -> u64 {
    Paged::taken_by(bytes) + 64
}
