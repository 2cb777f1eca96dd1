//! `fourbase analyse --batch`: a line for every game, with the mistakes of each player.

use fourbase::analysis::GameAnalysis;
use fourbase::analysis::json::GameAnalysisJson;
use fourbase::{Board, Game, Player};
use rayon::prelude::*;

use super::report;
use crate::batch::lines::Line;
use crate::batch::{BatchArguments, Things, input_text, push_line, write_others};
use crate::cli::query::limited::LimitedAnalyst;
use crate::json::Envelope;

/// The most games that are analysed together.
const AT_ONCE: usize = 256;

/// Stands for no mistake.
const NONE: &str = "-";

/// Analyses the game of every line.
///
/// # Errors
///
/// Those of [`BatchArguments::run`]. A game with moves that were not decided counts as a failure.
pub fn run(arguments: &BatchArguments, board: Board, analyst: &LimitedAnalyst, is_json: bool) -> anyhow::Result<()> {
    let things = Things { name: "game", done: "decided" };
    arguments.run(things, board, analyst.at_once().min(AT_ONCE), |lines, text, tally| {
        let games: Vec<_> = lines.iter().map(|line| read(arguments, board, line)).collect();
        let analyse = |game: &Result<Game, String>| {
            let game = game.as_ref().ok()?;
            Some(GameAnalysis::of(game, |position, nodes| analyst.analyse(position, false, nodes)))
        };
        let analyses: Vec<_> = if analyst.may_search() || games.len() == 1 {
            games.iter().map(analyse).collect()
        } else {
            games.par_iter().map(analyse).collect()
        };
        for ((line, game), analysis) in lines.iter().zip(games).zip(analyses) {
            let (game, reason) = match (game, analysis) {
                (Ok(_), Some(Ok(analysis))) => {
                    write(text, arguments, line, &analysis, is_json);
                    if let Some(failure) = report::failure(&analysis, analyst) {
                        tally.failed(failure);
                    }
                    continue;
                }
                (Err(reason), _) => {
                    tally.bad();
                    (None, reason)
                }
                (Ok(game), Some(Err(failure))) => (Some(game), tally.failed(failure)),
                (_, None) => continue,
            };
            if is_json {
                let moves = game.as_ref().map(Game::moves).unwrap_or_default();
                let json = GameAnalysisJson::of_error(board, game.as_ref().map(|game| (game, moves.as_str())), reason);
                push_line(text, &Envelope::new("analyse", json.with_input(input_text(line))));
            } else {
                arguments.write_error(text, line, |_| 1, &reason);
            }
        }
    })
}

/// Reads the game of a line, or says why there is none.
fn read(arguments: &BatchArguments, board: Board, line: &Line) -> Result<Game, String> {
    let record = arguments.read(line, |_| 1)?;
    Game::parse(board, record.text).map_err(|error| error.to_string())
}

/// Writes the analysis of a game: its moves, the mistakes of the first player and of the second, and how many moves were
/// not decided.
fn write(text: &mut Vec<u8>, arguments: &BatchArguments, line: &Line, analysis: &GameAnalysis, is_json: bool) {
    if is_json {
        return push_line(text, &Envelope::new("analyse", GameAnalysisJson::of(analysis).with_input(input_text(line))));
    }
    let Ok(record) = arguments.read(line, |_| 1) else { return };
    let mistakes = |player| {
        let each = analysis.mistakes(player).into_iter().map(|of| format!("{} {}", of.number, of.reason));
        Some(each.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty()).unwrap_or_else(|| NONE.to_owned())
    };
    let [first, second] = [Player::First, Player::Second].map(mistakes);
    text.extend_from_slice(record.fields.chosen);
    text.extend_from_slice(format!("\t{first}\t{second}\t{}", analysis.undecided()).as_bytes());
    write_others(text, &record.fields);
    text.push(b'\n');
}
