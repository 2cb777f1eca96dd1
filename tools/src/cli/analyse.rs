//! `fourbase analyse`: the mistakes of a game.
//!
//! [`GameAnalysis`] has the outcomes of all moves in every position of the game. A move costs the difference between its outcome
//! and that of the best move. For a single game the command prints a table and the mistakes; for a batch it prints a line for each
//! game.

use std::fmt;

use anyhow::{Error, anyhow, ensure};
use clap::Args;
use fourbase::analysis::json::{Envelope, GameAnalysisJson};
use fourbase::analysis::{Accuracy, GameAnalysis, Loss, Ply};
use fourbase::notation::{choice_of_columns, column_character, draw};
use fourbase::{Board, Game, Player};
use fourbase_tiers::files::counted;

use crate::arguments::PositionArgument;
use crate::batch::{Batch, BatchArguments, Record, Tally};
use crate::cli::query::limited::LimitedAnalyst;
use crate::cli::query::source::SearchArguments;
use crate::failure::BadInput;
use crate::output::{self, wording};

/// Arguments of `fourbase analyse`.
#[derive(Args, Debug)]
#[command(mut_arg("position", |arg| arg.value_name("MOVES").help(MOVES_HELP)))]
#[command(after_help = "\
For each move, the report shows what the position was worth before it, for the player to move; \
whether it was a mistake, such as win to loss, or only won later or lost sooner; and the best \
moves, if it was not one of them. A number in this table counts plies: the moves of both players to the end. The game may \
be unfinished.

Without a database, analyse searches every position forward, from the last one back. If a search \
reaches --nodes or --seconds, the report shows ? for what is not known, earlier positions get a \
quick look only, and the exit code is 1.

With --batch, a line of input is a game and a line of output is

  MOVES<TAB>FIRST<TAB>SECOND<TAB>UNDECIDED

FIRST and SECOND are the mistakes of each player, such as 1 missed tie at column 3; 5 missed win in \
7 at column 2, and - for none. UNDECIDED is the number of moves that were not decided. A line may have \
further fields, between tabs or spaces: the game is the first field, or that of --field, and the \
others are copied to the end. A blank line is an error, except at the end. --json writes a line of JSON for each game \
instead.

Examples:
  fourbase analyse 4444435555                     a game on 7x6
  fourbase analyse 5x4 3 3 2 1 4 --why
  fourbase analyse 1. d1 d2 2. e1 c1 --json
  fourbase analyse 5x4 --batch --input games.txt")]
pub struct Arguments {
    #[command(flatten)]
    game: PositionArgument,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    batch: BatchArguments,

    /// Add what each mistake allows; in a batch only to JSON
    #[arg(long)]
    why: bool,

    /// Print a line of JSON, in a batch one for each game
    #[arg(long)]
    json: bool,
}

const MOVES_HELP: &str = "The moves of the game, such as 4453, 4 4 5 3, d1 d2 or a link; - for the empty board";

/// Runs `fourbase analyse`.
///
/// # Errors
///
/// Bad input: moves that cannot be played. Failures: with `--search never`, no database; a database that cannot be read. If moves
/// were not decided, the report is printed before the error.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (is_batch, is_json) = (arguments.batch.batch, arguments.json);
    let (board, moves) = arguments.game.read(is_batch)?;
    let no_moves = || BadInput("write the moves of a game, such as 4453; - for the empty board".to_owned());
    ensure!(is_batch || !moves.is_empty(), no_moves());
    // A mistake in the game is cheap to find, so it is reported before the database is opened.
    let game = Game::parse(board, &moves)?;
    let analyst = arguments.search.find(board, None)?;
    if is_batch {
        analyst.print_note();
        return run_batch(arguments, board, &analyst);
    }
    let analysis = analyse(&game, &analyst, arguments.why)?;
    if is_json {
        analyst.print_note();
        output::print_json(&Envelope::new("analyse", GameAnalysisJson::of(&analysis)))?;
    } else {
        output::print(Report { analysis: &analysis, source: &analyst.source() })?;
    }
    limit_failure(&analysis, &analyst).map_or(Ok(()), Err)
}

/// Analyses a game; with the reasons of its mistakes if these are wanted.
fn analyse(game: &Game, analyst: &LimitedAnalyst, with_reasons: bool) -> anyhow::Result<GameAnalysis> {
    let mut analysis = GameAnalysis::of(game, |position, nodes| analyst.analyse(position, with_reasons, nodes))?;
    if with_reasons {
        analysis.explain();
    }
    Ok(analysis)
}

/// The analysis of a single game, as text for people.
struct Report<'a> {
    analysis: &'a GameAnalysis,
    /// Where the answers come from.
    source: &'a str,
}

