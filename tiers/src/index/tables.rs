//! The tables of one board, each made at its first use and kept.

use std::sync::OnceLock;

use fourbase::Board;
use rayon::prelude::*;

use super::numbers::Mask;
use super::sizes::{IndexError, check_tables};
use super::split::{Spine, Split, WingShape};
use super::wing::{ShapeLists, WingList};
use crate::kernel::Kernel;

/// The tables of one board: the colourings of each wing beside each spine.
///
/// Each table is made at its first use and kept. All tables together take about 8 bytes per colouring of a wing beside
/// a spine (5x5: 2 MB, 6x5: 2 MB, 7x5: 130 MB).
#[derive(Debug)]
pub struct Index {
    /// How the board is cut.
    pub split: Split,
    /// Lines inside a wing and the spine, and (in `cross_lines`) lines across both wings, each as the bitboard of its
    /// cells.
    wing_lines: Vec<u64>,
    pub(super) cross_lines: Vec<u64>,
    /// The kernel that works on the matrices.
    pub kernel: Kernel,
    /// The number of pieces of every wing shape.
    pub(super) cells: Vec<u32>,
    shapes: Vec<OnceLock<ShapeLists>>,
    /// Lists by spine and wing shape, then by first-player pieces.
    lists: Slots<ByFirsts<WingList>>,
    /// Lengths of the lists, by height of the spine and wing shape, then by the spine's bits and first-player pieces.
    counts: Slots<OnceLock<Box<[u32]>>>,
    /// Masks by spine and wing shape, then by first-player pieces, for probes.
    masks: Slots<ByFirsts<Mask>>,
}

impl Index {
    /// Prepares the index of `board`. Costs little, because each table is made at its first use.
    ///
    /// # Errors
    /// [`IndexError`] if the tables of a wing would be too large for the memory of any machine.
    pub fn new(board: Board, kernel: Kernel) -> Result<Index, IndexError> {
        check_tables(board)?;
        let split = Split { board };
        let (wing_lines, cross_lines) = split.lines();
        let (shapes, heights) = (split.wing_shapes() as usize, split.spine_room() as usize + 1);
        Ok(Index {
            split,
            wing_lines,
            cross_lines,
            kernel,
            cells: (0..split.wing_shapes()).map(|shape| split.cells(WingShape(shape))).collect(),
            shapes: (0..shapes).map(|_| OnceLock::new()).collect(),
            lists: Slots::new(shapes * split.spines()),
            counts: Slots::new(shapes * heights),
            masks: Slots::new(shapes * split.spines()),
        })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.split.board
    }

    fn shape(&self, shape: WingShape) -> &ShapeLists {
        self.shapes[shape.0 as usize].get_or_init(|| ShapeLists::new(&self.split, &self.wing_lines, shape))
    }

    /// Returns the list of a wing shape beside `spine` with `firsts` first-player pieces (at most as many as the wing's
    /// pieces).
    pub fn list(&self, shape: WingShape, spine: Spine, firsts: u32) -> &WingList {
        let list = self.list_without_planes(shape, spine, firsts);
        list.planes.get_or_init(|| self.shape(shape).planes(list, spine));
        list
    }

    /// Returns the colourings of the list in increasing order. Does not make the list's planes.
    pub fn colourings(&self, shape: WingShape, spine: Spine, firsts: u32) -> &[u32] {
        &self.list_without_planes(shape, spine, firsts).colourings
    }

    fn list_without_planes(&self, shape: WingShape, spine: Spine, firsts: u32) -> &WingList {
        let lists = self.lists.get(self.slot(shape, spine)).get_or_init(|| self.of_each_firsts(shape));
        lists[firsts as usize].get_or_init(|| self.shape(shape).beside(spine, firsts as usize))
    }

