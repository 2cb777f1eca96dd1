//! `random`: any column with room, all equally likely.

use rand::{Rng, RngExt};

use super::{Choice, ChooseError, Chooser, Reason};
use crate::Position;

/// The player `random`.
#[derive(Clone, Copy, Debug)]
pub struct RandomPlayer;

impl Chooser for RandomPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        let columns = position.moves().count();
        if columns == 0 {
            return Err(ChooseError::Over);
        }
        let number = random.random_range(0..columns as u32) as usize;
        let column = position.moves().nth(number).ok_or(ChooseError::Over)?;
        Ok(Choice { column, reason: Reason::Chance { columns } })
    }
}
