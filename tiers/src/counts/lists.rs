//! Lists the colourings of a child's wing, and finds the parents from which last moves lead to these colourings.
//!
//! A *child* is a matrix of the tier that is being counted. Its *parents* are the matrices of the tier before it from
//! which a drop leads to the child. The *mover* is the player who makes this drop. [`crate::index`] explains matrices,
//! wings, the spine and colourings.
//!
//! A position with a line inside a wing and the spine is not in the index. Yet the count has to include every finished
//! position once, even if several last moves lead to it. So each wing has two lists. The first is its own list in the
//! index. The second list, its **finished colourings**, is made only for the count. A finished colouring has a line,
//! but it has none after the removal of one of the mover's pieces from the top of a wing column or of the spine. The
//! finished colourings come from the parents' colourings that [`WingList::keeps`] or [`WingList::spine_keeps`]
//! excludes: a last move into the wing inserts one bit into such a colouring, and a last move on the spine leaves it as
//! it is.
//!
//! Both lists are in increasing order, and inserting a bit keeps this order. So a list needs only two masks for each
//! last move. One mask marks the colourings that the move leads to, the other mask marks the parents' colourings that
//! the move starts from. The first marked parent belongs to the first marked child, the second to the second, and so
//! on.
//!
//! In a count, a child's matrix has further rows and columns: the finished colourings of the left wing and of the right
//! wing ([`ChildList`]). So the matrix has four parts. The table says which drops lead to each part:
//!
//! |                   | right colourings of the index       | finished right colourings        |
//! |-------------------|-------------------------------------|----------------------------------|
//! | rows of the index | all drops (the child's own entries) | drops on the right, on the spine |
//! | finished rows     | drops on the left, on the spine     | drops on the spine               |
//!
//! The sweep keeps only the first part. It counts the positions of the other parts and then discards them. Each
//! position of any part is one bit. Every parent that leads to the position sets this bit, so the position is counted
//! once.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Player;

use crate::index::{ByFirsts, Index, Matrix, Slots, Spine, WingList, WingShape, low_bits};
use crate::kernel::{Pairing, ones};
use crate::solve::{Neighbour, ShapeDrops};

/// All last moves into one column of the wing, or all last moves on the spine.
#[derive(Clone, Debug)]
struct LastMove {
    /// The column of the wing; `None` for the spine.
    column: Option<usize>,
    /// A mask of the [`ChildList`] that marks the colourings that these moves lead to.
    own: Vec<u64>,
    /// A mask of the parents' list that marks the colourings that these moves start from.
    parents: Vec<u64>,
}

/// An upper estimate of the bytes that [`ChildLists`] takes for a wing's two lists beside the lists themselves: their
/// slots, and a share of the empty slots.
const SLOT_BYTES: u64 = 512;

/// A list of the colourings of one wing shape, beside one spine, with a given number of first-player pieces. It stores
/// the number of the colourings and the last moves that lead to them, but not the colourings.
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
    /// Makes a wing's two lists, with the last moves of `mover` that lead to their colourings. First comes the list of
    /// the index, then the list of finished colourings. Takes a few nanoseconds per finished colouring.
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

    /// Makes the list of finished colourings. `moves` has all last moves, each after the colourings that it leads to,
    /// in increasing order.
    fn finished(moves: Vec<(Vec<u32>, LastMove)>) -> ChildList {
        let mut all = Vec::from_iter(moves.iter().flat_map(|(children, _)| children).copied());
        // `all` is a sequence of sorted runs. A stable sort only has to merge them.
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

    /// Pairs this list's colourings with the parents' colourings from which drops into a column of the wing lead to
    /// them. `None` as the column stands for the spine. Returns `None` if no such drop leads to a colouring of this
    /// list.
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

/// Returns the finished colourings that last moves into a column lead to, in increasing order. `None` as the column
/// stands for the spine. The mask `own` of the returned [`LastMove`] is still empty.
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

/// A wing shape, a spine, and the number of first-player pieces in the wing.
type Key = (WingShape, Spine, u32);

/// The child lists of one tier. The two lists of a wing are made when they are first needed.
///
/// A wing occurs in many matrices. Making its lists again for each matrix took 17 % of the time on 7x4. So lists are
/// kept for later matrices while they fit into the memory limit.
pub(super) struct ChildLists<'a> {
    pub index: &'a Index,
    mover: Player,
    /// The kept lists, in the order of [`Index`]: by spine and wing shape, then by number of first-player pieces.
    lists: Slots<ByFirsts<[ChildList; 2]>>,
    /// How many bytes further lists may take.
    room_bytes: AtomicU64,
}

impl<'a> ChildLists<'a> {
    /// Makes a store without lists, for children that a drop of `mover` leads to. The kept lists may take `room_bytes`
    /// bytes.
    pub fn new(index: &'a Index, mover: Player, room_bytes: u64) -> ChildLists<'a> {
        let lists = Slots::new(index.split.wing_shapes() as usize * index.split.spines());
        ChildLists { index, mover, lists, room_bytes: room_bytes.into() }
    }

    /// Returns a wing's own list in the index and its list of finished colourings, beside a spine. Borrows the kept
    /// lists, or makes new ones.
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

/// Lists the parents of one part of a child's matrix. The colourings of the list `left` are the rows of this part, and
/// those of the list `right` are its columns. The parents are in the order of
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