    /// Returns the lengths of the lists of a wing shape beside `spine`, one for every number of first-player pieces.
    /// Does not make the lists.
    pub fn counts(&self, shape: WingShape, spine: Spine) -> &[u32] {
        let lists = || self.shape(shape).counts(spine.height);
        let counts = self.counts.get(spine.height as usize * self.shapes.len() + shape.0 as usize).get_or_init(lists);
        let each = self.cells[shape.0 as usize] as usize + 1;
        &counts[spine.bits as usize * each..][..each]
    }

    /// Returns the rank of a colouring in the list of a wing shape beside `spine` with `firsts` first-player pieces, or
    /// `None` if the list does not have it. Does not make the list.
    pub(crate) fn rank_beside(&self, shape: WingShape, spine: Spine, firsts: u32, colouring: u32) -> Option<u32> {
        let masks = self.masks.get(self.slot(shape, spine)).get_or_init(|| self.of_each_firsts(shape));
        let lists = self.shape(shape);
        let mask = masks.get(firsts as usize)?.get_or_init(|| Mask::new(&lists.members(spine, firsts as usize)));
        mask.rank(lists.number(colouring, firsts)?)
    }

    /// Makes an empty slot for every number of first-player pieces in a wing shape.
    pub(crate) fn of_each_firsts<T>(&self, shape: WingShape) -> Box<[OnceLock<T>]> {
        (0..=self.cells[shape.0 as usize]).map(|_| OnceLock::new()).collect()
    }

    /// Returns the slot of a wing shape and a spine.
    pub(crate) fn slot(&self, shape: WingShape, spine: Spine) -> usize {
        spine.number() * self.shapes.len() + shape.0 as usize
    }

    /// Returns the bytes of all tables that the plies up to `last` need.
    pub(crate) fn bytes(&self, last: u32) -> usize {
        let spines: Vec<Spine> = (0..=self.split.spine_room()).flat_map(Spine::of_height).collect();
        let of_shape = |shape: usize| {
            let shape = WingShape(shape as u32);
            let cells = self.split.cells(shape);
            if cells > last {
                return 0;
            }
            let planes = cells as usize + 2 * self.split.wing_columns() + 3;
            let beside = spines.iter().filter(|spine| cells + spine.height <= last);
            let lists = beside.flat_map(|spine| self.counts(shape, *spine));
            let lists: usize = lists.map(|count| WingList::bytes(*count as usize, planes) + size_of::<u32>()).sum();
            // The other lists are made from lists without regard to a spine, which are as long as those beside an empty
            // spine.
            let without: usize = self.counts(shape, spines[0]).iter().map(|count| 8 * *count as usize).sum();
            lists + without
        };
        let lists: usize = (0..self.shapes.len()).into_par_iter().map(of_shape).sum();
        lists + self.counts.bytes() + self.lists.bytes()
    }
}

/// A table for every number of first-player pieces in a wing shape.
pub(crate) type ByFirsts<T> = OnceLock<Box<[OnceLock<T>]>>;

/// Slots for tables, allocated in pages of `PAGE` slots at the first use of each page: a board of one column has up to
/// 16 million slots, and opening its database must not take memory for all of them.
#[derive(Debug)]
pub(crate) struct Slots<T, const PAGE: usize = 256> {
    pages: Vec<OnceLock<Box<[T]>>>,
    pub count: usize,
}

impl<T: Default, const PAGE: usize> Slots<T, PAGE> {
    /// Makes `count` empty slots.
    pub fn new(count: usize) -> Slots<T, PAGE> {
        Slots { pages: (0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect(), count }
    }

    /// Returns a slot.
    pub fn get(&self, slot: usize) -> &T {
        &self.pages[slot / PAGE].get_or_init(|| (0..PAGE).map(|_| T::default()).collect())[slot % PAGE]
    }

    /// Returns a slot, or `None` if its page has not been used yet.
    pub fn find(&self, slot: usize) -> Option<&T> {
        self.pages.get(slot / PAGE)?.get()?.get(slot % PAGE)
    }

    /// Returns the bytes that all slots take, without the memory that their values point to.
    pub fn bytes(&self) -> usize {
        self.count * size_of::<T>()
    }
}
