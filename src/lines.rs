//! Lines: lists the places where K in a row fit, and tests whether a player's pieces make a line.
//!
//! With cells numbered `column * height + row`, the next cell of a line is always the same number of bits away: 1 going
//! up, `height` going right, `height + 1` going right and up, `height - 1` going right and down. So `x & (x >> step)`
//! leaves the cells that start two in a row. Repeating this with doubled distances finds K in a row after about log2(K)
//! shifts. There are no sentinel rows, so a run could slide from the top of one column into the next. A mask prevents
//! this: it keeps only the cells from which a whole line fits on the board.

use crate::Board;
use crate::board::low_bits;

/// Returns the distance in bits from one cell of a line to the next, for lines that go up, right, right and up, and
/// right and down. (The last distance is 0 on a board of one row, where no line of two cells goes down.)
#[inline(always)]
fn steps(board: Board) -> [usize; 4] {
    [1, board.height(), board.height() + 1, board.height() - 1]
}

/// Returns, for each direction in the order of [`steps`], the cells where a line can start and stay on the board.
/// Computing all four masks costs little more than computing one.
#[inline(always)]
fn starts(board: Board) -> [u64; 4] {
    let beyond_first = board.connect() - 1;
    let fits_across = board.width().saturating_sub(beyond_first);
    let up = low_bits(board.height().saturating_sub(beyond_first));
    let column = low_bits(board.height());
    let down = column & !low_bits(beyond_first.min(64));
    let all = board.bottom_cells();
    let across = all & low_bits(fits_across * board.height());
    // Multiplying the bottom cells by a mask of rows copies the mask into each column. No bits carry into the next
    // column, because the mask has at most as many bits as a column.
    [all * up, across * column, across * up, across * down]
}

/// Lists the places where `connect` in a row fit, each as the mask of its cells and each once.
///
/// A line of one cell has no direction, so for K = 1 each cell is listed once. There are at most 4 lines per cell;
/// there are none if K is larger than the board.
///
/// ```
/// use fourbase::{Board, lines};
///
/// let count = |name: &str| lines(name.parse::<Board>().unwrap()).count();
/// assert_eq!((count("7x6"), count("9x7"), count("4x4c1"), count("4x4c5")), (69, 126, 16, 0));
/// ```
pub fn lines(board: Board) -> impl Iterator<Item = u64> {
    let directions = if board.connect() == 1 { 1 } else { 4 };
    steps(board).into_iter().zip(starts(board)).take(directions).flat_map(move |(step, starts)| {
        bits(starts).map(move |start| (0..board.connect()).map(|i| 1 << (start + i * step)).sum())
    })
}

/// Lists the numbers of the bits that are set, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then_some(word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
}

/// Returns whether `pieces` of one player contain a line.
///
/// Costs about a dozen word operations a direction and allocates nothing. Bits outside the board are ignored.
///
/// ```
/// use fourbase::{Board, has_line};
///
/// let board: Board = "4x4".parse()?;
/// assert!(has_line(board, 0b1111_0000)); // the second column
/// assert!(!has_line(board, 0b0011_1100)); // four bits in a row, but in two columns
/// # Ok::<(), fourbase::BoardError>(())
/// ```
pub fn has_line(board: Board, pieces: u64) -> bool {
    match board.connect() {
        4 => has_line_of(board, 4, pieces),
        connect => has_line_of(board, connect, pieces),
    }
}

/// Does the same as [`has_line`] for lines of `connect` cells. It runs twice as fast if `connect` is a constant.
#[inline(always)]
fn has_line_of(board: Board, connect: usize, pieces: u64) -> bool {
    // If a line fits, all shifts are below 64, because its last cell has a number below 64.
    let along = |step: usize| if (connect - 1) * step < 64 { runs(pieces, step, connect) } else { 0 };
    let [up, right, right_up, right_down] = steps(board);
    let runs = [along(up), along(right), along(right_up), along(right_down)];
    // Return early: calling `starts` costs more than finding the runs, and runs of the whole length are rare.
    if runs[0] | runs[1] | runs[2] | runs[3] == 0 {
        return false;
    }
    runs.into_iter().zip(starts(board)).any(|(runs, starts)| runs & starts != 0)
}

/// Returns the cells where one more piece completes a line of `pieces`: the missing cell of every line that lacks only
/// one. Some of these cells may be occupied already. If `pieces` already contain a line, the result is unreliable.
///
/// Costs about `8 K` word operations a direction and allocates nothing.
///
/// ```
/// use fourbase::{Board, winning_cells};
///
/// let board: Board = "4x4".parse()?;
/// assert_eq!(winning_cells(board, 0b0000_0111), 0b0000_1000); // three of the first column: the fourth
/// # Ok::<(), fourbase::BoardError>(())
/// ```
pub fn winning_cells(board: Board, pieces: u64) -> u64 {
    // A loop with a constant number of steps is unrolled, which halves the time for the usual K. Short lines get small
    // arrays, because clearing arrays of 64 words would cost more than all the rest.
    match board.connect() {
        4 => winning_cells_of::<4>(board, 4, pieces),
        connect @ 1..=8 => winning_cells_of::<8>(board, connect, pieces),
        connect => winning_cells_of::<64>(board, connect, pieces),
    }
}

/// Does the same as [`winning_cells`] for lines of `connect` cells. If a line fits on the board, `connect` must be at
/// most `MOST`.
#[inline(always)]
fn winning_cells_of<const MOST: usize>(board: Board, connect: usize, pieces: u64) -> u64 {
    let (steps, starts) = (steps(board), starts(board));
    let along = |direction: usize| missing_cells::<MOST>(connect, pieces, steps[direction], starts[direction]);
    along(0) | along(1) | along(2) | along(3)
}

