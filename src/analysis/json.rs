//! An analysis as JSON, the same for every program that writes one. `docs/reference/json.md` describes the fields.
//!
//! Fields are always present: what is unknown or does not apply is null. Columns count from 1.

use serde::Serialize;

use super::{Accuracy, Analysis, GameAnalysis, Loss, Mistake, Move, MoveClass, Ply, Source};
use crate::notation::{self, columns_to_text};
use crate::reasons::{Reason, ReasonKind};
use crate::{Board, Game, Outcome, PerPlayer, Player, Position, Value};

/// The version of the fields and their meaning.
pub const SCHEMA: u32 = 1;

/// One line of JSON: the version and the command, then the fields of `body`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<T> {
    schema: u32,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Envelope<T> {
    /// Makes a line with the version and the name of the command before the fields of `body`.
    pub fn new(command: &'static str, body: T) -> Envelope<T> {
        Envelope { schema: SCHEMA, command, body }
    }

    /// Appends the line and a line break to `text`.
    pub fn push_to(&self, text: &mut Vec<u8>) {
        // This can't fail: it writes to memory, and all keys are strings.
        drop(serde_json::to_writer(&mut *text, self));
        text.push(b'\n');
    }
}

/// A position in every notation.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionJson {
    /// An order of moves that leads here, empty for the empty board; null if no game leads here.
    pub moves: Option<String>,
    /// The column bit strings.
    pub bits: String,
    /// GamesmanUni's string.
    pub uni: String,
    /// The number of pieces.
    pub ply: usize,
    /// `first` or `second`.
    pub to_move: &'static str,
}

impl PositionJson {
    /// Makes the JSON of a position, with the smallest sequence of moves that reaches it.
    pub fn of(position: &Position) -> PositionJson {
        let moves = notation::to_moves(position).ok();
        PositionJson::new(position, moves.map(|moves| moves.trim_start_matches('-').to_owned()))
    }

    /// Makes the JSON of a position with the moves of `text`, from which the position was read. If `text` is not a
    /// sequence of moves, does the same as [`PositionJson::of`].
    pub fn typed(position: &Position, text: &str) -> PositionJson {
        if text.bytes().all(|byte| matches!(byte, b'1'..=b'9')) {
            return PositionJson::new(position, Some(text.to_owned()));
        }
        // Bit strings and GamesmanUni strings are not moves.
        match notation::parse_moves(&Position::start(position.board()), text) {
            // A link may show an earlier position of its game.
            Ok(columns) => {
                let moves = columns.into_iter().take(position.ply());
                PositionJson::new(position, Some(notation::columns_to_text(moves)))
            }
            Err(_) => PositionJson::of(position),
        }
    }

    fn new(position: &Position, moves: Option<String>) -> PositionJson {
        PositionJson {
            moves,
            bits: notation::to_bits(position),
            uni: notation::to_uni(position),
            ply: position.ply(),
            to_move: position.to_move().name(),
        }
    }
}

/// A value and a remoteness, null where unknown, as two fields of the object that contains them.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeJson {
    /// `win`, `lose` or `tie`.
    pub value: Option<&'static str>,
    /// Plies to the end.
    pub remoteness: Option<u32>,
}

impl OutcomeJson {
    /// Makes the JSON of an outcome; both fields are null for `None`.
    pub fn of(outcome: Option<Outcome>) -> OutcomeJson {
        OutcomeJson {
            value: outcome.map(|outcome| outcome.value.name()),
            remoteness: outcome.and_then(|outcome| outcome.remoteness),
        }
    }
}

/// Which database was asked; all null if none was.
#[derive(Clone, PartialEq, Eq, Serialize, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseJson {
    /// The folder of the database; null if it is built in.
    pub folder: Option<String>,
    /// `wdl` or `remoteness`.
    pub stores: Option<String>,
    /// The deepest ply that it keeps; null if it keeps all.
    pub keep_plies: Option<u32>,
    /// The hash of the database; null while it is being solved.
    pub hash: Option<String>,
}

/// Where an answer comes from.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceJson {
    /// What decided the value.
    pub kind: Source,
    /// The database that was asked.
    #[serde(flatten)]
    pub database: DatabaseJson,
    /// The nodes searched for this answer; null for a whole batch of answers, whose nodes are not counted.
    pub nodes: Option<u64>,
}

impl SourceJson {
    /// Makes the JSON of the source of an analysis.
    pub fn of(analysis: &Analysis) -> SourceJson {
        SourceJson { kind: analysis.source, database: analysis.database.clone(), nodes: Some(analysis.cost.nodes) }
    }
}

/// What is known about a position or a game, or why a text has no answer.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerJson<T> {
    /// The name of the board.
    pub board: String,
    /// The input line; only in batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The position, or the last one of a game; null if the line is neither.
    pub position: Option<PositionJson>,
    /// The answer.
    #[serde(flatten)]
    pub body: T,
    /// Why there is no answer.
    pub error: Option<String>,
}

