//! The colourings of one wing: sorted lists, and what is true of each colouring as one bit.
//!
//! A list holds the colourings of one wing shape with one number of first-player pieces that have no line inside the
//! wing and one given spine, in increasing order. Everything that a kernel asks about a list is a **bit plane** over
//! it: which colourings have the first player in a cell, and which keep free of a line when a player drops into a
//! column. The planes of a list beside a spine are those of the list without a spine, compressed by the mask of the
//! colourings that survive, so that making them takes word operations only.
//!
//! Ranking and unranking need the colourings alone, so the planes of a list are made when the list is first asked for
//! them ([`Index::list`](super::Index::list)). No kernel has a part in the colourings.

use std::sync::OnceLock;

use fourbase::Player;

use super::lines::{WingCell, WingLine};
use super::numbers::Numbers;
use super::split::{Spine, Split, WingShape, low_bits};
use crate::kernel::Kernel;

/// The colourings of one wing shape beside one spine with one number of first-player pieces.
#[derive(Debug, Default)]
pub struct WingList {
    colourings: Vec<u32>,
    words: usize,
    cells: usize,
    columns: usize,
    /// `cells` planes, then two a wing column and two for the spine (see [`WingList::keeps`]), then all ones. Empty for a
    /// list that only ranking has asked for so far.
    planes: OnceLock<Vec<u64>>,
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

    /// Tells whether the planes are made.
    pub(super) fn has_planes(&self) -> bool {
        self.planes.get().is_some()
    }

    fn slot(&self, slot: usize) -> &[u64] {
        let planes = self.planes.get().map_or(&[][..], Vec::as_slice);
        &planes[slot * self.words..][..self.words]
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
}

/// The most bits of a table that [`ShapeLists::counts`] sums over.
const MOST_TABLE_BITS: usize = 14;

/// The lists of one wing shape without a spine, for every number of first-player pieces.
#[derive(Debug)]
pub struct ShapeLists {
    shape: WingShape,
    cells: u32,
    heights: Vec<u32>,
    lists: Vec<FreeList>,
}

/// The colourings with one number of first-player pieces that have no line inside the wing, in increasing order.
#[derive(Debug)]
struct FreeList {
    colourings: Vec<u32>,
    /// A plane a cell. A probe needs those of few lists, so they are made when they are first asked for.
    planes: OnceLock<Vec<u64>>,
}

impl FreeList {
    fn words(&self) -> usize {
        self.colourings.len().div_ceil(64)
    }

    /// Returns the plane of one of the wing's `cells`.
    fn cell(&self, cells: u32, bit: u32) -> &[u64] {
        let words = self.words();
        let planes = self.planes.get_or_init(|| {
            let mut planes = vec![0; cells as usize * words];
            for (word, colourings) in self.colourings.chunks(64).enumerate() {
                for cell in 0..cells {
                    let bits = colourings.iter().rev().fold(0, |bits, of| bits << 1 | u64::from(of >> cell & 1));
                    planes[cell as usize * words + word] = bits;
                }
            }
            planes
        });
        &planes[bit as usize * words..][..words]
    }
}

impl ShapeLists {
    /// Lists the colourings of `shape` that have no line inside the wing: those of its columns, combined. Takes time
    /// proportional to their number, and to `2^height` of the tallest column.
    pub fn new(split: &Split, lines: &[WingLine], shape: WingShape) -> ShapeLists {
        let cells = split.cells(shape);
        let heights: Vec<u32> = split.heights(shape).collect();
        let mut lists = ShapeLists { shape, cells, heights, lists: Vec::new() };
        let inside: Vec<&WingLine> =
            lines.iter().filter(|line| line.spine_rows == 0 && lists.occupied(&line.cells)).collect();
        let (mut colourings, mut shift) = (vec![0u32], 0);
        for (column, height) in lists.heights.iter().enumerate() {
            // The lines that this column completes: those inside it, and those with cells in columns before.
            let complete = inside.iter().filter(|line| line.cells.iter().map(|cell| cell.column).max() == Some(column));
            let masks = complete.map(|line| lists.mask(split, &line.cells));
            let (own, across): (Vec<u32>, Vec<u32>) = masks.partition(|mask| mask.trailing_zeros() >= shift);
            let free = |colouring: u32, lines: &[u32]| {
                lines.iter().all(|line| colouring & line != *line && !colouring & line != *line)
            };
            let higher = (0..1u64 << height).map(|bits| (bits << shift) as u32).filter(|bits| free(*bits, &own));
            // The new column has the higher bits, so that the order stays.
            let both = higher.flat_map(|higher| colourings.iter().map(move |lower| higher | lower));
            colourings = both.filter(|colouring| free(*colouring, &across)).collect();
            shift += height;
        }
        let mut by_firsts = vec![Vec::new(); cells as usize + 1];
        for colouring in colourings {
            by_firsts[colouring.count_ones() as usize].push(colouring);
        }
        lists.lists =
            by_firsts.into_iter().map(|colourings| FreeList { colourings, planes: OnceLock::new() }).collect();
        lists
    }

