//! Saved games: a file has two lines of text, `board 5x4` and `moves 3321`.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use fourbase::Board;

use crate::failure::BadInput;
use crate::game::Game;
use crate::wording;

/// More bytes than any saved game has.
const MOST_BYTES: u64 = 1024;

/// Saves a game. An older saved game in the file is replaced.
///
/// # Errors
///
/// Bad input: the file exists and is not a saved game. Failure: it cannot be written.
pub fn save(file: &Path, game: &Game) -> anyhow::Result<()> {
    let name = wording::path(file);
    if file.exists() && !read(file).is_ok_and(|text| text.starts_with("board ")) {
        return Err(BadInput(format!("{name} exists and is not a saved game; choose another name")).into());
    }
    let text =
        format!("board {}\nmoves {}\n", game.board(), if game.ply() == 0 { "-".to_owned() } else { game.moves() });
    fs::write(file, text).with_context(|| format!("cannot write {name}"))
}

/// Loads a saved game of `board`.
///
/// # Errors
///
/// Bad input: the file is not a saved game, has another board, or has a move that cannot be played. Failure: it cannot be
/// read.
pub fn load(file: &Path, board: Board) -> anyhow::Result<Game> {
    let name = wording::path(file);
    let text = read(file)?;
    let bad = |reason: String| BadInput(format!("{name}: {reason}"));
    let mut lines = text.lines();
    let mut field = |word: &str| lines.next().and_then(|line| line.strip_prefix(word)).map(str::trim);
    let (Some(saved_board), Some(moves)) = (field("board "), field("moves ")) else {
        return Err(bad("not a saved game, whose lines are \"board 5x4\" and \"moves 3321\"".to_owned()).into());
    };
    let saved_board = saved_board.parse::<Board>().map_err(|error| bad(error.to_string()))?;
    if saved_board != board {
        return Err(bad(format!("a game on {saved_board}; load it with: fourbase play {saved_board}")).into());
    }
    Ok(Game::parse(board, moves).map_err(|error| bad(error.to_string()))?)
}

/// Reads a short text.
fn read(file: &Path) -> anyhow::Result<String> {
    let name = wording::path(file);
    let mut bytes = Vec::new();
    let open = fs::File::open(file).and_then(|open| open.take(MOST_BYTES).read_to_end(&mut bytes));
    open.with_context(|| format!("cannot read {name}"))?;
    Ok(String::from_utf8(bytes).map_err(|_| BadInput(format!("{name}: not a saved game, and not text")))?)
}
