use super::*;
use crate::analysis::{Analyst, Budget};
use crate::players::{random_play, random_source};
use crate::search::{Search, SearchOptions};
use crate::{long, notation};
use std::collections::HashSet;

/// Lists the unfinished positions that games reach, and the finished ones.
fn reachable(board: Board) -> HashSet<Position> {
    let (mut seen, mut open) = (HashSet::new(), vec![Position::start(board)]);
    while let Some(position) = open.pop() {
        if seen.insert(position) {
            open.extend(position.moves().map(|column| position.drop_piece(column)));
        }
    }
    seen
}

/// Returns the columns in which the player to move, or the opponent, would complete a line: tried out, not computed.
fn completing(position: &Position, player: Player) -> Vec<usize> {
    let [mut first, mut second] = position.bitboards();
    let is_line = |pieces: u64| lines(position.board()).any(|line| line & pieces == line);
    let mut columns = Vec::new();
    for column in (0..position.board().width()).filter(|column| position.can_play(*column)) {
        let cell = 1 << position.board().cell(column, position.height(column));
        let pieces = if player == Player::First { &mut first } else { &mut second };
        *pieces |= cell;
        if is_line(*pieces) {
            columns.push(column);
        }
        *pieces &= !cell;
    }
    columns
}

/// Returns a column with which the player to move begins to win by force within `moves` own moves.
fn plain_force(position: &Position, moves: usize) -> Option<usize> {
    let player = position.to_move();
    if let Some(&column) = completing(position, player).first() {
        return Some(column);
    }
    let wins = |column: &usize| {
        let after = position.drop_piece(*column);
        let made = completing(&after, player);
        completing(&after, player.other()).is_empty()
            && !made.is_empty()
            && (made.len() > 1 || plain_force(&after.drop_piece(made[0]), moves - 1).is_some())
    };
    if moves == 1 { None } else { position.moves().find(wins) }
}

/// Plays the rule of a reason, as its sentence says it, against every reply. It must win or, if `holds`, not lose.
fn plain_rule_wins(reason: &Reason, position: &Position, seen: &mut HashSet<Position>) -> bool {
    if !seen.insert(*position) {
        return true;
    }
    let (player, holds) = (reason.player.unwrap(), reason.kind == ReasonKind::Hold);
    if position.primitive().is_some() {
        return holds && position.winner() != Some(player.other());
    }
    position.moves().all(|last| {
        let after = position.drop_piece(last);
        if after.primitive().is_some() {
            return holds && after.winner().is_none();
        }
        if completing(&after, player.other()).len() > 1 {
            return !completing(&after, player).is_empty();
        }
        let own = after.pieces(player);
        if holds && lines(position.board()).all(|line| line & own != 0) {
            return true;
        }
        let parry = completing(&after, player.other()).first().copied();
        if !completing(&after, player).is_empty() || parry.is_none() && plain_force(&after, 12).is_some() {
            return true;
        }
        let cell = (last, position.height(last));
        let exception = reason.exceptions.iter().find(|(of, to)| *of == cell && after.can_play(*to));
        let column = parry.or(exception.map(|(_, to)| *to)).or(Some(last).filter(|last| after.can_play(*last)));
        column.is_some_and(|column| plain_rule_wins(reason, &after.drop_piece(column), seen))
    })
}

/// Checks everything that a reason says of a position.
fn check(reason: &Reason, position: &Position) {
    let shown = format!("{} {}: {reason}", position.board(), position);
    let mut at = *position;
    for column in &reason.line {
        at = at.play(*column).expect(&shown);
    }
    let is_win =
        !matches!(reason.kind, ReasonKind::MustAnswer | ReasonKind::Hold | ReasonKind::NoLine | ReasonKind::BestPlay);
    if is_win && (reason.kind != ReasonKind::TwoThreats || position.to_move() == reason.player.unwrap()) {
        assert_eq!(at.winner(), reason.player, "{shown}");
    }
    assert_eq!(reason.cells != 0, at.completed_lines() != 0 || reason.kind == ReasonKind::MustAnswer, "{shown}");
    let Some(player) = reason.player else { return };
    let moves_first = position.to_move() == player;
    match reason.kind {
        ReasonKind::EndsNow => assert!(moves_first && reason.line.len() == 1, "{shown}"),
        ReasonKind::Forced | ReasonKind::TwoThreats if moves_first => {
            let mut at = *position;
            for pair in reason.line.chunks(2) {
                at = at.drop_piece(pair[0]);
                if let Some(reply) = pair.get(1) {
                    let made = completing(&at, player);
                    assert!(made.contains(reply) && completing(&at, player.other()).is_empty(), "{shown}");
                    assert!(made.len() == 1 || reason.line.len() - 1 == at.ply() - position.ply() + 1, "{shown}");
                    at = at.drop_piece(*reply);
                }
            }
        }
        ReasonKind::TwoThreats => {
            assert!(completing(position, player).len() > 1, "{shown}");
            assert!(completing(position, player.other()).is_empty(), "{shown}");
        }
        ReasonKind::EveryReply | ReasonKind::Zugzwang | ReasonKind::Hold => {
            let start = if moves_first { position.drop_piece(reason.line[0]) } else { *position };
            assert!(plain_rule_wins(reason, &start, &mut HashSet::new()), "{shown}");
        }
        ReasonKind::MustAnswer => {
            let others = position.moves().filter(|column| *column != reason.line[0]);
            let loses = |column| !completing(&position.drop_piece(column), player.other()).is_empty();
            assert!(others.into_iter().all(loses) && completing(position, player).is_empty(), "{shown}");
        }
        _ => {}
    }
}

