//! The board: its columns and rows, how many pieces in a row make a line, and whether a line wins or loses.
//!
//! Cells are numbered column by column, each column from the bottom up. The cell in column `c` and row `r` is number
//! `c * height + r`, and bit `c * height + r` of a bitboard. No sentinel row separates the columns, so 64 cells fit in
//! 64 bits; code that shifts a bitboard has to mask the bits that would slide from one column into the next.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::excerpt::{excerpt, name_found};

/// The largest number of cells of a board: a bitboard is 64 bits.
pub const MAX_CELLS: usize = 64;

/// The largest number of columns of a board: `1` to `9` and `a` to `w` name them.
pub const MAX_COLUMNS: usize = 32;

/// The largest number to connect, far more than fit in a row on any board. (Nobody can win if no line fits.)
pub const MAX_CONNECT: usize = 255;

/// How many pieces in a row make a line if the board's name does not say.
const USUAL_CONNECT: u8 = 4;

/// The longest excerpt of an invalid name in an error.
const EXCERPT_BYTES: usize = 40;

/// The board of a game and its rules: four small integers.
///
/// Written `WxH` (columns x rows), then `cK` if K is not 4, then `m` for misère: `5x4`, `4x4c3`, `4x4m`, `4x4c3m`.
/// Every board has one name. Besides that name, only capital letters and `c4` are accepted when reading.
///
/// ```
/// use fourbase::Board;
///
/// let board: Board = "4x4c3m".parse()?;
/// assert_eq!((board.width(), board.height(), board.connect(), board.is_misere()), (4, 4, 3, true));
/// assert_eq!("4x4c4".parse::<Board>()?.to_string(), "4x4");
/// assert!("04x4".parse::<Board>().is_err());
/// # Ok::<(), fourbase::BoardError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    width: u8,
    height: u8,
    connect: u8,
    misere: bool,
}

impl Board {
    /// Makes a board of `width` columns (1 to 32) and `height` rows (1 to 64), at most 64 cells, where `connect` (1 to
    /// 255) in a row make a line. A line wins, or loses if `misere` is set. If no line of `connect` pieces fits on the
    /// board, nobody can make a line.
    ///
    /// # Errors
    ///
    /// [`BoardError`] names the first limit that is broken: columns, rows, cells, `connect`.
    ///
    /// ```
    /// use fourbase::Board;
    ///
    /// assert_eq!(Board::new(9, 7, 4, false)?.to_string(), "9x7");
    /// assert!(Board::new(9, 8, 4, false).is_err());
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    pub fn new(width: usize, height: usize, connect: usize, misere: bool) -> Result<Board, BoardError> {
        let columns = small(width, MAX_COLUMNS).ok_or(BoardError::Columns(width))?;
        let rows = small(height, MAX_CELLS).ok_or(BoardError::Rows(height))?;
        if width * height > MAX_CELLS {
            return Err(BoardError::Cells { columns: width, rows: height, found: width * height });
        }
        let connect = small(connect, MAX_CONNECT).ok_or(BoardError::Connect(connect))?;
        Ok(Board { width: columns, height: rows, connect, misere })
    }

    /// Returns the number of columns, 1 to 32.
    pub fn width(self) -> usize {
        usize::from(self.width)
    }

    /// Returns the number of rows, 1 to 64.
    pub fn height(self) -> usize {
        usize::from(self.height)
    }

    /// Returns how many pieces in a row make a line, 1 to 255.
    pub fn connect(self) -> usize {
        usize::from(self.connect)
    }

    /// Returns whether the player who completes a line loses.
    pub fn is_misere(self) -> bool {
        self.misere
    }

    /// Returns the number of cells, 1 to 64.
    pub fn cells(self) -> usize {
        self.width() * self.height()
    }

    /// Returns the number of the cell in `column` and `row`, both counted from 0, row 0 at the bottom. It is also the
    /// cell's bit in a bitboard. Neither argument is checked.
    ///
    /// ```
    /// let board: fourbase::Board = "5x4".parse()?;
    /// assert_eq!(board.cell(2, 1), 9);
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    pub fn cell(self, column: usize, row: usize) -> usize {
        column * self.height() + row
    }

