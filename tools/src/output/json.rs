//! The pieces of JSON that subcommands share: the envelope, positions, sources of answers, and things of each player.
//!
//! Every line of JSON is one object. It begins with `schema` and `command`. Its fields are always present: what is unknown
//! or does not apply is null. `docs/json.md` describes all of them.

use std::path::Path;

use fourbase::{Outcome, Player, Position, Value, notation};
use fourbase_tiers::database::Database;
use serde::Serialize;

/// The version of the fields and their meaning.
pub const SCHEMA: u32 = 1;

/// One line of JSON: the version and the subcommand, then the fields of `body`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Envelope<T> {
    schema: u32,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Envelope<T> {
    /// Puts the version and the name of the subcommand in front of its fields.
    pub fn new(command: &'static str, body: T) -> Envelope<T> {
        Envelope { schema: SCHEMA, command, body }
    }
}

/// A position in every notation.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PositionJson {
    /// An order of moves that leads here, empty for the empty board; null if no game does.
    moves: Option<String>,
    bits: String,
    uni: String,
    ply: usize,
    to_move: &'static str,
}

impl PositionJson {
    /// Writes a position with the smallest order of moves that reaches it.
    pub fn of(position: &Position) -> PositionJson {
        let moves = notation::to_moves(position).ok();
        PositionJson::new(position, moves.map(|moves| moves.trim_start_matches('-').to_owned()))
    }

    /// Writes a position with the game that was typed, if `text` is one, else like [`PositionJson::of`]. The text was read
    /// as this position.
    pub fn typed(position: &Position, text: &str) -> PositionJson {
        match text {
            "-" => PositionJson::new(position, Some(String::new())),
            // Bit strings contain zeros and perhaps spaces, strings of GamesmanUni an underscore.
            text if !text.contains(['0', ' ', '_']) => PositionJson::new(position, Some(text.to_owned())),
            _ => PositionJson::of(position),
        }
    }

    fn new(position: &Position, moves: Option<String>) -> PositionJson {
        PositionJson {
            moves,
            bits: notation::to_bits(position),
            uni: notation::to_uni(position),
            ply: position.ply(),
            to_move: player(position.to_move()),
        }
    }
}

/// Who decided the value of an answer.
///
/// Those of several answers together are as good as the last of them here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// The board itself: the game is over, or the player to move can win at once.
    Board,
    /// A database that looked it up.
    Database,
    /// A search.
    Search,
}

/// Where an answer comes from.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceJson {
    kind: SourceKind,
    #[serde(flatten)]
    database: DatabaseJson,
    /// The nodes searched for this answer.
    nodes: u64,
}

impl SourceJson {
    /// Names who decided, the database that was asked, if any, and the nodes searched.
    pub fn new(kind: SourceKind, database: Option<&Database>, nodes: u64) -> SourceJson {
        SourceJson { kind, database: database.map_or_else(DatabaseJson::default, DatabaseJson::of), nodes }
    }

    /// Leaves the folder of the database out, for those whom it does not concern.
    #[must_use]
    pub fn without_folder(self) -> SourceJson {
        SourceJson { database: self.database.without_folder(), ..self }
    }

    /// Returns where several answers together come from, with all their nodes; `None` without an answer.
    pub fn of_all<'s>(sources: impl Iterator<Item = &'s SourceJson> + Clone) -> Option<SourceJson> {
        let nodes = sources.clone().map(|source| source.nodes).sum();
        Some(SourceJson { nodes, ..sources.max_by_key(|source| source.kind)?.clone() })
    }
}

/// Which database was asked; all null if none was.
#[derive(Clone, PartialEq, Eq, Serialize, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DatabaseJson {
    /// Null if it is part of the program.
    folder: Option<String>,
    /// `wdl` or `remoteness`.
    stores: Option<String>,
    /// The deepest ply that it keeps; null if it keeps all.
    keep_plies: Option<u32>,
    /// Null while it is being solved.
    hash: Option<String>,
}

impl DatabaseJson {
    /// Describes a database.
    pub fn of(database: &Database) -> DatabaseJson {
        DatabaseJson {
            folder: (!database.is_embedded()).then(|| folder(database.folder())),
            stores: Some(database.values().to_string()),
            keep_plies: database.manifest().keep_plies(),
            hash: database.manifest().hash().map(|hash| hash.to_string()),
        }
    }
}

impl DatabaseJson {
    /// Leaves the folder out.
    #[must_use]
    pub fn without_folder(self) -> DatabaseJson {
        DatabaseJson { folder: None, ..self }
    }
}

/// Something that each player has.
#[derive(Clone, PartialEq, Eq, Serialize, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub struct PlayersJson<T> {
    pub first: T,
    pub second: T,
}

/// A value and a remoteness, null where unknown, as two fields of the object that contains them.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutcomeJson {
    value: Option<&'static str>,
    remoteness: Option<u32>,
}

impl OutcomeJson {
    /// Writes an outcome, or nulls.
    pub fn of(outcome: Option<Outcome>) -> OutcomeJson {
        OutcomeJson {
            value: outcome.map(|outcome| value(outcome.value)),
            remoteness: outcome.and_then(|outcome| outcome.remoteness),
        }
    }
}

/// Writes a folder. Bytes that are not UTF-8 become the replacement character.
pub fn folder(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Returns the name of a value.
pub fn value(value: Value) -> &'static str {
    match value {
        Value::Win => "win",
        Value::Lose => "lose",
        Value::Tie => "tie",
    }
}

/// Returns the name of a player.
pub fn player(player: Player) -> &'static str {
    match player {
        Player::First => "first",
        Player::Second => "second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_version_and_the_subcommand_come_first() {
        #[derive(Serialize)]
        struct Body {
            entries: u128,
            value: Option<&'static str>,
        }
        let line = serde_json::to_string(&Envelope::new("solve", Body { entries: 1 << 100, value: None })).unwrap();
        let expected = r#"{"schema":1,"command":"solve","entries":1267650600228229401496703205376,"value":null}"#;
        assert_eq!(line, expected);
    }

    #[test]
    fn a_position_keeps_the_game_that_was_typed() {
        let board = "4x4".parse().unwrap();
        let of = |text: &str| PositionJson::typed(&notation::parse(board, text).unwrap(), text);
        assert_eq!(of("4231").moves.as_deref(), Some("4231"));
        assert_eq!((of("4231").ply, of("4231").to_move), (4, "first"));
        assert_eq!(of(&of("4231").bits).moves.as_deref(), Some("3142"));
        assert_eq!(of(&of("4231").uni).moves.as_deref(), Some("3142"));
        assert_eq!((of("-").moves.as_deref(), of("").moves.as_deref()), (Some(""), Some("")));
        assert_eq!(of("10000 10000 10000 10000").moves.as_deref(), Some(""));
        assert_eq!(of("10100 10000 10000 10000").moves, None);
    }

    #[test]
    fn what_does_not_apply_is_null() {
        let source = serde_json::to_string(&SourceJson::new(SourceKind::Search, None, 7)).unwrap();
        let expected = r#"{"kind":"search","folder":null,"stores":null,"keep_plies":null,"hash":null,"nodes":7}"#;
        assert_eq!(source, expected);
        assert_eq!(serde_json::to_value(OutcomeJson::of(None)).unwrap(), json!({"value": null, "remoteness": null}));
    }
}
