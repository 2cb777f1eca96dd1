//! Saved games, in files.

use std::fs;
use std::path::Path;

use anyhow::Context;
use fourbase::{Board, Game};
use fourbase_tiers::files::{Disk, FileError, read_small};

use crate::failure::BadInput;
use crate::temporary::WholeFile;
use crate::{quote, wording};

/// More bytes than any saved game has.
const MOST_BYTES: u64 = 1024;

/// Saves a game. An older saved game in the file is replaced as a whole or not at all.
///
/// # Errors
///
/// Bad input: the file exists and is not a saved game, or is a link. Failure: it cannot be written.
pub fn save(file: &Path, game: &Game) -> anyhow::Result<()> {
    let name = wording::path(file);
    let refused = |what: &str| BadInput(format!("{name} exists and is {what}; choose another name"));
    if let Ok(found) = fs::symlink_metadata(file) {
        // Nothing is written through a link: it may lead to any other file.
        if found.is_symlink() {
            return Err(refused("a link").into());
        }
        if !read(file).is_ok_and(|text| Game::from_saved(&text).is_ok()) {
            return Err(refused("not a saved game").into());
        }
    }
    WholeFile::write_all(file, &game.to_saved()).with_context(|| format!("cannot write {name}"))
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
    let game = Game::from_saved(&text).map_err(bad)?;
    if game.board() != board {
        let command = to_load(game.board(), "", file);
        return Err(bad(format!("a game on {}; load it with: {command}", game.board())).into());
    }
    Ok(game)
}

/// Returns the command that continues a saved game with the options `players`.
pub fn to_load(board: Board, players: &str, file: &Path) -> String {
    format!("fourbase play {board}{players}{}", quote::option("load", file))
}

/// Reads a short text. Folders, devices and pipes, which could be read for ever, are no texts.
fn read(file: &Path) -> anyhow::Result<String> {
    let name = wording::path(file);
    let is_file = fs::metadata(file).with_context(|| format!("cannot read {name}"))?.is_file();
    if !is_file {
        return Err(BadInput(format!("{name}: not a saved game, and not a file")).into());
    }
    let bytes = match read_small(&Disk, file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(FileError::Io { source, .. }) => return Err(source).with_context(|| format!("cannot read {name}")),
        Err(_) => {
            return Err(BadInput(format!("{name}: not a saved game, which has at most {MOST_BYTES} bytes")).into());
        }
    };
    Ok(String::from_utf8(bytes).map_err(|_| BadInput(format!("{name}: not a saved game, and not text")))?)
}
