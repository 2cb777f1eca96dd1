//! The colourings of one wing: sorted lists, and what is true of each colouring as one bit.
//!
//! A list holds the colourings of one wing shape with one number of first-player pieces that have no line inside the
//! wing and one given spine, in increasing order. Everything that a kernel asks about a list is a **bit plane** over
//! it: which colourings have the first player in a cell, and which keep free of a line when a player drops into a
//! column. The planes of a list beside a spine are those of the list without a spine, compressed by the mask of the
//! colourings that survive, so that making them takes word operations only.

use fourbase::Player;

use super::lines::{WingCell, WingLine};
use super::split::{Spine, Split, WingShape, low_bits};
use crate::kernel::Kernel;

/// The colourings of one wing shape beside one spine with one number of first-player pieces.
#[derive(Debug, Default)]
pub struct WingList {
    colourings: Vec<u32>,
    words: usize,
    cells: usize,
    columns: usize,
    /// `cells` planes, then two a wing column and two for the spine (see [`WingList::keeps`]), then all ones.
    planes: Vec<u64>,
}

impl WingList {
    /// Returns the colourings in increasing order.
    pub fn colourings(&self) -> &[u32] {
        &self.colourings
    }

    /// Returns the number of colourings.
    pub fn len(&self) -> usize {
        self.colourings.len()
    }

    /// Tells whether no colouring is free of lines.
    pub fn is_empty(&self) -> bool {
        self.colourings.is_empty()
    }

    /// Returns the number of words of a plane, `⌈len / 64⌉`.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the memory of a list of `len` colourings with `planes` planes.
    pub(super) fn bytes(len: usize, planes: usize) -> usize {
        size_of::<std::sync::OnceLock<WingList>>() + 4 * len + 8 * planes * len.div_ceil(64)
    }

    fn slot(&self, slot: usize) -> &[u64] {
        &self.planes[slot * self.words..][..self.words]
    }

    /// Returns the plane of all colourings.
    pub fn all(&self) -> &[u64] {
        self.slot(self.cells + 2 * self.columns + 2)
    }

    /// Returns the plane of one cell (given as a bit of the colouring): the first player's colourings.
    pub fn cell(&self, bit: u32) -> &[u64] {
        self.slot(bit as usize)
    }

    /// Returns the colourings that stay free of lines inside wing and spine when `player` drops into `column`
    /// (without meaning where the column is full).
    pub fn keeps(&self, column: usize, player: Player) -> &[u64] {
        self.slot(self.cells + 2 * column + usize::from(player == Player::First))
    }

    /// Returns the colourings that stay free of lines inside wing and spine when `player` drops on the spine
    /// (without meaning where the spine is full).
    pub fn spine_keeps(&self, player: Player) -> &[u64] {
        self.keeps(self.columns, player)
    }

    /// Returns the place of a colouring in the list.
    pub fn rank(&self, colouring: u32) -> Option<usize> {
        self.colourings.binary_search(&colouring).ok()
    }
}

/// The lists of one wing shape without a spine, for every number of first-player pieces.
#[derive(Debug)]
pub struct ShapeLists {
    shape: WingShape,
    cells: u32,
    heights: Vec<u32>,
    lists: Vec<WingList>,
}

impl ShapeLists {
    /// Lists the colourings of `shape` that have no line inside the wing. Takes time and memory proportional to `2^cells`.
    pub fn new(split: &Split, lines: &[WingLine], shape: WingShape) -> ShapeLists {
        let cells = split.cells(shape);
        let heights: Vec<u32> = split.heights(shape).collect();
        let inside: Vec<u64> = lines
            .iter()
            .filter(|line| line.spine_rows == 0 && line.cells.iter().all(|c| c.row < heights[c.column]))
            .map(|line| line.cells.iter().map(|c| 1 << split.bit(shape, c.column, c.row)).sum())
            .collect();
        let mut colourings = vec![Vec::new(); cells as usize + 1];
        for colouring in 0..1u64 << cells {
            let other = !colouring;
            if inside.iter().all(|&line| colouring & line != line && other & line != line) {
                colourings[colouring.count_ones() as usize].push(colouring as u32);
            }
        }
        let lists = colourings.into_iter().map(|list| WingList::from_colourings(list, cells)).collect();
        ShapeLists { shape, cells, heights, lists }
    }

    /// Returns the colourings with `firsts` first-player pieces that have no line with `spine` either, as a mask over
    /// the list without a spine.
    fn members(&self, split: &Split, lines: &[WingLine], spine: Spine, firsts: usize) -> Vec<u64> {
        let list = &self.lists[firsts];
        let mut members = vec![u64::MAX; list.words];
        trim(&mut members, list.len());
        for line in lines.iter().filter(|line| line.spine_rows != 0) {
            if !self.occupied(&line.cells) || line.spine_rows >> spine.height != 0 {
                continue;
            }
            for player in [Player::First, Player::Second] {
                if spine_is(spine, line.spine_rows, player) {
                    let held = |word: usize| self.held(split, list, &line.cells, player, word);
                    members.iter_mut().enumerate().for_each(|(word, mask)| *mask &= !held(word));
                }
            }
        }
        members
    }

