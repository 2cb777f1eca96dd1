//! Why the engine has no answer, as an error of JavaScript with a code.

use fourbase::analysis::AnalysisError;
use fourbase::notation::NotationError;
use fourbase::players::json::RandomError;
use fourbase::players::{ChooseError, KindError};
use fourbase::{Board, BoardError};
use fourbase_tiers::database::DatabaseError;
use thiserror::Error;
use wasm_bindgen::JsValue;

/// Says why there is no answer.
#[derive(Debug, Error)]
pub enum Failure {
    /// Not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Not a position or a game.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// Not a player.
    #[error(transparent)]
    Player(#[from] KindError),
    /// No random position.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// A player without a choice.
    #[error(transparent)]
    Choice(#[from] ChooseError),
    /// A limit that was reached.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A database that cannot be opened or read.
    #[error("{}{}", .0, remedy(.0))]
    Database(#[from] DatabaseError),
    /// The database of another board.
    #[error("the database is of {found}, not of {expected}; open the files of {expected}")]
    OtherBoard {
        /// The board that was asked for.
        expected: Board,
        /// The board of the database.
        found: Board,
    },
    /// A built-in database of another release.
    #[error("the database has the hash {found}, expected {expected}; load the files of this release")]
    OtherHash {
        /// The hash of the release.
        expected: String,
        /// The hash of the database.
        found: String,
    },
}

impl Failure {
    /// Returns the error's code, for programs.
    fn code(&self) -> &'static str {
        match self {
            Failure::Analysis(limit) | Failure::Database(DatabaseError::Analysis(limit)) => of_limit(limit),
            Failure::Choice(ChooseError::Unknown(error)) => match error.downcast_ref() {
                Some(DatabaseError::Analysis(limit)) => of_limit(limit),
                _ => "database",
            },
            Failure::Choice(ChooseError::NoRemoteness) => "limit",
            Failure::Database(_) | Failure::OtherBoard { .. } | Failure::OtherHash { .. } => "database",
            _ => "input",
        }
    }
}

fn of_limit(limit: &AnalysisError) -> &'static str {
    if limit.is_limit() && !matches!(limit, AnalysisError::Cancelled { .. }) { "limit" } else { "cancelled" }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        crate::error(failure.code(), &failure.to_string())
    }
}

/// Returns what to do about an error of a database; nothing for a limit, whose own message says it.
fn remedy(error: &DatabaseError) -> String {
    match (error, error.remedy_of_host()) {
        (_, Some(remedy)) => format!("; {remedy}"),
        (DatabaseError::Analysis(_), _) => String::new(),
        _ => "; open the files of a complete database, as fourbase solve makes them".to_owned(),
    }
}
