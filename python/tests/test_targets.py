import itertools

import fourbase
import numpy as np
import pytest
from fourbase import NO_PLIES, NO_SCORE, Database, Position
from fourbase.errors import OptionError


def score(outcome, position):
    known = outcome.score(position)
    return NO_SCORE if known is None else known


@pytest.mark.parametrize(("board", "values"), [("4x4", "wdl"), ("5x4", ""), ("4x4m", "remoteness"), ("7x6", "")])
def test_targets_are_those_of_every_position_by_itself(board, values, tmp_path):
    db = fourbase.solve(board, values, db=tmp_path) if values else Database(board)
    drawn = db.sample(300, plies=range(4, 12), seed=2, distinct=True).positions
    rows = [Position(board), *fourbase.encode(drawn, "positions", board=board)]
    targets = db.targets(rows, policy="fastest")
    for row, position in enumerate(rows):
        outcome, moves = db.probe(position), db.moves(position)
        value = {"win": 1, "tie": 0, "lose": -1}[outcome.value]
        assert (targets.values[row], targets.scores[row]) == (value, score(outcome, position))
        assert targets.plies[row] == (NO_PLIES if outcome.remoteness is None else outcome.remoteness)
        assert (np.flatnonzero(targets.legal[row]) + 1).tolist() == list(position.legal_moves)
        keeping = sorted(move.column for move in moves if move.value == outcome.value)
        assert (np.flatnonzero(targets.keeps[row]) + 1).tolist() == keeping
        best = sorted(move.column for move in moves if move.outcome == moves[0].outcome)
        assert (np.flatnonzero(targets.fastest[row]) + 1).tolist() == best
        assert targets.policy[row].tolist() == pytest.approx((targets.fastest[row] / len(best)).tolist())


def test_scores_are_those_of_the_program(program):
    db = Database("7x6")
    games = ["".join(game) for game in itertools.product("147", repeat=4)]
    scores = db.targets(games).scores
    expected = [program("query", "7x6", game, "--json")[0]["score"] for game in games[::16]]
    assert scores[::16].tolist() == expected
    assert (fourbase.solve("4x4m").targets([""]).scores == NO_SCORE).all()


def test_a_temperature_prefers_better_moves():
    db = Database("5x4")
    rows = db.sample(200, plies=range(2, 9), seed=3).positions
    optimal = db.targets(rows)
    assert optimal.policy.sum(axis=1) == pytest.approx(1)
    assert ((optimal.policy > 0) == optimal.keeps).all()
    cold, warm = db.targets(rows, policy=0.01), db.targets(rows, policy=2.0)
    for soft in (cold, warm):
        assert soft.policy.sum(axis=1) == pytest.approx(1)
        assert (soft.policy[~soft.legal] == 0).all()
    assert ((warm.policy > 0) == warm.legal).all()
    assert cold.policy[~cold.keeps].max() < 1e-6


def test_a_finished_game_has_a_value_and_no_policy():
    targets = Database("4x4").targets(["1212121", "1122334"])
    assert (targets.values.tolist(), targets.plies.tolist()) == ([-1, -1], [0, 0])
    assert not targets.policy.any()
    assert not targets.legal.any()
    for wrong in ("best", 0, -1.0, float("inf"), True, [1]):
        with pytest.raises(OptionError, match="policy="):
            Database("4x4").targets(["1"], policy=wrong)  # type: ignore[arg-type]
    assert len(Database("4x4").targets([]).values) == 0
