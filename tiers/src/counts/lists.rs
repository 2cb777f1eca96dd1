//! The colourings of a child's wing, and the parents from which last moves lead to them.
//!
//! A position with a line inside a wing and the spine is not in the index. Yet every finished position has to be
//! counted once, however many last moves lead to it. So each wing has two lists: its own list in the index, and its
//! **finished colourings**, which are listed only for the count. These are the colourings that have a line, but have
//! none once one of the mover's pieces (on top of a wing column or of the spine) is removed. They are made from the
//! parents' colourings that [`WingList::keeps`] leaves out, by inserting the dropped bit.
//!
//! Both lists are in increasing order, and inserting a bit keeps order. So each list keeps only two masks for each last
//! move: of the colourings that the move leads to, and of the parents' colourings that it starts from.
//!
//! The solver finds children as [`parents_of`] finds parents. In a count, a child's matrix has further rows and columns:
//! the colourings that the last move finished ([`ChildList`]). This makes four parts:
//!
//! |                   | right colourings of the index | finished right colourings  |
//! |-------------------|-------------------------------|----------------------------|
//! | rows of the index | kept: the child's own rows    | drops right or on the spine |
//! | finished rows     | drops left or on the spine    | drops on the spine         |
//!
//! Only the first part is kept; the positions of the others are counted and dropped. Each position of any part is one
//! bit, set by every parent that leads there, so it is counted once.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Player;

use crate::index::{ByFirsts, Index, Matrix, Slots, Spine, WingList, WingShape, low_bits};
use crate::kernel::{Pairing, ones};
use crate::solve::{Neighbour, ShapeDrops};

/// The last moves into one column of the wing, or on the spine.
#[derive(Clone, Debug)]
struct LastMove {
    /// The column of the wing; `None` for the spine.
    column: Option<usize>,
    /// A mask of the colourings that these moves lead to.
    own: Vec<u64>,
    /// A mask of the parents' list: the colourings that these moves start from.
    parents: Vec<u64>,
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
    /// Makes the lists of the colourings to which drops of `mover` lead: those of the index, and the finished ones. Costs
    /// a few nanoseconds per finished colouring.
    fn both(index: &Index, (wing, spine, firsts): Key, mover: Player) -> [ChildList; 2] {
        let (split, list) = (&index.split, index.list(wing, spine, firsts));
        let (first, flip) = if mover == Player::First { (1, 0) } else { (0, u64::MAX) };
        let (mut own, mut finished) = (Vec::new(), Vec::new());
        for column in 0..split.wing_columns() {
            let Some(parent_wing) = split.shrunk(wing, column) else { continue };
            let Some(parent_firsts) = firsts.checked_sub(first).filter(|firsts| *firsts <= split.cells(parent_wing))
            else {
                continue;
            };
            let parents = index.list(parent_wing, spine, parent_firsts);
            let bit = split.bit(wing, column, split.height(parent_wing, column));
            let below = low_bits(bit) as u32;
            let child = move |colouring| colouring & below | first << bit | (colouring & !below) << 1;
            let keeps = parents.keeps(column, mover);
            let leads_to = list.cell(bit).iter().zip(list.all()).map(|(cell, all)| (cell ^ flip) & all).collect();
            own.push(LastMove { column: Some(column), own: leads_to, parents: keeps.to_vec() });
            finished.push(completed(Some(column), parents, keeps, child));
        }
        if let Some((under, top)) = spine.shrunk()
            && top == (mover == Player::First)
        {
            let parents = index.list(wing, under, firsts);
            let keeps = parents.spine_keeps(mover);
            own.push(LastMove { column: None, own: list.all().to_vec(), parents: keeps.to_vec() });
            finished.push(completed(None, parents, keeps, |colouring| colouring));
        }
        own.retain(|last| last.parents.iter().any(|word| *word != 0));
        let own = ChildList { is_finished: false, len: list.len(), sources: own };
        [own, ChildList::finished(finished)]
    }

