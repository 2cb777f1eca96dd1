import fourbase
import numpy as np
import pytest
from fourbase import Database, Position, canonical, mirror, split
from fourbase.errors import OptionError


@pytest.mark.parametrize("board", ["5x4", "4x4", "7x6", "2x9", "8x8"])
def test_mirror_images_are_those_of_the_moves(board):
    width = Position(board).width
    rng = np.random.default_rng(1)
    games, images = [], []
    for _ in range(200):
        game, position = "", Position(board)
        for _ in range(rng.integers(0, 12)):
            legal = position.legal_moves
            if not legal:
                break
            column = int(rng.choice(legal))
            position, game = position.play(column), game + str(column)
        games.append(game)
        images.append("".join(str(width + 1 - int(name)) for name in game))
    expected = fourbase.decode(images, board=board)
    assert (mirror(games, board=board) == expected).all()
    assert (mirror([Position(board, game) for game in games]) == expected).all()
    assert (canonical(games, board=board) == canonical(images, board=board)).all()
    for row, game, image in zip(canonical(games, board=board).tolist(), games, images, strict=True):
        assert row in fourbase.decode([game, image], board=board).tolist()


def test_no_position_is_on_both_sides_of_a_split():
    db = Database("5x4")
    sides: list[set[tuple[int, ...]]] = [set(), set()]
    total = 0
    for seed in (1, 2):
        drawn = db.sample(20_000, plies=range(2, 13), seed=seed, kind="random-play").positions
        is_test = split(drawn, board="5x4")
        assert (split(mirror(drawn, board="5x4"), board="5x4") == is_test).all()
        for row, side in zip(canonical(drawn, board="5x4").tolist(), is_test.tolist(), strict=True):
            sides[side].add(tuple(row))
        total += len(drawn)
    assert total == 40_000
    assert not sides[0] & sides[1]
    share = len(sides[1]) / (len(sides[0]) + len(sides[1]))
    assert 0.09 < share < 0.11


def test_a_split_depends_on_its_salt_and_its_share_alone():
    rows = Database("5x4").sample(5000, seed=1).positions
    one, other = (split(rows, board="5x4", salt=salt, test=0.5) for salt in ("a", "b"))
    assert 0.45 < (one == other).mean() < 0.55
    # A larger test part has the smaller one.
    assert (split(rows, board="5x4", test=0.2) >= split(rows, board="5x4", test=0.1)).all()
    assert not split(rows, board="5x4", test=0).any()
    assert split(rows, board="5x4", test=1).all()
    # The same on every machine.
    assert split(["", "1", "12", "123", "1234", "44", "3"], board="5x4", test=0.5).tolist() == [
        False,
        True,
        True,
        True,
        True,
        False,
        False,
    ]
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(OptionError, match="is no share"):
            split(rows, board="5x4", test=wrong)
    with pytest.raises(OptionError, match="board="):
        split(["12"])
