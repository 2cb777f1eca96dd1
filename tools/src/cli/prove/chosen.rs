//! Makes the strategy that the command line names for the board.

use clap::Args;
use fourbase::strategy::{Centre, CentreError, FollowUp, Mirror, Reading, Rule};
use fourbase::{Board, Player, excerpt};

use crate::arguments::{EXCERPT_BYTES, STRATEGIES, one_of};
use crate::failure::BadInput;

/// The most columns of the boards that the follow-up strategy was stated for.
const STATED_COLUMNS: usize = 6;

/// The strategy and its options.
#[derive(Args, Clone, Debug)]
pub struct ChosenArguments {
    /// The strategy: follow-up, mirror or centre
    #[arg(value_name = "NAME", value_parser = parse_name)]
    name: &'static str,

    /// The two centre columns of follow-up, such as 2,3 [default: the middle two]
    #[arg(long, value_name = "A,B", value_parser = parse_centre, allow_hyphen_values = true)]
    centre: Option<[usize; 2]>,

    /// Follow up in every column, without centre columns
    #[arg(long, conflicts_with_all = ["centre", "reading"])]
    no_centre: bool,

    /// What counts as the first move into the centre columns [default: pair]
    #[arg(long, value_name = "READING", value_parser = one_of([
        ("pair", "The first move into the pair of columns", Reading::Pair),
        ("column", "The first move into each column; undefined if the other column is full", Reading::Column),
        (
            "column-or-follow",
            "The first move into each column; follows up if the other column is full",
            Reading::ColumnOrFollow,
        ),
    ]))]
    reading: Option<Reading>,
}

/// Reads the name of a strategy.
fn parse_name(text: &str) -> Result<&'static str, BadInput> {
    STRATEGIES.into_iter().find(|name| *name == text).ok_or_else(|| {
        let text = excerpt(text, EXCERPT_BYTES);
        BadInput(format!("\"{text}\" is not a strategy; write follow-up, mirror or centre, and then the board"))
    })
}

/// Reads two columns, counted from 1, and returns them counted from 0. They may be outside of the board.
fn parse_centre(text: &str) -> Result<[usize; 2], BadInput> {
    let column = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
    let columns = text.split(',').map(column).collect::<Option<Vec<_>>>();
    columns.and_then(|columns| columns.try_into().ok()).ok_or_else(|| {
        let text = excerpt(text, EXCERPT_BYTES);
        BadInput(format!("--centre: \"{text}\" is not two columns; write them counted from 1, such as 2,3"))
    })
}

/// A strategy on a board.
pub struct Chosen {
    pub rule: Box<dyn Rule>,
    /// `rule` with its own type if it is follow-up; `None` for any other strategy.
    pub follow_up: Option<FollowUp>,
    /// A note that the strategy was not stated for the board.
    pub note: Option<String>,
}

impl ChosenArguments {
    /// Makes the strategy for a board.
    ///
    /// # Errors
    ///
    /// Options of another strategy; columns that cannot be the centre; a board without a centre.
    pub fn choose(&self, board: Board) -> Result<Chosen, BadInput> {
        if self.name == "follow-up" {
            let rule = self.follow_up(board)?;
            return Ok(Chosen { rule: Box::new(rule), follow_up: Some(rule), note: note(rule, board) });
        }
        let rule: Box<dyn Rule> = if self.name == "mirror" { Box::new(Mirror) } else { Box::new(Centre) };
        if self.centre.is_some() || self.no_centre || self.reading.is_some() {
            let name = self.name;
            return Err(BadInput(format!(
                "the strategy {name} has no options; --centre, --no-centre and --reading are for follow-up"
            )));
        }
        Ok(Chosen { rule, follow_up: None, note: None })
    }

    fn follow_up(&self, board: Board) -> Result<FollowUp, BadInput> {
        if self.no_centre {
            return Ok(FollowUp::without_centre());
        }
        let reading = self.reading.unwrap_or(Reading::Pair);
        let centre = self.centre.map_or_else(|| FollowUp::middle(board), Ok);
        centre.and_then(|centre| FollowUp::new(board, centre, reading)).map_err(|error| match error {
            CentreError::Narrow { board } => BadInput(format!(
                "follow-up does not fit {board}: the board has one column, and the centre is two; \
                 take a board of 2 columns or more, or --no-centre"
            )),
            CentreError::Outside { .. } | CentreError::Twice { .. } => BadInput(format!("--centre: {error}")),
        })
    }
}

/// Returns a note if the strategy was not stated for the board.
fn note(rule: FollowUp, board: Board) -> Option<String> {
    let (columns, rows) = (board.width(), board.height());
    let is_stated = columns <= STATED_COLUMNS && rows.is_multiple_of(2) && board.connect() == 4 && !board.is_misere();
    (rule.centre().is_some() && !is_stated).then(|| {
        format!(
            "follow-up was stated for at most {STATED_COLUMNS} columns, an even number of rows \
             and a line of four that wins"
        )
    })
}

impl Chosen {
    /// Returns the player who follows the rule: the player asked for, or else the only one that the rule is for, or else the
    /// second.
    ///
    /// # Errors
    ///
    /// The rule is only for the other player.
    pub fn player(&self, asked: Option<Player>) -> Result<Player, BadInput> {
        match (asked, self.rule.player()) {
            (Some(asked), Some(owner)) if asked != owner => Err(BadInput(format!(
                "the strategy {} is the {owner} player's; leave --player {asked} out, or take the strategy centre",
                self.rule.name()
            ))),
            (asked, owner) => Ok(asked.or(owner).unwrap_or(Player::Second)),
        }
    }
}
