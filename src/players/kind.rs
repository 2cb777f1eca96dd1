//! The names of the players, as people write them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::follow_up::FollowUpPlayer;
use super::level::{LevelPlayer, MOST_HUMAN_LEVEL, is_measured};
use super::minimax::Minimax;
use super::perfect::PerfectPlayer;
use super::pomakis::Pomakis;
use super::random::RandomPlayer;
use super::rating::{MOST_STRATEGY, RatingPlayer};
use super::window::Window;
use super::{Chooser, Outcomes};
use crate::Board;
use crate::excerpt;

/// All valid names of players, for help and for errors.
pub const NAMES: &str = "human, level:LEVEL (1 to 5), perfect, perfect:first, random, pomakis:LEVEL (1 to 20), \
                         window:DEPTH (1 to 20), rating:LEVEL[:STRATEGY] (1 to 9, 0 to 7), follow-up";

/// The longest excerpt of an invalid name in an error message.
const EXCERPT_BYTES: usize = 40;

const MOST_LEVEL: u32 = 20;
const MOST_DEPTH: u32 = 20;
const MOST_RATING_LEVEL: u32 = 9;

/// A player and its parameters. `FromStr` and `Display` read and write the names in [`NAMES`].
///
/// ```
/// use fourbase::players::Kind;
///
/// assert_eq!("rating:3:5".parse(), Ok(Kind::Rating { level: 3, strategy: 5 }));
/// assert_eq!("rating:3:0".parse::<Kind>()?.to_string(), "rating:3");
/// assert!("pomakis:0".parse::<Kind>().is_err());
/// # Ok::<(), fourbase::players::KindError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A person at the keyboard.
    Human,
    /// A player of human strength.
    Level {
        /// The level, 1 to 5.
        level: u32,
    },
    /// Plays a best move, either the leftmost or a random one.
    Perfect {
        /// Whether the player takes the leftmost of several best moves.
        takes_first: bool,
    },
    /// Plays a random column.
    Random,
    /// Keith Pomakis' player.
    Pomakis {
        /// How many plies the player looks ahead, 1 to 20.
        level: u32,
    },
    /// The player of the Connect Four robot.
    Window {
        /// How many plies the player looks ahead, 1 to 20.
        depth: u32,
    },
    /// The player of the Delphi program CONNECT4.
    Rating {
        /// The level, 1 to 9. The player looks 2 LEVEL + 1 plies ahead.
        level: u32,
        /// How the player chooses among equally good columns, 0 to 7.
        strategy: u32,
    },
    /// Plays by the second player's rule [`FollowUp`](crate::strategy::FollowUp).
    FollowUp,
}

