//! The quiet positions of a run of entries.
//!
//! The entries of a matrix combine every row, which is a colouring of the left wing, with every column, which is one of the
//! right wing, beside the same spine. A group of cells ([`super::groups`]) in one wing and the spine is looked at once a row or
//! once a column. Most rows and columns have a group that one player has whole, and are left out. Only for the others are the
//! groups looked at that lie in both wings, and of these only the ones of which one player has all that lies in the row.

use std::ops::Range;

use fourbase::{Player, Position};

use super::groups::Groups;
use crate::index::{Index, Located, Parts, Shape, Spine, TierDirectory, TierLayout, low_bits};

/// Lists the quiet positions among some consecutive entries of a tier, each with its entry.
pub(super) fn quiet_positions(index: &Index, directory: &TierDirectory, entries: Range<u64>) -> Vec<(u64, Position)> {
    let mut quiet = Vec::new();
    each_quiet(index, directory, entries, |entry, parts| {
        let [first, second] = index.split().bitboards(parts);
        // It has no lines, so it is a position; if it were none, the file would have too many values.
        quiet.extend(Position::from_bitboards(index.board(), first, second).ok().map(|position| (entry, position)));
    });
    quiet
}

/// Lists the quiet ones among some consecutive entries of a tier.
pub(super) fn quiet_entries(index: &Index, directory: &TierDirectory, entries: Range<u64>) -> Vec<u64> {
    let mut quiet = Vec::with_capacity(((entries.end - entries.start) / 8).min(512) as usize);
    each_quiet(index, directory, entries, |entry, _| quiet.push(entry));
    quiet
}

/// Shows the quiet ones among some consecutive entries of a tier, in order. Takes some nanoseconds an entry.
fn each_quiet(index: &Index, directory: &TierDirectory, entries: Range<u64>, mut show: impl FnMut(u64, &Parts)) {
    if entries.is_empty() {
        return;
    }
    let mover = Player::to_move(directory.ply());
    let mut last: Option<ShapeWalk> = None;
    for located in directory.located_from(index, entries.start) {
        if located.first_entry >= entries.end {
            break;
        }
        let end = entries.end.min(located.first_entry + located.matrix.entries());
        let held = entries.start.max(located.first_entry)..end;
        if held.is_empty() {
            continue;
        }
        let shape = located.matrix.shape();
        let walk = match last.take().filter(|walk| walk.shape == shape) {
            Some(walk) => last.insert(walk),
            None => last.insert(ShapeWalk::new(index, mover, shape)),
        };
        walk.matrix(index, &located, held, &mut show);
    }
}

/// A question to the colourings of a wing: whether one player has all of some pieces. A colouring has a bit for each piece, set
/// if it is the first player's.
#[derive(Clone, Copy, Debug)]
struct Question {
    pieces: u32,
    /// All of the pieces, or none of them: those that are the first player's if the answer is yes.
    firsts: u32,
}

impl Question {
    fn of(pieces: u32, player: Player) -> Question {
        Question { pieces, firsts: if player == Player::First { pieces } else { 0 } }
    }

    #[inline]
    fn holds(self, colouring: u32) -> bool {
        colouring & self.pieces == self.firsts
    }

    /// Adds marks to those of each colouring for which the answer is yes. Processors do several at a time.
    fn mark(self, with: u32, colourings: &[u32], marks: &mut [u32]) {
        for (colouring, marks) in colourings.iter().zip(marks) {
            *marks |= if self.holds(*colouring) { with } else { 0 };
        }
    }
}

/// A group of cells and a player who may have it whole: one question to each part of the board.
struct Ask {
    left: Question,
    spine: Question,
    right: Question,
    marks: u32,
}

/// What the matrices of a shape have in common, and what is filled anew for each.
struct ShapeWalk {
    shape: Shape,
    groups: Groups,
    asks: Vec<Ask>,
    beside: Beside,
    columns: Columns,
    rows: Vec<u32>,
    marks: Vec<u32>,
}

/// The questions that are left beside a spine, each with its marks.
struct Beside {
    spine: Option<Spine>,
    of_rows: Vec<(Question, u32)>,
    of_columns: Vec<(Question, u32)>,
    across: Vec<(Question, Question, u32)>,
}

/// The columns of a matrix that may be quiet in some row.
#[derive(Default)]
struct Columns {
    numbers: Vec<u64>,
    colourings: Vec<u32>,
    marks: Vec<u32>,
}