    /// Returns the bitboard with every cell set.
    pub fn all_cells(self) -> u64 {
        low_bits(self.cells())
    }

    /// Returns the bitboard with the bottom cell of every column set.
    ///
    /// Multiplying it by a bit string of at most `height` bits copies that string into every column.
    pub fn bottom_cells(self) -> u64 {
        EVERY_NTH_BIT[self.height()] & self.all_cells()
    }

    /// Returns the bitboard with the cells of `column` (from 0) set; none for a column outside the board.
    pub fn column_cells(self, column: usize) -> u64 {
        if column < self.width() { low_bits(self.height()) << (column * self.height()) } else { 0 }
    }

    /// Lists the columns from the centre outwards, the left one of two equally central columns first.
    pub fn central_columns(self) -> Vec<usize> {
        let mut columns = (0..self.width()).collect::<Vec<_>>();
        // The key is twice the distance from the middle. The sort is stable, so the left one of two equals stays first.
        columns.sort_by_key(|&column| (2 * column).abs_diff(self.width() - 1));
        columns
    }
}

/// Returns `number` as a byte if it is in `1..=max`; `max` is at most 255.
fn small(number: usize, max: usize) -> Option<u8> {
    if (1..=max).contains(&number) { u8::try_from(number).ok() } else { None }
}

/// Returns a word with the lowest `count` (0 to 64) bits set.
pub(crate) fn low_bits(count: usize) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}

/// For each n, the word with bits 0, n, 2n, ... set. This is a table because the closed form needs a division, which
/// would slow down every line test.
const EVERY_NTH_BIT: [u64; MAX_CELLS + 1] = {
    let mut words = [1; MAX_CELLS + 1];
    let mut n = 1;
    while n <= MAX_CELLS {
        let mut bit = n;
        while bit < MAX_CELLS {
            words[n] |= 1 << bit;
            bit += n;
        }
        n += 1;
    }
    words
};

impl fmt::Display for Board {
    /// Writes the board's name, such as `5x4` or `4x4c3m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = format!("{}x{}", self.width, self.height);
        if self.connect != USUAL_CONNECT {
            name.push_str(&format!("c{}", self.connect));
        }
        if self.misere {
            name.push('m');
        }
        f.pad(&name)
    }
}

impl FromStr for Board {
    type Err = BoardError;

    /// Reads a board's name, in small or capital letters. No spaces, signs or leading zeros are allowed.
    fn from_str(text: &str) -> Result<Board, BoardError> {
        let mut reader = Reader { text, place: 0 };
        let width = reader.number("a number of columns")?;
        if !reader.take('x') {
            return Err(reader.expected("'x' between columns and rows"));
        }
        let height = reader.number("a number of rows")?;
        let says_connect = reader.take('c');
        let connect = if says_connect { reader.number("how many to connect")? } else { usize::from(USUAL_CONNECT) };
        let misere = reader.take('m');
        if reader.peek().is_some() {
            return Err(reader.expected(match (says_connect, misere) {
                (_, true) => "nothing after 'm'",
                (true, false) => "'m' or nothing",
                (false, false) => "'c', 'm' or nothing",
            }));
        }
        Board::new(width, height, connect, misere)
    }
}

/// Reads the name of a board from left to right. Every character that it accepts is one byte of ASCII, so `place` is
/// always the start of a character, and also the number of characters read.
struct Reader<'a> {
    text: &'a str,
    place: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.place..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek().is_some_and(|found| found.eq_ignore_ascii_case(&wanted));
        self.place += usize::from(found);
        found
    }

    /// Takes a number of one to three digits without leading zeros. It accepts 0, which the board's limits refuse
    /// later.
    fn number(&mut self, expected: &'static str) -> Result<usize, BoardError> {
        let start = self.place;
        let mut number = 0;
        while let Some(digit) = self.peek().and_then(|character| character.to_digit(10)) {
            if self.place == start + 3 {
                return Err(self.expected("no more than three digits"));
            }
            if self.place == start + 1 && number == 0 {
                self.place = start;
                return Err(self.expected("a number without leading zeros"));
            }
            number = number * 10 + digit as usize;
            self.place += 1;
        }
        if self.place == start { Err(self.expected(expected)) } else { Ok(number) }
    }

    fn expected(&self, expected: &'static str) -> BoardError {
        BoardError::Syntax {
            text: excerpt(self.text, EXCERPT_BYTES),
            place: self.place + 1,
            expected,
            found: self.peek(),
        }
    }
}

