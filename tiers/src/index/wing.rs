//! The colourings of one wing: sorted lists, with bit planes of their properties.
//!
//! A list belongs to one wing shape, one spine and one number of first-player pieces. It holds, in increasing order,
//! the shape's colourings that have this number of first-player pieces and no line inside the wing and the spine. A
//! kernel reads only **bit planes** over a list. A plane tells in which colourings the first player has a given cell,
//! or which colourings stay free of lines when a given player drops into a given column. The planes of the cells are
//! the colourings transposed, 64 at a time; the other planes follow from them by word operations.
//!
//! Unranking needs only the colourings, so the planes of a list are made when a kernel first needs them
//! ([`Index::list`](super::Index::list)).

use std::iter;
use std::sync::OnceLock;

use fourbase::Player;

use super::numbers::{NO_NUMBER, numbers};
use super::split::{Spine, Split, WingShape, low_bits};
use crate::kernel::transpose;

/// The colourings of one wing shape beside one spine with one number of first-player pieces.
#[derive(Debug, Default)]
pub struct WingList {
    /// The colourings in increasing order.
    pub(crate) colourings: Vec<u32>,
    /// The number of words of a plane, `⌈len / 64⌉`.
    pub(crate) words: usize,
    cells: usize,
    columns: usize,
    /// A plane per cell, then two per wing column and two for the spine (see [`WingList::keeps`]), then a plane of
    /// ones.
    pub(super) planes: OnceLock<Vec<u64>>,
}

impl WingList {
    pub(crate) fn len(&self) -> usize {
        self.colourings.len()
    }

    /// Returns the bytes of a list of `len` colourings with `planes` planes.
    pub(super) fn bytes(len: usize, planes: usize) -> usize {
        size_of::<std::sync::OnceLock<WingList>>() + 4 * len + 8 * planes * len.div_ceil(64)
    }

    fn slot(&self, slot: usize) -> &[u64] {
        let planes = self.planes.get().map_or(&[][..], Vec::as_slice);
        &planes[slot * self.words..][..self.words]
    }

    /// Returns the plane with the bits of all colourings set.
    pub fn all(&self) -> &[u64] {
        self.slot(self.cells + 2 * self.columns + 2)
    }

    /// Returns the plane of one cell, given as a bit of the colouring: set where the cell is the first player's.
    pub fn cell(&self, bit: u32) -> &[u64] {
        self.slot(bit as usize)
    }

    /// Returns the plane of colourings that stay free of lines inside wing and spine when `player` drops into `column`
    /// (meaningless if the column is full).
    pub fn keeps(&self, column: usize, player: Player) -> &[u64] {
        self.slot(self.cells + 2 * column + usize::from(player == Player::First))
    }

    /// Returns the plane of colourings that stay free of lines inside wing and spine when `player` drops on the spine
    /// (meaningless if the spine is full).
    pub fn spine_keeps(&self, player: Player) -> &[u64] {
        self.keeps(self.columns, player)
    }
}

/// [`ShapeLists::counts`] makes a table of all sets of forbidden rows if a set has at most this many bits.
const MOST_TABLE_BITS: usize = 14;

/// The lists of one wing shape without regard to the spine, one for every number of first-player pieces.
#[derive(Debug)]
pub(super) struct ShapeLists {
    heights: Vec<u32>,
    cells: u32,
    lines: Vec<ShapeLine>,
    lists: Vec<FreeList>,
    /// The table of [`numbers`], for probes.
    numbers: OnceLock<Vec<u32>>,
}

/// A line inside wing and spine. In the shape, at most one of its cells in the wing is empty.
#[derive(Debug)]
struct ShapeLine {
    /// Its occupied cells in the wing, as bits of a colouring.
    mask: u32,
    /// Its cells on the spine, one bit per row.
    spine_rows: u64,
    /// The wing column of its empty cell, if it has one: a drop there fills the line's last cell in the wing.
    open: Option<usize>,
}

impl ShapeLine {
    /// Returns the line for a wing of this shape; `None` if filling its cells in the wing takes more than one drop.
    fn new(split: &Split, shape: WingShape, line: u64) -> Option<ShapeLine> {
        let (mask, spine_rows) = (split.colouring(shape, false, line), split.spine_rows(line));
        let has_next =
            |(pieces, lowest): (u32, usize)| pieces < split.board.height() as u32 && line >> lowest >> pieces & 1 == 1;
        let open = match line.count_ones() - mask.count_ones() - spine_rows.count_ones() {
            0 => None,
            1 => Some(split.columns(shape, false).position(has_next)?),
            _ => return None,
        };
        Some(ShapeLine { mask, spine_rows, open })
    }
}

/// The colourings with one number of first-player pieces that have no line inside the wing, in increasing order.
#[derive(Debug)]
struct FreeList {
    colourings: Vec<u32>,
    /// A plane per cell, made at the first use: a probe needs the planes of few lists.
    planes: OnceLock<Vec<u64>>,
}

