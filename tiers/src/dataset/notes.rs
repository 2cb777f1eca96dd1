//! What a data set says of itself: facts for programs, and a text for people that lies beside the file.

use std::fmt::Write;

use fourbase::{Board, Player};

use super::choice::{Choice, Rows};
use super::column::{Field, FieldKind};
use super::format::Format;
use super::summary::Summary;
use crate::database::Database;
use crate::files::grouped;

/// Lists the facts of a data set, by names that begin with `fourbase.`: the version, the board, the choice of positions,
/// the database.
pub(super) fn facts(database: &Database, choice: &Choice) -> Vec<(&'static str, String)> {
    let hash = database.manifest().hash().map(|hash| hash.to_string());
    let mut facts = vec![
        ("fourbase.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("fourbase.board", database.board().to_string()),
        ("fourbase.positions", choice.told()),
        ("fourbase.plies", choice.plies_told()),
    ];
    if let Rows::Sample { count, kind, seed } = choice.rows {
        facts.push(("fourbase.sample", count.to_string()));
        facts.push(("fourbase.kind", kind.to_string()));
        facts.push(("fourbase.seed", seed.to_string()));
    }
    facts.push(("fourbase.distinct", (choice.is_distinct || choice.rows == Rows::Unforced).to_string()));
    facts.push(("fourbase.database.values", database.values().to_string()));
    facts.push(("fourbase.database.hash", hash.unwrap_or_default()));
    facts
}

/// Writes the text beside a file. `made_with` is the command or the call that makes the same file.
pub(super) fn readme(
    database: &Database,
    choice: &Choice,
    format: Format,
    fields: &[Field],
    summary: &Summary,
    name: &str,
    made_with: &str,
) -> String {
    let board = database.board();
    let mut text = format!(
        "# {name}\n\nPositions of Connect Four on {board} with exact values, made by fourbase {}:\n\n```console\n{made_with}\n\
         ```\n\n| | |\n|---|---|\n",
        env!("CARGO_PKG_VERSION")
    );
    let [win, tie, lose] = summary.by_value;
    let count = |count: u64| grouped(u128::from(count));
    let counts = format!(
        "{}: {} wins, {} ties and {} losses for the player to move",
        count(summary.rows),
        count(win),
        count(tie),
        count(lose)
    );
    let facts = facts(database, choice).into_iter().map(|(key, value)| (key.trim_start_matches("fourbase."), value));
    for (key, value) in [("rows", counts)].into_iter().chain(facts) {
        let _ = writeln!(text, "| {} | {value} |", key.replace('.', " "));
    }
    text.push_str(&about_board(board));
    if format == Format::Uci {
        text.push_str(UCI);
        return text;
    }
    let null = match format {
        Format::Csv => "An empty cell means that there is none.",
        _ => "Null means that there is none.",
    };
    let _ = write!(text, "\n## Columns\n\n{null}\n\n| column | type | what it is |\n|---|---|---|\n");
    for field in fields {
        let _ = writeln!(text, "| `{}` | {} | {} |", field.name(), type_name(*field, format), meaning(*field, board));
    }
    text
}

/// Explains the game.
fn about_board(board: Board) -> String {
    let (width, height, connect) = (board.width(), board.height(), board.connect());
    let line = if board.is_misere() { "loses" } else { "wins" };
    format!(
        "\nThe board has {width} columns and {height} rows; {connect} in a row {line}. A position is legal if a game that stops \
         at the first line leads there.\n"
    )
}

/// Explains the text of the UCI data set.
const UCI: &str = "
## Columns

There is no line of names. A row has a letter for each cell, column after column from the left and each from the bottom up
(a1 to a6, b1 to b6 and so on): `x` is a piece of the first player, `o` of the second, `b` a blank. The last field is the
class: what the position is worth to the **first** player, `win`, `loss` or `draw`.
";

fn type_name(field: Field, format: Format) -> &'static str {
    match (field.kind(), format) {
        (FieldKind::Text, _) => "text",
        (FieldKind::Bitboard, _) => "uint64",
        (FieldKind::Signed { nullable: false }, _) => "int8",
        (FieldKind::Unsigned { nullable: false }, _) => "uint8",
        (FieldKind::Signed { nullable: true }, _) => "int8 or null",
        (FieldKind::Unsigned { nullable: true }, _) => "uint8 or null",
    }
}

fn meaning(field: Field, board: Board) -> String {
    let height = board.height();
    match field {
        Field::Moves => {
            "the smallest order of moves that reaches the position, a character for each column played: `1` to `9`, then \
             `a` to `w`; `-` for the empty board"
                .to_owned()
        }
        Field::Bits => {
            "each column from the bottom up, `0` first player, `1` second, then a `1`, and `0`s to the top".to_owned()
        }
        Field::Uni => "GamesmanUni's string: the player to move, then each column from the top down".to_owned(),
        Field::Pieces(player) => {
            let who = if player == Player::First { "first" } else { "second" };
            format!("the pieces of the {who} player: bit {height} x column + row, both from 0, row 0 at the bottom")
        }
        Field::Ply => "the number of pieces; the first player is to move if it is even".to_owned(),
        Field::Value => "what the position is worth to the player to move: 1 win, 0 tie, -1 loss".to_owned(),
        Field::Remoteness => "plies to the end under best play: the winner wants few, the loser many".to_owned(),
        Field::Score => format!(
            "Pons' score: the value times floor(({} - t) / 2), with t pieces on the board at the end; the sooner the end, the \
             farther from 0",
            board.cells() + 2
        ),
        Field::MoveValue(column) => {
            format!("the value of a move in column {}, for the player who makes it; null if it is illegal", column + 1)
        }
        Field::MoveRemoteness(column) => format!(
            "plies to the end, counted from this position, after a move in column {} and then best play; null if it is illegal",
            column + 1
        ),
    }
}