impl<T> AnswerJson<T> {
    /// Makes the JSON of an answer. `position` is the position that the input describes, if any; pass the default
    /// `body` if there is no answer.
    pub fn new(board: Board, position: Option<PositionJson>, body: T) -> AnswerJson<T> {
        AnswerJson { board: board.to_string(), input: None, position, body, error: None }
    }
}

/// An [`Analysis`].
#[derive(Serialize, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnalysisJson {
    #[serde(flatten)]
    outcome: OutcomeJson,
    /// Pons' score for the player to move: 1 plus the pieces that the winner has left, negated for a loss; 0 for a tie.
    score: Option<i64>,
    /// The legal moves, best first.
    children: Vec<ChildJson>,
    /// Best play.
    line: Option<String>,
    source: Option<SourceJson>,
    /// Whether a limit was reached before the value was known.
    undecided: bool,
    /// Why the position is worth its value; null unless reasons were asked for.
    reason: Option<ReasonJson>,
}

/// A legal move, with its outcome for the player who makes it.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ChildJson {
    /// Counts from 1.
    column: usize,
    #[serde(flatten)]
    outcome: OutcomeJson,
    /// Pons' score for the player who makes it.
    score: Option<i64>,
    /// Why the position after the move is worth its value; null unless reasons were asked for.
    reason: Option<ReasonJson>,
}

/// A [`Reason`]. Cells are pairs of a column and a row, both from 1, row 1 at the bottom.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ReasonJson {
    kind: ReasonKind,
    /// `first` or `second`: who wins; for `must-answer` who has to answer, for `hold` who does not lose. Null if nobody
    /// wins.
    player: Option<&'static str>,
    /// One or two sentences.
    text: String,
    /// A line of play; after a win it is complete, and as long as the other player can make it.
    line: String,
    /// The cells of the line at the end of the game, or of the threat that must be answered.
    cells: Vec<[usize; 2]>,
    /// The cell that completes the line.
    last: Option<[usize; 2]>,
    /// For `zugzwang` and `hold`: after the other player plays in a cell, the column to play in, if it has room, instead of
    /// the same one.
    exceptions: Vec<ExceptionJson>,
}

/// An exception of a rule.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ExceptionJson {
    after: [usize; 2],
    column: usize,
}

impl ReasonJson {
    fn of(reason: &Reason) -> ReasonJson {
        let cell = |(column, row): (usize, usize)| [column + 1, row + 1];
        let height = reason.board.height();
        let is_set = |cell: &usize| reason.cells >> cell & 1 == 1;
        let exception = |(after, column): &_| ExceptionJson { after: cell(*after), column: column + 1 };
        ReasonJson {
            kind: reason.kind,
            player: reason.player.map(Player::name),
            text: reason.to_string(),
            line: columns_to_text(reason.line.iter().copied()),
            cells: (0..reason.board.cells()).filter(is_set).map(|of| cell((of / height, of % height))).collect(),
            last: reason.last().map(cell),
            exceptions: reason.exceptions.iter().map(exception).collect(),
        }
    }
}

impl AnalysisJson {
    /// Makes the JSON of an analysis; the position was typed as `text`, and `limit` names the limit that was reached.
    pub fn of(analysis: &Analysis, text: &str, limit: Option<String>) -> AnswerJson<AnalysisJson> {
        let undecided = analysis.outcome.is_none();
        let position = &analysis.position;
        let score = |outcome: Option<Outcome>| position.score(outcome?);
        let child = |Move { column, outcome, reason }: &Move| ChildJson {
            column: column + 1,
            outcome: OutcomeJson::of(*outcome),
            score: score(*outcome),
            reason: reason.as_ref().map(ReasonJson::of),
        };
        let body = AnalysisJson {
            outcome: OutcomeJson::of(analysis.outcome),
            score: score(analysis.outcome),
            children: analysis.moves.iter().map(child).collect(),
            line: analysis.line.as_ref().map(|line| columns_to_text(line.iter().copied())),
            source: Some(SourceJson::of(analysis)),
            undecided,
            reason: analysis.reason.as_ref().map(ReasonJson::of),
        };
        let typed = PositionJson::typed(position, text);
        AnswerJson { error: limit.filter(|_| undecided), ..AnswerJson::new(position.board(), Some(typed), body) }
    }

    /// Makes the JSON of a question without an answer; `position` was typed as `text`; it is `None` if `text` is not a
    /// position.
    pub fn failed(board: Board, position: Option<&Position>, text: &str, reason: String) -> AnswerJson<AnalysisJson> {
        let position = position.map(|position| PositionJson::typed(position, text));
        AnswerJson { error: Some(reason), ..AnswerJson::new(board, position, AnalysisJson::default()) }
    }
}

/// A [`GameAnalysis`].
#[derive(Serialize, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameAnalysisJson {
    over: Option<bool>,
    winner: Option<&'static str>,
    /// The value for the player to move at the end.
    #[serde(flatten)]
    outcome: OutcomeJson,
    /// How many moves could not be judged. Null, like the next six fields, for a line without an analysis.
    undecided_moves: Option<usize>,
    steps: Option<Vec<StepJson>>,
    mistakes: Option<PerPlayer<Vec<Mistake>>>,
    accuracy: Option<PerPlayer<Accuracy>>,
    /// The number of the last move that changed the value; null if none did.
    decided_at: Option<usize>,
    /// The mistakes of both players in a sentence.
    summary: Option<String>,
    source: Option<SourceJson>,
}