/// Makes a plane for each cell of a wing: set for the colourings where the cell is the first player's.
fn cell_planes(colourings: &[u32], cells: usize) -> Vec<u64> {
    let words = colourings.len().div_ceil(64);
    let mut planes = vec![0; cells * words];
    for (word, colourings) in colourings.chunks(64).enumerate() {
        let mut block = [0; 64];
        block.iter_mut().zip(colourings).for_each(|(row, colouring)| *row = u64::from(*colouring));
        transpose(&mut block);
        block[..cells].iter().enumerate().for_each(|(cell, plane)| planes[cell * words + word] = *plane);
    }
    planes
}

impl ShapeLists {
    /// Lists the colourings of `shape` that have no line inside the wing, by combining the colourings of its columns.
    /// Takes time proportional to their number.
    pub fn new(split: &Split, lines: &[u64], shape: WingShape) -> ShapeLists {
        let heights: Vec<u32> = split.heights(shape).collect();
        let lines: Vec<ShapeLine> = lines.iter().filter_map(|line| ShapeLine::new(split, shape, *line)).collect();
        let inside = lines.iter().filter(|line| line.open.is_none() && line.spine_rows == 0).map(|line| line.mask);
        let (mut colourings, mut shift) = (vec![0u32], 0);
        for height in &heights {
            // The lines whose last cells are in this column: lines inside it, and lines that begin in an earlier
            // column.
            let (before, up_to) = (low_bits(shift) as u32, low_bits(shift + height) as u32);
            let complete = inside.clone().filter(|mask| mask & !up_to == 0 && mask & !before != 0);
            let (own, across): (Vec<u32>, Vec<u32>) = complete.partition(|mask| mask & before == 0);
            let free = |colouring: u32, lines: &[u32]| {
                lines.iter().all(|line| colouring & line != *line && !colouring & line != *line)
            };
            let mut next = 0;
            let higher = iter::from_fn(|| {
                while next >> (shift + height) == 0 {
                    // A line also excludes all colourings that differ only in bits below those of the line.
                    let lowest =
                        own.iter().filter(|line| !free(next as u32, &[**line])).map(|line| line.trailing_zeros());
                    let (excluded, colouring) = (lowest.max(), next as u32);
                    next = (next | low_bits(excluded.unwrap_or(shift))) + 1;
                    if excluded.is_none() {
                        return Some(colouring);
                    }
                }
                None
            });
            // The new column has the higher bits, so the list stays sorted.
            let both = higher.flat_map(|higher| colourings.iter().map(move |lower| higher | lower));
            colourings = both.filter(|colouring| free(*colouring, &across)).collect();
            shift += height;
        }
        let mut by_firsts = vec![Vec::new(); shift as usize + 1];
        for colouring in colourings {
            by_firsts[colouring.count_ones() as usize].push(colouring);
        }
        let lists = by_firsts.into_iter().map(|colourings| FreeList { colourings, planes: OnceLock::new() }).collect();
        ShapeLists { heights, cells: shift, lines, lists, numbers: OnceLock::new() }
    }

    /// Returns the colourings with `firsts` first-player pieces that have no line beside `spine` either, as a mask over
    /// the list without regard to the spine.
    pub fn members(&self, spine: Spine, firsts: usize) -> Vec<u64> {
        let FreeList { colourings, planes } = &self.lists[firsts];
        let planes = planes.get_or_init(|| cell_planes(colourings, self.cells as usize));
        let mut free = ones(colourings.len());
        for line in self.lines.iter().filter(|line| line.open.is_none() && line.spine_rows != 0) {
            Player::BOTH
                .iter()
                .for_each(|player| clear_line(&mut free, line.mask, line.spine_rows, spine, *player, planes));
        }
        free
    }

    /// Returns, for every spine of `height` pieces in the order of their bits, how many colourings of the wing fit
    /// beside it: one count for each number of first-player pieces in the wing.
    ///
    /// A line that has cells in wing and spine has one cell on the spine. So all that matters about a colouring is
    /// which rows of the spine it forbids to each player. A table counts the colourings by their forbidden rows; its
    /// sums over subsets give the answer for every spine.
    pub fn counts(&self, height: u32) -> Box<[u32]> {
        let spines = Spine::of_height(height);
        let lines = self.lines.iter().filter(|line| line.open.is_none() && line.spine_rows >> height == 0);
        let beside = lines.clone().filter(|line| line.spine_rows != 0 && line.mask != 0);
        let all_rows = beside.clone().fold(0, |rows, line| rows | line.spine_rows);
        let rows: Vec<u64> = (0..u64::BITS).map(|row| 1 << row).filter(|row| all_rows & row != 0).collect();
        if 2 * rows.len() > MOST_TABLE_BITS {
            let firsts = 0..self.lists.len();
            let all = spines.flat_map(|spine| firsts.clone().map(move |firsts| (spine, firsts)));
            let members = all.map(|(spine, firsts)| self.members(spine, firsts));
            return members.map(|members| members.iter().map(|word| word.count_ones()).sum()).collect();
        }
        let places: Vec<(u32, usize)> =
            beside.map(|line| (line.mask, rows.iter().take_while(|row| **row != line.spine_rows).count())).collect();
        let tables: Vec<Vec<u32>> =
            self.lists.iter().map(|list| table(&list.colourings, &places, rows.len())).collect();
        let own: Vec<u64> = lines.filter(|line| line.mask == 0).map(|line| line.spine_rows).collect();
        let count_beside = |spine: Spine| {
            let has_line = own.iter().any(|rows| Player::BOTH.iter().any(|player| spine_is(spine, *rows, *player)));
            let sets =
                Player::BOTH.iter().flat_map(|player| rows.iter().map(move |row| spine_is(spine, *row, *player)));
            let free = sets.enumerate().fold(0, |free, (bit, is_held)| free | usize::from(!is_held) << bit);
            tables.iter().map(move |table| if has_line { 0 } else { table[free] })
        };
        spines.flat_map(count_beside).collect()
    }

