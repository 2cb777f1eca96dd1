import numpy as np
import pytest
from fourbase import Database, Position, grade, strategy
from fourbase.errors import MoveError, OptionError


def leftmost(position: Position) -> int:
    return position.legal_moves[0]


def test_positions_and_chances_are_those_of_the_program(program):
    expected = program("grade", "random", "4x4", "--json")[0]
    result = grade(leftmost, "4x4")
    assert result._fields == ("board", "total", "plies", "worst")
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
    assert grade(leftmost, "4x4", sample=200).total.graded == 200


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


def centre(position: Position, _: int | None) -> int:
    middle = (position.width + 1) / 2
    return min(position.legal_moves, key=lambda column: (abs(column - middle), column))


def test_a_rule_has_the_verdict_of_the_program(program):
    # A database of 4x4 is compared with; of 4x4c3 there is none.
    for board, asked in [("4x4", int), ("4x4c3", type(None))]:
        expected = program("strategy", "centre", board, "--json")[0]
        result = strategy(centre, board)
        assert result.verdict == expected["verdict"]
        assert type(result.asked) is type(result.kept) is type(result.secured) is asked
    gives_up = strategy(lambda position, last: None, "4x3")
    assert (gives_up.verdict, gives_up.undefined) == ("undefined", "1")
    compared = strategy(centre, "4x3", player="first")
    # The figures of the library's own documentation.
    assert (compared.kept, compared.asked) == (153, 157)


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
