//! Positions just beyond the deepest tier that is kept: the positions before them are kept, and narrow the search.

use fourbase::search::SearchError;
use fourbase::{Outcome, Player, Position};

use super::beyond::{Effort, Known};
use super::error::DatabaseError;
use super::open::Database;

impl Database {
    /// Searches a position of a ply whose tier is not kept, of which something is `known`.
    ///
    /// Where the ply before is kept, its values narrow the search.
    ///
    /// # Errors
    /// [`DatabaseError::Search`] where the monitor of `effort` is cancelled or its nodes are used up, and the errors of
    /// [`Database::probe`].
    pub(super) fn search_beyond(
        &self,
        position: &Position,
        known: Known,
        effort: &mut Effort,
    ) -> Result<Outcome, DatabaseError> {
        // An outcome is less than another one if it is better.
        let at_least = [known.at_least, self.at_least(position, effort)?].into_iter().flatten().min();
        Ok(self.beyond().outcome(position, Known { at_least, ..known }, effort)?)
    }

    /// Returns an outcome that a position is at least worth, if the plies that the database keeps tell one: a player can do at
    /// least as well as in any position from which a move of the opponent leads here.
    ///
    /// # Errors
    /// The same as [`Database::probe`].
    pub(super) fn at_least(&self, position: &Position, effort: &Effort) -> Result<Option<Outcome>, DatabaseError> {
        // Without any nodes there is nothing to narrow.
        if effort.most_nodes == Some(0) {
            return Ok(None);
        }
        let mut at_least: Option<Outcome> = None;
        for parent in parents(position) {
            if let Some(outcome) = self.stored_outcome(&parent)? {
                let plies = outcome.remoteness.map(|plies| plies.saturating_sub(1));
                let here = Outcome { value: outcome.value.flip(), remoteness: plies };
                at_least = Some(at_least.map_or(here, |best| best.min(here)));
            }
        }
        Ok(at_least)
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

    /// The same database for every call, with plies up to 5.
    fn keeping_five(root: &std::path::Path, board: Board, values: Values) -> Database {
        let folder = Solve::new(board, values).root(root).keep_plies(Some(5)).run().unwrap().folder;
        Database::open(&folder).unwrap()
    }

    fn positions(board: Board, plies: usize, step: usize) -> Vec<Position> {
        let mut positions = vec![Position::start(board)];
        for _ in 0..plies {
            let children = |position: &Position| {
                let position = *position;
                position.moves().map(move |column| position.drop_piece(column))
            };
            positions = positions.iter().flat_map(children).step_by(step).collect();
        }
        positions
    }

    /// Asks for positions with what is known and without it, which gives the same answers. Returns the nodes of both.
    fn nodes(
        databases: [&Database; 2],
        positions: &[Position],
        ask: impl Fn(&Database, &Position, &mut Effort) -> Outcome,
    ) -> [u64; 2] {
        let [mut narrowed, mut plain] = [(); 2].map(|()| Effort::default());
        for position in positions {
            let found = ask(databases[0], position, &mut narrowed);
            let expected = databases[1].beyond().outcome(position, Known::default(), &mut plain).unwrap();
            assert_eq!(found, expected, "{position}");
        }
        println!("{} positions: {} nodes instead of {}", positions.len(), narrowed.nodes, plain.nodes);
        assert!(positions.len() > 20, "{}", positions.len());
        [narrowed.nodes, plain.nodes]
    }

    #[test]
    fn the_plies_before_save_nodes_of_the_first_ply_that_is_not_kept() {
        let board: Board = "5x5".parse().unwrap();
        for values in [Values::Wdl, Values::Remoteness] {
            let root = tempfile::tempdir().unwrap();
            let [with, without] = [(); 2].map(|()| keeping_five(root.path(), board, values));
            let [narrowed, plain] = nodes([&with, &without], &positions(board, 6, 3), |database, position, effort| {
                database.search_beyond(position, Known::default(), effort).unwrap()
            });
            assert!(narrowed * 10 < plain * 9, "{narrowed} {plain}");
        }
    }

    #[test]
    fn what_is_stored_saves_nodes_where_forced_moves_lead_beyond_the_plies_that_are_kept() {
        let board: Board = "5x5".parse().unwrap();
        for values in [Values::Wdl, Values::Remoteness] {
            let root = tempfile::tempdir().unwrap();
            let [with, without] = [(); 2].map(|()| keeping_five(root.path(), board, values));
            for plies in [4, 5] {
                let mut positions = positions(board, plies, 1);
                positions.retain(|position| with.stored_outcome(position).unwrap().is_none());
                let [narrowed, plain] = nodes([&with, &without], &positions, |database, position, effort| {
                    database.probe_with(position, effort).unwrap()
                });
                // From ply 5 every move is forced: what is known of ply 4 helps about as much as one long search does.
                assert!(plies == 5 || narrowed * 2 < plain, "{narrowed} {plain}");
            }
        }
    }
}
