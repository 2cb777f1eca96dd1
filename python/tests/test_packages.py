"""Games of other packages, stepped in both; each is left out with a message where it is not installed."""

from typing import Any

import fourbase
import numpy as np
import pytest
from conftest import drawing
from fourbase import Position, encode

GAMES = 1000


def test_pettingzoos_games_are_ours():
    connect_four = pytest.importorskip(
        "pettingzoo.classic.connect_four_v3", reason="pettingzoo[classic] is not installed"
    )
    env, drawn = connect_four.env(), drawing(1)
    observed, positions = [], []
    for _ in range(GAMES):
        env.reset()
        position = Position("7x6")
        while True:
            observation, reward, terminated, truncated, _ = env.last()
            assert not truncated
            assert terminated == (position.primitive is not None)
            observed.append(observation["observation"])
            positions.append(position)
            if terminated:
                assert reward == {"win": 1, "tie": 0, "lose": -1}[position.primitive]
                break
            mask = observation["action_mask"]
            assert (np.flatnonzero(mask) + 1).tolist() == position.legal_moves
            action = drawn.choice(np.flatnonzero(mask).tolist())
            env.step(action)
            position = position.play(action + 1)
    ours = encode(positions, "pettingzoo")
    assert ours.dtype == observed[0].dtype
    assert (ours == np.array(observed)).all()
    assert (fourbase.decode(np.array(observed), "pettingzoo") == encode(positions, "bitboards")).all()


@pytest.mark.parametrize(("board", "connect"), [("7x6", 4), ("5x4", 4), ("6x7c5", 5)])
@pytest.mark.parametrize("encoding", ["openspiel", "openspiel-egocentric"])
def test_openspiels_games_are_ours(board, connect, encoding):
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    start = Position(board)
    parameters = f"rows={start.height},columns={start.width},x_in_row={connect}"
    egocentric = str(encoding == "openspiel-egocentric").lower()
    theirs = pyspiel.load_game(f"connect_four({parameters},egocentric_obs_tensor={egocentric})")
    drawn, observed, positions = drawing(2), [], []
    for _ in range(GAMES // 5):
        state, position = theirs.new_initial_state(), start
        while True:
            mover = position.ply % 2
            observed.append(state.observation_tensor(mover))
            positions.append(position)
            assert state.is_terminal() == (position.primitive is not None)
            if state.is_terminal():
                assert state.returns()[mover] == {"win": 1, "tie": 0, "lose": -1}[position.primitive]
                break
            assert state.current_player() == mover
            assert [column + 1 for column in state.legal_actions()] == position.legal_moves
            action = drawn.choice(state.legal_actions())
            state.apply_action(action)
            position = position.play(action + 1)
    tensors = np.array(observed, np.float32).reshape(len(observed), 3, start.height, start.width)
    assert (encode(positions, encoding) == tensors).all()
    decoded = fourbase.decode(tensors, encoding, board=board)
    assert (decoded == encode(positions, "bitboards")).all()


def test_kaggles_games_are_ours():
    environments = pytest.importorskip("kaggle_environments", reason="kaggle-environments is not installed")
    drawn, env = drawing(3), environments.make("connectx")
    for _ in range(GAMES // 20):
        env.reset()
        position = Position("7x6")
        while True:
            observation: dict[str, Any] = env.state[0].observation
            mover = position.ply % 2
            seen = {"board": list(observation["board"]), "mark": env.state[mover].observation["mark"]}
            assert encode([position], "kaggle") == [seen]
            assert fourbase.decode([seen], "kaggle").tolist() == [list(position.bitboards)]
            assert env.done == (position.primitive is not None)
            if env.done:
                assert env.state[mover].reward == {"win": 1, "tie": 0, "lose": -1}[position.primitive]
                break
            column = drawn.choice(position.legal_moves)
            env.step([column - 1 if of == mover else None for of in (0, 1)])
            position = position.play(column)
