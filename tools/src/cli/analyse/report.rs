//! The result of `fourbase analyse` for people: a table and the mistakes.

use std::fmt;

use anyhow::{Error, anyhow};
use fourbase::Player;
use fourbase::analysis::{GameAnalysis, Loss};
use fourbase::notation::{column_character, draw};

use crate::cli::query::limited::LimitedAnalyst;
use crate::number::counted;
use crate::table::{self, Side};
use crate::wording;

/// A game, analysed.
pub struct Report<'a> {
    pub analysis: &'a GameAnalysis,
    /// Where the answers come from, if not only from a database.
    pub note: Option<&'a str>,
}

/// Returns which limit left moves open, or the value at the end of the game.
pub fn failure(analysis: &GameAnalysis, analyst: &LimitedAnalyst) -> Option<Error> {
    let (open, moves) = (analysis.undecided(), analysis.game.ply());
    let is_open = open > 0 || analysis.plies.last().is_none_or(|last| last.analysis.outcome.is_none());
    let what = match open {
        0 => "the value at the end is not known".to_owned(),
        _ => format!("{open} of {moves} moves are open"),
    };
    analysis.limit.filter(|_| is_open).map(|limit| anyhow!(analyst.limit_text(limit)).context(what))
}

/// Writes what a move gave away.
fn loss(loss: Option<Loss>) -> String {
    match loss {
        None => "?".to_owned(),
        Some(Loss::Nothing | Loss::NoValue) => String::new(),
        Some(Loss::Value(from, to)) => format!("{} to {}", wording::value(from, 0), wording::value(to, 0)),
        Some(Loss::Plies(plies)) => counted(plies, "ply"),
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameAnalysis { game, plies, .. } = self.analysis;
        writeln!(f, "{}\n", draw(game.position(), true))?;
        write!(f, "{} after {}: {}", game.board(), counted(game.ply(), "move"), game.standing())?;
        match plies.last().and_then(|last| last.analysis.outcome) {
            Some(outcome) if !game.is_over() => write!(f, ", {}", wording::outcome(outcome))?,
            _ => {}
        }
        if game.ply() > 0 {
            let head = ["move", "", "before", "gave away", "best"].map(str::to_owned).to_vec();
            let rows = self.analysis.moves().map(|(number, ply, column)| {
                let sign = if ply.analysis.position.to_move() == Player::First { 'X' } else { 'O' };
                let is_best = matches!(ply.loss(), Some(Loss::Nothing | Loss::NoValue));
                vec![
                    number.to_string(),
                    format!("{sign} {}", column_character(column).unwrap_or('?')),
                    ply.analysis.outcome.map_or("?".to_owned(), wording::outcome),
                    loss(ply.loss()),
                    if is_best { String::new() } else { wording::columns(ply.analysis.best()) },
                ]
            });
            let rows = std::iter::once(head).chain(rows).collect::<Vec<_>>();
            let sides = [Side::Right, Side::Left, Side::Left, Side::Left, Side::Left];
            write!(f, "\n\n{}\n", table::to_text(&sides, &rows))?;
            for player in [Player::First, Player::Second] {
                write!(f, "\n{player} player: {}", self.blame(player))?;
            }
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

impl Report<'_> {
    /// Writes the mistakes of a player, and in how many moves, if not all were decided.
    fn blame(&self, player: Player) -> String {
        let (mistakes, moves) = (self.analysis.mistakes(player), self.analysis.moves_of(player).count());
        let decided = self.analysis.moves_of(player).filter(|(_, ply, _)| ply.loss().is_some()).count();
        if mistakes.is_empty() && decided == moves {
            return "no mistakes".to_owned();
        }
        if mistakes.is_empty() {
            return format!("no mistake in {decided} of {moves} moves decided");
        }
        let each = mistakes.iter().map(|of| format!("move {} ({} to {})", of.number, of.from, of.to));
        let each = each.collect::<Vec<_>>().join(", ");
        let open = if decided < moves { format!("; {decided} of {moves} moves decided") } else { String::new() };
        format!("mistakes in {each}{open}")
    }
}
