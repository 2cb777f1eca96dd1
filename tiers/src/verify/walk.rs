//! Finds quiet positions. [`static_evaluation`] tests one position by the rules of the game; [`each_quiet`] finds all
//! quiet positions among many consecutive entries at once.
//!
//! A position is quiet if it is not finished, the player to move can't complete a line and need not stop one, and at
//! least two moves are left. Under misère it is quiet if it is not finished and at least two moves complete no line. A
//! tier that keeps forced positions also stores positions where the player to move has to stop lines or has only one
//! move; under misère, those where only one move completes no line.
//!
//! The words shape, matrix, wing and spine are explained in [`crate::index`]. All positions of a shape have the same
//! heights, and therefore the same *threats*: complete lines, and lines that lack only the cell where the next piece of
//! a column lands. A player who owns all cells of a complete line has finished the game. A player who owns all but one
//! cell of a line can complete it at the missing cell. No other line matters: a line with two empty cells needs two
//! pieces, and no piece lands on a cell above an empty one.
//!
//! The entries of a matrix combine every row (a colouring of the left wing) with every column (a colouring of the right
//! wing), beside the same spine. A threat with pieces in only one wing, and perhaps the spine, is tested once per row
//! or once per column. Most rows have a threat whose pieces one player owns, and are skipped. Only the other rows are
//! tested for threats across both wings, and only for threats whose cells in the left wing belong to one player.

use std::ops::Range;

use fourbase::{Outcome, Player, Position, Value, has_line};

use crate::format::chunk::runs;
use crate::index::{Index, Located, Matrix, Parts, Shape, Spine, TierDirectory, low_bits, occupied};

/// What the board alone decides about a position, as `docs/explanation/algorithm.md` defines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Evaluation {
    /// The outcome, with its remoteness.
    Decided(Outcome),
    /// The only column worth playing.
    Forced(usize),
    /// Undecided; the position is stored.
    Quiet,
}

/// Evaluates a position with the rules of the game alone. This function uses neither the solver's masks, which evaluate
/// 64 entries at a time, nor the code of probes.
pub(super) fn static_evaluation(position: &Position) -> Evaluation {
    if let Some(value) = position.primitive() {
        return decided(value, 0);
    }
    let (board, mover, open) = (position.board(), position.to_move(), position.playable_cells());
    // The cells where the next piece of a player completes a line.
    let completing = |player| {
        let cells = (0..board.width()).map(|column| open & board.column_cells(column));
        cells.filter(|cell| *cell != 0 && has_line(board, position.pieces(player) | cell)).sum::<u64>()
    };
    let forced = |cell: u64| Evaluation::Forced(cell.trailing_zeros() as usize / board.height());
    let wins = completing(mover);
    if !board.is_misere() {
        let threats = completing(mover.other());
        match (wins, threats.count_ones()) {
            (0, 0) => {}
            (0, 1) => return forced(threats),
            (0, _) => return decided(Value::Lose, 2),
            _ => return decided(Value::Win, 1),
        }
    }
    // Completing a line loses under misère, so these cells are left out. In the normal game there are none here.
    let moves = open & !wins;
    match moves.count_ones() {
        0 => decided(Value::Lose, 1),
        1 => forced(moves),
        _ => Evaluation::Quiet,
    }
}

fn decided(value: Value, remoteness: u32) -> Evaluation {
    Evaluation::Decided(Outcome { value, remoteness: Some(remoteness) })
}

/// Calls `show` with each quiet entry among some consecutive entries of a tier, in order. If `has_forced` is set, also
/// calls it with each forced entry. Takes some nanoseconds per entry.
pub(super) fn each_quiet(
    index: &Index,
    directory: &TierDirectory,
    has_forced: bool,
    entries: Range<u64>,
    mut show: impl FnMut(u64, &Parts),
) {
    let mover = Player::to_move(directory.ply);
    let mut last: Option<ShapeWalk> = None;
    for (located, held) in runs(directory.located_from(index, entries.start), entries) {
        let shape = located.matrix.shape();
        let walk = last.take().filter(|walk| walk.shape == shape);
        let walk = last.insert(walk.unwrap_or_else(|| ShapeWalk::new(index, mover, has_forced, shape)));
        walk.matrix(index, &located, held, &mut show);
    }
}

/// Tests a colouring: whether all of some pieces in a part of the board belong to one given player. A colouring has a
/// bit for each piece, which is set for a piece of the first player.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    pieces: u32,
    /// The value that the bits of `pieces` must have: all set for the first player, none for the second.
    firsts: u32,
}

impl Pattern {
    fn new(pieces: u32, owner: Player) -> Pattern {
        Pattern { pieces, firsts: if owner == Player::First { pieces } else { 0 } }
    }

    #[inline]
    fn fits(self, colouring: u32) -> bool {
        colouring & self.pieces == self.firsts
    }