    /// Makes the list of finished colourings. `moves` has the sorted colourings of each last move.
    fn finished(moves: Vec<(Vec<u32>, LastMove)>) -> ChildList {
        let mut all = Vec::from_iter(moves.iter().flat_map(|(children, _)| children).copied());
        // A stable sort merges sorted runs.
        all.sort();
        all.dedup();
        let source = |(children, last): (Vec<u32>, LastMove)| {
            let (mut next, mut own) = (children.iter().peekable(), vec![0; all.len().div_ceil(64)]);
            for (place, colouring) in all.iter().enumerate() {
                own[place / 64] |= u64::from(next.next_if_eq(&colouring).is_some()) << (place % 64);
            }
            (!children.is_empty()).then_some(LastMove { own, ..last })
        };
        ChildList { is_finished: true, len: all.len(), sources: moves.into_iter().filter_map(source).collect() }
    }

    /// Returns the pairing of a last move into a column of the wing, or on the spine; `None` if it leads to no colouring.
    pub fn pairing(&self, column: Option<usize>) -> Option<Pairing<'_>> {
        let last = self.sources.iter().find(|last| last.column == column)?;
        Some(Pairing { own: &last.own, other: Some((&last.parents, 0)), skip: 0 })
    }

    /// Returns the bytes of the list in memory.
    fn bytes(&self) -> u64 {
        let of_source = |last: &LastMove| size_of::<LastMove>() + 8 * (last.own.capacity() + last.parents.capacity());
        self.sources.iter().map(of_source).sum::<usize>() as u64
    }
}

/// Returns the finished colourings that last moves into a column lead to, in increasing order. In the returned
/// [`LastMove`], only the mask of the parents is filled.
fn completed(
    column: Option<usize>,
    parents: &WingList,
    keeps: &[u64],
    child: impl Fn(u32) -> u32,
) -> (Vec<u32>, LastMove) {
    let mask = Vec::from_iter(parents.all().iter().zip(keeps).map(|(all, keeps)| all & !keeps));
    let chunks = parents.colourings.chunks(64).zip(&mask);
    let children = chunks.flat_map(|(chunk, mask)| ones(*mask).map(|place| child(chunk[place]))).collect();
    (children, LastMove { column, own: Vec::new(), parents: mask })
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
        let lists = ChildList::both(self.index, (wing, spine, firsts), self.mover);
        let bytes = SLOT_BYTES + lists.each_ref().map(ChildList::bytes).iter().sum::<u64>();
        if self.room_bytes.fetch_update(Relaxed, Relaxed, |room| room.checked_sub(bytes)).is_err() {
            return Cow::Owned(lists);
        }
        let kept = self.lists.get(slot).get_or_init(|| self.index.of_each_firsts(wing));
        Cow::Borrowed(kept[firsts as usize].get_or_init(|| lists))
    }
}

/// Lists the parents of the part of a matrix with these rows and columns, in the order of
/// [`Band::drops`](crate::kernel::matrix::Band::drops).
pub(super) fn parents_of<'b>(
    drops: &'b ShapeDrops,
    matrix: &Matrix,
    [left, right]: [&'b ChildList; 2],
) -> impl Iterator<Item = Neighbour<'b>> {
    let Matrix { spine, left_firsts, right_firsts, .. } = *matrix;
    let straight = Neighbour { shape: 0, spine, left_firsts, is_turned: false, rows: None, columns: None };
    let turned = drops.turned.iter().filter(|_| !right.is_finished).filter_map(move |drop| {
        let columns = Some(left.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, left_firsts: right_firsts, is_turned: true, columns, ..straight })
    });
    let into_left = drops.left.iter().filter(|_| !right.is_finished).filter_map(move |drop| {
        let rows = Some(left.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, left_firsts: left_firsts - drops.first(), rows, ..straight })
    });
    let into_right = drops.right.iter().filter(|_| !left.is_finished).filter_map(move |drop| {
        let columns = Some(right.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, columns, ..straight })
    });
    let on_spine = drops.spine.zip(spine.shrunk()).and_then(|(shape, (spine, _))| {
        let [rows, columns] = [left.pairing(None)?, right.pairing(None)?].map(Some);
        Some(Neighbour { shape, spine, rows, columns, ..straight })
    });
    turned.chain(into_left).chain(into_right).chain(on_spine)
}
