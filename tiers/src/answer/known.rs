//! The moves of a position as far as the limits of a question allow: each gets a small part of the nodes before any gets
//! more, because the first one could use up all.

use fourbase::{Outcome, Position};

use super::error::AnswerError;
use super::news::{KnownMove, News};
use super::question::Question;

/// All moves together may use this share of the nodes before any gets more.
const FIRST_SHARE: u64 = 16;

/// The nodes of a move's first try where a question has no limit of nodes.
const FIRST_NODES: u64 = 1 << 20;

/// Asks what every move is worth, a little of each before all of any.
pub(super) fn known_moves(
    position: &Position,
    question: &mut Question,
    mut known: impl FnMut(&Position, &mut Question) -> Result<Option<Outcome>, AnswerError>,
) -> Result<Vec<KnownMove>, AnswerError> {
    let columns: Vec<usize> = position.moves().collect();
    let count = columns.len().max(1) as u64;
    let first = question.nodes_left().map_or(FIRST_NODES, |left| left / FIRST_SHARE / count);
    let mut moves: Vec<_> = columns.into_iter().map(|column| KnownMove { column, outcome: None }).collect();
    for most in [Some(first), None] {
        for of in moves.iter_mut().filter(|of| of.outcome.is_none()) {
            let child = position.drop_piece(of.column);
            let most = most.or(question.nodes_left());
            of.outcome = question.part(most, |part| known(&child, part))?.map(Outcome::parent);
            if of.outcome.is_some() {
                question.tell(News::Move(*of));
            }
        }
    }
    sort(&mut moves);
    Ok(moves)
}

/// Sorts moves, best first, equally good ones by column, unknown ones last.
pub(super) fn sort(moves: &mut [KnownMove]) {
    moves.sort_by_key(|of| (of.outcome.is_none(), of.outcome, of.column));
}

/// Turns a limit that was reached into `None`.
pub(super) fn within_limits<T>(answer: Result<T, AnswerError>) -> Result<Option<T>, AnswerError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_limit() => Ok(None),
        Err(error) => Err(error),
    }
}
