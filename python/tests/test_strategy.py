"""Rules of play in Python, and players of the program."""

import pickle

import pytest
from fourbase import Database, Position, strategy
from fourbase.errors import MoveError, OptionError


def test_a_player_of_the_program_draws_anew_at_each_call_and_is_the_same_for_a_seed():
    db, positions = Database("4x4"), [Position("4x4"), Position("4x4", "12")] * 40
    one, same, other = db.player("random", seed=5), db.player("random", seed=5), db.player("random", seed=6)
    again = pickle.loads(pickle.dumps(one))
    moves = [one(position) for position in positions]
    assert moves == [same(position.bits) for position in positions] == [again(position) for position in positions]
    assert moves != [other(position) for position in positions]
    assert set(moves[::2]) == set(moves[1::2]) == {1, 2, 3, 4}
    assert {db.player("perfect:first")("1213344") for _ in range(3)} == {db.moves("1213344")[0].column}
    for wrong in ["pomakis:0", "stockfish"]:
        with pytest.raises(OptionError, match="pomakis"):
            db.player(wrong)


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
    for column in (1.9, True, "1", 2**70, -1):
        with pytest.raises(MoveError, match="the rule plays column"):
            strategy(lambda position, last, column=column: column, "4x3")  # type: ignore[misc]
    with pytest.raises(OptionError, match="first"):
        strategy(centre, "4x3", player="both")  # type: ignore[arg-type]
