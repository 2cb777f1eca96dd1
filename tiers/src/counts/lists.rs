//! The colourings of a child's wing, and the parents from which last moves lead to them.
//!
//! A position with a line inside a wing and the spine is not in the index. Yet every finished position has to be
//! counted once, however many last moves lead to it. So each wing has two lists: its own list in the index, and its
//! **finished colourings**, which are listed only for the count. These are the colourings that have a line, but have
//! none once one of the mover's pieces (on top of a wing column or of the spine) is removed. They are made from the
//! parents' colourings that [`WingList::keeps`] leaves out, by inserting the dropped bit.
//!
//! Both lists are in increasing order. Insertion keeps order, so the children of one kind of last move are a sorted run,
//! and reading the runs beside the list gives the parents.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Player;

use crate::index::{ByFirsts, Index, Slots, Spine, WingList, WingShape, low_bits};
use crate::kernel::matrix::NO_ROW;
use crate::kernel::reach::{ColumnPull, Put};
use crate::kernel::{RowView, ones};

/// One kind of last move, and the parents that it starts from.
#[derive(Clone, Debug)]
pub(super) struct LastMove {
    /// The wing column of the last move; `None` for the spine.
    column: Option<usize>,
    /// For every colouring of the child, the parent's place in its own list, or [`NO_ROW`] if this move can't have been
    /// the last.
    pub parents: Vec<u32>,
    /// A mask of the colourings that have a parent here; `first` is the first of them if they are consecutive.
    pub put: Vec<u64>,
    first: Option<usize>,
    /// A mask of the parents' places in their own list.
    pub take: Vec<u64>,
}

impl LastMove {
    /// Prepares the move for a matrix whose columns are these colourings. `rows` are the parent's rows.
    pub fn columns(&self, rows: Vec<u32>) -> ColumnPull<'_> {
        let put = self.first.map_or_else(|| Put::Under { mask: Cow::Borrowed(&self.put), skip: 0 }, Put::From);
        let (parent, parent_words, take) = (RowView::Whole(&[]), self.take.len(), &*self.take);
        ColumnPull { parent, parent_words, rows, first_row: 0, first_word: 0, take, put }
    }
}

/// The children of one kind of last move.
struct Run<'a> {
    /// The wing column; `None` for the spine.
    column: Option<usize>,
    /// The bit that the move inserts into the parent's colouring, and its value; `None` for the spine.
    bit: Option<(u32, u32)>,
    /// The parent's list, and a mask of the parents.
    list: &'a WingList,
    take: Vec<u64>,
}

impl Run<'_> {
    /// Lists the children in increasing order, each with its parent's place.
    fn children(&self) -> impl Iterator<Item = (u32, u32)> {
        let child = |colouring: u32| {
            let Some((bit, value)) = self.bit else { return colouring };
            let below = low_bits(bit) as u32;
            colouring & below | value << bit | (colouring & !below) << 1
        };
        let words = (0..).step_by(64).zip(&self.take);
        let places = words.flat_map(|(start, bits)| ones(*bits).map(move |bit| start + bit));
        places.map(move |place| (child(self.list.colourings[place]), place as u32))
    }

    /// Returns this last move with the parent of each colouring in `all`, which includes all children; `None` if there
    /// are no children.
    fn source(self, all: &[u32]) -> Option<LastMove> {
        let (mut next, mut put) = (self.children().peekable(), vec![0; all.len().div_ceil(64)]);
        let parent = |(place, own): (usize, &u32)| {
            let found = next.next_if(|(child, _)| child == own);
            put[place / 64] |= u64::from(found.is_some()) << (place % 64);
            found.map_or(NO_ROW, |(_, parent)| parent)
        };
        let parents = Vec::from_iter(all.iter().enumerate().map(parent));
        drop(next);
        let has_parent = |parent: &u32| *parent != NO_ROW;
        let (first, last) = (parents.iter().position(has_parent)?, parents.iter().rposition(has_parent)?);
        let count: u32 = self.take.iter().map(|word| word.count_ones()).sum();
        let first = (count as usize == last + 1 - first).then_some(first);
        Some(LastMove { column: self.column, parents, put, first, take: self.take })
    }
}

/// An upper estimate of the bytes that the slots of a wing's two lists take, including a share of the empty slots.
const SLOT_BYTES: u64 = 512;

/// The colourings of one wing shape, beside one spine, with a given number of first-player pieces.
#[derive(Clone, Debug)]
pub(super) struct ChildList {
    /// Whether these are the finished colourings rather than those of the index.
    pub is_finished: bool,
    /// The number of colourings.
    pub len: usize,
    /// The last moves that lead to at least one of these colourings.
    sources: Vec<LastMove>,
}