    /// Returns the number of a colouring with `firsts` first-player pieces, or `None` if it has a line.
    pub fn number(&self, colouring: u32, firsts: u32) -> Option<u32> {
        let lists = self.lists.iter().map(|list| &*list.colourings);
        let table = self.numbers.get_or_init(|| numbers(self.cells, lists));
        if table.is_empty() {
            let list = &self.lists[firsts as usize].colourings;
            return list.binary_search(&colouring).ok().map(|number| number as u32);
        }
        table.get(colouring as usize).copied().filter(|number| *number != NO_NUMBER)
    }

    /// Makes the list beside `spine` with `firsts` first-player pieces, without its planes.
    pub fn beside(&self, spine: Spine, firsts: usize) -> WingList {
        let members = self.members(spine, firsts);
        let all = self.lists[firsts].colourings.iter().enumerate();
        let colourings: Vec<u32> =
            all.filter(|(i, _)| members[i / 64] >> (i % 64) & 1 == 1).map(|(_, colouring)| *colouring).collect();
        WingList {
            words: colourings.len().div_ceil(64),
            colourings,
            cells: self.cells as usize,
            columns: self.heights.len(),
            planes: OnceLock::new(),
        }
    }

    /// Computes the planes of `list`, whose wing stands beside `spine`. First comes one plane for each cell. Then come
    /// two for each wing column and two for the spine, one for each player: the colourings that stay without a line
    /// when that player drops there ([`WingList::keeps`]). The last one is a plane of ones.
    pub fn planes(&self, list: &WingList, spine: Spine) -> Vec<u64> {
        let mut planes = cell_planes(&list.colourings, list.cells);
        planes.reserve_exact((2 * list.columns + 3) * list.words);
        planes.extend(ones(list.len()).repeat(2 * list.columns + 3));
        let (cells, keeps) = planes.split_at_mut(list.cells * list.words);
        let top = 1 << spine.height;
        for line in &self.lines {
            // The planes of the spine come after those of the wing's columns.
            let (column, rows) = match line.open {
                Some(column) => (column, line.spine_rows),
                None if line.spine_rows & top != 0 => (list.columns, line.spine_rows & !top),
                None => continue,
            };
            for (slot, player) in [Player::Second, Player::First].into_iter().enumerate() {
                let keeps = &mut keeps[(2 * column + slot) * list.words..][..list.words];
                clear_line(keeps, line.mask, rows, spine, player, cells);
            }
        }
        planes
    }
}

/// Clears, in `free`, the bits of all colourings in which `player` has the line that `mask` and `rows` describe: the
/// line's bits in the colouring and its rows in `spine`. `planes` begins with the planes of the cells.
fn clear_line(free: &mut [u64], mask: u32, rows: u64, spine: Spine, player: Player, planes: &[u64]) {
    if rows >> spine.height != 0 || !spine_is(spine, rows, player) {
        return;
    }
    let (words, flip) = (free.len(), if player == Player::First { 0 } else { u64::MAX });
    for (word, free) in free.iter_mut().enumerate() {
        let (mut held, mut bits) = (u64::MAX, mask);
        while bits != 0 {
            held &= planes[bits.trailing_zeros() as usize * words + word] ^ flip;
            bits &= bits - 1;
        }
        *free &= !held;
    }
}

/// Returns a mask of `len` set bits.
fn ones(len: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; len.div_ceil(64)];
    if let (Some(last), false) = (words.last_mut(), len.is_multiple_of(64)) {
        *last = low_bits(len as u32 % 64);
    }
    words
}

/// Returns whether `player` has all of `rows` of the spine. These rows must be occupied.
pub(crate) fn spine_is(spine: Spine, rows: u64, player: Player) -> bool {
    let held = if player == Player::First { u64::from(spine.bits) } else { !u64::from(spine.bits) };
    held & rows == rows
}

/// Counts, for every set of rows of the spine, the colourings that forbid no rows outside the set. A set has the first
/// player's rows in the low `count` bits and the second player's above. `beside` lists the lines: for each, the mask of
/// its cells in the wing and the place of its row.
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
