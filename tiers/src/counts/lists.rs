//! The colourings of a child's wing, and the parents from which last moves lead to them.
//!
//! A position with a line inside a wing and the spine is no entry of the index. Yet every finished position has to be
//! counted once, however many last moves lead to it. So each wing has two lists: its own list in the index, and its
//! **finished colourings**, which are listed while they are counted. These are the colourings with a line that removing
//! one piece of the mover (on top of a wing column or of the spine) breaks: the parents' colourings that
//! [`WingList::keeps`] leaves out, with the dropped bit inserted.
//!
//! Both lists are in increasing order. Insertion keeps order, so the children of one kind of last move are a sorted run,
//! and reading the runs beside the list gives the parents.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Player;

use crate::index::{Index, Slots, Spine, WingList, WingShape, low_bits};
use crate::kernel::matrix::NO_ROW;
use crate::kernel::reach::{ColumnPull, Put};
use crate::kernel::{RowView, ones};

/// One kind of last move, and the parents that it starts from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The wing column of the last move; `None` for the spine.
    column: Option<usize>,
    /// For every colouring of the child, the parent's place in its own list, or [`NO_ROW`] if this move can't have been
    /// the last.
    pub parents: Vec<u32>,
    /// A mask of the colourings that have a parent here, and the first of them if they follow each other.
    pub put: Vec<u64>,
    first: Option<usize>,
    /// A mask of these parents, over their list.
    pub take: Vec<u64>,
}

impl Source {
    /// Makes the source of some of the colourings in `all`: its `children` with their parents' places. `None` if there are
    /// none.
    fn new(column: Option<usize>, take: Vec<u64>, children: &[(u32, u32)], all: &[u32]) -> Option<Source> {
        let mut next = children.iter().peekable();
        let parent = |own| next.next_if(|(child, _)| child == own).map_or(NO_ROW, |(_, parent)| *parent);
        let parents = Vec::from_iter(all.iter().map(parent));
        let has_parent = |parent: &u32| *parent != NO_ROW;
        let (first, last) = (parents.iter().position(has_parent)?, parents.iter().rposition(has_parent)?);
        let bit = |mask, (i, parent)| mask | u64::from(has_parent(parent)) << i;
        let put = parents.chunks(64).map(|word| word.iter().enumerate().fold(0, bit)).collect();
        let first = (children.len() == last + 1 - first).then_some(first);
        Some(Source { column, parents, put, first, take })
    }

    /// Prepares the move for colourings that are columns. `rows` are the parent's rows.
    pub fn columns(&self, rows: Vec<u32>) -> ColumnPull<'_> {
        let put = self.first.map_or_else(|| Put::Under { mask: Cow::Borrowed(&self.put), skip: 0 }, Put::From);
        let (parent, parent_words, take) = (RowView::Whole(&[]), self.take.len(), &*self.take);
        ColumnPull { parent, parent_words, rows, first_row: 0, first_word: 0, take, put }
    }
}

/// About the most bytes that both lists of a wing take in their slots, with their part of the empty slots beside them.
const SLOT_BYTES: u64 = 512;

/// Colourings of one wing shape beside one spine with one number of first-player pieces.
#[derive(Clone, Debug)]
pub(super) struct ChildList {
    /// Whether these are the finished colourings, and not those of the index.
    pub is_finished: bool,
    /// The number of colourings.
    pub len: usize,
    /// The last moves that lead to at least one of these colourings.
    sources: Vec<Source>,
}

impl ChildList {
    /// Lists the colourings to which a drop of `mover` leads. Costs a few nanoseconds per colouring.
    fn new(index: &Index, (wing, spine, firsts): Key, is_finished: bool, mover: Player) -> ChildList {
        let split = &index.split;
        let first = u32::from(mover == Player::First);
        let mut runs = Vec::new();
        let mut add = |column, list: &WingList, keeps: &[u64], child: &dyn Fn(u32) -> u32| {
            let taken =
                keeps.iter().zip(list.all()).map(|(keeps, all)| if is_finished { all & !keeps } else { *keeps });
            let take = Vec::from_iter(taken);
            let words = (0..).step_by(64).zip(&take);
            let places = words.flat_map(|(start, bits)| ones(*bits).map(move |bit| start + bit));
            let children = Vec::from_iter(places.map(|place| (child(list.colourings[place]), place as u32)));
            runs.push((column, take, children));
        };
        for column in 0..split.wing_columns() {
            let Some(parent_wing) = split.shrunk(wing, column) else { continue };
            let Some(parent_firsts) = firsts.checked_sub(first).filter(|firsts| *firsts <= split.cells(parent_wing))
            else {
                continue;
            };
            let list = index.list(parent_wing, spine, parent_firsts);
            let bit = split.bit(wing, column, split.height(parent_wing, column));
            add(Some(column), list, list.keeps(column, mover), &|colouring| {
                let below = low_bits(bit) as u32;
                colouring & below | first << bit | (colouring & !below) << 1
            });
        }
        if let Some((under, top)) = spine.shrunk()
            && top == (mover == Player::First)
        {
            let list = index.list(wing, under, firsts);
            add(None, list, list.spine_keeps(mover), &|colouring| colouring);
        }
        let mut all = Cow::Borrowed(index.colourings(wing, spine, firsts));
        if is_finished {
            let children = runs.iter().flat_map(|(.., children)| children);
            let mut finished = Vec::from_iter(children.map(|(child, _)| *child));
            // A stable sort merges sorted runs.
            finished.sort();
            finished.dedup();
            all = Cow::Owned(finished);
        }
        let source = |(column, take, children): (_, _, Vec<_>)| Source::new(column, take, &children, &all);
        ChildList { is_finished, len: all.len(), sources: runs.into_iter().filter_map(source).collect() }
    }

    /// Returns the parents of a last move into a column of the wing, or on the spine; `None` if it leads to no colouring.
    pub fn source(&self, column: Option<usize>) -> Option<&Source> {
        self.sources.iter().find(|source| source.column == column)
    }

    /// Returns the bytes of the list in memory.
    fn bytes(&self) -> u64 {
        let of_source = |source: &Source| {
            size_of::<Source>() + 4 * source.parents.capacity() + 8 * (source.put.capacity() + source.take.capacity())
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
    lists: Slots<Box<[OnceLock<[ChildList; 2]>]>>,
    /// The bytes left for lists.
    room_bytes: AtomicU64,
}

impl<'a> ChildLists<'a> {
    /// Prepares the lists of colourings to which a drop of `mover` leads. Kept lists may use `room_bytes` bytes.
    pub fn new(index: &'a Index, mover: Player, room_bytes: u64) -> ChildLists<'a> {
        let lists = Slots::new(index.split.wing_shapes() as usize * index.split.spines());
        ChildLists { index, mover, lists, room_bytes: room_bytes.into() }
    }

    /// Returns the own list and the finished colourings of a wing beside a spine: kept lists, or new ones.
    pub fn both(&self, wing: WingShape, spine: Spine, firsts: u32) -> Cow<'_, [ChildList; 2]> {
        let slot = self.index.slot(wing, spine);
        if let Some(lists) = self.lists.find(slot).and_then(|lists| lists[firsts as usize].get()) {
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
