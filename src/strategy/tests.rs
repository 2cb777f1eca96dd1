//! Compares the check with plain play of every line, and tests its errors.

use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::prelude::*;

use super::{Centre, CentreError, CheckError, FollowUp, LineCounts, Mirror, Reading, Rule, Verdict, check};
use crate::notation::columns_to_text;
use crate::search::{Search, SearchOptions};
use crate::{Board, Player, Position, Value};

/// Enough memory for every check here.
const MEMORY_BYTES: u64 = 1 << 30;

/// The result of playing every line from its first move to its last, even through positions that were met before.
#[derive(Default)]
struct Plain {
    lines: LineCounts,
    asked: HashSet<Position>,
    /// The lines that were lost, each after its length. `stuck` holds the lines where the rule was undefined.
    lost: BTreeSet<(usize, Vec<usize>)>,
    stuck: BTreeSet<(usize, Vec<usize>)>,
    /// Each position where the rule was asked, with its reply; `None` if it was undefined.
    replies: HashSet<(Position, Option<usize>)>,
    /// The worst result for the player after each position: 1 won, 0 tied, -1 lost, -2 undefined.
    worst: HashMap<Position, i8>,
}

impl Plain {
    /// Plays every line from a position to its end, and returns the worst result for the player.
    fn play(&mut self, rule: &dyn Rule, player: Player, position: Position, line: &mut Vec<usize>) -> i8 {
        let worst = self.play_on(rule, player, position, line);
        self.worst.entry(position).and_modify(|known| *known = worst.min(*known)).or_insert(worst);
        worst
    }

    fn play_on(&mut self, rule: &dyn Rule, player: Player, position: Position, line: &mut Vec<usize>) -> i8 {
        if position.primitive().is_some() {
            let Some(winner) = position.winner() else {
                self.lines.ties += 1;
                return 0;
            };
            *self.lines.won_by.of_mut(winner) += 1;
            if winner != player {
                self.lost.insert((line.len(), line.clone()));
            }
            return if winner == player { 1 } else { -1 };
        }
        let columns = if position.to_move() == player {
            self.asked.insert(position);
            let reply = rule.reply(&position, line.last().copied()).filter(|&column| position.can_play(column));
            self.replies.insert((position, reply));
            let Some(reply) = reply else {
                self.lines.undefined += 1;
                self.stuck.insert((line.len(), line.clone()));
                return -2;
            };
            vec![reply]
        } else {
            position.moves().collect()
        };
        let mut worst = 1;
        for column in columns {
            line.push(column);
            worst = worst.min(self.play(rule, player, position.drop_piece(column), line));
            line.pop();
        }
        worst
    }
}

/// A random rule that depends on the position and the last move; some of its replies are not legal moves.
struct Whim(u64);

impl Rule for Whim {
    fn name(&self) -> &'static str {
        "whim"
    }

    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize> {
        let seed = position.pieces(Player::First) ^ position.pieces(Player::Second).rotate_left(32);
        let mixed = (seed ^ self.0).wrapping_add(last.map_or(99, |column| column as u64));
        let whim = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        match whim % 16 {
            0 => None,
            1 => Some(whim),
            _ => position.moves().nth(whim / 16 % position.board().width()).or_else(|| position.moves().last()),
        }
    }
}

/// Makes the rule with the number `kind`: 0 is follow-up, 1 gives random replies, 2 is the mirror and 3 the centre
/// rule.
fn rule(board: Board, kind: usize, seed: u64) -> Box<dyn Rule> {
    let reading = [Reading::Pair, Reading::Column, Reading::ColumnOrFollow][seed as usize % 3];
    let centre = [3, 1000].map(|divisor| (seed / divisor) as usize % board.width());
    match kind {
        0 => Box::new(FollowUp::new(board, centre, reading).unwrap_or(FollowUp::without_centre())),
        1 => Box::new(Whim(seed)),
        2 => Box::new(Mirror),
        _ => Box::new(Centre),
    }
}

