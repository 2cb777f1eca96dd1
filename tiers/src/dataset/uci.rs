//! The text of the data set `connect-4` of the UCI repository: a letter for each cell, `x` first player, `o` second player,
//! `b` blank, column after column from the left and each from the bottom up, then the class for the **first** player:
//! `win`, `loss` or `draw`. Commas between them, no line of names.

use std::io::Write;

use fourbase::{Board, Player};

use super::cells::{Cells, Portion};
use super::column::Field;
use super::error::DatasetError;
use super::writer::Writer;

/// Writes a file like `connect-4.data`.
pub(super) struct Uci<'o> {
    output: &'o mut (dyn Write + Send),
    board: Board,
}

impl<'o> Uci<'o> {
    pub fn begin(output: &'o mut (dyn Write + Send), board: Board) -> Uci<'o> {
        Uci { output, board }
    }
}

impl Writer for Uci<'_> {
    fn write(&mut self, portion: &Portion) -> Result<(), DatasetError> {
        let cells = |wanted: Field| portion.fields.iter().find(|(field, _)| *field == wanted).map(|(_, cells)| cells);
        let [first, second] = [Player::First, Player::Second].map(|player| cells(Field::Pieces(player)));
        let (Some(Cells::Bitboards(first)), Some(Cells::Bitboards(second))) = (first, second) else { return Ok(()) };
        let (Some(Cells::Numbers(plies)), Some(Cells::Numbers(values))) = (cells(Field::Ply), cells(Field::Value))
        else {
            return Ok(());
        };
        let mut text = Vec::new();
        for (((first, second), ply), value) in first.iter().zip(second).zip(plies).zip(values) {
            for cell in 0..self.board.cells() {
                let is = |pieces: &u64| pieces >> cell & 1 == 1;
                let letter = match (is(first), is(second)) {
                    (true, _) => b'x',
                    (_, true) => b'o',
                    _ => b'b',
                };
                text.extend([letter, b',']);
            }
            let of_first = if ply % 2 == 0 { *value } else { -value };
            text.extend_from_slice(match of_first {
                1 => b"win\n",
                0 => b"draw\n",
                _ => b"loss\n",
            });
        }
        Ok(self.output.write_all(&text)?)
    }

    fn end(self: Box<Self>) -> Result<(), DatasetError> {
        Ok(self.output.flush()?)
    }
}