    /// Returns the bits of some occupied cells.
    fn mask(&self, split: &Split, cells: &[WingCell]) -> u32 {
        cells.iter().map(|cell| 1 << split.bit(self.shape, cell.column, cell.row)).sum()
    }

    /// Returns the colourings with `firsts` first-player pieces that have no line with `spine` either, as a mask over
    /// the list without a spine.
    pub fn members(&self, split: &Split, lines: &[WingLine], spine: Spine, firsts: usize) -> Vec<u64> {
        let list = &self.lists[firsts];
        let mut members = vec![u64::MAX; list.words()];
        trim(&mut members, list.colourings.len());
        for line in lines.iter().filter(|line| line.spine_rows != 0) {
            if !self.occupied(&line.cells) || line.spine_rows >> spine.height != 0 {
                continue;
            }
            for player in [Player::First, Player::Second] {
                if spine_is(spine, line.spine_rows, player) {
                    let cell = |bit| list.cell(self.cells, bit);
                    let held = |word: usize| self.held(split, cell, &line.cells, player, word);
                    members.iter_mut().enumerate().for_each(|(word, mask)| *mask &= !held(word));
                }
            }
        }
        members
    }

    /// Counts the colourings beside every spine of `height` pieces: by the spine's bits, then by first-player pieces.
    ///
    /// A line of wing and spine has one cell on the spine, so that all a colouring has to say is which rows of the spine
    /// it leaves to neither player. A table counts the colourings that say the same; summed up over subsets, it has the
    /// answer for every spine.
    pub fn counts(&self, split: &Split, lines: &[WingLine], height: u32) -> Box<[u32]> {
        let spines = Spine::of_height(height);
        let is_here = |line: &&WingLine| line.spine_rows >> height == 0 && self.occupied(&line.cells);
        let beside = || lines.iter().filter(|line| line.spine_rows != 0 && !line.cells.is_empty()).filter(is_here);
        let all_rows = beside().fold(0, |rows, line| rows | line.spine_rows);
        let rows: Vec<u64> = (0..u64::BITS).map(|row| 1 << row).filter(|row| all_rows & row != 0).collect();
        if 2 * rows.len() > MOST_TABLE_BITS {
            let firsts = 0..self.lists.len();
            let all = spines.flat_map(|spine| firsts.clone().map(move |firsts| (spine, firsts)));
            let members = all.map(|(spine, firsts)| self.members(split, lines, spine, firsts));
            return members.map(|members| members.iter().map(|word| word.count_ones()).sum()).collect();
        }
        let places: Vec<(u32, usize)> = beside()
            .map(|line| (self.mask(split, &line.cells), rows.iter().take_while(|row| **row != line.spine_rows).count()))
            .collect();
        let tables: Vec<Vec<u32>> =
            self.lists.iter().map(|list| table(&list.colourings, &places, rows.len())).collect();
        let own: Vec<u64> =
            lines.iter().filter(|line| line.cells.is_empty()).filter(is_here).map(|line| line.spine_rows).collect();
        let players = [Player::First, Player::Second];
        let count_beside = |spine: Spine| {
            let has_line = own.iter().any(|rows| players.iter().any(|player| spine_is(spine, *rows, *player)));
            let sets = players.iter().flat_map(|player| rows.iter().map(move |row| spine_is(spine, *row, *player)));
            let free = sets.enumerate().fold(0, |free, (bit, is_held)| free | usize::from(!is_held) << bit);
            tables.iter().map(move |table| if has_line { 0 } else { table[free] })
        };
        spines.flat_map(count_beside).collect()
    }