/// Checks the proofs for both players against the value, and returns how many there are. Rules that hold take most of the
/// time, so without `with_holds` only one tie in eight is explained.
fn check_both(position: &Position, value: Value, with_holds: bool) -> usize {
    let winner = match value {
        Value::Win => Some(position.to_move()),
        Value::Lose => Some(position.to_move().other()),
        Value::Tie => None,
    };
    let reasons = Player::BOTH.map(|player| Reason::of(position, player));
    for reason in reasons.iter().flatten() {
        assert_eq!(reason.player, winner, "{} {position}: {reason}", position.board());
        check(reason, position);
    }
    for player in Player::BOTH.into_iter().filter(|_| with_holds) {
        let Some(hold) = Reason::of_hold(position, player) else { continue };
        assert_ne!(winner, Some(player.other()), "{} {position}: {hold}", position.board());
        check(&hold, position);
    }
    let [first, second] = position.bitboards();
    let is_eighth = (first ^ second << 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0;
    if value == Value::Tie && !with_holds && !is_eighth {
        return reasons.iter().flatten().count();
    }
    let of_value = Reason::with_value(position, value, None);
    check(&of_value, position);
    assert!(of_value.kind != ReasonKind::NoLine || value == Value::Tie);
    reasons.iter().flatten().count()
}

/// Checks all positions of a board. At least this share of those that are no tie has a proof.
fn check_all(name: &str, least: f64) {
    let board: Board = name.parse().unwrap();
    let mut search = Search::new(board, SearchOptions::default());
    let (mut decided, mut proved) = (0, 0);
    for position in reachable(board) {
        let value = search.value(&position).unwrap();
        decided += usize::from(value != Value::Tie);
        proved += check_both(&position, value, board.cells() < 20);
    }
    assert!(proved as f64 >= least * decided as f64, "{name}: {proved} of {decided}");
}

#[test]
fn every_proof_of_small_boards_is_true() {
    for (name, least) in
        [("3x3c3", 0.99), ("4x3c3", 0.99), ("4x4", 0.95), ("3x4c3m", 0.0), ("2x2c1", 1.0), ("3x2c2", 1.0)]
    {
        check_all(name, least);
    }
}

#[test]
fn every_proof_of_5x4_is_true() {
    if !long::skips("all 3,945,711 positions of 5x4, some minutes; the ordinary run takes 3,000") {
        check_all("5x4", 0.97);
    }
}

#[test]
fn every_proof_of_a_sample_is_true() {
    for (name, count) in [("5x4", 3000), ("5x5", 400), ("6x5", 200), ("7x6", 100), ("6x4c3", 300), ("4x6c5", 300)] {
        let board: Board = name.parse().unwrap();
        let mut search = Search::new(board, SearchOptions::default());
        let mut source = random_source(1, 0);
        for number in 0..count {
            let least = board.cells().saturating_sub(26);
            let ply = least + number % (board.cells() - least);
            if let Some(position) = random_play(board, ply, &mut source) {
                check_both(&position, search.value(&position).unwrap(), true);
            }
        }
    }
}

#[test]
fn reasons_read_as_sentences() {
    let rows = [
        ("112233", Player::First, "X completes a line at column 4, row 1"),
        (
            "114152227222733556646776",
            Player::First,
            "X plays 3 and has two threats at once, column 4, row 3 and column 4, row 4; O can meet only one",
        ),
        (
            "21141511212225335373353655776777",
            Player::Second,
            "O has two threats at once, column 4, row 2 and column 6, row 3; X can meet only one",
        ),
        (
            "2112424273744666",
            Player::First,
            "X plays 2; whatever O plays, X wins by force, at the latest with 21555 at column 5, row 3",
        ),
        (
            "2111211133755354",
            Player::Second,
            "O answers in the same column; where O can win by force, or must parry a threat, O does that. In the longest game, \
             22433244, every last move of X lets O complete a line, here at column 4, row 4 (even)",
        ),
        (
            "3112245677767667",
            Player::First,
            "X plays 4 and then answers in the same column, but column 1, row 3 with 4 if it has room; where X can win by \
             force, or must parry a threat, X does that. In the longest game, 4331412244555, every last move of O lets X \
             complete a line, here at column 5, row 4 (even)",
        ),
    ];
    for (moves, player, expected) in rows {
        let position = notation::parse("7x6".parse().unwrap(), moves).unwrap();
        assert_eq!(Reason::of(&position, player).map(|reason| reason.to_string()).as_deref(), Some(expected));
    }
}

#[test]
fn an_analysis_explains_the_position_and_each_move() {
    let board: Board = "4x4".parse().unwrap();
    let analyst = Analyst::searching(board, SearchOptions::default());
    for (moves, kind) in [
        ("11223", ReasonKind::MustAnswer),
        ("1212121", ReasonKind::Over),
        ("112233", ReasonKind::EndsNow),
        ("-", ReasonKind::BestPlay),
    ] {
        let position = notation::parse(board, moves).unwrap();
        let mut analysis = analyst.analyse(&position, true, &mut Budget::default(), None).unwrap();
        assert_eq!(analysis.reason, None);
        analysis.explain();
        assert_eq!(analysis.reason.map(|reason| reason.kind), Some(kind), "{moves}");
        assert!(analysis.moves.iter().all(|child| child.reason.is_some()));
    }
}
