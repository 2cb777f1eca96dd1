//! What the contract says of the game, its variants and their boards.

use fourbase::notation::to_uni;
use fourbase::{Board, Position};
use serde_json::{Value as Json, json};

/// The id and the name of the game.
pub const GAME: &str = "connect4";
const NAME: &str = "Connect 4";

/// How a board is played, as the page shows it.
pub fn rules(board: Board) -> String {
    let (connect, end) = (board.connect(), if board.is_misere() { "loses" } else { "wins" });
    format!(
        "# {NAME}\n\nPlayers take turns to drop a piece into a column, where it falls to the lowest free place. The first player \
         has blue pieces, the second player red ones. The first one with {connect} of them in a row, across, down or diagonally, \
         {end}. If the board fills up without such a row, the game is a tie.\n"
    )
}

/// Names a variant.
pub fn variant(board: Board) -> String {
    let name = format!("{}x{}", board.height(), board.width());
    // The rest of the name, such as the c3m of 4x4c3m.
    let plain = format!("{}x{}", board.width(), board.height());
    let rest = board.to_string().strip_prefix(&plain).unwrap_or_default().to_owned();
    name + &rest
}

/// Reads the name of a variant.
pub fn board_of(variant: &str) -> Option<Board> {
    let end = variant.find(['c', 'm']).unwrap_or(variant.len());
    let (size, rest) = variant.split_at(end);
    let (rows, columns) = size.split_once('x')?;
    format!("{columns}x{rows}{rest}").parse().ok()
}

/// Lists the games: this one.
pub fn games_json() -> Json {
    json!([{ "id": GAME, "name": NAME, "type": "twoPlayer", "gui": "v3" }])
}

/// Describes the game with its variants.
pub fn game_json(boards: impl Iterator<Item = Board>) -> Json {
    let variants = boards.map(variant).map(|id| json!({ "id": id, "name": id, "gui": "v3" }));
    json!({
        "id": GAME, "name": NAME, "variants": variants.collect::<Vec<_>>(), "allowCustomVariantCreation": false,
        "supportsWinBy": false,
    })
}

/// Describes a variant.
pub fn described_json(board: Board) -> Json {
    let start = Position::start(board);
    let id = variant(board);
    json!({
        "id": id, "name": id, "startPosition": to_uni(&start), "autoguiStartPosition": to_uni(&start),
        "imageAutoGUIData": image(board), "gui": "v3",
    })
}

/// Where the page draws the pieces and the moves.
fn image(board: Board) -> Json {
    let (width, height) = (board.width(), board.height());
    let middle = |at: usize| at as f64 + 0.5;
    let cells = (0..width).flat_map(|column| (0..height).map(move |row| [middle(column), middle(row + 1)]));
    let tails = (0..width).map(|column| [middle(column), 0.0]);
    let heads = (0..width).map(|column| [middle(column), 1.0]);
    let mut theme = json!({
        "space": [width, height + 1],
        "centers": cells.chain(tails).chain(heads).collect::<Vec<_>>(),
        "charImages": {
            "X": { "image": "general/blue_circle.svg", "scale": 1 },
            "O": { "image": "general/red_circle.svg", "scale": 1 },
        },
        "arrowWidth": 0.13,
        "sounds": { "x": "general/remove.mp3" },
        "animationType": "entityFade",
    });
    // The page has the picture of these two only.
    if matches!((width, height), (6 | 7, 6)) {
        theme["foreground"] = json!(format!("connect4/foreground6x{width}.svg"));
    }
    json!({ "defaultTheme": "normal", "themes": { "normal": theme } })
}