impl GameAnalysisJson {
    /// Makes the JSON of an analysis.
    pub fn of(analysis: &GameAnalysis) -> AnswerJson<GameAnalysisJson> {
        let plies = &analysis.plies;
        let sources = plies.iter().map(|ply| SourceJson::of(&ply.analysis));
        let nodes = Some(plies.iter().map(|ply| ply.analysis.cost.nodes).sum());
        let answer = GameAnalysisJson::of_game(&analysis.game, &analysis.game.to_text());
        let body = GameAnalysisJson {
            outcome: OutcomeJson::of(plies.last().and_then(|last| last.analysis.outcome)),
            undecided_moves: Some(analysis.undecided()),
            steps: Some(analysis.moves().map(|(number, ply, column)| StepJson::of(number, ply, column)).collect()),
            mistakes: Some(PerPlayer {
                first: analysis.mistakes(Player::First),
                second: analysis.mistakes(Player::Second),
            }),
            accuracy: Some(PerPlayer {
                first: analysis.accuracy(Player::First),
                second: analysis.accuracy(Player::Second),
            }),
            decided_at: analysis.decisive().map(|(number, _)| number),
            summary: Some(analysis.summary()),
            source: sources.max_by_key(|source| source.kind).map(|source| SourceJson { nodes, ..source }),
            ..answer.body
        };
        AnswerJson { body, ..answer }
    }

    /// Makes the JSON of a game without an analysis; the game was typed as `text`.
    pub fn of_game(game: &Game, text: &str) -> AnswerJson<GameAnalysisJson> {
        let (over, winner) = (Some(game.is_over()), game.winner().map(Player::name));
        let body = GameAnalysisJson { over, winner, ..GameAnalysisJson::default() };
        AnswerJson::new(game.board(), Some(PositionJson::typed(game.position(), text)), body)
    }
}

/// A move of a game.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StepJson {
    /// Counts from 1.
    number: usize,
    player: &'static str,
    column: usize,
    #[serde(flatten)]
    outcome: OutcomeJson,
    played_value: Option<&'static str>,
    played_remoteness: Option<u32>,
    /// Whether the move kept the value.
    keeps: Option<bool>,
    /// The plies given away by a move that kept the value.
    plies_lost: Option<u32>,
    /// The columns of the best moves.
    columns: Vec<usize>,
    /// What would have been better.
    reason: Option<String>,
    class: Option<MoveClass>,
    /// What the move cost, in words; empty for a best move, null if that is unknown.
    verdict: Option<String>,
    /// What a mistake allows; null without a mistake and unless reasons were asked for.
    refutation: Option<ReasonJson>,
}

impl StepJson {
    fn of(number: usize, ply: &Ply, column: usize) -> StepJson {
        let (loss, played) = (ply.loss(), OutcomeJson::of(ply.played()));
        StepJson {
            number,
            player: ply.analysis.position.to_move().name(),
            column: column + 1,
            outcome: OutcomeJson::of(ply.analysis.outcome),
            played_value: played.value,
            played_remoteness: played.remoteness,
            keeps: loss.map(|loss| !matches!(loss, Loss::Value(..))),
            plies_lost: match loss {
                Some(Loss::Nothing) => Some(0),
                Some(Loss::Plies(plies)) => Some(plies),
                _ => None,
            },
            columns: ply.analysis.best().map(|column| column + 1).collect(),
            reason: ply.reason(),
            class: ply.class(),
            verdict: ply.verdict(),
            refutation: ply.refutation.as_ref().map(ReasonJson::of),
        }
    }
}

/// Returns the position or its mirror image, whichever has the smaller bit strings. So a position and its mirror image
/// give the same result.
pub fn canonical(position: &Position) -> Position {
    let mirror = position.mirror();
    if notation::to_bits(&mirror) < notation::to_bits(position) { mirror } else { *position }
}

/// A position as JSON.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescriptionJson {
    /// Whether the game is over. Null, like all fields below, for a line that is not a position.
    over: Option<bool>,
    /// The value of a finished game; null if the game is not over.
    value: Option<&'static str>,
    canonical: Option<PositionJson>,
    mirror: Option<PositionJson>,
    drawing: Option<String>,
}

impl DescriptionJson {
    /// Makes the JSON of a position; `json` is the same position in every notation.
    pub fn of(position: &Position, json: PositionJson) -> AnswerJson<DescriptionJson> {
        let body = DescriptionJson {
            over: Some(position.primitive().is_some()),
            value: position.primitive().map(Value::name),
            canonical: Some(PositionJson::of(&canonical(position))),
            mirror: Some(PositionJson::of(&position.mirror())),
            drawing: Some(notation::draw(position, false)),
        };
        AnswerJson::new(position.board(), Some(json), body)
    }
}
