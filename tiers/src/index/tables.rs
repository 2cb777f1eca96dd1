//! The tables of one board, made when they are first asked for and kept.

use std::sync::OnceLock;

use fourbase::Board;
use rayon::prelude::*;

use super::error::IndexError;
use super::limits::check_tables;
use super::lines::{CrossLine, Lines};
use super::numbers::{Beside, Numbers};
use super::slots::Slots;
use super::split::{Spine, Split, WingShape};
use super::wing::{ShapeLists, WingList};
use crate::kernel::Kernel;

/// The tables of one board: which colourings each wing has beside each spine.
///
/// Tables are made when they are first needed and kept; all of them take about 8 bytes for every colouring of a wing
/// beside a spine (5x5: 2 MB, 6x5: 2 MB, 7x5: 130 MB).
#[derive(Debug)]
pub struct Index {
    split: Split,
    lines: Lines,
    kernel: Kernel,
    /// Pieces of every wing shape.
    cells: Vec<u32>,
    shapes: Vec<OnceLock<ShapeLists>>,
    /// By spine and wing shape, then by first-player pieces.
    lists: Slots<Box<[OnceLock<WingList>]>>,
    /// By height of the spine and wing shape, then by the spine's bits and first-player pieces: the lengths of the lists.
    counts: Slots<Box<[u32]>>,
    /// By wing shape, for probes.
    numbers: Vec<OnceLock<Numbers>>,
    /// By spine and wing shape, for probes.
    beside: Slots<Beside>,
}

impl Index {
    /// Prepares the index of `board`. Costs little: tables are made on demand.
    ///
    /// # Errors
    /// [`IndexError`] where the tables of a wing could not be held in any memory of today.
    pub fn new(board: Board, kernel: Kernel) -> Result<Index, IndexError> {
        check_tables(board)?;
        let split = Split::new(board);
        let (shapes, heights) = (split.wing_shapes() as usize, split.spine_room() as usize + 1);
        Ok(Index {
            split,
            lines: Lines::new(board),
            kernel,
            cells: (0..split.wing_shapes()).map(|shape| split.cells(WingShape(shape))).collect(),
            shapes: (0..shapes).map(|_| OnceLock::new()).collect(),
            lists: Slots::new(shapes * split.spines()),
            counts: Slots::new(shapes * heights),
            numbers: (0..shapes).map(|_| OnceLock::new()).collect(),
            beside: Slots::new(shapes * split.spines()),
        })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.split.board()
    }

    /// Returns how the board is cut.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Returns the lines across both wings.
    pub fn cross_lines(&self) -> &[CrossLine] {
        &self.lines.cross
    }

    /// Returns the kernel that the tables are made with.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    fn shape(&self, shape: WingShape) -> &ShapeLists {
        self.shapes[shape.0 as usize].get_or_init(|| ShapeLists::new(&self.split, &self.lines.wing, shape))
    }

    /// Returns the list of a wing shape beside `spine` with `firsts` first-player pieces (at most the wing's pieces).
    pub fn list(&self, shape: WingShape, spine: Spine, firsts: u32) -> &WingList {
        let slot = self.list_slot(shape, spine, firsts);
        slot.get().filter(|list| list.has_planes()).unwrap_or_else(|| self.make_list(slot, shape, spine, firsts))
    }

    /// Makes a list that is not made yet, or its planes.
    #[cold]
    fn make_list<'a>(&self, slot: &'a OnceLock<WingList>, shape: WingShape, spine: Spine, firsts: u32) -> &'a WingList {
        let (shape, split, lines, kernel) = (self.shape(shape), &self.split, &self.lines.wing, self.kernel);
        let list = slot.get_or_init(|| shape.with_planes(split, lines, spine, firsts as usize, kernel));
        if !list.has_planes() {
            shape.add_planes(split, lines, spine, firsts as usize, kernel, list);
        }
        list
    }

    /// Returns the colourings of that list in increasing order: all that ranking needs, made without a kernel.
    pub fn colourings(&self, shape: WingShape, spine: Spine, firsts: u32) -> &[u32] {
        let make = || self.shape(shape).beside(&self.split, &self.lines.wing, spine, firsts as usize);
        self.list_slot(shape, spine, firsts).get_or_init(make).colourings()
    }

    fn list_slot(&self, shape: WingShape, spine: Spine, firsts: u32) -> &OnceLock<WingList> {
        let make = || (0..=self.cells[shape.0 as usize]).map(|_| OnceLock::new()).collect();
        &self.lists.get(self.slot(shape, spine)).get_or_init(make)[firsts as usize]
    }

    /// Returns the lengths of the lists of a wing shape beside `spine`, one for every number of first-player pieces,
    /// without making the lists.
    pub fn counts(&self, shape: WingShape, spine: Spine) -> &[u32] {
        let lists = || self.shape(shape).counts(&self.split, &self.lines.wing, spine.height);
        let counts = self.counts.get(spine.height as usize * self.shapes.len() + shape.0 as usize).get_or_init(lists);
        let each = self.cells[shape.0 as usize] as usize + 1;
        &counts[spine.bits as usize * each..][..each]
    }

    /// Returns the place of a colouring with `firsts` first-player pieces in the list of a wing shape beside `spine`, without
    /// making the list, and the lengths of the lists for every number of first-player pieces; `None` where it is not there.
    pub(crate) fn rank_beside(
        &self,
        shape: WingShape,
        spine: Spine,
        firsts: u32,
        colouring: u32,
    ) -> Option<(u32, &[u32])> {
        let (split, lines, lists) = (&self.split, &self.lines.wing, || self.shape(shape));
        let beside = self.beside.get(self.slot(shape, spine)).get_or_init(|| Beside::new(self.counts(shape, spine)));
        let mask = beside.mask(firsts, || lists().members(split, lines, spine, firsts as usize))?;
        let numbers = self.numbers.get(shape.0 as usize)?.get_or_init(|| lists().numbers());
        let rank = mask.rank(numbers.of(colouring, || lists().free(firsts))?)?;
        Some((rank, beside.lengths()))
    }

    fn slot(&self, shape: WingShape, spine: Spine) -> usize {
        spine.number() * self.shapes.len() + shape.0 as usize
    }

    /// Returns the memory that all tables of the board take when they are made. Counts all lists, side by side.
    pub(crate) fn bytes(&self) -> usize {
        let spines: Vec<Spine> = (0..=self.split.spine_room()).flat_map(Spine::of_height).collect();
        let of_shape = |shape: usize| {
            let shape = WingShape(shape as u32);
            let cells = self.split.cells(shape) as usize;
            let planes = cells + 2 * self.split.wing_columns() + 3;
            let lists = spines.iter().flat_map(|spine| self.counts(shape, *spine));
            let lists: usize = lists.map(|count| WingList::bytes(*count as usize, planes) + size_of::<u32>()).sum();
            // The lists without a spine, from which the others are made, are no longer than those beside an empty one.
            let without: usize = self.counts(shape, spines[0]).iter().map(|count| 8 * *count as usize).sum();
            lists + without
        };
        let lists: usize = (0..self.shapes.len()).into_par_iter().map(of_shape).sum();
        lists + self.counts.bytes() + self.lists.bytes()
    }
}
