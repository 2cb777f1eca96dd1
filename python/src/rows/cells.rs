//! The cells of one row of an array, as bitboards and back.
//!
//! Every encoding here numbers the same cells in another order, and has other numbers for the pieces.

use fourbase::{Board, Player, Position};

use super::encoding::Encoding;

/// Stands for a number that no encoding has.
pub const OUTSIDE: i8 = i8::MAX;

/// Returns how many numbers one row of an encoding has.
pub fn row_length(board: Board, encoding: Encoding) -> usize {
    board.cells()
        * match encoding {
            Encoding::PettingZoo => 2,
            Encoding::OpenSpiel | Encoding::Egocentric => PLANES,
            _ => 1,
        }
}

/// The planes of OpenSpiel's tensor: the first player's pieces, the second's, and empty cells; in its egocentric form those of
/// the other player, of the player to move, and empty cells.
pub const PLANES: usize = 3;

/// Returns the cell of a bitboard for place `place` of a picture whose rows go from the left to the right, the first at the top.
fn from_top(board: Board, place: usize) -> usize {
    board.cell(place % board.width(), board.height() - 1 - place / board.width())
}

/// Returns the cell of a bitboard for place `place` of a picture whose rows go from the left to the right, the first at the
/// bottom.
fn from_bottom(board: Board, place: usize) -> usize {
    board.cell(place % board.width(), place / board.width())
}

/// Names a cell for people.
fn cell_name(board: Board, cell: usize) -> String {
    let (column, row) = (cell / board.height() + 1, cell % board.height() + 1);
    format!("column {column}, row {row} (from the bottom)")
}

/// Reads one row. `mark` is Kaggle's, if it is known.
pub fn decode(board: Board, encoding: Encoding, row: &[i8], mark: Option<i8>) -> Result<Position, String> {
    let [first, second] = match encoding {
        Encoding::PettingZoo => in_turn(mover_planes(board, row)?)?,
        Encoding::OpenSpiel => planes(board, row)?,
        Encoding::Egocentric => {
            let [other, mine] = planes(board, row)?;
            in_turn([mine, other])?
        }
        Encoding::Uci => numbers(row, |place| place).map_err(|(cell, found)| {
            let letter = char::from(found.cast_unsigned()).escape_default().to_string();
            format!(
                "{} has '{letter}'; write b for nothing, x for the first player, o for the second",
                cell_name(board, cell)
            )
        })?,
        _ => numbers(row, |place| from_top(board, place)).map_err(|(cell, found)| {
            let found = if found == OUTSIDE { "another number".to_owned() } else { found.to_string() };
            let place = cell_name(board, cell);
            format!("{place} has {found}; write 0 for nothing, 1 for the first player, 2 or -1 for the second")
        })?,
    };
    let position = Position::from_bitboards(board, first, second).map_err(|error| error.to_string())?;
    let expected = if position.to_move() == Player::First { 1 } else { 2 };
    match mark {
        Some(mark) if mark != expected => Err(format!(
            "mark is {mark}, but by the number of pieces {expected} is to move; give the observation of that agent"
        )),
        _ => Ok(position),
    }
}

/// Reads a number or a letter a cell; the error is the cell and what is there.
fn numbers(row: &[i8], cell: impl Fn(usize) -> usize) -> Result<[u64; 2], (usize, i8)> {
    const X: i8 = b'x' as i8;
    const O: i8 = b'o' as i8;
    const B: i8 = b'b' as i8;
    let mut boards = [0; 2];
    for (place, number) in row.iter().enumerate() {
        match *number {
            0 | B => {}
            1 | X => boards[0] |= 1 << cell(place),
            2 | -1 | O => boards[1] |= 1 << cell(place),
            found => return Err((cell(place), found)),
        }
    }
    Ok(boards)
}