    /// Counts the colourings with `firsts` first-player pieces beside `spine`.
    pub fn count(&self, split: &Split, lines: &[WingLine], spine: Spine, firsts: usize) -> u32 {
        self.members(split, lines, spine, firsts).iter().map(|word| word.count_ones()).sum()
    }

    /// Makes the list beside `spine` with `firsts` first-player pieces.
    pub fn beside(&self, split: &Split, lines: &[WingLine], spine: Spine, firsts: usize, kernel: Kernel) -> WingList {
        let all = &self.lists[firsts];
        let members = self.members(split, lines, spine, firsts);
        let colourings: Vec<u32> =
            (0..all.len()).filter(|i| members[i / 64] >> (i % 64) & 1 == 1).map(|i| all.colourings[i]).collect();
        let mut list = WingList {
            words: colourings.len().div_ceil(64),
            colourings,
            cells: self.cells as usize,
            columns: split.wing_columns(),
            planes: Vec::new(),
        };
        list.planes = vec![0; (list.cells + 2 * list.columns + 3) * list.words];
        let ones = list.planes.len() - list.words;
        list.planes[ones..].fill(u64::MAX);
        let len = list.len();
        trim(&mut list.planes[ones..], len);
        for cell in 0..list.cells {
            kernel.compress(all.slot(cell), &members, &mut list.planes[cell * list.words..][..list.words]);
        }
        for column in 0..=list.columns {
            for player in [Player::Second, Player::First] {
                let keeps = self.keeps(split, lines, spine, &list, column, player);
                let slot = list.cells + 2 * column + usize::from(player == Player::First);
                list.planes[slot * list.words..][..list.words].copy_from_slice(&keeps);
            }
        }
        list
    }

    /// Computes [`WingList::keeps`] of one column (the spine: one past the wing's last).
    fn keeps(
        &self,
        split: &Split,
        lines: &[WingLine],
        spine: Spine,
        list: &WingList,
        column: usize,
        player: Player,
    ) -> Vec<u64> {
        let mut keeps = vec![u64::MAX; list.words];
        trim(&mut keeps, list.len());
        let drop = (column < list.columns).then(|| WingCell { column, row: self.heights[column] });
        for line in lines {
            let mut cells = line.cells.clone();
            let mut rows = line.spine_rows;
            match drop {
                Some(drop) if cells.contains(&drop) => cells.retain(|cell| *cell != drop),
                None if rows >> spine.height & 1 == 1 => rows &= !(1 << spine.height),
                _ => continue,
            }
            if self.occupied(&cells) && rows >> spine.height == 0 && spine_is(spine, rows, player) {
                let held = |word: usize| self.held(split, list, &cells, player, word);
                keeps.iter_mut().enumerate().for_each(|(word, mask)| *mask &= !held(word));
            }
        }
        keeps
    }

    fn occupied(&self, cells: &[WingCell]) -> bool {
        cells.iter().all(|cell| cell.row < self.heights[cell.column])
    }

    /// Returns one word of the mask of the colourings in which `player` has all of `cells`.
    fn held(&self, split: &Split, list: &WingList, cells: &[WingCell], player: Player, word: usize) -> u64 {
        cells.iter().fold(u64::MAX, |mask, cell| {
            let plane = list.cell(split.bit(self.shape, cell.column, cell.row))[word];
            mask & if player == Player::First { plane } else { !plane }
        })
    }
}

/// Tells whether `player` holds all of `rows` of the spine, which are all occupied.
pub(crate) fn spine_is(spine: Spine, rows: u64, player: Player) -> bool {
    let held = if player == Player::First { u64::from(spine.bits) } else { !u64::from(spine.bits) };
    held & rows == rows
}

/// Clears the bits beyond the first `len`.
fn trim(words: &mut [u64], len: usize) {
    if let (Some(last), false) = (words.last_mut(), len.is_multiple_of(64)) {
        *last &= low_bits(len as u32 % 64);
    }
}

impl WingList {
    fn from_colourings(colourings: Vec<u32>, cells: u32) -> WingList {
        let (words, cells) = (colourings.len().div_ceil(64), cells as usize);
        let mut planes = vec![0; cells * words];
        for (i, colouring) in colourings.iter().enumerate() {
            for cell in (0..cells).filter(|cell| colouring >> cell & 1 == 1) {
                planes[cell * words + i / 64] |= 1 << (i % 64);
            }
        }
        WingList { colourings, words, cells, columns: 0, planes }
    }
}
