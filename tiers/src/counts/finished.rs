//! Wing colourings that the last move finished. The index leaves them out; they are listed while they are counted.
//!
//! A position with a line inside a wing and the spine is no entry of the index. Yet every finished position has to be
//! counted once, however many last moves lead to it. So the wing's **finished colourings** are listed like the others,
//! in increasing order: the colourings with a line that removing one piece of the mover (on top of a wing column or of
//! the spine) breaks. They are the parents' colourings that [`WingList::keeps`] leaves out, with the dropped bit
//! inserted. Insertion keeps order, so the list is a merge of one sorted run per column, and the places of a colouring
//! in the runs give its parents.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::Player;

use crate::index::{Index, Slots, Spine, WingList, WingShape, low_bits};
use crate::kernel::matrix::NO_ROW;
use crate::kernel::ones;
use crate::kernel::reach::Put;

/// One kind of last move, and the parents that it starts from.
#[derive(Clone, Debug)]
pub(super) struct LastMove {
    /// The wing column of the last move; `None` for the spine.
    pub column: Option<usize>,
    /// For every finished colouring, the parent's place in its own list, or [`NO_ROW`] if this move can't have been the
    /// last.
    pub parents: Vec<u32>,
    /// A mask of the finished colourings that have a parent here.
    pub put: Vec<u64>,
    /// A mask of these parents, over their list.
    pub take: Vec<u64>,
}

impl LastMove {
    /// Returns the parents' columns to gather and the place to put them, if the finished colourings are columns.
    pub(super) fn columns(&self) -> (&[u64], Put<'_>) {
        (&self.take, Put::Under { mask: Cow::Borrowed(&self.put), skip: 0 })
    }
}

/// The finished colourings of one wing shape beside one spine with one number of first-player pieces.
#[derive(Clone, Debug)]
pub(super) struct FinishedList {
    /// The number of finished colourings.
    pub(super) len: usize,
    /// The last moves that finish at least one of these colourings.
    pub(super) sources: Vec<LastMove>,
}

impl FinishedList {
    /// Lists the colourings that a drop of `mover` finishes. Costs a few nanoseconds per colouring.
    fn new(index: &Index, wing: WingShape, spine: Spine, firsts: u32, mover: Player) -> FinishedList {
        let split = &index.split;
        let first = u32::from(mover == Player::First);
        let mut runs = Vec::with_capacity(split.wing_columns() + 1);
        for column in 0..split.wing_columns() {
            let Some(parent_wing) = split.shrunk(wing, column) else { continue };
            let Some(parent_firsts) = firsts.checked_sub(first) else { continue };
            if parent_firsts > split.cells(parent_wing) {
                continue;
            }
            let list = index.list(parent_wing, spine, parent_firsts);
            let bit = split.bit(wing, column, split.height(parent_wing, column));
            let insert = |colouring: u32| {
                let below = low_bits(bit) as u32;
                colouring & below | first << bit | (colouring & !below) << 1
            };
            runs.push(Run::new(Some(column), list, list.keeps(column, mover), insert));
        }
        if let Some((under, top)) = spine.shrunk()
            && top == (mover == Player::First)
        {
            let list = index.list(wing, under, firsts);
            runs.push(Run::new(None, list, list.spine_keeps(mover), |colouring| colouring));
        }
        merge(runs)
    }

    /// Returns the bytes of the list.
    fn bytes(&self) -> u64 {
        let of_source = |source: &LastMove| {
            size_of::<LastMove>() + 4 * source.parents.capacity() + 8 * (source.put.capacity() + source.take.capacity())
        };
        self.sources.iter().map(of_source).sum::<usize>() as u64
    }
}

/// The finished lists of one tier, each made at its first use.
///
/// A wing occurs in many matrices, and making its list for each of them took 17 % of the time of 7x4. So lists are kept
/// while there is room.
pub(super) struct FinishedLists<'a> {
    index: &'a Index,
    mover: Player,
    lists: Slots<FinishedList>,
    /// The bytes left for lists.
    room_bytes: AtomicU64,
}

