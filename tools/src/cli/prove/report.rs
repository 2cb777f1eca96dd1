//! The result of `fourbase prove`: a verdict, tables and drawn boards for people, and JSON.

use std::fmt;

use fourbase::notation::{columns_to_text, draw};
use fourbase::strategy::{Check, FollowUp, KeptCounts, LineCounts, PositionCounts, Verdict};
use fourbase::{Player, Position};
use fourbase_tiers::files::{counted, grouped};
use serde::Serialize;

use super::Comparison;
use super::chosen::Chosen;
use crate::output::{self, wording};

/// The result of a check of a strategy on a board.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StrategyReport {
    board: String,
    #[cfg_attr(test, schemars(extend("enum" = ["follow-up", "mirror", "centre"])))]
    strategy: &'static str,
    player: &'static str,
    /// The centre columns, from 1.
    centre: Option<[usize; 2]>,
    #[cfg_attr(test, schemars(extend("enum" = ["pair", "column", "column-or-follow", null])))]
    reading: Option<String>,
    #[cfg_attr(test, schemars(extend("enum" = ["wins", "ties", "never-loses", "loses", "undefined"])))]
    verdict: String,
    /// The positions that were met.
    positions: PositionCounts,
    /// Whole games. The numbers may have more digits than a 64-bit integer.
    lines: LineCounts,
    refutation_line: Option<String>,
    undefined_line: Option<String>,
    comparison: Option<Comparison>,
    notes: Vec<String>,
    #[serde(skip)]
    check: Check,
}

impl StrategyReport {
    /// Makes the report of a check, with the comparison or the reason why there is none.
    pub fn of(chosen: Chosen, check: Check, comparison: Result<Comparison, String>) -> StrategyReport {
        let Check { board, player, positions, lines, refutation, undefined } = &check;
        let centre = chosen.follow_up.and_then(FollowUp::centre);
        let (comparison, not_compared) =
            comparison.map_or_else(|reason| (None, Some(reason)), |made| (Some(made), None));
        StrategyReport {
            board: board.to_string(),
            strategy: chosen.rule.name(),
            player: player.name(),
            centre: centre.map(|(columns, _)| columns.map(|column| column + 1)),
            reading: centre.map(|(_, reading)| reading.to_string()),
            verdict: check.verdict().to_string(),
            positions: *positions,
            lines: *lines,
            refutation_line: refutation.as_ref().map(|line| columns_to_text(line.iter().copied())),
            undefined_line: undefined.as_ref().map(|line| columns_to_text(line.iter().copied())),
            comparison,
            notes: chosen.note.into_iter().chain(not_compared).collect(),
            check,
        }
    }

    /// Writes the board, the strategy, the player and the options.
    fn subject(&self) -> String {
        let StrategyReport { board, strategy, player, .. } = self;
        let options = match (self.centre, &self.reading) {
            (Some([left, right]), Some(reading)) => format!(", centre {left},{right}, reading {reading}"),
            _ if self.strategy == "follow-up" => ", no centre".to_owned(),
            _ => String::new(),
        };
        format!("{board}, {strategy} for the {player} player{options}")
    }

    /// Writes the table of positions and lines.
    fn counts(&self) -> String {
        let StrategyReport { positions, lines, check, .. } = self;
        let row = |name: &str, of: u64, of_lines: Option<u128>| {
            vec![name.to_owned(), grouped(of.into()), of_lines.map(grouped).unwrap_or_default()]
        };
        let mut rows = Vec::new();
        for player in Player::BOTH {
            let name = format!("{player} player to move");
            if player == check.player {
                rows.push(row(&name, positions.strategy_to_move, None));
                rows.push(row("  the rule undefined", positions.undefined, Some(lines.undefined)));
            } else {
                rows.push(row(&name, positions.opponent_to_move, None));
            }
        }
        rows.push(row("first player wins", positions.won_by.first, Some(lines.won_by.first)));
        rows.push(row("second player wins", positions.won_by.second, Some(lines.won_by.second)));
        rows.push(row("tie", positions.ties, Some(lines.ties)));
        rows.push(row("all", positions.all, Some(lines.all)));
        output::table(&["", ">positions", ">lines"], rows)
    }

    /// Writes a line of play, and draws its last position.
    fn shown(&self, name: &str, line: &[usize]) -> String {
        let start = Position::start(self.check.board);
        // The check has played every move of the line, so none is refused.
        let end = line.iter().try_fold(start, |position, &column| position.play(column)).unwrap_or(start);
        let moves = if line.is_empty() { "-".to_owned() } else { columns_to_text(line.iter().copied()) };
        format!("{name} ({}): {}\n\n{}", counted(line.len(), "ply"), moves, draw(&end, true))
    }
}

impl fmt::Display for StrategyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { refutation, undefined, .. } = &self.check;
        write!(f, "{}\n{}\n\n{}", self.subject(), sentence(&self.check), self.counts())?;
        if let Some(line) = refutation {
            write!(f, "\n\n{}", self.shown("shortest refutation", line))?;
        }
        if let Some(line) = undefined {
            write!(f, "\n\n{}", self.shown("shortest line to where the rule is undefined", line))?;
        }
        f.write_str("\n")?;
        if let Some(Comparison { kept, folder, .. }) = &self.comparison {
            let KeptCounts { strategy_to_move, kept, all, secured } = *kept;
            let [strategy_to_move, kept, all, secured] =
                [strategy_to_move, kept, all, secured].map(|count| grouped(count.into()));
            write!(
                f,
                "\nkeeps the value in {kept} of the {strategy_to_move} positions where it moves, \
                 and is sure of it from {secured} of all {all} ({})",
                wording::path(folder),
            )?;
        }
        self.notes.iter().rev().try_for_each(|note| write!(f, "\n{note}"))
    }
}

/// Writes the verdict as a sentence.
fn sentence(check: &Check) -> String {
    let (player, other) = (check.player, check.player.other());
    let lines = &check.lines;
    let [all, undefined] = [lines.all, lines.undefined].map(grouped);
    match check.verdict() {
        Verdict::Wins => format!("the {player} player wins every line"),
        Verdict::Ties => format!("the {player} player never loses: every line is a tie"),
        Verdict::NeverLoses => {
            let [wins, ties] = [*lines.won_by.of(player), lines.ties].map(grouped);
            format!("the {player} player never loses: of {all} lines {wins} are won and {ties} tied")
        }
        Verdict::Loses if *lines.won_by.of(other) == lines.all => format!("the {player} player loses every line"),
        Verdict::Loses => {
            let lost = grouped(*lines.won_by.of(other));
            let more =
                if lines.undefined > 0 { format!("; in {undefined} the rule is undefined") } else { String::new() };
            format!("the {player} player can lose: {lost} of {all} lines are lost{more}")
        }
        Verdict::Undefined if lines.undefined == lines.all => "the rule is undefined in every line".to_owned(),
        Verdict::Undefined => {
            format!("the rule is undefined in {undefined} of {all} lines; the {player} player loses none of the others")
        }
    }
}
