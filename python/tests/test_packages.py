"""Games of other packages, stepped in both; each is left out with a message where it is not installed."""

from typing import Any

import fourbase
import numpy as np
import pytest
from conftest import games
from fourbase import Position, encode

GAMES = 1000
REWARDS = {"win": 1, "tie": 0, "lose": -1}


def test_pettingzoos_games_are_ours():
    connect_four = pytest.importorskip("pettingzoo.classic.connect_four_v3", reason="pettingzoo is not installed")
    env, observed, positions = connect_four.env(), [], []
    for position, action in games("7x6", GAMES, 1):
        if position.ply == 0:
            env.reset()
        observation, reward, terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (position.primitive is not None, False)
        observed.append(observation["observation"])
        positions.append(position)
        if terminated:
            assert reward == REWARDS[position.primitive]
        else:
            assert (np.flatnonzero(observation["action_mask"]) + 1).tolist() == position.legal_moves
            env.step(action)
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
    observed, positions = [], []
    for position, action in games(board, GAMES // 5, 2):
        if position.ply == 0:
            state = theirs.new_initial_state()
        mover = position.ply % 2
        observed.append(state.observation_tensor(mover))
        positions.append(position)
        assert state.is_terminal() == (position.primitive is not None)
        if state.is_terminal():
            assert state.returns()[mover] == REWARDS[position.primitive]
        else:
            assert state.current_player() == mover
            assert [column + 1 for column in state.legal_actions()] == position.legal_moves
            state.apply_action(action)
    tensors = np.array(observed, np.float32).reshape(len(observed), 3, start.height, start.width)
    assert (encode(positions, encoding) == tensors).all()
    for tensor in (tensors, np.array(observed)):
        decoded = fourbase.decode(tensor, encoding, board=board)
        assert (decoded == encode(positions, "bitboards")).all()


def test_bitbullys_arrays_are_ours():
    bitbully = pytest.importorskip("bitbully", reason="bitbully is not installed")
    board, arrays, positions = bitbully.Board(), [], []
    for position, action in games("7x6", GAMES // 5, 4):
        if position.ply == 0:
            board = bitbully.Board()
        arrays.append(board.to_array())
        positions.append(position)
        assert action < 0 or board.play(action)
    assert encode(positions, "bitbully").tolist() == arrays
    assert (fourbase.decode(np.array(arrays)) == encode(positions, "bitboards")).all()


def test_kaggles_games_are_ours():
    environments = pytest.importorskip("kaggle_environments", reason="kaggle-environments is not installed")
    env = environments.make("connectx")
    for position, action in games("7x6", GAMES // 20, 3):
        if position.ply == 0:
            env.reset()
        observation: dict[str, Any] = env.state[0].observation
        mover = position.ply % 2
        seen = {"board": list(observation["board"]), "mark": env.state[mover].observation["mark"]}
        assert encode([position], "kaggle") == [seen]
        assert fourbase.decode([seen], "kaggle").tolist() == [list(position.bitboards)]
        assert env.done == (position.primitive is not None)
        if env.done:
            assert env.state[mover].reward == REWARDS[position.primitive]
        else:
            env.step([action if of == mover else None for of in (0, 1)])
