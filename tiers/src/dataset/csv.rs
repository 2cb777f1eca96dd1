//! Comma-separated values. No text of a data set has a comma or a quotation mark, so nothing is quoted.

use std::io::Write;

use rayon::prelude::*;

use super::cells::{Cells, Portion};
use super::column::Field;
use super::error::DatasetError;
use super::writer::Writer;

/// How many rows a thread writes at once.
const ROWS: usize = 4096;

/// Writes a file of comma-separated values.
pub(super) struct Csv<'o> {
    output: &'o mut (dyn Write + Send),
}

impl<'o> Csv<'o> {
    /// Writes the line of names.
    pub fn begin(output: &'o mut (dyn Write + Send), fields: &[Field]) -> Result<Csv<'o>, DatasetError> {
        let names: Vec<String> = fields.iter().map(|field| field.name()).collect();
        writeln!(output, "{}", names.join(","))?;
        Ok(Csv { output })
    }
}

impl Writer for Csv<'_> {
    fn write(&mut self, portion: &Portion) -> Result<(), DatasetError> {
        let starts: Vec<usize> = (0..portion.rows).step_by(ROWS).collect();
        let text = |start: usize| -> Vec<u8> {
            let mut text = Vec::new();
            for row in start..portion.rows.min(start + ROWS) {
                for (number, (_, cells)) in portion.fields.iter().enumerate() {
                    if number > 0 {
                        text.push(b',');
                    }
                    push(&mut text, cells, row);
                }
                text.push(b'\n');
            }
            text
        };
        let texts: Vec<Vec<u8>> = starts.into_par_iter().map(text).collect();
        Ok(texts.iter().try_for_each(|text| self.output.write_all(text))?)
    }

    fn end(self: Box<Self>) -> Result<(), DatasetError> {
        Ok(self.output.flush()?)
    }
}

/// Appends a cell; nothing for one that the row lacks. Writing to memory does not fail.
fn push(text: &mut Vec<u8>, cells: &Cells, row: usize) {
    let _ = match cells {
        Cells::Text(cells) => text.write_all(cells.get(row).map_or(&[], |cell| cell.as_bytes())),
        Cells::Bitboards(cells) => cells.get(row).map_or(Ok(()), |cell| write!(text, "{cell}")),
        Cells::Numbers(cells) => cells.get(row).map_or(Ok(()), |cell| write!(text, "{cell}")),
        Cells::Maybe(cells) => cells.get(row).copied().flatten().map_or(Ok(()), |cell| write!(text, "{cell}")),
    };
}
