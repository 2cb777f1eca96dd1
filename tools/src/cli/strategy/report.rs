//! The result of `fourbase strategy`: a verdict, tables and drawn boards for people, and JSON.

use std::fmt;

use fourbase::notation::{columns_to_text, draw};
use fourbase::strategy::{Check, Kept, Verdict};
use fourbase::{Player, Position};
use serde::Serialize;

use super::chosen::Chosen;
use super::comparison::Comparison;
use crate::json::{self, DatabaseJson, PlayersJson};
use crate::number::{counted, grouped};
use crate::table::{self, Side};
use crate::wording;

/// The result of a check of a strategy on a board.
pub struct StrategyReport {
    strategy: &'static str,
    /// The centre columns, from 1.
    centre: Option<[usize; 2]>,
    reading: Option<String>,
    check: Check,
    comparison: Comparison,
    note: Option<String>,
}

impl StrategyReport {
    /// Gathers the findings.
    pub fn of(chosen: &Chosen, check: Check, comparison: Comparison) -> StrategyReport {
        let centre = chosen.follow_up().and_then(|rule| rule.centre());
        StrategyReport {
            strategy: chosen.rule().name(),
            centre: centre.map(|columns| columns.map(|column| column + 1)),
            reading: chosen.follow_up().filter(|_| centre.is_some()).map(|rule| rule.reading().to_string()),
            check,
            comparison,
            note: chosen.note().map(str::to_owned),
        }
    }

    /// Returns the report for programs.
    pub fn to_json(&self) -> impl Serialize + use<'_> {
        let Check { board, player, positions, lines, refutation, undefined } = &self.check;
        let (comparison, not_made) = match &self.comparison {
            Comparison::Made { database, kept, .. } => {
                let Kept { strategy_to_move, kept, all, secured } = *kept;
                let database = database.clone();
                (Some(ComparisonJson { database, strategy_to_move, kept, all, secured }), None)
            }
            Comparison::NotMade(reason) => (None, Some(reason.as_str())),
        };
        StrategyJson {
            board: board.to_string(),
            strategy: self.strategy,
            player: json::player(*player),
            centre: self.centre,
            reading: self.reading.as_deref(),
            verdict: self.check.verdict().to_string(),
            positions: PositionsJson {
                all: positions.all(),
                opponent_to_move: positions.opponent_to_move,
                strategy_to_move: positions.strategy_to_move,
                undefined: positions.undefined,
                won_by: PlayersJson { first: positions.first_wins, second: positions.second_wins },
                ties: positions.ties,
            },
            lines: LinesJson {
                all: lines.all(),
                undefined: lines.undefined,
                won_by: PlayersJson { first: lines.first_wins, second: lines.second_wins },
                ties: lines.ties,
            },
            refutation_line: refutation.as_deref().map(line),
            undefined_line: undefined.as_deref().map(line),
            comparison,
            notes: self.note.as_deref().into_iter().chain(not_made).collect(),
        }
    }

    /// Writes the board, the strategy, the player and the options.
    fn subject(&self) -> String {
        let StrategyReport { strategy, check: Check { board, player, .. }, .. } = self;
        let options = match (self.centre, &self.reading) {
            (Some([left, right]), Some(reading)) => format!(", centre {left},{right}, reading {reading}"),
            _ if self.strategy == "follow-up" => ", no centre".to_owned(),
            _ => String::new(),
        };
        format!("{board}, {strategy} for the {player} player{options}")
    }

    /// Writes the table of positions and lines.
    fn counts(&self) -> String {
        let Check { player, positions, lines, .. } = &self.check;
        let asked = |whose| if whose == *player { positions.strategy_to_move } else { positions.opponent_to_move };
        let number = |count: u64| grouped(count.into());
        let row = |name: &str, positions: String, lines: String| vec![name.to_owned(), positions, lines];
        let moving = |whose| {
            let mut rows = vec![row(&format!("{whose} player to move"), number(asked(whose)), String::new())];
            if whose == *player {
                rows.push(row("  the rule undefined", number(positions.undefined), grouped(lines.undefined)));
            }
            rows
        };
        let mut rows = vec![row("", "positions".to_owned(), "lines".to_owned())];
        rows.extend(moving(Player::First));
        rows.extend(moving(Player::Second));
        rows.push(row("first player wins", number(positions.first_wins), grouped(lines.first_wins)));
        rows.push(row("second player wins", number(positions.second_wins), grouped(lines.second_wins)));
        rows.push(row("tie", number(positions.ties), grouped(lines.ties)));
        rows.push(row("all", number(positions.all()), grouped(lines.all())));
        table::to_text(&[Side::Left, Side::Right, Side::Right], &rows)
    }

    /// Writes a line, and draws its last position.
    fn shown(&self, name: &str, line: &[usize]) -> String {
        let start = Position::start(self.check.board);
        // The check has played every move of the line, so none is refused.
        let end = line.iter().try_fold(start, |position, &column| position.play(column)).unwrap_or(start);
        format!("{name} ({}): {}\n\n{}", counted(line.len(), "ply"), line_to_text(line), draw(&end, true))
    }

    /// Writes in how many positions the value is kept, or why that is unknown.
    fn compared(&self) -> String {
        match &self.comparison {
            Comparison::NotMade(reason) => reason.clone(),
            Comparison::Made { folder, kept: Kept { strategy_to_move, kept, all, secured }, .. } => {
                let number = |count: &u64| grouped((*count).into());
                format!(
                    "keeps the value in {} of the {} positions where it moves, \
                     and is sure of it from {} of all {} ({})",
                    number(kept),
                    number(strategy_to_move),
                    number(secured),
                    number(all),
                    wording::path(folder),
                )
            }
        }
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
        write!(f, "\n\n{}", self.compared())?;
        self.note.as_ref().map_or(Ok(()), |note| write!(f, "\n{note}"))
    }
}

