//! Which positions a data set has.

use fourbase::Board;

use super::error::DatasetError;
use super::kind::Kind;

/// Which positions of its plies a data set has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rows {
    /// Every legal position that no line has finished, in the order of the index.
    All,
    /// Unfinished positions drawn at random, in the order in which they were drawn.
    Sample {
        /// How many.
        count: u64,
        /// How they are drawn.
        kind: Kind,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// The rule of the UCI data set: no move of either player would complete a line, and of a position and its mirror
    /// image only the one that play from the centre outwards meets first.
    Unforced,
}

/// The positions of a data set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// Which positions of the plies.
    pub rows: Rows,
    /// The plies, in order.
    pub plies: Vec<u32>,
    /// Whether of a position and its mirror image only one is there, and of a sample each position once. Every choice of
    /// [`Rows::Unforced`] is distinct.
    pub is_distinct: bool,
}

impl Choice {
    /// Chooses every legal position of a board.
    #[must_use]
    pub fn all(board: Board) -> Choice {
        Choice { rows: Rows::All, plies: (0..=board.cells() as u32).collect(), is_distinct: false }
    }

    /// Says in words which positions these are.
    pub(super) fn told(&self) -> String {
        let distinct = if self.is_distinct { ", distinct up to mirror images" } else { "" };
        match self.rows {
            Rows::All if self.is_distinct => {
                "every legal position that no line has finished; of a position and its mirror image only one".to_owned()
            }
            Rows::All => "every legal position that no line has finished".to_owned(),
            Rows::Sample { kind, .. } => {
                let how = match kind {
                    Kind::Uniform => "every unfinished legal position equally likely",
                    Kind::RandomPlay => "a random ply, then random moves up to it; unfinished",
                    Kind::ChoiceMatters => {
                        "a random ply, then random moves up to it; unfinished, and its moves differ in value"
                    }
                };
                format!("drawn at random, {kind}: {how}{distinct}")
            }
            Rows::Unforced => {
                "every legal unfinished position in which no move of either player would complete a line; of a \
                           position and its mirror image only one"
                    .to_owned()
            }
        }
    }

    /// Writes the plies with ranges: `0-3,7`.
    pub(super) fn plies_told(&self) -> String {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for ply in self.plies.iter().copied() {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == ply => *end = ply,
                _ => runs.push((ply, ply)),
            }
        }
        let run = |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        runs.into_iter().map(run).collect::<Vec<_>>().join(",")
    }
}

/// Refuses plies that the board does not have, and no plies.
pub(super) fn check(board: Board, plies: &[u32]) -> Result<(), DatasetError> {
    match plies.iter().copied().find(|ply| *ply as usize > board.cells()) {
        Some(ply) => Err(DatasetError::Ply { board, ply }),
        None if plies.is_empty() => Err(DatasetError::NoPlies),
        None => Ok(()),
    }
}
