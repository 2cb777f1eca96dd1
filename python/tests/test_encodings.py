import random

import numpy as np
import pytest
from fourbase import Position, decode, encode
from fourbase.errors import EncodingError, PositionError

ENCODINGS = [
    "moves",
    "positions",
    "bitboards",
    "array",
    "pettingzoo",
    "openspiel",
    "openspiel-egocentric",
    "kaggle",
    "uci",
]
BOARDS = ["7x6", "5x4c3m", "3x2c2", "8x8"]


def random_positions(board: str, count: int, seed: int = 1) -> list[Position]:
    """Draw positions from random games, finished ones too."""
    drawn, positions = random.Random(seed), []
    while len(positions) < count:
        position = Position(board)
        positions.append(position)
        while position.legal_moves:
            position = position.play(drawn.choice(position.legal_moves))
            positions.append(position)
    return positions[:count]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_reads_back_what_it_wrote(board, encoding):
    positions = random_positions(board, 400)
    bitboards = np.array([position.bitboards for position in positions], np.uint64)
    written = encode(positions, encoding)
    assert (decode(written, encoding, board=board) == bitboards).all()
    if encoding not in ("openspiel-egocentric", "kaggle", "uci"):
        # The others are told apart by their shape.
        assert (decode(written, board=board) == bitboards).all()


def test_texts_are_those_of_single_positions():
    positions = random_positions("4x4", 200)
    for name in ("bits", "uni", "moves"):
        texts = encode(positions, name)
        assert texts == [getattr(position, name) for position in positions]
        assert encode(decode(texts, board="4x4"), "positions", board="4x4") == positions


def test_cells_are_where_each_program_has_them():
    # The first player in the bottom left corner, the second in the column beside.
    one = [Position("4x3", "12")]
    assert encode(one, "array").tolist() == [[[0, 0, 0, 0], [0, 0, 0, 0], [1, 2, 0, 0]]]
    pettingzoo = encode(one, "pettingzoo")[0]
    assert pettingzoo.dtype == np.int8
    assert [tuple(place) for place in np.argwhere(pettingzoo)] == [(2, 0, 0), (2, 1, 1)]
    openspiel = encode(one, "openspiel")[0]
    assert openspiel.dtype == np.float32
    assert (openspiel[0, 0, 0], openspiel[1, 0, 1], openspiel[2].sum()) == (1, 1, 10)
    assert encode(one, "kaggle") == [{"board": [0] * 8 + [1, 2, 0, 0], "mark": 1}]
    assert encode(one, "uci") == ["x,b,b,o,b,b,b,b,b,b,b,b"]


def test_planes_are_seen_by_the_player_to_move():
    first, second = Position("4x3", "1"), Position("4x3", "12")
    pettingzoo = encode([first, second], "pettingzoo")
    assert pettingzoo[0, 2, 0].tolist() == [0, 1]
    assert pettingzoo[1, 2, 0].tolist() == [1, 0]
    egocentric = encode([first, second], "openspiel-egocentric")
    assert egocentric[0, :, 0, 0].tolist() == [1, 0, 0]
    assert egocentric[1, :, 0, 0].tolist() == [0, 1, 0]


def test_arrays_may_have_other_forms():
    positions = random_positions("7x6", 50)
    bitboards = encode(positions, "bitboards")
    flat = encode(positions, "openspiel").reshape(50, -1)
    boards = [observation["board"] for observation in encode(positions, "kaggle")]
    lines = encode(positions, "uci")
    # A class follows the letters.
    table = np.array([[*line.split(","), "win"] for line in lines])
    forms = [
        (flat, "openspiel"),
        (flat.tolist(), "openspiel"),
        (boards, "kaggle"),
        (np.array(boards, np.int8), "kaggle"),
        ([f"{line},win\n" for line in lines], "uci"),
        (table, "uci"),
        (table[:, :-1].astype("S1"), "uci"),
        (table.astype(object), "uci"),
    ]
    for form, encoding in forms:
        assert (decode(form, encoding) == bitboards).all()


FLOATING = np.zeros((1, 6, 7), np.int8)
FLOATING[0, 0, 3] = 1
COUNTS = np.zeros((1, 6, 7), np.int8)
COUNTS[0, 5, 3] = 2
SEVEN = np.full((1, 6, 7), 7, np.int16)


@pytest.mark.parametrize(
    ("data", "encoding", "reason"),
    [
        (FLOATING, "array", r"row 0: the piece in column 4, row 6 \(from the bottom\) floats"),
        (COUNTS, "array", "row 0: the first player has 0 and the second player 1 pieces"),
        (SEVEN, "array", "has 7; write 0 for nothing"),
        (np.full((1, 6, 7), 1e30), "array", r"has 1e\+30; write 0"),
        (np.ones((1, 6, 7, 2)), "pettingzoo", "both players have a piece in column 1"),
        (np.full((1, 6, 7, 2), 2), "pettingzoo", r"has \[2, 2\]; each plane has 0 or 1"),
        (np.eye(7)[:6].reshape(1, 6, 7, 1) * [1, 0], "pettingzoo", "the observer has 6 pieces"),
        (
            encode([Position("7x6", "4")], "pettingzoo")[..., ::-1],
            "pettingzoo",
            "give the observation of the agent to move",
        ),
        (np.zeros((1, 3, 6, 7)), "openspiel", r"has \[0.0, 0.0, 0.0\]; exactly one of the planes has a 1"),
        (np.full((1, 3, 6, 7), 0.5), "openspiel", "exactly one of the planes has a 1"),
        ([{"board": [0] * 42, "mark": 2}], "kaggle", "mark is 2, but by the number of pieces 1 is to move"),
        ([{"board": [0] * 41, "mark": 1}], "kaggle", "the board has 41 cells"),
        (["b," * 41 + "q"], "uci", "has 'q'; write b"),
        (["b,b"], "uci", "the text has 2 letters"),
    ],
)
def test_rows_that_are_no_positions_say_why(data, encoding, reason):
    with pytest.raises(PositionError, match=reason) as refused:
        decode(data, encoding)
    assert refused.value.row == 0


def test_a_shape_of_another_board_says_how_to_name_it():
    with pytest.raises(EncodingError, match=r"\(n, 6, 7\), not \(1, 4, 5\).*board="):
        decode(np.zeros((1, 4, 5), np.int8))
    assert decode(np.zeros((1, 4, 5), np.int8), board="5x4").tolist() == [[0, 0]]
