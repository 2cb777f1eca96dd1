//! Who has room left for a win, whatever both play: told by the board alone.

use fourbase::{Board, Player, Position, has_line};

use super::sight::drop_cells;

/// Tells whether `player` may still win. Where not, the other player has a rule by which it gets a tie at least.
///
/// The rule: reply in the same column, right above; where the column has become full, play in one that has an odd number of
/// empty cells. It can be kept where the player is to move and the number of such *odd* columns is even; where the other
/// player is to move and that number is odd, after a move in any one of them. So in columns that are not odd the player gets
/// every second cell from the lowest on, and the other player the top one.
pub(crate) fn can_win(position: &Position, player: Player) -> bool {
    let board = position.board();
    let empty = board.all_cells() & !position.occupied();
    let replies = replies(board);
    // The lowest empty cell of every odd column.
    let odd = drop_cells(position) & replies;
    let completes = if board.is_misere() { player.other() } else { player };
    let pieces = position.pieces(completes);
    let room = |odd: u64| {
        let all = (0..board.width()).map(|column| board.column_cells(column)).filter(|cells| cells & odd != 0);
        let every_second = if board.is_misere() { replies } else { !replies };
        empty & all.fold(every_second, |room, cells| room | cells)
    };
    let is_even = odd.count_ones().is_multiple_of(2);
    if (position.to_move() == player) != is_even {
        return has_line(board, pieces | empty);
    }
    if is_even {
        return has_line(board, pieces | room(odd));
    }
    let mut moves = (0..board.width()).map(|column| board.column_cells(column)).filter(|cells| cells & odd != 0);
    moves.all(|cells| has_line(board, pieces | room(odd & !cells)))
}

/// Returns the top cells and every second one below.
fn replies(board: Board) -> u64 {
    const ODD_BITS: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    board.bottom_cells() * (ODD_BITS >> (board.height() % 2) & board.column_cells(0))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fourbase::Value;
    use fourbase::search::{Options, Search};

    use super::*;

    #[test]
    fn who_has_no_room_for_a_line_does_not_win() {
        let (mut bounded, mut all) = (0, 0);
        for name in ["4x3c3", "3x4c3", "3x3c3", "4x4", "2x5c3", "4x3c3m", "3x4c3m", "4x4c3m", "5x3c3m"] {
            let board: Board = name.parse().unwrap();
            let mut search = Search::new(board, Options::default());
            let mut tier = HashSet::from([Position::start(board)]);
            while !tier.is_empty() {
                let mut next = HashSet::new();
                for position in tier.iter().filter(|position| position.primitive().is_none()).take(500) {
                    for player in [position.to_move(), position.to_move().other()] {
                        if !can_win(position, player) {
                            let value = search.value(position).unwrap();
                            let wins = if player == position.to_move() { Value::Win } else { Value::Lose };
                            assert_ne!(value, wins, "{position} {player:?}");
                            bounded += 1;
                        }
                        all += 1;
                    }
                    next.extend(position.moves().map(|column| position.drop_piece(column)));
                }
                tier = next;
            }
        }
        println!("no room in {bounded} of {all}");
        assert!(bounded > 1000, "{bounded} of {all}");
    }
}