    /// Adds `columns` to the marks of each colouring that fits. The loop is vectorised.
    fn mark(self, columns: u32, colourings: &[u32], marks: &mut [u32]) {
        for (colouring, marks) in colourings.iter().zip(marks) {
            *marks |= if self.fits(*colouring) { columns } else { 0 };
        }
    }
}

/// A line that is complete or lacks a single piece, as one pattern in each part of the board.
#[derive(Clone, Copy)]
struct Threat {
    left: Pattern,
    spine: Pattern,
    right: Pattern,
    /// The column of the missing piece, as a bit; all bits for a complete line.
    columns: u32,
}

/// The data that the matrices of a shape share, and buffers that are refilled for each matrix.
struct ShapeWalk {
    shape: Shape,
    /// Two lists: first the threats that have pieces in at most one wing, then the threats across both wings.
    threats: [Vec<Threat>; 2],
    /// A mask of the columns of the board that are not full.
    open: u32,
    /// The fewest moves that a stored position may have.
    least_moves: u32,
    /// The spine of the last matrix. `beside_spine` has those `threats` whose pattern fits this spine.
    spine: Option<Spine>,
    beside_spine: [Vec<Threat>; 2],
    /// For each row, each column and each position of the current row: the columns of its threats
    /// ([`Threat::columns`]).
    marks: [Vec<u32>; 3],
}

impl ShapeWalk {
    fn new(index: &Index, mover: Player, has_forced: bool, shape: Shape) -> ShapeWalk {
        let (board, split) = (index.board(), &index.split);
        let occupied = occupied(split, shape);
        let landing = |column: usize| {
            let free = board.column_cells(column) & !occupied;
            (free != 0).then_some((free & free.wrapping_neg(), 1 << column))
        };
        let landings: Vec<(u64, u32)> = (0..board.width()).filter_map(landing).collect();
        let left: Vec<_> = split.columns(shape.left, false).collect();
        let right: Vec<_> = split.columns(shape.right, true).collect();
        // Allocate at once: growing took a tenth of the time of a sampled verification.
        let mut threats = [0, 1].map(|_| Vec::with_capacity(128));
        for line in fourbase::lines(board) {
            let missing = line & !occupied;
            let landing = landings.iter().find(|(cell, _)| *cell == missing);
            let columns = if missing == 0 { Some(u32::MAX) } else { landing.map(|(_, column)| *column) };
            let Some(columns) = columns else { continue };
            // The other player's threats matter only if they force a move and forced positions are not stored. Under
            // misère they force nothing, because completing a line loses. Complete lines of both players always matter.
            let is_of_both = missing == 0 || !board.is_misere() && !has_forced;
            for owner in [Some(mover), is_of_both.then(|| mover.other())].into_iter().flatten() {
                let pattern = |columns: &[(u32, usize)]| Pattern::new(pieces(columns, line & !missing), owner);
                let spine = pattern(&[(shape.spine_height, split.spine_cell())]);
                let threat = Threat { left: pattern(&left), spine, right: pattern(&right), columns };
                let [inside, across] = &mut threats;
                let is_across = threat.left.pieces != 0 && threat.right.pieces != 0;
                if is_across { across } else { inside }.push(threat);
            }
        }
        let open = landings.iter().map(|(_, column)| column).sum();
        let least_moves = if has_forced { 1 } else { 2 };
        let beside_spine = [0, 1].map(|_| Vec::with_capacity(128));
        ShapeWalk { shape, threats, open, least_moves, spine: None, beside_spine, marks: Default::default() }
    }

    /// Calls `show` with each quiet entry of the range `entries`, which lies in one matrix.
    fn matrix(&mut self, index: &Index, located: &Located, entries: Range<u64>, show: &mut impl FnMut(u64, &Parts)) {
        let Located { matrix, first_entry, .. } = *located;
        let ShapeWalk { open, least_moves, threats, beside_spine, marks, .. } = self;
        let is_misere = index.board().is_misere();
        if self.spine.replace(matrix.spine) != Some(matrix.spine) {
            for (beside_spine, threats) in beside_spine.iter_mut().zip(threats) {
                beside_spine.clear();
                beside_spine.extend(threats.iter().filter(|threat| threat.spine.fits(matrix.spine.bits)));
            }
        }
        let [inside, across] = beside_spine;
        let [row_marks, column_marks, marks] = marks;
        // Returns whether a position is quiet, given the columns of its threats (see `Threat::columns`) as bits.
        let is_quiet = |marks: u32| (is_misere || marks == 0) && (*open & !marks).count_ones() >= *least_moves;
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let width = u64::from(matrix.columns);
        let (start, end) = (entries.start - first_entry, entries.end - first_entry);
        let (first_row, last_row) = (start / width, (end - 1) / width);
        let columns = if first_row == last_row { start % width..(end - 1) % width + 1 } else { 0..width };
        let right = right.get(columns.start as usize..columns.end as usize).unwrap_or_default();
        let in_columns = inside.iter().filter(|threat| threat.left.pieces == 0);
        mark_all(in_columns.map(|threat| (threat.right, threat.columns)), right, column_marks);
        let left = left.get(first_row as usize..=last_row as usize).unwrap_or_default();
        let in_rows = inside.iter().filter(|threat| threat.right.pieces == 0);
        mark_all(in_rows.map(|threat| (threat.left, threat.columns)), left, row_marks);
        let rows = (first_row..).zip(left.iter().copied().zip(&*row_marks));
        for (row, (left_bits, row_marks)) in rows.filter(|(_, (_, marks))| is_quiet(**marks)) {
            let first = row * width;
            let from = start.max(first) - first;
            let held = (from - columns.start) as usize..(end.min(first + width) - first - columns.start) as usize;
            let right = right.get(held.clone()).unwrap_or_default();
            marks.clear();
            marks.extend(column_marks.get(held).unwrap_or_default().iter().map(|marks| marks | row_marks));
            let of_row = across.iter().filter(|threat| threat.left.fits(left_bits));
            of_row.for_each(|threat| threat.right.mark(threat.columns, right, marks));
            for ((column, right_bits), marks) in (from..).zip(right).zip(&*marks) {
                if is_quiet(*marks) {
                    let (Matrix { left, spine, right, .. }, right_bits) = (matrix, *right_bits);
                    show(first_entry + first + column, &Parts { left, left_bits, spine, right, right_bits });
                }
            }
        }
    }
}