    /// Returns the colourings with `firsts` first-player pieces, which are at most the wing's.
    pub fn free(&self, firsts: u32) -> &[u32] {
        &self.lists[firsts as usize].colourings
    }

    /// Numbers the colourings.
    pub fn numbers(&self) -> Numbers {
        Numbers::new(self.cells, self.lists.iter().map(|list| &*list.colourings))
    }

    /// Makes the list beside `spine` with `firsts` first-player pieces, without its planes.
    pub fn beside(&self, split: &Split, lines: &[WingLine], spine: Spine, firsts: usize) -> WingList {
        self.of_members(split, &self.members(split, lines, spine, firsts), firsts)
    }

    /// Makes the list and its planes.
    pub fn with_planes(
        &self,
        split: &Split,
        lines: &[WingLine],
        spine: Spine,
        firsts: usize,
        kernel: Kernel,
    ) -> WingList {
        let members = self.members(split, lines, spine, firsts);
        let list = self.of_members(split, &members, firsts);
        list.planes.get_or_init(|| self.planes(split, lines, spine, &list, &members, firsts, kernel));
        list
    }

    /// Makes the planes of a list where it has none.
    pub fn add_planes(
        &self,
        split: &Split,
        lines: &[WingLine],
        spine: Spine,
        firsts: usize,
        kernel: Kernel,
        list: &WingList,
    ) {
        list.planes.get_or_init(|| {
            let members = self.members(split, lines, spine, firsts);
            self.planes(split, lines, spine, list, &members, firsts, kernel)
        });
    }

    /// Takes the `members` of the list without a spine.
    fn of_members(&self, split: &Split, members: &[u64], firsts: usize) -> WingList {
        let all = &self.lists[firsts];
        let colourings: Vec<u32> = (0..all.colourings.len())
            .filter(|i| members[i / 64] >> (i % 64) & 1 == 1)
            .map(|i| all.colourings[i])
            .collect();
        WingList {
            words: colourings.len().div_ceil(64),
            colourings,
            cells: self.cells as usize,
            columns: split.wing_columns(),
            planes: OnceLock::new(),
        }
    }

    /// Makes the planes of a list, which has the `members` of the one without a spine.
    #[expect(clippy::too_many_arguments, reason = "what the list is made of, all of it known to the two callers")]
    fn planes(
        &self,
        split: &Split,
        lines: &[WingLine],
        spine: Spine,
        list: &WingList,
        members: &[u64],
        firsts: usize,
        kernel: Kernel,
    ) -> Vec<u64> {
        let all = &self.lists[firsts];
        let mut planes = vec![0; (list.cells + 2 * list.columns + 3) * list.words];
        let ones = planes.len() - list.words;
        planes[ones..].fill(u64::MAX);
        trim(&mut planes[ones..], list.len());
        for cell in 0..list.cells {
            kernel.compress(all.cell(self.cells, cell as u32), members, &mut planes[cell * list.words..][..list.words]);
        }
        for column in 0..=list.columns {
            for player in [Player::Second, Player::First] {
                let keeps = self.keeps(split, lines, spine, list, &planes, column, player);
                let slot = list.cells + 2 * column + usize::from(player == Player::First);
                planes[slot * list.words..][..list.words].copy_from_slice(&keeps);
            }
        }
        planes
    }

