import json
import subprocess

import fourbase
import numpy as np
import pytest
from fourbase import Database, Outcome, Position, grade, strategy
from fourbase.errors import MoveError, OptionError
from oracle import Game, best_first, every_position, move_values
from test_database import program

NAMES = {1: "win", 0: "tie", -1: "lose"}


def leftmost(position: Position) -> int:
    return position.legal_moves[0]


def perfect(position: Position) -> int:
    return Database(position.board).moves(position)[0].column


def test_a_grade_is_what_a_plain_search_finds():
    game = Game(4, 3)
    graded, keeps, best = 0, 0, 0
    for columns in every_position(game):
        moves = move_values(game, columns)
        if len({worth for worth, _ in moves.values()}) > 1:
            played, wanted = moves[min(moves)], max(moves.values(), key=best_first)
            graded, keeps, best = graded + 1, keeps + (played[0] == wanted[0]), best + (played == wanted)
    total = grade(leftmost, "4x3").total
    assert (total.graded, total.keeps, total.best) == (graded, keeps, best)


def test_a_perfect_player_makes_no_mistakes():
    result = grade(perfect, "4x3")
    assert result.total.keeps == result.total.best == result.total.graded > 0
    assert result.worst is None


def test_positions_and_chances_are_those_of_the_command_line():
    asked = subprocess.run([program(), "grade", "random", "4x4", "--json"], capture_output=True, text=True, check=True)
    expected = json.loads(asked.stdout)
    result = grade(leftmost, "4x4")
    assert result.total.graded == expected["graded"]
    assert [(row.ply, row.graded, round(row.chance, 4)) for row in result.plies] == [
        (row["ply"], row["graded"], pytest.approx(row["chance_share"], abs=1e-4)) for row in expected["plies"]
    ]


def test_a_batch_player_has_the_grade_of_a_single_one():
    def leftmosts(boards: np.ndarray) -> np.ndarray:
        # The top row of a board comes first.
        return (boards[:, 0] == 0).argmax(axis=1) + 1

    one = grade(leftmost, "4x4")
    many = grade(leftmosts, "4x4", batch=True, encoding="array")
    assert many == one
    assert "100" not in str(one).splitlines()[-1]
    sampled = [grade(player, "4x4", sample=200, batch=batch, encoding="array") for player, batch in
               ((leftmost, False), (leftmosts, True))]  # fmt: skip
    assert sampled[0] == sampled[1]
    assert sampled[0].total.graded == 200


def test_the_worst_blunder_turns_a_win_into_a_loss():
    worst = grade(leftmost, "4x4").worst
    assert worst is not None
    assert (worst.best.value, worst.played.value) == ("win", "lose")
    moves = Database("4x4").moves(worst.position)
    assert worst.best_columns == tuple(move.column for move in moves if move.outcome == worst.best)
    assert worst.played in [move.outcome for move in moves if move.column == worst.column]


def test_moves_that_are_not_legal_are_refused():
    with pytest.raises(MoveError, match="columns count from 1"):
        grade(lambda position: position.legal_moves[0] - 1, "4x3")
    with pytest.raises(MoveError, match="plays column 7"):
        grade(lambda boards: np.full(len(boards), 7), "4x3", batch=True)
    with pytest.raises(OptionError, match="one whole number each"):
        grade(lambda boards: np.zeros((len(boards), 4)), "4x3", batch=True)


def test_an_error_of_the_player_is_passed_on():
    def fail(_: Position) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        grade(fail, "4x3")


def follow_up(position: Position, last: int | None) -> int | None:
    return last if last in position.legal_moves else None


def centre(position: Position, _: int | None) -> int:
    middle = (position.width + 1) / 2
    return min(position.legal_moves, key=lambda column: (abs(column - middle), column))


def test_rules_in_python_have_the_verdicts_of_the_library():
    # The figures of the library's own documentation.
    refuted = strategy(follow_up, "4x4")
    assert (refuted.verdict, refuted.refutation) == ("loses", "1122334")
    compared = strategy(centre, "4x3", player="first")
    assert (compared.kept, compared.asked) == (153, 157)
    lost = strategy(centre, "4x4c3", player="second")
    assert (lost.verdict, lost.refutation, lost.asked) == ("loses", "12121"[: len(lost.refutation or "")], None)


def test_a_rule_is_the_one_of_the_command_line():
    for board in ["4x3", "4x4", "5x4"]:
        asked = subprocess.run(
            [program(), "strategy", "centre", board, "--json"], capture_output=True, text=True, check=True
        )
        expected = json.loads(asked.stdout)
        result = strategy(centre, board)
        assert result.verdict == expected["verdict"]
        assert str(result.lines) in asked.stdout


def test_a_rule_that_gives_up_is_undefined():
    result = strategy(lambda position, last: None, "4x3")
    assert result.verdict == "undefined"
    assert result.undefined == "1"


def test_an_error_of_a_rule_is_passed_on():
    def fail(position: Position, _: int | None) -> int:
        if position.ply > 5:
            raise KeyError("mine")
        return position.legal_moves[0]

    with pytest.raises(KeyError, match="mine"):
        strategy(fail, "5x4")
    with pytest.raises(MoveError, match="columns count from 1 to 4"):
        strategy(lambda position, last: 0, "4x3")
    with pytest.raises(OptionError, match="first"):
        strategy(centre, "4x3", player="both")  # type: ignore[arg-type]


def test_outcomes_of_blunders_are_outcomes():
    assert isinstance(grade(leftmost, "4x3").worst.best, Outcome)  # type: ignore[union-attr]
    assert fourbase.Grade._fields == ("board", "total", "plies", "worst")
