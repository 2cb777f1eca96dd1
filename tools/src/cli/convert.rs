//! `fourbase convert`: draw a position and convert it between notations. It needs no database.

use anyhow::ensure;
use clap::{Args, ValueEnum};
use fourbase::analysis::json::{Envelope, PositionJson};
use fourbase::analysis::{DescriptionJson, canonical};
use fourbase::notation::{self, NotationError};
use fourbase::{Board, Position};

use crate::arguments::{POSITION_HELP, PositionArgument};
use crate::batch::{Batch, BatchArguments, note_unread};
use crate::failure::BadInput;
use crate::output::{self, wording};

/// The command's name in its JSON: the earlier name, so that programs which read the JSON still work.
const COMMAND: &str = "position";

/// The most positions that are converted before their answers are written.
const AT_ONCE: usize = 1 << 12;

/// The text in place of the moves, for a position that no game reaches.
const UNREACHABLE: &str = "none";

/// Arguments of `fourbase convert`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
{POSITION_HELP}

The canonical one of a position and its mirror image is the one whose bit strings come first in \
alphabetical order.

With --batch, a line of input is a position and a line of output is

  POSITION<TAB>MOVES<TAB>BITS<TAB>UNI   MOVES is none if no game reaches it
  POSITION<TAB>FORM                     with --to
  POSITION<TAB>error<TAB>REASON         for a line that is not a position

A line that is not a position makes the exit code 2 at the end.

A line may have further fields, between tabs or spaces. The position is the first field, or that of \
--field; the others are copied to the end. A blank line is an error, except at the end.

Examples:
  fourbase convert 4453
  fourbase convert 4x4 121213 --to uni
  fourbase convert 4x4 121213 --canonical --json
  fourbase convert 4x4 10100 10010 11010 01010 --to moves
  fourbase convert 4x4 --batch --canonical --to bits --input positions.txt"))]
pub struct Arguments {
    #[command(flatten)]
    position: PositionArgument,

    /// Write only this form of the position
    #[arg(long, value_name = "FORM")]
    to: Option<Form>,

    /// Take the mirror image of the position
    #[arg(long)]
    mirror: bool,

    /// Take the canonical one of the position and its mirror image
    #[arg(long, conflicts_with = "mirror")]
    canonical: bool,

    #[command(flatten)]
    batch: BatchArguments,

    /// Print a line of JSON, in a batch one for each position
    #[arg(long, conflicts_with = "to")]
    json: bool,
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

impl Form {
    /// Writes a position.
    fn of(self, position: &Position) -> Result<String, NotationError> {
        Ok(match self {
            Form::Moves => notation::to_moves(position)?,
            Form::Bits => notation::to_bits(position),
            Form::Uni => notation::to_uni(position),
            Form::Board => notation::draw(position, true),
        })
    }
}

/// Runs `fourbase convert`.
///
/// # Errors
///
/// Bad input: a mistake in the position or in a line of a batch, or `--to moves` for a position that no game reaches.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (board, text) = arguments.position.read(arguments.batch.batch)?;
    if arguments.batch.batch {
        return run_batch(arguments, board);
    }
    let typed = notation::parse(board, &text)?;
    let position = arguments.turned(&typed);
    if text.is_empty() {
        note_unread();
    }
    let json = json_of(&position, &typed, &text);
    if arguments.json {
        let json = DescriptionJson::of(&position, json);
        return output::print_json(&Envelope::new(COMMAND, json));
    }
    output::print(match arguments.to {
        Some(form) => form.of(&position)?,
        None => describe(&position, json),
    })
}

impl Arguments {
    /// Returns the typed position, mirrored if `--mirror` or `--canonical` asks for that.
    fn turned(&self, typed: &Position) -> Position {
        match (self.canonical, self.mirror) {
            (true, _) => canonical(typed),
            (false, true) => typed.mirror(),
            (false, false) => *typed,
        }
    }
}

/// Converts the position of every line.
fn run_batch(arguments: &Arguments, board: Board) -> anyhow::Result<()> {
    let is_drawn = arguments.to == Some(Form::Board);
    ensure!(!is_drawn, BadInput("a drawn board takes several lines; use --json for a batch".to_owned()));
    Batch {
        arguments: &arguments.batch,
        name: "position",
        done: "written",
        board,
        at_once: AT_ONCE,
        json_command: arguments.json.then_some(COMMAND),
        read: &|text| notation::parse(board, text),
        answer: &|typed| typed.iter().map(|typed| Ok(arguments.turned(typed))).collect(),
        write: &|text, record, position, _| {
            let written = match arguments.to {
                Some(form) => form.of(&position)?,
                None => {
                    let moves = notation::to_moves(&position).unwrap_or_else(|_| UNREACHABLE.to_owned());
                    format!("{moves}\t{}\t{}", notation::to_bits(&position), notation::to_uni(&position))
                }
            };
            record.write(text, |text| text.extend_from_slice(written.as_bytes()));
            Ok(())
        },
        json: &|record, position, _| {
            let position = position.unwrap_or(record.question);
            DescriptionJson::of(&position, json_of(&position, &record.question, record.text))
        },
    }
    .run()
}

/// Returns the JSON of a position. It contains the moves as typed, unless the position was mirrored.
fn json_of(position: &Position, typed: &Position, text: &str) -> PositionJson {
    if position == typed { PositionJson::typed(position, text) } else { PositionJson::of(position) }
}

/// Draws the position and lists its other forms.
fn describe(position: &Position, PositionJson { moves, bits, uni, ply, .. }: PositionJson) -> String {
    let (board, turn) = (notation::draw(position, true), wording::standing(position));
    let moves = match moves {
        Some(moves) if moves.is_empty() => "-".to_owned(),
        Some(moves) => moves,
        None => notation::to_moves(position).unwrap_or_else(|reason| format!("none: {reason}")),
    };
    format!("{board}\n\nply    {ply}, {turn}\nmoves  {moves}\nbits   {bits}\nuni    {uni}")
}
