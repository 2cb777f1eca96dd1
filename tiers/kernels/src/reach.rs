//! Finds the positions that play reaches, one ply at a time: a kernel gathers the rows of a child's matrix from those
//! of its parents.
//!
//! Each tier has one plane: the bit of a position is set if play reaches it and has not ended there. A child's row is
//! the OR of its parents' rows, each moved by its drop. So the loop that solves a [`Band`] finds the reached positions
//! too, with a code of one plane and with parents as neighbours.
//!
//! Positions in which the player who has just moved has a line across both wings are counted and then cleared.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::bits::{Bits, Task};
use super::code::Wdl;
use super::matrix::{Band, Buffers, take_drops};

/// How many positions of a band play reaches.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pulled {
    /// Positions that stay in the rows.
    pub without_line: u64,
    /// Positions with a line across both wings, which are removed from the rows.
    pub with_line: u64,
}

impl Add for Pulled {
    type Output = Pulled;

    fn add(self, other: Pulled) -> Pulled {
        Pulled { without_line: self.without_line + other.without_line, with_line: self.with_line + other.with_line }
    }
}

/// Gathers a band of reached positions from its parents and counts them. Writes them to `out` if given.
pub struct PullBand<'a, 'b> {
    /// The band, whose outcomes are all 0.
    pub band: &'a Band<'b>,
    /// Receives the band's rows; with `None`, positions are only counted.
    pub out: Option<&'a mut [u64]>,
    /// Buffers to reuse.
    pub buffers: &'a mut Buffers,
}

impl Task for PullBand<'_, '_> {
    type Output = Pulled;

    #[inline(always)]
    fn run<B: Bits>(self) -> Pulled {
        let PullBand { band, out, buffers } = self;
        let words = band.words();
        let mut pulled = Pulled::default();
        let mut counted = std::mem::take(&mut buffers.counted);
        let out = out.unwrap_or_else(|| {
            counted.resize(band.rows.len() * words, 0);
            &mut counted
        });
        // A bit is set if any parent has it.
        take_drops::<Wdl<true>, B, 1>(Wdl, band, out, buffers);
        band.lines.each_row_with_line(band.left, 0..words, |row, columns| {
            for (word, columns) in out[row * words..].iter_mut().zip(columns) {
                pulled.with_line += u64::from((*word & columns).count_ones());
                *word &= !columns;
            }
        });
        // A loop instead of a sum over `map`, because the closure might be compiled without the processor's bit count.
        for word in out.iter() {
            pulled.without_line += u64::from(word.count_ones());
        }
        buffers.counted = counted;
        pulled
    }
}