    /// Computes [`WingList::keeps`] of one column (the spine: one past the wing's last) from the planes of the cells.
    #[expect(clippy::too_many_arguments, reason = "as for the planes")]
    fn keeps(
        &self,
        split: &Split,
        lines: &[WingLine],
        spine: Spine,
        list: &WingList,
        planes: &[u64],
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
                let plane = |bit: u32| &planes[bit as usize * list.words..][..list.words];
                let held = |word: usize| self.held(split, plane, &cells, player, word);
                keeps.iter_mut().enumerate().for_each(|(word, mask)| *mask &= !held(word));
            }
        }
        keeps
    }

    fn occupied(&self, cells: &[WingCell]) -> bool {
        cells.iter().all(|cell| cell.row < self.heights[cell.column])
    }

    /// Returns one word of the mask of the colourings in which `player` has all of `cells`.
    fn held<'a>(
        &self,
        split: &Split,
        plane: impl Fn(u32) -> &'a [u64],
        cells: &[WingCell],
        player: Player,
        word: usize,
    ) -> u64 {
        cells.iter().fold(u64::MAX, |mask, cell| {
            let plane = plane(split.bit(self.shape, cell.column, cell.row))[word];
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

/// Counts the colourings that leave at most some rows of the spine to neither player, for every set of rows: by the
/// rows of the first player in the low `count` bits and those of the second above. `beside` has a line's cells in the
/// wing, and the place of its row.
fn table(colourings: &[u32], beside: &[(u32, usize)], count: usize) -> Vec<u32> {
    let mut sets = vec![0u32; colourings.len()];
    for (line, place) in beside {
        for (set, colouring) in sets.iter_mut().zip(colourings) {
            *set |= u32::from(colouring & line == *line) << place;
            *set |= u32::from(!colouring & line == *line) << (place + count);
        }
    }
    let mut table = vec![0u32; 1 << (2 * count)];
    for set in sets {
        table[set as usize] += 1;
    }
    for bit in 0..2 * count {
        for pair in table.chunks_exact_mut(2 << bit) {
            let (without, with) = pair.split_at_mut(1 << bit);
            with.iter_mut().zip(without).for_each(|(with, without)| *with += *without);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;

    #[test]
    fn counts_are_the_lengths_of_the_lists() {
        // The spine of 3x8c2 has too many rows for a table.
        for name in
            ["4x4", "5x4", "5x5", "7x3", "3x6", "3x8c2", "5x3c3", "7x2c2", "3x3c1", "3x3c2m", "1x8", "5x4c9", "9x2"]
        {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            let mut colourings = 0;
            for shape in (0..index.split().wing_shapes()).map(WingShape) {
                for spine in (0..=index.split().spine_room()).flat_map(Spine::of_height) {
                    for (firsts, count) in index.counts(shape, spine).iter().enumerate() {
                        let list = index.list(shape, spine, firsts as u32);
                        assert_eq!(list.len(), *count as usize, "{name} {shape:?} {spine:?} {firsts}");
                        assert!(list.colourings().is_sorted_by(|one, other| one < other));
                        colourings += list.len();
                    }
                }
            }
            assert!(colourings > 0, "{name}");
        }
    }

    #[test]
    fn lists_without_a_spine_have_every_colouring_without_a_line_and_no_other() {
        for name in ["4x4", "8x2c3", "6x4c3", "7x4", "8x3", "2x8", "5x3c2", "3x3c1"] {
            let (board, index) = (name.parse().unwrap(), Index::new(name.parse().unwrap(), Kernel::detect()).unwrap());
            let (split, lines) = (Split::new(board), crate::index::Lines::new(board));
            for shape in (0..index.split().wing_shapes()).map(WingShape) {
                let lists = ShapeLists::new(&split, &lines.wing, shape);
                let inside = lines.wing.iter().filter(|line| line.spine_rows == 0 && lists.occupied(&line.cells));
                let inside: Vec<u32> = inside.map(|line| lists.mask(&split, &line.cells)).collect();
                for colouring in 0..1u32 << lists.cells {
                    let is_free = inside.iter().all(|line| colouring & line != *line && !colouring & line != *line);
                    let list = &lists.lists[colouring.count_ones() as usize].colourings;
                    assert_eq!(list.binary_search(&colouring).is_ok(), is_free, "{name} {shape:?} {colouring:b}");
                }
            }
        }
    }
}