/// Returns the error for the limit that left a move, or the value at the end of the game, undecided.
fn limit_failure(analysis: &GameAnalysis, analyst: &LimitedAnalyst) -> Option<Error> {
    let (open, moves) = (analysis.undecided(), analysis.game.ply());
    let is_open = open > 0 || analysis.plies.last().is_none_or(|last| last.analysis.outcome.is_none());
    let what = match open {
        0 => "the value at the end is not known".to_owned(),
        _ => format!("{open} of {moves} moves are open"),
    };
    analysis.limit.filter(|_| is_open).map(|limit| anyhow!(analyst.limit_text(limit)).context(what))
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameAnalysis { game, plies, .. } = self.analysis;
        writeln!(f, "{}\n", draw(game.position(), true))?;
        write!(f, "{} after {}, ", game.board(), counted(game.ply(), "move"))?;
        match plies.last().and_then(|last| last.analysis.outcome) {
            Some(outcome) if !game.is_over() => {
                f.write_str(&wording::verdict(game.position().to_move(), outcome))?;
            }
            _ => f.write_str(&wording::standing(game.position()))?,
        }
        if game.ply() > 0 {
            let rows = self.analysis.moves().map(|(number, ply, column)| {
                let mark = ply.analysis.position.to_move().mark();
                let is_best = matches!(ply.loss(), Some(Loss::Nothing | Loss::NoValue));
                vec![
                    number.to_string(),
                    format!("{mark} {}", column_character(column).unwrap_or('?')),
                    ply.analysis.outcome.map_or("?".to_owned(), wording::outcome),
                    ply.verdict().unwrap_or_else(|| "?".to_owned()),
                    if is_best { String::new() } else { choice_of_columns(ply.analysis.best()) },
                ]
            });
            write!(f, "\n\n{}\n", output::table(&[">move", "", "before", "verdict", "best"], rows))?;
            for player in Player::BOTH {
                write!(f, "\n{}: {}", player.mark(), self.blame(player))?;
            }
            if self.analysis.decisive().is_some() {
                write!(f, "\n{}", self.analysis.summary())?;
            }
            for (number, ply, _) in self.analysis.moves() {
                if let Some(reason) = &ply.refutation {
                    write!(f, "\n\n{}", wording::wrapped(&format!("move {number}:"), &reason.to_string()))?;
                }
            }
        }
        write!(f, "\n\n{}", self.source)
    }
}

impl Report<'_> {
    /// Writes the mistakes of a player. If some of the player's moves were not decided, also writes how many were.
    fn blame(&self, player: Player) -> String {
        let mistake = |(number, ply, _): (usize, &Ply, usize)| match ply.loss() {
            Some(Loss::Value(from, to)) => Some(format!("move {number} ({} to {})", from.noun(), to.noun())),
            _ => None,
        };
        let mistakes: Vec<String> = self.analysis.moves_of(player).filter_map(mistake).collect();
        let accuracy = match self.analysis.accuracy(player) {
            Accuracy { mattered: 0, .. } => String::new(),
            Accuracy { kept, mattered } => {
                format!("; {kept} of {} that mattered kept the value", counted(mattered, "move"))
            }
        };
        let moves = self.analysis.moves_of(player).count();
        let decided = self.analysis.moves_of(player).filter(|(_, ply, _)| ply.loss().is_some()).count();
        if mistakes.is_empty() && decided == moves {
            return format!("no mistakes{accuracy}");
        }
        if mistakes.is_empty() {
            return format!("no mistake in {decided} of {moves} moves decided{accuracy}");
        }
        let each = mistakes.join(", ");
        let open = if decided < moves { format!("; {decided} of {moves} moves decided") } else { String::new() };
        format!("mistakes in {each}{open}{accuracy}")
    }
}

/// The most games that are analysed together.
const AT_ONCE: usize = 256;

/// The text of a batch for a player without mistakes.
const NONE: &str = "-";

/// Analyses the game of every line.
///
/// # Errors
///
/// Those of [`Batch::run`]. A game with moves that were not decided counts as a failure.
fn run_batch(arguments: &Arguments, board: Board, analyst: &LimitedAnalyst) -> anyhow::Result<()> {
    let (with_reasons, is_json) = (arguments.why, arguments.json);
    let count = |analysis: &GameAnalysis, tally: &mut Tally| {
        limit_failure(analysis, analyst).into_iter().for_each(|failure| drop(tally.failed(failure)));
    };
    Batch {
        arguments: &arguments.batch,
        name: "game",
        done: "decided",
        board,
        at_once: analyst.at_once().min(AT_ONCE),
        json_command: is_json.then_some("analyse"),
        read: &|text| Game::parse(board, text),
        answer: &|games| analyst.each(games, |game| analyse(game, analyst, with_reasons && is_json)),
        write: &|text, record: &Record<Game>, analysis, tally| {
            let mistakes = |player| {
                let each = analysis.mistakes(player).into_iter().map(|of| format!("{} {}", of.number, of.reason));
                let each = each.collect::<Vec<_>>().join("; ");
                if each.is_empty() { NONE.to_owned() } else { each }
            };
            let [first, second] = Player::BOTH.map(mistakes);
            let answer = format!("{first}\t{second}\t{}", analysis.undecided());
            record.write(text, |text| text.extend_from_slice(answer.as_bytes()));
            count(&analysis, tally);
            Ok(())
        },
        json: &|record, analysis: Option<GameAnalysis>, tally| {
            analysis.iter().for_each(|analysis| count(analysis, tally));
            let unanswered = || GameAnalysisJson::of_game(&record.question, &record.question.moves());
            analysis.as_ref().map_or_else(unanswered, GameAnalysisJson::of)
        },
    }
    .run()
}
