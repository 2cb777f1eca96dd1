import threading
from itertools import count

import fourbase
import numpy as np
import pytest
from fourbase import Database, Position, errors
from fourbase import match as play


def leftmost(position: Position) -> int:
    return position.legal_moves[0]


@pytest.mark.parametrize(
    ("a", "b", "board", "openings"),
    [
        ("pomakis:2", "level:3", "5x4", 3),
        ("random", "perfect", "4x4", 2),
        ("level:5", "level:4", "7x6", 30),
        ("rating:2", "window:3", "6x5", 0),
    ],
)
def test_games_of_named_players_are_those_of_the_program(program, root, a, b, board, openings):
    options = ["--games", "40", "--openings", str(openings), "--seed", "7", "--json", "--db", root]
    expected = program("match", a, b, board, *options)[0]["programs"]
    found = play(a, b, board=board, games=40, openings=openings, seed=7)
    for side, scores in [("first", found.first), ("second", found.second)]:
        assert list(scores) == [expected[0]["players"][side][name] for name in ("wins", "ties", "losses")]
    assert [found.wins, found.ties, found.losses] == [expected[1][name] for name in ("losses", "ties", "wins")]
    assert found.points == (found.wins + found.ties / 2) / 40
    assert found.interval[0] <= found.points <= found.interval[1]
    assert sum(len(game) for game in found.games) == sum(one["moves_made"] for one in expected) + 40 * openings
    for number, game in enumerate(found.games):
        end = Position(board, game)
        winner = None if end.primitive in (None, "tie") else (end.ply % 2 == 1) == (end.primitive == "lose")
        assert end.primitive is not None
        assert (winner is None) == (end.primitive == "tie"), number
    assert found == play(a, b, board=board, games=40, openings=openings, seed=7)


def test_a_function_plays_as_the_player_that_it_asks():
    db = Database("5x4")
    for named, function in [("pomakis:3", lambda position: db.choose(position, "pomakis:3")), ("perfect:first", None)]:
        asked = function or (lambda position: min(db.moves(position), key=lambda move: (-int(move.outcome),)).column)
        pairs = [play(player, "rating:2", openings=2, board=db) for player in (named, asked)]
        assert len(pairs[0].games) == 50
        if function:
            assert pairs[0] == pairs[1]
        else:
            assert pairs[0].wins >= pairs[1].wins > 0


def test_an_illegal_move_loses_the_game_and_is_counted():
    for column in (0, 5, -7, 99, 2**62, np.int64(9)):
        found = play(lambda position, column=column: column, leftmost, board="4x4", games=4)
        assert (found.losses, found.illegal, found.games) == (4, (4, 0), ["", "1", "", "1"])
        other = play(leftmost, lambda position, column=column: column, board="4x4", games=4)
        assert (other.wins, other.illegal, other.points) == (4, (0, 4), 1.0)
    # The function chooses a full column in the fifth move.
    found = play(lambda position: 1, lambda position: 1, board="4x4", games=2)
    assert (found.wins, found.losses, found.illegal, found.games) == (1, 1, (1, 1), ["1111", "1111"])


@pytest.mark.parametrize("wrong", [None, 1.5, True, "4"])
def test_an_answer_that_is_no_number_is_an_error(wrong):
    with pytest.raises(errors.MoveError, match=r"returned .*; return a column"):
        play(lambda position: wrong, "random", games=2)


def test_what_cannot_be_played_is_refused(tmp_path):
    def fail(position: Position) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play("random", fail)
    with pytest.raises(errors.OptionError, match="stockfish"):
        play("random", "stockfish")
    with pytest.raises(errors.OptionError, match="human"):
        play("human", leftmost)
    with pytest.raises(errors.OptionError, match="lasts longer than openings=16"):
        play("random", "random", board="4x4", openings=16)
    with pytest.raises(errors.OptionError, match="games=0"):
        play("random", "random", games=0)
    with pytest.raises(errors.DatabaseMissing):
        play("perfect", "random", board="4x4", db=tmp_path)


def test_progress_counts_games_and_stops_them():
    seen: list[fourbase.Progress] = []

    def stop(progress: fourbase.Progress) -> None:
        seen.append(progress)
        if progress.done > 3:
            raise InterruptedError

    numbers = count()
    wait = threading.Event()

    def slow(position: Position) -> int:
        next(numbers)
        wait.wait(0.002)
        return leftmost(position)

    with pytest.raises(InterruptedError):
        play(slow, "random", games=100_000, progress=stop)
    assert (seen[-1].unit, seen[-1].total) == ("games", 100_000)
    assert next(numbers) < 100_000
    play("random", "random", games=20, progress=seen.append)
    assert seen[-1].done == 20


def test_a_function_may_call_the_package_and_is_asked_one_game_after_the_other():
    depth, most = 0, 0

    def player(position: Position) -> int:
        nonlocal depth, most
        depth += 1
        most = max(most, depth)
        fourbase.encode([position], "nchw")
        depth -= 1
        return position.legal_moves[0]

    assert fourbase.match(player, "random", board="4x4", games=400).wins > 0
    assert most == 1
