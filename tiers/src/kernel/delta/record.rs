//! A delta in one piece of bytes, for a file.
//!
//! ```text
//! u32   number of stretches
//! u32   words that differ
//! for each stretch: u32 words of each plane of a row, u32 words of all rows
//! the bytes of the delta
//! ```

use super::{CHUNK, Delta, PAD, Stretch};

/// Bytes before the stretches, and of each.
const HEAD: usize = 8;
const STRETCH: usize = 8;

impl Delta {
    /// Appends the delta, whose bytes are given, to `out`.
    pub fn put(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut number = |number: usize| out.extend_from_slice(&(number as u32).to_le_bytes());
        number(self.stretches.len());
        number(self.changed);
        for stretch in &self.stretches {
            number(stretch.row_words as usize);
            number(stretch.words as usize);
        }
        out.extend_from_slice(bytes);
    }

    /// Reads what [`Delta::put`] has written: the delta, and its bytes. `None` where it is not that of a block of so many words with
    /// so many planes.
    pub fn get(record: &[u8], planes: usize, words: usize) -> Option<(Delta, &[u8])> {
        let (head, rest) = record.split_first_chunk::<HEAD>()?;
        let [count, changed] = pair(head);
        let (stretches, bytes) = rest.split_at_checked(count.checked_mul(STRETCH)?)?;
        let stretches: Box<[Stretch]> = stretches
            .as_chunks()
            .0
            .iter()
            .map(|stretch| pair(stretch).map(|number| number as u32))
            .map(|[row_words, words]| Stretch { row_words, words })
            .collect();
        let delta = Delta { planes, stretches, changed };
        delta.is_of(bytes, words).then_some((delta, bytes))
    }

    /// Tells whether it can be undone with these bytes, which makes so many words.
    fn is_of(&self, bytes: &[u8], words: usize) -> bool {
        let is_rows = |stretch: &Stretch| {
            let row = u64::from(stretch.row_words) * self.planes as u64;
            row > 0 && u64::from(stretch.words).is_multiple_of(row)
        };
        let all: u64 = self.stretches.iter().map(|stretch| u64::from(stretch.words)).sum();
        if all != words as u64 || !self.stretches.iter().all(is_rows) {
            return false;
        }
        let chunks = self.stretches.iter().map(|stretch| (stretch.words as usize).div_ceil(CHUNK)).sum::<usize>();
        let Some((changed, rest)) = bytes.split_at_checked(8 * chunks) else { return false };
        let Some((references, rest)) = rest.split_at_checked(chunks) else { return false };
        let Some((masks, rest)) = rest.split_at_checked(self.changed) else { return false };
        let mut heads = changed.as_chunks().0.iter().map(|mask| u64::from_le_bytes(*mask)).zip(references);
        let is_inside = self.stretches.iter().all(|stretch| {
            let (row, words) = (stretch.row_words as usize * self.planes, stretch.words as usize);
            (0..words).step_by(CHUNK).zip(heads.by_ref()).all(|(at, (mask, reference))| {
                usize::from(*reference) * row <= at && (words - at >= CHUNK || mask >> (words - at) == 0)
            })
        });
        let set = |masks: &[u8]| masks.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
        is_inside && set(changed) == self.changed && set(masks) + PAD <= rest.len()
    }
}

fn pair(bytes: &[u8; 8]) -> [usize; 2] {
    let pair = u64::from_le_bytes(*bytes);
    [(pair as u32) as usize, (pair >> 32) as usize]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{laid_out, stretches};
    use super::*;
    use crate::kernel::{DeltaBuffers, Kernel};

    proptest! {
        #[test]
        fn a_record_is_read_as_it_was_put_and_damage_never_panics(
            stretches in stretches(),
            planes in 1..7usize,
            at in any::<prop::sample::Index>(),
            byte in 1..=u8::MAX,
        ) {
            let (words, lengths) = laid_out(stretches, planes);
            let mut buffers = DeltaBuffers::default();
            let kernel = Kernel::detect();
            let (delta, bytes) = kernel.delta(&words, planes, &lengths, &mut buffers);
            let mut record = Vec::new();
            delta.put(bytes, &mut record);
            let mut found = vec![7; words.len()];
            {
                let (delta, bytes) = Delta::get(&record, planes, words.len()).unwrap();
                kernel.undo_delta(&delta, bytes, &mut found);
            }
            prop_assert_eq!(&found, &words);
            prop_assert!(Delta::get(&record, planes, words.len() + 1).is_none());
            let at = at.index(record.len());
            prop_assert!(Delta::get(&record[..at], planes, words.len()).is_none());
            record[at] ^= byte;
            if let Some((delta, bytes)) = Delta::get(&record, planes, words.len()) {
                for kernel in Kernel::all() {
                    kernel.undo_delta(&delta, bytes, &mut found);
                }
            }
        }
    }
}
