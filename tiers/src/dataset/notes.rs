//! Documents a data set with facts for programs, and with a text for people to keep beside the file.

use std::fmt::Write;

use fourbase::Board;

use super::column::{Column, Field};
use super::format::Format;
use super::run::{Dataset, RowChoice, Selection};
use crate::files::grouped;
use crate::positions::SampleKind;

impl Dataset<'_> {
    /// Returns the facts of the data set: the version, the board, the selection of positions, the database. Their names
    /// begin with `fourbase.`. A Parquet file has these facts as its metadata.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let Dataset { database, selection, .. } = self;
        let hash = database.manifest.hash.map(|hash| hash.to_string());
        let mut facts = vec![
            ("fourbase.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("fourbase.board", database.board().to_string()),
            ("fourbase.positions", rows(selection)),
            ("fourbase.plies", ply_ranges(&selection.plies)),
        ];
        if let RowChoice::Sample { count, kind, seed } = selection.rows {
            facts.push(("fourbase.sample", count.to_string()));
            facts.push(("fourbase.kind", kind.name().to_owned()));
            facts.push(("fourbase.seed", seed.to_string()));
        }
        facts.push(("fourbase.distinct", selection.is_distinct.to_string()));
        facts.push(("fourbase.database.values", database.values().to_string()));
        facts.push(("fourbase.database.hash", hash.unwrap_or_default()));
        facts
    }

    /// Returns a text in Markdown that explains the file `name`. `by_value` is what [`Dataset::write`] returned for the
    /// file. `made_with` is the command or the call that makes the same file.
    pub fn readme(&self, format: Format, by_value: [u64; 3], name: &str, made_with: &str) -> String {
        let board = self.board();
        let mut text = format!(
            "# {name}\n\nPositions of Connect Four on {board} with exact values, made by fourbase {}:\n\n\
             ```console\n{made_with}\n```\n\n| | |\n|---|---|\n",
            env!("CARGO_PKG_VERSION")
        );
        let [win, tie, lose] = by_value;
        let [rows, win, tie, lose] = [win + tie + lose, win, tie, lose].map(|count| grouped(count.into()));
        let counts = format!("{rows}: {win} wins, {tie} ties and {lose} losses for the player to move");
        for (key, value) in [("rows", counts)].into_iter().chain(self.facts()) {
            let _ = writeln!(text, "| {} | {value} |", key.trim_start_matches("fourbase.").replace('.', " "));
        }
        let (width, height, connect) = (board.width(), board.height(), board.connect());
        let line = if board.is_misere() { "loses" } else { "wins" };
        let _ = write!(
            text,
            "\nThe board has {width} columns and {height} rows; {connect} in a row {line}. A position is legal if a game \
             that stops at the first line leads there.\n\n## Columns\n\n"
        );
        let null = match format {
            Format::Uci => return text + UCI,
            Format::Csv => "An empty cell means that there is none.",
            Format::Parquet => "Null means that there is none.",
        };
        let _ = write!(text, "{null}\n\n| column | type | what it is |\n|---|---|---|\n");
        for field in self.fields(format) {
            let kind = format!("{:?}", field.kind()).to_lowercase();
            let or_null = if field.column.is_of_moves() { " or null" } else { "" };
            let _ = writeln!(text, "| `{}` | {kind}{or_null} | {} |", field.name(), meaning(field, board));
        }
        text
    }
}

/// Returns plies in the notation of ranges, for example `0-3,7`.
///
/// ```
/// assert_eq!(fourbase_tiers::dataset::ply_ranges(&[0, 1, 2, 3, 7]), "0-3,7");
/// ```
pub fn ply_ranges(plies: &[u32]) -> String {
    let run = |run: &[u32]| match *run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(u32::to_string).collect(),
    };
    plies.chunk_by(|one, next| one + 1 == *next).map(run).collect::<Vec<_>>().join(",")
}

/// Describes which positions are chosen.
fn rows(selection: &Selection) -> String {
    let rule = match selection.rows {
        RowChoice::All => "every legal position that no line has finished",
        RowChoice::Unforced => {
            "every legal unfinished position in which no move of either player would complete a line"
        }
        RowChoice::Sample { kind, .. } => {
            let how = match kind {
                SampleKind::Uniform => "every unfinished legal position equally likely",
                SampleKind::RandomPlay => "a random ply, then random moves up to it; unfinished",
                SampleKind::ChoiceMatters => {
                    "a random ply, then random moves up to it; unfinished, and its moves differ in value"
                }
            };
            let distinct = if selection.is_distinct { ", distinct up to mirror images" } else { "" };
            return format!("drawn at random, {}: {how}{distinct}", kind.name());
        }
    };
    let mirror = if selection.is_distinct { "; of a position and its mirror image only one" } else { "" };
    format!("{rule}{mirror}")
}

/// The part of the text that explains the format of the UCI data set.
const UCI: &str = "\
There is no line of names. A row has a letter for each cell, column after column from the left and each from the bottom up
(a1 to a6, b1 to b6 and so on): `x` is a piece of the first player, `o` of the second, `b` a blank. The last field is the
class: what the position is worth to the **first** player, `win`, `loss` or `draw`.
";

/// Describes the content of a field.
fn meaning(field: Field, board: Board) -> String {
    let text = match field.column {
        Column::Moves => {
            "the smallest order of moves that reaches the position, a character for each column played: `1` to `9`, then \
             `a` to `w`; `-` for the empty board"
        }
        Column::Bits => "each column from the bottom up, `0` first player, `1` second, then a `1`, and `0`s to the top",
        Column::Uni => "GamesmanUni's string: the player to move, then each column from the top down",
        Column::Bitboards => {
            "the pieces of the {name} player: bit {height} x column + row, both from 0, row 0 at the bottom"
        }
        Column::Ply => "the number of pieces; the first player is to move if it is even",
        Column::Value => "what the position is worth to the player to move: 1 win, 0 tie, -1 loss",
        Column::Remoteness => "plies to the end under best play: the winner wants few, the loser many",
        Column::Score => {
            "Pons' score: the value times floor(({cells + 2} - t) / 2), with t pieces on the board at the end; the sooner \
             the end, the farther from 0"
        }
        Column::MoveValues => {
            "the value of a move in column {column}, for the player who makes it; null if it is illegal"
        }
        Column::MoveRemoteness => {
            "plies to the end, counted from this position, after a move in column {column} and then best play; null if it \
             is illegal"
        }
    };
    let text = text.replace("{name}", &field.name()).replace("{column}", &(field.number + 1).to_string());
    text.replace("{height}", &board.height().to_string()).replace("{cells + 2}", &(board.cells() + 2).to_string())
}