impl<'a> FinishedLists<'a> {
    /// Prepares the lists of colourings that a drop of `mover` finishes. Kept lists may use `room_bytes` bytes.
    pub(super) fn new(index: &'a Index, mover: Player, room_bytes: u64) -> FinishedLists<'a> {
        let lists = Slots::new(Self::slots(index));
        FinishedLists { index, mover, lists, room_bytes: room_bytes.into() }
    }

    /// Returns how many bytes the slots of the lists take at most, for the plies up to `last`.
    pub(super) fn slot_bytes(index: &Index, last: u32) -> u64 {
        let split = &index.split;
        let shapes = (0..split.wing_shapes()).map(|shape| split.cells(WingShape(shape)));
        // Spines that fit beside a wing have the lowest numbers.
        let spines = |room: u32| split.spines().min((2 << room.min(split.spine_room())) - 1);
        let fitting = shapes.filter_map(|cells| last.checked_sub(cells)).map(spines).sum();
        Slots::<FinishedList>::most_bytes(Self::slots(index), fitting, Self::firsts_each(index)) as u64
    }

    /// Returns the number of lists: one for every wing shape, spine, and number of first-player pieces.
    fn slots(index: &Index) -> usize {
        let split = &index.split;
        split.spines() * split.wing_shapes() as usize * Self::firsts_each(index)
    }

    /// Returns the number of lists of a wing shape and a spine: from no first-player piece to all.
    fn firsts_each(index: &Index) -> usize {
        index.split.wing_columns() * index.board().height() + 1
    }

    /// Returns the list of a wing shape beside a spine: a kept list, or a new one.
    pub(super) fn list(&self, wing: WingShape, spine: Spine, firsts: u32) -> Cow<'_, FinishedList> {
        let wings = spine.number() * self.index.split.wing_shapes() as usize + wing.0 as usize;
        let slot = self.lists.get(wings * Self::firsts_each(self.index) + firsts as usize);
        if let Some(list) = slot.get() {
            return Cow::Borrowed(list);
        }
        let list = FinishedList::new(self.index, wing, spine, firsts, self.mover);
        let bytes = list.bytes();
        let has_room = self.room_bytes.fetch_update(Relaxed, Relaxed, |room| room.checked_sub(bytes)).is_ok();
        if has_room { Cow::Borrowed(slot.get_or_init(|| list)) } else { Cow::Owned(list) }
    }
}

/// Returns a mask of the colourings of a list that are not in `mask`.
pub(super) fn others(list: &WingList, mask: &[u64]) -> Vec<u64> {
    let mut others: Vec<u64> = mask.iter().map(|word| !word).collect();
    if let (Some(last), true) = (others.last_mut(), !list.len().is_multiple_of(64)) {
        *last &= low_bits(list.len() as u32 % 64);
    }
    others
}

/// The colourings that one kind of last move finishes, in increasing order, and the parents' places.
struct Run {
    column: Option<usize>,
    colourings: Vec<u32>,
    places: Vec<u32>,
    next: usize,
    take: Vec<u64>,
}

impl Run {
    fn new(column: Option<usize>, list: &WingList, keeps: &[u64], drop: impl Fn(u32) -> u32) -> Run {
        let (mut colourings, mut places) = (Vec::new(), Vec::new());
        let take = others(list, keeps);
        for (word, bits) in take.iter().enumerate() {
            for place in ones(*bits).map(|bit| 64 * word + bit) {
                colourings.push(drop(list.colourings[place]));
                places.push(place as u32);
            }
        }
        Run { column, colourings, places, next: 0, take }
    }
}

/// Merges the runs into one list. There are at most `⌊W/2⌋ + 1` runs, so the smallest head is found by comparing all.
fn merge(mut runs: Vec<Run>) -> FinishedList {
    runs.retain(|run| !run.places.is_empty());
    let mut parents = vec![Vec::new(); runs.len()];
    let mut len = 0;
    while let Some(least) = runs.iter().filter_map(|run| run.colourings.get(run.next)).min().copied() {
        for (run, parents) in runs.iter_mut().zip(&mut parents) {
            let here = run.colourings.get(run.next) == Some(&least);
            parents.push(if here { run.places[run.next] } else { NO_ROW });
            run.next += usize::from(here);
        }
        len += 1;
    }
    let source = |(run, parents): (Run, Vec<u32>)| {
        let bit = |mask, (i, parent): (usize, &u32)| mask | u64::from(*parent != NO_ROW) << i;
        let put = parents.chunks(64).map(|word| word.iter().enumerate().fold(0, bit)).collect();
        LastMove { column: run.column, parents, put, take: run.take }
    };
    FinishedList { len, sources: runs.into_iter().zip(parents).map(source).collect() }
}