/// Stores in `marks`, for each colouring, the columns of all patterns that fit it.
fn mark_all(patterns: impl Iterator<Item = (Pattern, u32)>, colourings: &[u32], marks: &mut Vec<u32>) {
    marks.clear();
    marks.resize(colourings.len(), 0);
    patterns.for_each(|(pattern, columns)| pattern.mark(columns, colourings, marks));
}

/// Returns which pieces lie in `cells`, as bits of a colouring. `columns` lists each column's number of pieces and its
/// lowest cell, in the order of the colouring.
fn pieces(columns: &[(u32, usize)], cells: u64) -> u32 {
    let mut before = 0;
    let of_column = columns.iter().map(|(pieces, lowest)| {
        let here = (cells >> lowest & low_bits(*pieces)) << before;
        before += pieces;
        here
    });
    of_column.fold(0, |all, here| all | here) as u32
}

/// Returns the position of an entry; `None` if the entry is not a position, because both players have lines or the
/// player to move has one.
pub(super) fn position_of(index: &Index, directory: &TierDirectory, entry: u64) -> Option<Position> {
    let [first, second] = index.split.bitboards(&directory.unrank(index, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::quiet::{StaticEvaluation, evaluate};

    /// Compares the stored positions of a run with the definition, one position at a time.
    fn compare(index: &Index, directory: &TierDirectory, has_forced: bool, run: Range<u64>) {
        let positions = run.clone().filter_map(|entry| Some((entry, position_of(index, directory, entry)?)));
        let lost = Outcome { value: Value::Lose, remoteness: Some(2) };
        let is_stored = |(_, position): &(u64, Position)| {
            let evaluation = static_evaluation(position);
            assert_eq!(evaluation == Evaluation::Quiet, evaluate(position) == StaticEvaluation::Quiet);
            match evaluation {
                Evaluation::Quiet => true,
                Evaluation::Forced(_) => has_forced,
                Evaluation::Decided(outcome) => has_forced && outcome == lost,
            }
        };
        let expected: Vec<_> = positions.filter(is_stored).collect();
        let mut quiet = Vec::new();
        each_quiet(index, directory, has_forced, run.clone(), |entry, parts| {
            let [first, second] = index.split.bitboards(parts);
            quiet.push((entry, Position::from_bitboards(index.board(), first, second).unwrap()));
        });
        assert_eq!(quiet, expected, "{} {run:?}", index.board());
    }

    #[test]
    fn a_walk_finds_the_quiet_positions_of_any_run_of_entries() {
        let small = ["4x4", "5x3", "4x4c3", "4x4m", "3x3c2m", "1x8", "8x2", "2x2c2", "1x1", "3x3c1"];
        for name in [&small[..], &["7x6", "6x6m", "5x7c5", "9x4"]].concat() {
            let index = Index::new(name.parse().unwrap(), Kernel::portable()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                let tier = TierDirectory::new(&index, ply);
                let entries = tier.entries();
                // Test only two runs of a large tier.
                let (each, parts) = if small.contains(&name) { (37, entries.div_ceil(37)) } else { (2048, 2) };
                let start = |part| (u128::from(entries) * part / u128::from(parts)) as u64;
                let starts = (0..u128::from(parts)).map(start);
                let runs = starts.map(|start| start..entries.min(start + each));
                for (run, has_forced) in runs.flat_map(|run| [(run.clone(), false), (run, true)]) {
                    compare(&index, &tier, has_forced, run);
                }
            }
        }
    }
}