impl Kind {
    /// Makes the player for a board; returns `None` for a human. Only `perfect` and the levels use
    /// `outcomes`.
    pub fn chooser<'a>(self, board: Board, outcomes: Outcomes<'a>) -> Option<Box<dyn Chooser + 'a>> {
        Some(match self {
            Kind::Human => return None,
            Kind::Level { level } => Box::new(LevelPlayer::new(board, level, outcomes)),
            Kind::Perfect { takes_first } => Box::new(PerfectPlayer { outcomes, takes_first }),
            Kind::Random => Box::new(RandomPlayer),
            Kind::Pomakis { level } => Box::new(Minimax::new(board, level, Pomakis)),
            Kind::Window { depth } => Box::new(Minimax::new(board, depth, Window(board))),
            Kind::Rating { level, strategy } => Box::new(RatingPlayer::new(board, level, strategy)),
            Kind::FollowUp => Box::new(FollowUpPlayer::new(board)),
        })
    }

    /// Returns whether the player needs the `outcomes` that are passed to [`Kind::chooser`].
    pub fn needs_outcomes(self) -> bool {
        matches!(self, Kind::Perfect { .. } | Kind::Level { .. })
    }

    /// Returns what people should know about the player's strength on a board.
    pub fn note(self, board: Board) -> Option<&'static str> {
        let is_unmeasured = matches!(self, Kind::Level { .. }) && !is_measured(board);
        is_unmeasured.then_some("the strength of the levels is measured on 7x6 and 6x5 only")
    }

    /// Returns how many plies the player looks ahead for a move; 0 if it does not look ahead. At worst, the time for a
    /// move is proportional to the number of move sequences of that length.
    ///
    /// ```
    /// use fourbase::players::Kind;
    ///
    /// assert_eq!("rating:3".parse::<Kind>()?.looks_ahead(), 7);
    /// # Ok::<(), fourbase::players::KindError>(())
    /// ```
    pub fn looks_ahead(self) -> u32 {
        match self {
            Kind::Human | Kind::Level { .. } | Kind::Perfect { .. } | Kind::Random | Kind::FollowUp => 0,
            Kind::Pomakis { level } => level,
            Kind::Window { depth } => depth,
            Kind::Rating { level, .. } => 2 * level + 1,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match *self {
            Kind::Human => "human".to_owned(),
            Kind::Level { level } => format!("level:{level}"),
            Kind::Perfect { takes_first: false } => "perfect".to_owned(),
            Kind::Perfect { takes_first: true } => "perfect:first".to_owned(),
            Kind::Random => "random".to_owned(),
            Kind::Pomakis { level } => format!("pomakis:{level}"),
            Kind::Window { depth } => format!("window:{depth}"),
            Kind::Rating { level, strategy: 0 } => format!("rating:{level}"),
            Kind::Rating { level, strategy } => format!("rating:{level}:{strategy}"),
            Kind::FollowUp => "follow-up".to_owned(),
        })
    }
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Kind, KindError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut number = |player, what, least, most| match parts.next() {
            None => Err(KindError::Missing { player, what, least, most }),
            Some(found) => read(found, player, what, least, most),
        };
        let kind = match name {
            "human" => Kind::Human,
            "perfect" => match text.strip_prefix(name) {
                Some("") => return Ok(Kind::Perfect { takes_first: false }),
                Some(":first") => return Ok(Kind::Perfect { takes_first: true }),
                _ => return Err(KindError::Perfect(excerpt(text, EXCERPT_BYTES))),
            },
            "level" => Kind::Level { level: number("level", "number", 1, MOST_HUMAN_LEVEL)? },
            "random" => Kind::Random,
            "pomakis" => Kind::Pomakis { level: number("pomakis", "level", 1, MOST_LEVEL)? },
            "window" => Kind::Window { depth: number("window", "depth", 1, MOST_DEPTH)? },
            "rating" => {
                let level = number("rating", "level", 1, MOST_RATING_LEVEL)?;
                let strategy = match parts.next() {
                    None => 0,
                    Some(found) => read(found, "rating", "strategy", 0, MOST_STRATEGY)?,
                };
                Kind::Rating { level, strategy }
            }
            "follow-up" => Kind::FollowUp,
            _ => return Err(KindError::Unknown(excerpt(text, EXCERPT_BYTES))),
        };
        match parts.next() {
            None => Ok(kind),
            Some(rest) => Err(KindError::Rest { kind, rest: excerpt(rest, EXCERPT_BYTES) }),
        }
    }
}

/// Reads a number from `least` to `most`, written in digits without a sign.
fn read(text: &str, player: &'static str, what: &'static str, least: u32, most: u32) -> Result<u32, KindError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<u32>().ok().filter(|number| digits && (least..=most).contains(number));
    number.ok_or_else(|| KindError::Number { player, what, least, most, found: excerpt(text, EXCERPT_BYTES) })
}

/// Why a text does not name a player.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KindError {
    /// There is no player with this name.
    #[error("\"{0}\" is not a player; the players are {NAMES}")]
    Unknown(String),
    /// A number is missing.
    #[error("{player} needs a {what}, {least} to {most}; write it after a colon, such as {player}:{least}")]
    Missing {
        /// The player.
        player: &'static str,
        /// Which number.
        what: &'static str,
        /// The least it may be.
        least: u32,
        /// The most it may be.
        most: u32,
    },
    /// A number cannot be read or is out of range.
    #[error("the {what} of {player} is {least} to {most}, found \"{found}\"; correct it")]
    Number {
        /// The player.
        player: &'static str,
        /// Which number.
        what: &'static str,
        /// The least it may be.
        least: u32,
        /// The most it may be.
        most: u32,
        /// The invalid text, escaped and shortened.
        found: String,
    },
    /// The text after `perfect` is not `:first`.
    #[error("\"{0}\" is not a player; write perfect, or perfect:first to take the leftmost of equally good moves")]
    Perfect(String),
    /// More text follows a complete name.
    #[error("nothing may follow {kind}, found \"{rest}\"; the players are {NAMES}")]
    Rest {
        /// The player that the start of the text names.
        kind: Kind,
        /// The text after that name, escaped and shortened.
        rest: String,
    },
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn names_read_back() {
        let names = "human level:1 level:5 perfect perfect:first random pomakis:1 pomakis:20 window:4 follow-up";
        let ratings = (1..=7).map(|strategy| format!("rating:9:{strategy}"));
        for name in names.split(' ').map(str::to_owned).chain(ratings) {
            assert_eq!(name.parse::<Kind>().unwrap().to_string(), name);
        }
    }
}
