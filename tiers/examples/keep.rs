//! Writes the early plies of a database into a folder: this is how the databases that are part of the program are made.
//!
//! `cargo run --release -p fourbase-tiers --example keep -- DB BOARD:VALUES PLIES FOLDER`
//!
//! DB holds a database of the board that has these plies. The database is made in FOLDER, which need not exist; files that are
//! there already stay, and are an error.

use std::error::Error;
use std::fs;
use std::path::Path;

use fourbase::Board;
use fourbase_tiers::database::Database;
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::Values;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, board, plies, folder] = &arguments[..] else {
        return Err("give DB BOARD:VALUES PLIES FOLDER".into());
    };
    let (board, values) = board.split_once(':').ok_or("give BOARD:VALUES, such as 7x6:remoteness")?;
    let board: Board = board.parse()?;
    let values: Values = values.parse()?;
    let whole = Database::open(&folder_of(root.as_ref(), board, values))?;
    let folder = folder_of(Path::new(folder), board, values);
    fs::create_dir_all(&folder)?;
    let kept = whole.keep(plies.parse()?, &folder)?;
    let hash = kept.manifest().hash.ok_or("no hash")?;
    println!("{board} {values}, {plies} plies: {} bytes, hash {hash}", kept.manifest().bytes());
    Ok(())
}
