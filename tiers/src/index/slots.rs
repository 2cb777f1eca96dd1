//! Room for tables that are made one by one, when they are first asked for.

use std::sync::OnceLock;

/// Slots of a page.
const PAGE: usize = 256;

/// Slots for tables. They are in pages, made with their first table: a board of one column has up to 16 million slots, and
/// to open its database must not take memory for all of them.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    pages: Vec<OnceLock<Box<[OnceLock<T>]>>>,
    count: usize,
}

impl<T> Slots<T> {
    /// Makes `count` empty slots.
    pub fn new(count: usize) -> Slots<T> {
        Slots { pages: (0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect(), count }
    }

    /// Returns a slot.
    pub fn get(&self, slot: usize) -> &OnceLock<T> {
        &self.pages[slot / PAGE].get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect())[slot % PAGE]
    }

    /// Returns the memory of all slots, without what is in them.
    pub fn bytes(&self) -> usize {
        self.count * size_of::<OnceLock<T>>()
    }
}