impl ChildList {
    /// Lists the colourings that a drop by `mover` leads to. Costs a few nanoseconds per colouring.
    fn new<'i>(index: &'i Index, (wing, spine, firsts): Key, is_finished: bool, mover: Player) -> ChildList {
        let split = &index.split;
        let first = u32::from(mover == Player::First);
        let mut runs = Vec::new();
        let mut add = |column, bit, list: &'i WingList, keeps: &[u64]| {
            let words = keeps.iter().zip(list.all());
            let take = words.map(|(keeps, all)| if is_finished { all & !keeps } else { *keeps }).collect();
            runs.push(Run { column, bit, list, take });
        };
        for column in 0..split.wing_columns() {
            let Some(parent_wing) = split.shrunk(wing, column) else { continue };
            let Some(parent_firsts) = firsts.checked_sub(first).filter(|firsts| *firsts <= split.cells(parent_wing))
            else {
                continue;
            };
            let list = index.list(parent_wing, spine, parent_firsts);
            let bit = split.bit(wing, column, split.height(parent_wing, column));
            add(Some(column), Some((bit, first)), list, list.keeps(column, mover));
        }
        if let Some((under, top)) = spine.shrunk()
            && top == (mover == Player::First)
        {
            let list = index.list(wing, under, firsts);
            add(None, None, list, list.spine_keeps(mover));
        }
        let mut all = Cow::Borrowed(index.colourings(wing, spine, firsts));
        if is_finished {
            let mut finished = Vec::from_iter(runs.iter().flat_map(Run::children).map(|(child, _)| child));
            // A stable sort merges sorted runs.
            finished.sort();
            finished.dedup();
            all = Cow::Owned(finished);
        }
        let sources = runs.into_iter().filter_map(|run| run.source(&all)).collect();
        ChildList { is_finished, len: all.len(), sources }
    }

    /// Returns the parents of a last move into a column of the wing, or on the spine; `None` if it leads to no colouring.
    pub fn source(&self, column: Option<usize>) -> Option<&LastMove> {
        self.sources.iter().find(|source| source.column == column)
    }

    /// Returns the bytes of the list in memory.
    fn bytes(&self) -> u64 {
        let of_source = |source: &LastMove| {
            size_of::<LastMove>() + 4 * source.parents.capacity() + 8 * (source.put.capacity() + source.take.capacity())
        };
        self.sources.iter().map(of_source).sum::<usize>() as u64
    }
}

/// A wing shape, a spine, and the first-player pieces of the wing.
type Key = (WingShape, Spine, u32);

/// The lists of one tier, each made at its first use.
///
/// A wing occurs in many matrices, and making its list for each of them took 17 % of the time of 7x4. So lists are kept
/// while there is room.
pub(super) struct ChildLists<'a> {
    index: &'a Index,
    mover: Player,
    /// As in [`Index`]: by spine and wing shape, then by first-player pieces.
    lists: Slots<ByFirsts<[ChildList; 2]>>,
    /// The bytes left for lists.
    room_bytes: AtomicU64,
}

impl<'a> ChildLists<'a> {
    /// Prepares the lists of colourings to which a drop of `mover` leads. Kept lists may use `room_bytes` bytes.
    pub fn new(index: &'a Index, mover: Player, room_bytes: u64) -> ChildLists<'a> {
        let lists = Slots::new(index.split.wing_shapes() as usize * index.split.spines());
        ChildLists { index, mover, lists, room_bytes: room_bytes.into() }
    }

    /// Returns a wing's own list and its finished colourings beside a spine. Both are kept or newly made.
    pub fn both(&self, wing: WingShape, spine: Spine, firsts: u32) -> Cow<'_, [ChildList; 2]> {
        let slot = self.index.slot(wing, spine);
        if let Some(lists) = self.lists.find(slot).and_then(|lists| lists.get()?[firsts as usize].get()) {
            return Cow::Borrowed(lists);
        }
        let key = (wing, spine, firsts);
        let lists = [false, true].map(|is_finished| ChildList::new(self.index, key, is_finished, self.mover));
        let bytes = SLOT_BYTES + lists.each_ref().map(ChildList::bytes).iter().sum::<u64>();
        if self.room_bytes.fetch_update(Relaxed, Relaxed, |room| room.checked_sub(bytes)).is_err() {
            return Cow::Owned(lists);
        }
        let kept = self.lists.get(slot).get_or_init(|| self.index.of_each_firsts(wing));
        Cow::Borrowed(kept[firsts as usize].get_or_init(|| lists))
    }
}