/// Generates a board, the kind and seed of a rule on it, and a player.
fn any_case() -> impl Strategy<Value = (Board, usize, u64, Player)> {
    let sizes = prop_oneof![(1_usize..=3, 1_usize..=4), Just((4, 2)), Just((4, 3)), Just((5, 2)), Just((1, 7))];
    let board = (sizes, 1_usize..=4, any::<bool>())
        .prop_map(|((width, height), connect, misere)| Board::new(width, height, connect, misere).unwrap());
    let player = prop_oneof![3 => Just(Player::Second), 1 => Just(Player::First)];
    (board, 0_usize..4, any::<u64>(), player)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_check_counts_what_plain_play_of_every_line_counts((board, kind, seed, player) in any_case()) {
        let rule = &*rule(board, kind, seed);
        let found = check(rule, board, player, MEMORY_BYTES).unwrap();
        let mut plain = Plain::default();
        plain.play(rule, player, Position::start(board), &mut Vec::new());
        let LineCounts { undefined, won_by, ties, .. } = plain.lines;
        plain.lines.all = undefined + won_by.first + won_by.second + ties;
        prop_assert_eq!(found.lines, plain.lines);
        prop_assert_eq!(found.positions.all, plain.worst.len() as u64);
        prop_assert_eq!(found.positions.strategy_to_move, plain.asked.len() as u64);
        let undefined = plain.replies.iter().filter(|(_, reply)| reply.is_none()).count();
        prop_assert_eq!(found.positions.undefined, undefined as u64);
        let ties = plain.worst.keys().filter(|position| position.primitive() == Some(Value::Tie)).count();
        prop_assert_eq!(found.positions.ties, ties as u64);
        prop_assert_eq!(found.verdict() == Verdict::Loses, !plain.lost.is_empty());
        // The sets are sorted by length first, so the first line is the smallest of the shortest ones.
        let [lost, stuck] = [plain.lost, plain.stuck].map(|mut lines| lines.pop_first().map(|(_, line)| line));
        prop_assert_eq!((found.refutation, found.undefined), (lost, stuck));
    }

    #[test]
    fn what_is_kept_is_what_plain_play_with_known_values_keeps((board, kind, seed, player) in any_case()) {
        let rule = &*rule(board, kind, seed);
        let mut search = Search::new(board, SearchOptions::default());
        let mut value = |position: &Position| search.value(position).unwrap();
        let found = check(rule, board, player, MEMORY_BYTES).unwrap();
        let values = |positions: &[Position]| Ok::<Vec<Value>, CheckError>(positions.iter().map(&mut value).collect());
        let kept = found.keep(rule, MEMORY_BYTES, values).unwrap();
        prop_assert_eq!((kept.all, kept.strategy_to_move), (found.positions.all, found.positions.strategy_to_move));
        let mut plain = Plain::default();
        plain.play(rule, player, Position::start(board), &mut Vec::new());
        let wasted = plain.replies.iter().filter(|(position, reply)| {
            let worth = reply.map(|column| value(&position.drop_piece(column)).flip());
            worth != Some(value(position))
        });
        let wasted = wasted.map(|(position, _)| *position).collect::<HashSet<_>>();
        prop_assert_eq!(kept.kept, (plain.asked.len() - wasted.len()) as u64);
        let secured = plain.worst.iter().filter(|(position, worst)| {
            let value = value(position);
            let best = match if position.to_move() == player { value } else { value.flip() } {
                Value::Win => 1,
                Value::Tie => 0,
                Value::Lose => -1,
            };
            **worst == best
        });
        prop_assert_eq!(kept.secured, secured.count() as u64);
    }
}

#[test]
fn the_least_memory_is_refused_with_what_was_found() {
    let board = "9x6".parse::<Board>().unwrap();
    let error = check(&FollowUp::without_centre(), board, Player::Second, 1 << 20).unwrap_err();
    let CheckError::Memory { positions, limit_bytes, refutation, .. } = &error else { panic!("{error}") };
    assert!(*positions > 1000 && *limit_bytes == 1 << 20);
    assert_eq!(refutation.clone().map(columns_to_text).as_deref(), Some("1122334"));
    assert!(error.to_string().ends_with("(the rule loses in any case: 1122334)"), "{error}");
    let error = check(&Mirror, "4x4".parse().unwrap(), Player::Second, 0).unwrap_err();
    assert!(error.to_string().ends_with("check a smaller board"), "{error}");
    // The comparison with values has a memory limit of its own.
    let found = check(&Mirror, "4x4".parse().unwrap(), Player::Second, MEMORY_BYTES).unwrap();
    let kept = found.keep(&Mirror, 10_000, |_| -> Result<_, CheckError> { panic!("no value is asked for") });
    assert!(matches!(kept, Err(CheckError::Memory { .. })));
}

#[test]
fn a_rule_that_serves_the_other_player_is_undefined_at_once() {
    let board = "4x4".parse::<Board>().unwrap();
    for rule in [&FollowUp::without_centre() as &dyn Rule, &Mirror] {
        assert_eq!(rule.player(), Some(Player::Second));
        let found = check(rule, board, Player::First, MEMORY_BYTES).unwrap();
        assert_eq!((found.verdict(), found.undefined), (Verdict::Undefined, Some(vec![])));
        assert_eq!((found.positions.all, found.lines.all), (1, 1));
    }
}

#[test]
fn a_centre_is_two_columns_of_the_board() {
    let board = "4x4".parse::<Board>().unwrap();
    let rule = |pair| FollowUp::new(board, pair, Reading::Pair);
    assert_eq!(rule([3, 0]).unwrap().centre(), Some(([0, 3], Reading::Pair)));
    assert_eq!(rule([1, 1]), Err(CentreError::Twice { board, column: 2 }));
    assert_eq!(rule([4, 1]), Err(CentreError::Outside { board, first: 5, second: 2 }));
    assert!(rule([usize::MAX, 1]).is_err());
    let narrow = "1x8".parse::<Board>().unwrap();
    assert_eq!(FollowUp::middle(narrow), Err(CentreError::Narrow { board: narrow }));
    assert_eq!(FollowUp::new(narrow, [0, 0], Reading::Pair), Err(CentreError::Narrow { board: narrow }));
}