/// Returns the cells that complete a line in one direction. All shifts are by `step`, which stays in one register; a
/// shift by any other distance would take one more instruction.
#[inline(always)]
fn missing_cells<const MOST: usize>(connect: usize, pieces: u64, step: usize, starts: u64) -> u64 {
    if starts == 0 {
        return 0;
    }
    // Keep the shifts below 64. If a line of more than one cell fits, its step is below 64 already.
    let step = step & 63;
    // The bit of its first cell represents a line. `present[i]` has the lines with a piece in their cell `i`, and
    // `before[i]` the lines with pieces in all cells before cell `i`.
    let (mut present, mut before) = ([0; MOST], [0; MOST]);
    (present[0], before[0]) = (pieces, starts);
    for cell in 1..connect {
        present[cell] = present[cell - 1] >> step;
        before[cell] = before[cell - 1] & present[cell - 1];
    }
    // From the last cell back: add the lines that lack only this cell. Each round shifts the bits found so far by one
    // step, which finally moves the bit of each line to its missing cell.
    let (mut missing, mut after) = (0, u64::MAX);
    for cell in (0..connect).rev() {
        missing = missing << step | before[cell] & after;
        after &= present[cell];
    }
    missing
}

/// Returns the bits of `pieces` that start a run: `length` set bits, each `step` above the one before. The last bit
/// must be at most 63 above the first.
#[inline(always)]
fn runs(pieces: u64, step: usize, length: usize) -> u64 {
    let mut runs = pieces;
    let mut done = 1;
    while done < length {
        let further = done.min(length - done);
        runs &= runs >> (further * step);
        done += further;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{has_line, lines, winning_cells};
    use crate::Board;
    use crate::plain_game::{FIRST, PlainGame};
    use crate::position::tests::any_board;
    use proptest::prelude::*;

    /// Looks at every cell and walks along every direction.
    fn has_line_cell_by_cell(board: Board, pieces: u64) -> bool {
        let is_set = |place: &usize| pieces >> board.cell(place % board.width(), place / board.width()) & 1 == 1;
        let key = (0..board.cells()).filter(is_set).map(|place| 1_u128 << (2 * place)).sum();
        PlainGame::from_key(board, key).has_line(FIRST)
    }

    fn boards_of_every_size(connects: std::ops::RangeInclusive<usize>) -> impl Iterator<Item = Board> {
        (1..=32).flat_map(move |width| {
            let connects = connects.clone();
            (1..=64 / width).flat_map(move |height| {
                connects.clone().map(move |connect| Board::new(width, height, connect, false).unwrap())
            })
        })
    }

    #[test]
    fn winning_cells_are_the_cells_whose_addition_makes_a_line() {
        for board in boards_of_every_size(1..=5).filter(|board| board.cells() <= 9) {
            for pieces in (0..1u64 << board.cells()).filter(|pieces| !has_line(board, *pieces)) {
                let winning = winning_cells(board, pieces);
                for cell in (0..board.cells()).filter(|cell| pieces >> cell & 1 == 0) {
                    let makes = has_line(board, pieces | 1 << cell);
                    assert_eq!(winning >> cell & 1 == 1, makes, "{board} {pieces:b} {cell}");
                }
            }
        }
    }

    #[test]
    fn every_set_of_pieces_on_small_boards_agrees_with_a_scan() {
        for board in boards_of_every_size(1..=6).filter(|board| board.cells() <= 12) {
            for pieces in 0..1 << board.cells() {
                assert_eq!(has_line(board, pieces), has_line_cell_by_cell(board, pieces), "{board} {pieces:b}");
            }
        }
    }

    #[test]
    fn each_line_is_found_and_lost_with_any_of_its_cells() {
        for board in boards_of_every_size(1..=65) {
            assert_eq!(has_line(board, board.all_cells()), lines(board).next().is_some(), "{board}");
            for line in lines(board) {
                assert_eq!(line.count_ones() as usize, board.connect());
                assert!(has_line(board, line), "{board} {line:b}");
                let mut cells = line;
                while cells != 0 {
                    let cell = cells & cells.wrapping_neg();
                    assert!(!has_line(board, line & !cell), "{board} {line:b}");
                    cells &= !cell;
                }
            }
        }
    }

    #[test]
    fn no_line_is_listed_twice_and_their_number_is_the_known_one() {
        for board in boards_of_every_size(1..=9) {
            let mut all = lines(board).collect::<Vec<_>>();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{board}");
            // The formula of Pomakis counts the lines for K > 1 on boards that are at least K wide and high.
            let [w, h, k] = [board.width(), board.height(), board.connect()].map(|n| n as i64);
            if k > 1 && w >= k && h >= k {
                let expected = 4 * w * h - 3 * w * k - 3 * h * k + 3 * w + 3 * h - 4 * k + 2 * k * k + 2;
                assert_eq!(count as i64, expected, "{board}");
            }
        }
    }

    proptest! {
        #[test]
        fn random_pieces_agree_with_a_scan(board in any_board(), some in any::<u64>(), more in any::<u64>()) {
            for all_bits in [some, some | more, some & more] {
                let pieces = all_bits & board.all_cells();
                prop_assert_eq!(has_line(board, all_bits), has_line(board, pieces));
                prop_assert_eq!(has_line(board, pieces), has_line_cell_by_cell(board, pieces));
                prop_assert_eq!(has_line(board, pieces), lines(board).any(|line| pieces & line == line));
            }
        }

    }
}
