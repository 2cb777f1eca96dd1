//! Searches that wait for the next question: of one board, or of several that share the memory for them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fourbase::Board;
use fourbase::search::Search;

/// Keeps searches with what they have found, at most so many.
pub struct Idle {
    most: usize,
    /// Those that were used last are at the end.
    searches: Mutex<VecDeque<Search>>,
}

impl std::fmt::Debug for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Idle").field("most", &self.most).field("searches", &self.searches().len()).finish()
    }
}

impl Idle {
    /// Keeps at most `most` searches. Each owns a table of up to [`Options::table_bytes`](fourbase::search::Options::table_bytes).
    #[must_use]
    pub fn new(most: usize) -> Idle {
        Idle { most, searches: Mutex::default() }
    }

    /// Takes the search of a board that was used last, if there is one.
    pub(super) fn take(&self, board: Board) -> Option<Search> {
        let mut searches = self.searches();
        let at = searches.iter().rposition(|search| search.board() == board)?;
        searches.remove(at)
    }

    /// Keeps a search, and drops the one that was used the longest ago if there are too many.
    pub(super) fn put(&self, search: Search) {
        let dropped = {
            let mut searches = self.searches();
            searches.push_back(search);
            if searches.len() > self.most { searches.pop_front() } else { None }
        };
        // Its table is freed when others may go on.
        drop(dropped);
    }

    fn searches(&self) -> MutexGuard<'_, VecDeque<Search>> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use fourbase::search::Options;

    use super::*;

    fn search(name: &str) -> Search {
        Search::new(name.parse().unwrap(), Options::default())
    }

    #[test]
    fn the_search_that_was_used_the_longest_ago_makes_room_for_another() {
        let idle = Idle::new(2);
        for name in ["4x4", "5x4", "4x4c3"] {
            idle.put(search(name));
        }
        assert!(idle.take("4x4".parse().unwrap()).is_none());
        assert!(idle.take("5x4".parse().unwrap()).is_some());
        assert!(idle.take("5x4".parse().unwrap()).is_none());
        assert!(idle.take("4x4c3".parse().unwrap()).is_some());
        Idle::new(0).put(search("4x4"));
        assert_eq!(format!("{idle:?}"), "Idle { most: 2, searches: 0 }");
    }
}