/// Writes the verdict as a sentence.
fn sentence(check: &Check) -> String {
    let (player, other) = (check.player, check.player.other());
    let lines = &check.lines;
    let [all, undefined] = [lines.all(), lines.undefined].map(grouped);
    match check.verdict() {
        Verdict::Wins => format!("the {player} player wins every line"),
        Verdict::Ties => format!("the {player} player never loses: every line is a tie"),
        Verdict::NeverLoses => {
            let [wins, ties] = [lines.wins(player), lines.ties].map(grouped);
            format!("the {player} player never loses: of {all} lines {wins} are won and {ties} tied")
        }
        Verdict::Loses if lines.wins(other) == lines.all() => format!("the {player} player loses every line"),
        Verdict::Loses => {
            let lost = grouped(lines.wins(other));
            let more =
                if lines.undefined > 0 { format!("; in {undefined} the rule is undefined") } else { String::new() };
            format!("the {player} player can lose: {lost} of {all} lines are lost{more}")
        }
        Verdict::Undefined if lines.undefined == lines.all() => "the rule is undefined in every line".to_owned(),
        Verdict::Undefined => {
            format!("the rule is undefined in {undefined} of {all} lines; the {player} player loses none of the others")
        }
    }
}

/// Writes a line as moves, for programs.
fn line(line: &[usize]) -> String {
    columns_to_text(line.iter().copied())
}

/// Writes a line as moves; `-` if it has none.
fn line_to_text(line: &[usize]) -> String {
    if line.is_empty() { "-".to_owned() } else { columns_to_text(line.iter().copied()) }
}

/// The report for programs. Numbers of lines may have more digits than a 64-bit integer.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StrategyJson<'a> {
    board: String,
    #[cfg_attr(test, schemars(extend("enum" = ["follow-up", "mirror", "centre"])))]
    strategy: &'a str,
    player: &'static str,
    centre: Option<[usize; 2]>,
    #[cfg_attr(test, schemars(extend("enum" = ["pair", "column", "column-or-follow", null])))]
    reading: Option<&'a str>,
    #[cfg_attr(test, schemars(extend("enum" = ["wins", "ties", "never-loses", "loses", "undefined"])))]
    verdict: String,
    positions: PositionsJson,
    lines: LinesJson,
    refutation_line: Option<String>,
    undefined_line: Option<String>,
    comparison: Option<ComparisonJson>,
    notes: Vec<&'a str>,
}

/// The positions that were met.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PositionsJson {
    all: u64,
    opponent_to_move: u64,
    strategy_to_move: u64,
    undefined: u64,
    won_by: PlayersJson<u64>,
    ties: u64,
}

/// The lines by their ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LinesJson {
    all: u128,
    undefined: u128,
    won_by: PlayersJson<u128>,
    ties: u128,
}

/// The positions where the value is kept.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ComparisonJson {
    #[serde(flatten)]
    database: DatabaseJson,
    strategy_to_move: u64,
    kept: u64,
    all: u64,
    secured: u64,
}
