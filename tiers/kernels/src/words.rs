//! The words of a block, in memory that its thread uses again, and views of its rows.
//!
//! A solve in files expands some hundred thousand blocks a minute. Allocating memory for each and filling it with zeros
//! first took a twelfth of the time.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

/// How many buffers each thread keeps.
pub const MOST_SPARE: usize = 4;

/// Shorter ones cost little to make.
const LEAST_WORDS: usize = 1 << 10;

/// Buffers take at most one part in so many more than is asked for: room for one of another length.
pub const SPARE_PART: usize = 16;

thread_local! {
    /// The buffers that were dropped last, the latest at the end.
    static SPARE: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// Words whose memory goes back to the thread that drops them.
#[derive(Debug)]
pub struct Words(Vec<u64>);

impl Words {
    /// Makes `length` words of any values. They take at most one part in [`SPARE_PART`] more memory than that.
    pub fn of_any_values(length: usize) -> Words {
        let most = length + length / SPARE_PART;
        // So few sizes occur.
        let step = ((most - length).max(1) + 1).next_power_of_two() / 2;
        let capacity = length.next_multiple_of(step);
        let is_near = |spare: &Vec<u64>| (length..=most).contains(&spare.capacity());
        let take = |spares: &RefCell<Vec<Vec<u64>>>| {
            let mut spares = spares.borrow_mut();
            let found = spares.iter().rposition(is_near)?;
            Some(spares.remove(found))
        };
        // The system's memory is zero: only what was shorter before is written.
        let mut words = SPARE.try_with(take).ok().flatten().unwrap_or_else(|| vec![0; capacity]);
        words.resize(length, 0);
        Words(words)
    }

    /// Returns the bytes that they take.
    pub fn bytes(&self) -> u64 {
        8 * self.0.capacity() as u64
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.0);
        if words.capacity() < LEAST_WORDS {
            return;
        }
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() == MOST_SPARE {
                spares.remove(0);
            }
            spares.push(words);
        });
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// A view of the rows of a matrix that a band needs: in one piece, or in blocks that follow each other and are shared.
#[derive(Clone, Copy, Debug)]
pub enum RowView<'a> {
    /// All rows, one after the other.
    Whole(&'a [u64]),
    /// As many rows in each block; the last may have fewer.
    Blocks {
        /// The words of each, from the first row on.
        blocks: &'a [Arc<Words>],
        /// Rows of a block.
        each: usize,
    },
}

impl<'a> RowView<'a> {
    /// Returns the words of a row of `row_words` words, all planes together, and whatever follows them.
    #[inline(always)]
    pub fn row(&self, row: usize, row_words: usize) -> &'a [u64] {
        match *self {
            RowView::Whole(words) => &words[row * row_words..],
            RowView::Blocks { blocks, each } => &blocks[row / each][row % each * row_words..],
        }
    }

    /// Returns rows like [`RowView::row`]; `None` where they are not in one piece.
    pub fn piece(&self, rows: &Range<usize>, row_words: usize) -> Option<&'a [u64]> {
        let in_one = match *self {
            RowView::Whole(_) => true,
            RowView::Blocks { each, .. } => rows.is_empty() || rows.start / each == (rows.end - 1) / each,
        };
        in_one.then(|| self.row(rows.start, row_words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_about_as_many_words() {
        let begin = |words: &Words| words.as_ptr();
        let first = Words::of_any_values(9_900);
        let place = begin(&first);
        assert_eq!(first.bytes(), 8 * 10_240);
        drop(first);
        let larger = Words::of_any_values(10_241);
        assert_ne!(begin(&larger), place);
        let smaller = Words::of_any_values(9_700);
        assert_eq!((begin(&smaller), smaller.len(), smaller.bytes()), (place, 9_700, 8 * 10_240));
        drop(smaller);
        let much_smaller = Words::of_any_values(9_500);
        assert_ne!(begin(&much_smaller), place);
        let again = Words::of_any_values(10_000);
        assert_eq!((begin(&again), again.len()), (place, 10_000));
    }

    #[test]
    fn buffers_take_little_more_than_is_asked_for() {
        for length in (0..40_000).step_by(7) {
            let words = Words::of_any_values(length);
            assert_eq!(words.len(), length);
            assert!(words.bytes() as usize <= 8 * (length + length / SPARE_PART), "{length}: {}", words.bytes());
        }
    }

    #[test]
    fn a_thread_keeps_a_few_buffers() {
        let many: Vec<Words> = (0..3 * MOST_SPARE).map(|_| Words::of_any_values(LEAST_WORDS)).collect();
        drop(many);
        assert_eq!(SPARE.with_borrow(Vec::len), MOST_SPARE);
    }
}
