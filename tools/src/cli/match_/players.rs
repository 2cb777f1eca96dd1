//! The two players of a match, and one game between them.

use std::time::Instant;

use anyhow::Context;
use fourbase::players::{Chooser, Kind, Source, nothing_known};
use fourbase::{Board, Player, Value};

use crate::game::Game;
use crate::knowledge::{Knowledge, outcomes};

/// Two players.
pub struct Players {
    board: Board,
    kinds: [Kind; 2],
    choosers: [Option<Box<dyn Chooser>>; 2],
}

/// A game that was played.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// Whether the first of the two players was the first player.
    pub began: bool,
    /// The result for the first of the two players.
    pub value: Value,
    /// The number of plies.
    pub plies: u64,
    /// The number of moves that each of the two chose.
    pub moves: [u64; 2],
    /// The time that each of the two took for them.
    pub nanoseconds: [u64; 2],
}

impl Players {
    /// Makes the players. A player that needs exact values needs `knowledge`.
    pub fn new(board: Board, kinds: [Kind; 2], knowledge: Option<&Knowledge>) -> Players {
        let asker = knowledge.map(Knowledge::asker);
        let choosers = kinds.map(|kind| kind.chooser(board, asker.as_ref().map_or_else(nothing_known, outcomes)));
        Players { board, kinds, choosers }
    }

    /// Plays a game from an opening to its end.
    ///
    /// # Errors
    ///
    /// A player finds no move.
    pub fn play(&mut self, opening: &[usize], began: bool, source: &mut Source) -> anyhow::Result<Played> {
        let mut game = Game::start(self.board);
        for &column in opening {
            game.play(column)?;
        }
        let (mut moves, mut nanoseconds) = ([0; 2], [0; 2]);
        while !game.is_over() {
            let place = usize::from((game.position().to_move() == Player::First) != began);
            let kind = self.kinds[place];
            let chooser = self.choosers[place].as_mut().with_context(|| format!("{kind} is not a program"))?;
            let start = Instant::now();
            let choice = chooser.choose(game.position(), game.last(), source);
            nanoseconds[place] += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            moves[place] += 1;
            let choice = choice.with_context(|| match game.ply() {
                0 => format!("{kind} finds no move on the empty board"),
                _ => format!("{kind} finds no move after {}", game.moves()),
            })?;
            game.play(choice.column)?;
        }
        let value = match game.winner() {
            None => Value::Tie,
            Some(winner) if (winner == Player::First) == began => Value::Win,
            Some(_) => Value::Lose,
        };
        Ok(Played { began, value, plies: game.ply() as u64, moves, nanoseconds })
    }
}