/// Reads the planes of the player to move and of the other one.
fn mover_planes(board: Board, row: &[i8]) -> Result<[u64; 2], String> {
    let mut boards = [0_u64; 2];
    for (place, pair) in row.chunks_exact(2).enumerate() {
        for (plane, number) in pair.iter().enumerate() {
            let cell = from_top(board, place);
            boards[plane] |= bit(board, cell, *number)? << cell;
        }
    }
    Ok(boards)
}

/// Finds out who is first, from the pieces of the player to move and of the other one.
fn in_turn([mine, other]: [u64; 2]) -> Result<[u64; 2], String> {
    let (of_mine, of_other) = (mine.count_ones(), other.count_ones());
    if of_mine == of_other {
        Ok([mine, other])
    } else if of_mine + 1 == of_other {
        Ok([other, mine])
    } else if of_mine == of_other + 1 {
        Err("the observer has one piece more than the other player, so just moved; give the observation of the agent to move".into())
    } else {
        Err(format!(
            "the observer has {of_mine} pieces and the other player {of_other}; \
             players move in turn, so the agent to move must have as many or one less"
        ))
    }
}

/// Reads OpenSpiel's planes; returns the first two.
fn planes(board: Board, row: &[i8]) -> Result<[u64; 2], String> {
    let cells = board.cells();
    let mut boards = [0_u64; PLANES];
    for (place, number) in row.iter().enumerate() {
        let cell = from_bottom(board, place % cells);
        boards[place / cells] |= bit(board, cell, *number)? << cell;
    }
    let [first, second, empty] = boards;
    let twice = (empty & first) | (empty & second);
    let none = board.all_cells() & !(empty | first | second);
    for (cells, what) in [(twice, "is empty and has a piece"), (none, "is 0 in every plane")] {
        if cells != 0 {
            let place = cell_name(board, cells.trailing_zeros() as usize);
            return Err(format!("{place} {what}; exactly one of the {PLANES} planes has a 1"));
        }
    }
    Ok([first, second])
}

/// Reads a number of a plane.
fn bit(board: Board, cell: usize, number: i8) -> Result<u64, String> {
    match number {
        0 => Ok(0),
        1 => Ok(1),
        _ => Err(format!("{} has a number other than 0 and 1; planes have no others", cell_name(board, cell))),
    }
}

/// Writes one row, which has [`row_length`] numbers, all 0.
pub fn encode(position: &Position, encoding: Encoding, row: &mut [i8]) {
    let board = position.board();
    let cells = board.cells();
    let is = |player: Player, cell: usize| (position.pieces(player) >> cell & 1) as i8;
    match encoding {
        Encoding::PettingZoo => {
            let mover = position.to_move();
            for (place, pair) in row.chunks_exact_mut(2).enumerate() {
                let cell = from_top(board, place);
                pair.copy_from_slice(&[is(mover, cell), is(mover.other(), cell)]);
            }
        }
        Encoding::OpenSpiel | Encoding::Egocentric => {
            let (one, two) = match encoding {
                Encoding::OpenSpiel => (Player::First, Player::Second),
                _ => (position.to_move().other(), position.to_move()),
            };
            for place in 0..cells {
                let cell = from_bottom(board, place);
                let states = [is(one, cell), is(two, cell), 1 - is(one, cell) - is(two, cell)];
                for (plane, state) in states.into_iter().enumerate() {
                    row[plane * cells + place] = state;
                }
            }
        }
        Encoding::Uci => {
            for (cell, number) in row.iter_mut().enumerate() {
                *number = match position.piece(cell / board.height(), cell % board.height()) {
                    Some(Player::First) => b'x',
                    Some(Player::Second) => b'o',
                    None => b'b',
                }
                .cast_signed();
            }
        }
        _ => {
            for (place, number) in row.iter_mut().enumerate() {
                let cell = from_top(board, place);
                *number = is(Player::First, cell) + 2 * is(Player::Second, cell);
            }
        }
    }
}
