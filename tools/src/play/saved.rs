//! The file of a saved game: two lines of text, `board 5x4` and `moves 3321`.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use fourbase::{Board, excerpt};

use crate::failure::BadInput;
use crate::game::Game;

/// No saved game has as many bytes.
const MOST_BYTES: u64 = 1024;

/// How much of the name of a file is told.
const NAME_BYTES: usize = 200;

/// Saves a game, over an older saved game if there is one.
///
/// # Errors
///
/// Bad input if the file is there and is something else; a failure if it cannot be written.
pub fn save(file: &Path, game: &Game) -> anyhow::Result<()> {
    let name = name(file);
    if file.exists() && !read(file).is_ok_and(|text| text.starts_with("board ")) {
        return Err(BadInput(format!("{name} is there and is no saved game; choose another name")).into());
    }
    let text =
        format!("board {}\nmoves {}\n", game.board(), if game.ply() == 0 { "-".to_owned() } else { game.moves() });
    fs::write(file, text).with_context(|| format!("cannot write {name}"))
}

/// Loads a saved game of `board`.
///
/// # Errors
///
/// Bad input if the file is no saved game, one of another board, or does not replay; a failure if it cannot be read.
pub fn load(file: &Path, board: Board) -> anyhow::Result<Game> {
    let name = name(file);
    let text = read(file)?;
    let bad = |reason: String| BadInput(format!("{name}: {reason}"));
    let mut lines = text.lines();
    let mut field = |word: &str| lines.next().and_then(|line| line.strip_prefix(word)).map(str::trim);
    let (Some(saved_board), Some(moves)) = (field("board "), field("moves ")) else {
        return Err(bad("no saved game; its lines are \"board 5x4\" and \"moves 3321\"".to_owned()).into());
    };
    let saved_board = saved_board.parse::<Board>().map_err(|error| bad(error.to_string()))?;
    if saved_board != board {
        return Err(bad(format!("a game on {saved_board}; load it with: fourbase play {saved_board}")).into());
    }
    Ok(Game::parse(board, moves).map_err(|error| bad(error.to_string()))?)
}

/// Reads a short text.
fn read(file: &Path) -> anyhow::Result<String> {
    let name = name(file);
    let mut bytes = Vec::new();
    let open = fs::File::open(file).and_then(|open| open.take(MOST_BYTES).read_to_end(&mut bytes));
    open.with_context(|| format!("cannot read {name}"))?;
    Ok(String::from_utf8(bytes).map_err(|_| BadInput(format!("{name}: no saved game, and not even text")))?)
}

fn name(file: &Path) -> String {
    excerpt(&file.display().to_string(), NAME_BYTES)
}