/// Says why a text or some numbers do not describe a board.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BoardError {
    /// The text is not a board's name.
    #[error(
        "\"{text}\" is not a board: expected {expected} at character {place}, found {}; \
         write columns x rows, then c and how many to connect if not 4, then m for misère, such as 5x4, 4x4c3 or 4x4m",
        name_found(*found)
    )]
    Syntax {
        /// The text, escaped and cut.
        text: String,
        /// Which character of the text is wrong, counted from 1.
        place: usize,
        /// What was expected there.
        expected: &'static str,
        /// What was found there; `None` for the end of the text.
        found: Option<char>,
    },
    /// Too few or too many columns.
    #[error("a board has 1 to {MAX_COLUMNS} columns, found {0}; correct the number before the x")]
    Columns(usize),
    /// Too few or too many rows.
    #[error("a board has 1 to {MAX_CELLS} rows, found {0}; correct the number after the x")]
    Rows(usize),
    /// Too many cells.
    #[error("a board has at most {MAX_CELLS} cells, found {columns} x {rows} = {found}; take fewer columns or rows")]
    Cells {
        /// The columns asked for.
        columns: usize,
        /// The rows asked for.
        rows: usize,
        /// Their product.
        found: usize,
    },
    /// The number to connect is out of range.
    #[error(
        "the number to connect is 1 to {MAX_CONNECT}, found {0}; \
         to make a board that nobody can win, take c{MAX_CELLS}"
    )]
    Connect(usize),
}

#[cfg(test)]
mod tests {
    use super::{Board, low_bits};

    #[test]
    fn every_size_within_the_limits_is_a_board_and_no_other() {
        for width in 0..70 {
            for height in 0..70 {
                let fits = (1..=32).contains(&width) && height >= 1 && width * height <= 64;
                assert_eq!(Board::new(width, height, 4, false).is_ok(), fits, "{width}x{height}");
            }
        }
        assert!(Board::new(usize::MAX, usize::MAX, 4, false).is_err());
        assert!((0..300).all(|connect| Board::new(4, 4, connect, false).is_ok() == (1..=255).contains(&connect)));
    }

    #[test]
    fn columns_come_from_the_centre_outwards() {
        for (name, columns) in [("7x6", &[3, 2, 4, 1, 5, 0, 6][..]), ("4x4", &[1, 2, 0, 3]), ("1x4", &[0])] {
            assert_eq!(name.parse::<Board>().unwrap().central_columns(), columns);
        }
    }

    #[test]
    fn bottom_cells_are_the_lowest_of_each_column() {
        for (width, height) in (1..=32).flat_map(|width| (1..=64 / width).map(move |height| (width, height))) {
            let board = Board::new(width, height, 4, false).unwrap();
            let bottom = (0..width).map(|column| 1 << board.cell(column, 0)).sum::<u64>();
            assert_eq!(board.bottom_cells(), bottom, "{board}");
            assert_eq!(board.to_string().parse(), Ok(board));
            let columns = (0..width).fold(0, |cells, column| cells | board.column_cells(column));
            assert_eq!(columns, board.all_cells());
            assert_eq!(board.column_cells(width), 0);
        }
    }

    #[test]
    fn low_bits_reach_from_none_to_all() {
        assert_eq!((low_bits(0), low_bits(1), low_bits(63), low_bits(64)), (0, 1, u64::MAX >> 1, u64::MAX));
    }
}
