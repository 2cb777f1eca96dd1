//! A database as the oracle of a search: it tells the values, so that only the remoteness is searched.

use std::sync::OnceLock;

use fourbase::search::Oracle;
use fourbase::{Position, Value};

use crate::database::{Database, DatabaseError};

/// Tells what a database holds of the positions of its plies. The first error ends the search.
pub(super) struct Told<'a> {
    database: &'a Database,
    error: OnceLock<DatabaseError>,
}

impl<'a> Told<'a> {
    pub fn new(database: &'a Database) -> Told<'a> {
        Told { database, error: OnceLock::new() }
    }

    /// Returns the error that has ended the search, if there is one.
    pub fn into_error(self) -> Option<DatabaseError> {
        self.error.into_inner()
    }
}

impl Oracle for Told<'_> {
    fn value(&self, position: &Position) -> Option<Value> {
        match self.database.stored_outcome(position) {
            Ok(outcome) => outcome.map(|outcome| outcome.value),
            Err(error) => {
                // Another thread's error is as good.
                let _ = self.error.set(error);
                None
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.error.get().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fourbase::Board;
    use fourbase::search::{Options, Search, SearchError};

    use super::*;
    use crate::answer::{Answerer, Both, Question, Searcher};
    use crate::kernel::Values;
    use crate::long;
    use crate::solve::Solve;

    /// Tells the value of every position.
    struct Always<'a>(Told<'a>);

    impl Oracle for Always<'_> {
        fn value(&self, position: &Position) -> Option<Value> {
            self.0.value(position)
        }

        fn has_failed(&self) -> bool {
            self.0.has_failed()
        }

        fn least_empty_cells(&self) -> u32 {
            0
        }
    }

    fn solved(root: &std::path::Path, board: Board, values: Values) -> Database {
        Database::open(&Solve::new(board, values).root(root).run().unwrap().folder).unwrap()
    }

    /// Every position that play reaches in `plies` plies.
    fn positions(board: Board, plies: usize) -> Vec<Position> {
        let mut positions = vec![Position::start(board)];
        for _ in 0..plies {
            let children =
                |position: &Position| position.moves().map(|column| position.drop_piece(column)).collect::<Vec<_>>();
            positions = positions.iter().flat_map(children).collect();
            positions.sort_by_key(|position| (position.occupied(), position.pieces(fourbase::Player::First)));
            positions.dedup();
        }
        positions
    }

    #[test]
    fn the_remoteness_over_values_alone_is_that_of_a_database_that_has_it() {
        for (name, plies) in [("4x4", 7), ("6x4", 2), ("5x5", 3), ("4x4m", 5), ("5x5m", 2), ("4x4c3", 3), ("1x8", 3)] {
            if name.starts_with("5x5") && long::skips(format_args!("the remoteness of {name}")) {
                continue;
            }
            let board: Board = name.parse().unwrap();
            let root = tempfile::tempdir().unwrap();
            let whole = solved(root.path(), board, Values::Remoteness);
            let both = Both::new(solved(root.path(), board, Values::Wdl), Searcher::new(board, Options::default()));
            let always = Always(Told::new(both.database().unwrap()));
            let mut search = Search::new(board, Options::default());
            let (mut decided, mut nodes) = (0, 0);
            for position in positions(board, plies).into_iter().chain(positions(board, plies + 1)) {
                let expected = whole.probe(&position).unwrap();
                decided += u32::from(expected.value != Value::Tie);
                let mut question = Question::default();
                assert_eq!(both.outcome(&position, &mut question).unwrap(), expected, "{name} {position}");
                nodes += question.work().nodes;
                let remoteness = search.remoteness_with(&position, expected.value, &always).unwrap();
                assert_eq!(Some(remoteness), expected.remoteness, "{name} {position}");
            }
            println!("{name}: {decided} won or lost, {nodes} nodes");
            assert!(decided > 0 || name == "1x8");
        }
    }

    #[test]
    fn a_damaged_file_ends_the_search_and_not_the_next_one() {
        let root = tempfile::tempdir().unwrap();
        let board: Board = "6x4".parse().unwrap();
        let database = solved(root.path(), board, Values::Wdl);
        let folder = database.folder().to_path_buf();
        let (first, second) = (folder.join("tier-01"), folder.join("elsewhere"));
        fs::rename(&first, &second).unwrap();
        let mut search = Search::new(board, Options::default());
        let start = Position::start(board);
        let always = Always(Told::new(&database));
        let error = search.remoteness_with(&start, Value::Lose, &always).unwrap_err();
        assert!(matches!(error, SearchError::Cancelled { .. }), "{error}");
        let error = always.0.into_error().unwrap();
        assert!(matches!(error, DatabaseError::File(_)), "{error}");
        fs::rename(&second, &first).unwrap();
        let always = Always(Told::new(&database));
        assert_eq!(search.remoteness_with(&start, Value::Lose, &always).unwrap(), 24);
        assert!(always.0.into_error().is_none());
    }
}
