//! `fourbase position`: draw a position and convert it between notations. It needs no database.

use clap::{Args, ValueEnum};
use fourbase::{Position, notation};

use crate::arguments::{BoardArgument, POSITION_HELP, read_position};
use crate::output;

/// Arguments of `fourbase position`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
{POSITION_HELP}

Examples:
  fourbase position 4x4 121213
  fourbase position 4x4 121213 --to uni
  fourbase position 4x4 10100 10010 11010 01010 --to moves"))]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// The position, in any of the forms below
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// Write only this form of the position
    #[arg(long, value_name = "FORM")]
    to: Option<Form>,
}

/// The choices of `--to`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The first order of moves that reaches the position
    Moves,
    /// Column bit strings
    Bits,
    /// The GamesmanUni string
    Uni,
    /// The drawn board
    Board,
}

/// Runs `fourbase position`.
///
/// # Errors
///
/// Bad input: a mistake in the position, or `--to moves` for a position that no game reaches.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position = read_position(arguments.board.board, &arguments.position)?;
    output::print(match arguments.to {
        Some(Form::Moves) => notation::to_moves(&position)?,
        Some(Form::Bits) => notation::to_bits(&position),
        Some(Form::Uni) => notation::to_uni(&position),
        Some(Form::Board) => notation::draw(&position, true),
        None => describe(&position),
    })
}

/// Draws the position and lists its other forms.
fn describe(position: &Position) -> String {
    let turn = match position.primitive() {
        Some(value) => format!("the game is over, {value} for the {} player", position.to_move()),
        None => format!("{} player to move", position.to_move()),
    };
    let moves = notation::to_moves(position).unwrap_or_else(|reason| format!("none: {reason}"));
    format!(
        "{}\n\nply    {}, {turn}\nmoves  {moves}\nbits   {}\nuni    {}",
        notation::draw(position, true),
        position.ply(),
        notation::to_bits(position),
        notation::to_uni(position),
    )
}
