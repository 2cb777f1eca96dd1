//! Positions just beyond the deepest tier that is kept: the positions before them are kept, and narrow the search.

use fourbase::search::SearchError;
use fourbase::{Outcome, Player, Position};

use super::beyond::Effort;
use super::error::DatabaseError;
use super::open::Database;

impl Database {
    /// Searches a position of a ply whose tier is not kept.
    ///
    /// Where the ply before is kept, its values narrow the search: a player can do at least as well here as in any position
    /// from which a move of the opponent leads here.
    ///
    /// # Errors
    /// [`DatabaseError::Search`] where the monitor of `effort` is cancelled or its nodes are used up, and the errors of
    /// [`Database::probe`].
    pub(super) fn search_beyond(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        // The best of what is known to be within reach.
        let mut at_least: Option<Outcome> = None;
        // Without any nodes there is nothing to narrow.
        if effort.most_nodes != Some(0) {
            for parent in parents(position) {
                if let Some(outcome) = self.stored_outcome(&parent)? {
                    let plies = outcome.remoteness.map(|plies| plies.saturating_sub(1));
                    let here = Outcome { value: outcome.value.flip(), remoteness: plies };
                    at_least = Some(at_least.map_or(here, |best| best.min(here)));
                }
            }
        }
        Ok(self.beyond().outcome(position, at_least, effort)?)
    }

    /// Returns a position's outcome if the plies that the database keeps tell it; nothing is searched.
    ///
    /// # Errors
    /// The same as [`Database::probe`], without [`DatabaseError::NotSolved`].
    pub(crate) fn stored_outcome(&self, position: &Position) -> Result<Option<Outcome>, DatabaseError> {
        if !self.reaches(position.ply() as u32) {
            return Ok(None);
        }
        let mut effort = Effort { most_nodes: Some(0), ..Effort::default() };
        match self.probe_with(position, &mut effort) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(DatabaseError::NotSolved { .. } | DatabaseError::Search(SearchError::NodeLimit { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Lists the unfinished positions from which one move leads to `position`.
fn parents(position: &Position) -> impl Iterator<Item = Position> {
    let (position, board) = (*position, position.board());
    let before = position.to_move().other();
    (0..board.width()).filter_map(move |column| {
        let row = position.height(column).checked_sub(1)?;
        let top = 1 << board.cell(column, row);
        let [first, second] = [Player::First, Player::Second]
            .map(|player| position.pieces(player) & !if player == before { top } else { 0 });
        let parent = Position::from_bitboards(board, first, second).ok()?;
        (parent.ply() < position.ply() && parent.primitive().is_none()).then_some(parent)
    })
}

#[cfg(test)]
mod tests {
    use fourbase::Board;

    use super::*;
    use crate::kernel::Values;
    use crate::solve::Solve;

    #[test]
    fn the_plies_before_save_nodes_of_the_first_ply_that_is_not_kept() {
        let board: Board = "5x5".parse().unwrap();
        for values in [Values::Wdl, Values::Remoteness] {
            let root = tempfile::tempdir().unwrap();
            let database = || {
                let folder = Solve::new(board, values).root(root.path()).keep_plies(Some(5)).run().unwrap().folder;
                Database::open(&folder).unwrap()
            };
            let mut positions = vec![Position::start(board)];
            for _ in 0..6 {
                let children = |position: &Position| {
                    let position = *position;
                    position.moves().map(move |column| position.drop_piece(column))
                };
                positions = positions.iter().flat_map(children).step_by(3).collect();
            }
            let (with, without) = (database(), database());
            let [mut narrowed, mut plain] = [(); 2].map(|()| Effort::default());
            for position in &positions {
                let found = with.search_beyond(position, &mut narrowed).unwrap();
                assert_eq!(found, without.beyond().outcome(position, None, &mut plain).unwrap(), "{position}");
            }
            println!("{} positions: {} nodes instead of {}", positions.len(), narrowed.nodes, plain.nodes);
            assert!(positions.len() > 20 && narrowed.nodes * 10 < plain.nodes * 9, "{narrowed:?} {plain:?}");
        }
    }
}