impl ShapeWalk {
    fn new(index: &Index, mover: Player, shape: Shape) -> ShapeWalk {
        let (split, spine) = (index.split(), Spine { height: shape.spine_height, bits: 0 });
        let parts = Parts { left: shape.left, left_bits: 0, spine, right: shape.right, right_bits: 0 };
        // With no piece of the first player all are the second player's.
        let [_, occupied] = split.bitboards(&parts);
        let groups = Groups::new(index.board(), occupied);
        let [left, right] = [(shape.left, false), (shape.right, true)].map(|(wing, is_right)| {
            let columns = split.columns(wing, is_right);
            Vec::from_iter(columns)
        });
        let in_spine = [(shape.spine_height, split.spine_cell())];
        let mut asks = Vec::with_capacity(2 * groups.iter().count());
        for group in groups.iter() {
            let [left, spine, right] = [&left[..], &in_spine, &right].map(|columns| pieces(columns, group.cells));
            let players = [Some(mover), group.of_both.then(|| mover.other())];
            asks.extend(players.into_iter().flatten().map(|player| Ask {
                left: Question::of(left, player),
                spine: Question::of(spine, player),
                right: Question::of(right, player),
                marks: group.marks,
            }));
        }
        ShapeWalk {
            shape,
            beside: Beside::with_room(asks.len()),
            asks,
            groups,
            columns: Columns::default(),
            rows: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Shows the quiet ones of some entries of a matrix.
    fn matrix(&mut self, index: &Index, located: &Located, entries: Range<u64>, show: &mut impl FnMut(u64, &Parts)) {
        let ShapeWalk { groups, asks, beside, columns, rows, marks, .. } = self;
        let Located { matrix, first_entry, .. } = *located;
        beside.ask(asks, matrix.spine);
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let width = u64::from(matrix.columns);
        let (start, end) = (entries.start - first_entry, entries.end - first_entry);
        columns.clear();
        // Less than a row has a part of the columns: one part, or the end of one row and the beginning of the next.
        let (from, to) = (start % width, (end - 1) % width + 1);
        if end - start >= width {
            columns.add(groups, &beside.of_columns, right, 0..width);
        } else if from < to {
            columns.add(groups, &beside.of_columns, right, from..to);
        } else {
            columns.add(groups, &beside.of_columns, right, 0..to);
            columns.add(groups, &beside.of_columns, right, from..width);
        }
        let first_row = start / width;
        let left = left.get(first_row as usize..end.div_ceil(width) as usize).unwrap_or_default();
        rows.clear();
        rows.resize(left.len(), 0);
        beside.of_rows.iter().for_each(|(question, with)| question.mark(*with, left, rows));
        let of_rows = (first_row..).zip(left.iter().zip(&*rows));
        for (row, (left_bits, row_marks)) in of_rows.filter(|(_, (_, marks))| groups.is_quiet(**marks)) {
            let first = row * width;
            let held = columns.within(start.max(first) - first..end.min(first + width) - first);
            let [colourings, of_columns] =
                [&columns.colourings, &columns.marks].map(|of| of.get(held.clone()).unwrap_or_default());
            marks.clear();
            marks.extend(of_columns.iter().map(|marks| marks | row_marks));
            let asked = beside.across.iter().filter(|(in_row, ..)| in_row.holds(*left_bits));
            asked.for_each(|(_, question, with)| question.mark(*with, colourings, marks));
            let numbers = columns.numbers.get(held).unwrap_or_default();
            for ((number, right_bits), marks) in numbers.iter().zip(colourings).zip(&*marks) {
                if groups.is_quiet(*marks) {
                    let (left_bits, right_bits) = (*left_bits, *right_bits);
                    let parts =
                        Parts { left: matrix.left, left_bits, spine: matrix.spine, right: matrix.right, right_bits };
                    show(first_entry + first + number, &parts);
                }
            }
        }
    }
}

/// Returns which pieces of some columns lie in some cells. The columns follow each other in a colouring, each with its pieces
/// and the number of its lowest cell.
fn pieces(columns: &[(u32, usize)], cells: u64) -> u32 {
    let mut before = 0;
    let of_column = columns.iter().map(|(pieces, lowest)| {
        let here = (cells >> lowest & low_bits(*pieces)) << before;
        before += pieces;
        here
    });
    of_column.fold(0, |all, here| all | here) as u32
}

impl Beside {
    fn with_room(asks: usize) -> Beside {
        let [of_rows, of_columns] = [(); 2].map(|()| Vec::with_capacity(asks));
        Beside { spine: None, of_rows, of_columns, across: Vec::with_capacity(asks) }
    }

    /// Asks the spine, and keeps the questions to which its answer is yes.
    fn ask(&mut self, asks: &[Ask], spine: Spine) {
        if self.spine.replace(spine) == Some(spine) {
            return;
        }
        self.of_rows.clear();
        self.of_columns.clear();
        self.across.clear();
        for Ask { left, right, marks, .. } in asks.iter().filter(|ask| ask.spine.holds(spine.bits)) {
            match (left.pieces, right.pieces) {
                (_, 0) => self.of_rows.push((*left, *marks)),
                (0, _) => self.of_columns.push((*right, *marks)),
                _ => self.across.push((*left, *right, *marks)),
            }
        }
    }
}

impl Columns {
    fn clear(&mut self) {
        self.numbers.clear();
        self.colourings.clear();
        self.marks.clear();
    }

    /// Adds those of some columns that may be quiet.
    fn add(&mut self, groups: &Groups, questions: &[(Question, u32)], right: &[u32], numbers: Range<u64>) {
        let colourings = right.get(numbers.start as usize..numbers.end as usize).unwrap_or_default();
        let mut marks = vec![0; colourings.len()];
        self.numbers.reserve(colourings.len());
        self.colourings.reserve(colourings.len());
        self.marks.reserve(colourings.len());
        questions.iter().for_each(|(question, with)| question.mark(*with, colourings, &mut marks));
        for ((number, colouring), marks) in numbers.zip(colourings).zip(marks) {
            if groups.is_quiet(marks) {
                self.numbers.push(number);
                self.colourings.push(*colouring);
                self.marks.push(marks);
            }
        }
    }

    /// Returns the places of the columns with some numbers.
    fn within(&self, numbers: Range<u64>) -> Range<usize> {
        let before = |end: u64| self.numbers.partition_point(|number| *number < end);
        before(numbers.start)..before(numbers.end)
    }
}

/// Returns the position of an entry; `None` for an entry that is none, because both players have lines in it, or the
/// one to move.
pub(super) fn position_of(index: &Index, layout: &TierLayout, entry: u64) -> Option<Position> {
    let [first, second] = index.split().bitboards(&index.unrank(layout, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

#[cfg(test)]
mod tests {
    use super::super::sight::{Seen, look};
    use super::*;
    use crate::kernel::Kernel;
    use crate::long;
    use crate::quiet::{Sight, sight};

    #[test]
    fn a_walk_finds_the_quiet_positions_of_any_run_of_entries() {
        for name in ["4x4", "5x3", "3x6", "4x4c3", "4x4m", "5x3m", "3x3c2m", "1x8", "8x2", "2x2c2", "1x1", "3x3c1"] {
            if ["3x6", "8x2"].contains(&name) && long::skips(format_args!("walks of {name}")) {
                continue;
            }
            let index = Index::new(name.parse().unwrap(), Kernel::portable()).unwrap();
            let mut found = 0;
            for ply in 0..=index.board().cells() as u32 {
                let (layout, directory) = (TierLayout::new(&index, ply), TierDirectory::new(&index, ply));
                let position_of = |entry: u64| Some((entry, position_of(&index, &layout, entry)?));
                let is_quiet = |(_, position): &(u64, Position)| {
                    assert_eq!(look(position) == Seen::Quiet, sight(position) == Sight::Quiet);
                    look(position) == Seen::Quiet
                };
                for each in [37, 256, u64::MAX] {
                    let ends = |start: u64| layout.entries().min(start.saturating_add(each));
                    let starts = (0..layout.entries()).step_by(usize::try_from(each).unwrap_or(usize::MAX));
                    for run in starts.map(|start| start..ends(start)) {
                        let expected: Vec<_> = run.clone().filter_map(position_of).filter(is_quiet).collect();
                        found += expected.len();
                        assert_eq!(quiet_positions(&index, &directory, run), expected, "{name} ply {ply}");
                    }
                }
            }
            println!("{name}: {found} quiet positions in runs of three lengths");
        }
    }

    #[test]
    fn a_walk_finds_the_quiet_positions_of_large_boards() {
        for name in ["7x6", "6x6m", "5x7c5", "9x4"] {
            let index = Index::new(name.parse().unwrap(), Kernel::portable()).unwrap();
            let cells = index.board().cells() as u32;
            let mut found = 0;
            for ply in [cells / 5, cells / 3, cells / 2, cells * 3 / 4] {
                let (layout, directory) = (TierLayout::new(&index, ply), TierDirectory::new(&index, ply));
                for part in 0..long::scale(3, 30) {
                    let start = (u128::from(layout.entries()) * (2 * part + 1) / (2 * long::scale(3, 30))) as u64;
                    let run = start..layout.entries().min(start + 4096);
                    let position_of = |entry: u64| Some((entry, position_of(&index, &layout, entry)?));
                    let positions = run.clone().filter_map(position_of);
                    let expected: Vec<_> = positions.filter(|(_, position)| look(position) == Seen::Quiet).collect();
                    found += expected.len();
                    assert_eq!(quiet_positions(&index, &directory, run.clone()), expected, "{name} ply {ply}");
                    let entries: Vec<u64> = expected.iter().map(|(entry, _)| *entry).collect();
                    assert_eq!(quiet_entries(&index, &directory, run), entries, "{name} ply {ply}");
                }
            }
            println!("{name}: {found} quiet positions in runs of 4,096 entries");
        }
    }
}
