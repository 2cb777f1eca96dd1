//! Bytes in pages of one size, for deltas: what one tier gives back fits the next, whatever the lengths.
//!
//! Deltas have all lengths, and those of a tier are given back by the thousand. From the system's allocator they took a tenth to a
//! fifth of the time of 7x6, and a sixth more memory than was counted.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a page.
const PAGE: usize = 1 << 12;

type Page = Box<[u8; PAGE]>;

/// Bytes in pages.
#[derive(Debug)]
pub(super) struct Paged {
    pages: Vec<Page>,
    pub length: usize,
}

/// Pages that are not used, until no more are needed. Threads and tiers share them.
#[derive(Debug)]
pub(super) struct Pages(Mutex<Option<Vec<Page>>>);

impl Default for Pages {
    fn default() -> Pages {
        Pages(Mutex::new(Some(Vec::new())))
    }
}

impl Pages {
    /// Copies bytes into pages. Keeps at most so many bytes of unused ones.
    pub fn put(&self, bytes: &[u8], most_spare_bytes: u64) -> Paged {
        let count = bytes.len().div_ceil(PAGE);
        let mut pages = Vec::with_capacity(count);
        if let Some(spare) = &mut *self.spare() {
            pages.extend(spare.drain(spare.len().saturating_sub(count)..));
            spare.truncate((most_spare_bytes / PAGE as u64) as usize);
        }
        pages.resize_with(count, || Box::new([0; PAGE]));
        for (page, bytes) in pages.iter_mut().zip(bytes.chunks(PAGE)) {
            if let Some(start) = page.get_mut(..bytes.len()) {
                start.copy_from_slice(bytes);
            }
        }
        Paged { pages, length: bytes.len() }
    }

    /// Takes the pages of bytes that are no longer needed, until [`Pages::close`].
    pub fn take_back(&self, bytes: Paged) {
        if let Some(spare) = &mut *self.spare() {
            spare.extend(bytes.pages);
        }
    }

    /// Returns what the pages take that are not used.
    #[cfg(test)]
    pub fn spare_bytes(&self) -> u64 {
        (self.spare().as_ref().map_or(0, Vec::len) * PAGE) as u64
    }

    /// Gives all pages that are not used back to the system, now and later.
    pub fn close(&self) {
        *self.spare() = None;
    }

    fn spare(&self) -> MutexGuard<'_, Option<Vec<Page>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Paged {
    /// Returns what so many bytes take in pages.
    pub fn taken_by(length: usize) -> u64 {
        let count = length.div_ceil(PAGE);
        // The allocator keeps a length beside each page.
        (count * (PAGE + size_of::<Page>() + 16)) as u64
    }

    /// Copies the bytes into `buffer`, which only grows.
    pub fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        buffer.resize(buffer.len().max(self.pages.len() * PAGE), 0);
        for (to, page) in buffer.as_chunks_mut::<PAGE>().0.iter_mut().zip(&self.pages) {
            *to = **page;
        }
        buffer.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_come_back_from_pages_that_were_used_before(
            first in prop::collection::vec(any::<u8>(), 0..3 * PAGE),
            second in prop::collection::vec(any::<u8>(), 0..3 * PAGE),
            most in 0..4usize,
        ) {
            let (pages, mut buffer) = (Pages::default(), Vec::new());
            let paged = pages.put(&first, 0);
            prop_assert_eq!(paged.read(&mut buffer), &first);
            pages.take_back(paged);
            let paged = pages.put(&second, (most * PAGE) as u64);
            prop_assert_eq!(paged.read(&mut buffer), &second);
            let count = |bytes: &Vec<u8>| bytes.len().div_ceil(PAGE);
            let spare = count(&first).saturating_sub(count(&second)).min(most);
            prop_assert_eq!(pages.spare_bytes(), (spare * PAGE) as u64);
            pages.close();
            pages.take_back(paged);
            prop_assert_eq!(pages.spare_bytes(), 0);
        }
    }
}
