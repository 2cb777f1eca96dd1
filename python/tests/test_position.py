import copy
import pickle
import re
import xml.etree.ElementTree as ElementTree
from itertools import islice
from pathlib import Path
from typing import get_args

import fourbase
import numpy as np
import pytest
from conftest import games
from fourbase import Position, decode, encode
from fourbase.errors import BoardError, EncodingError, MoveError, OptionError, PositionError

ENCODINGS = [name for names in get_args(fourbase.Encoding) for name in get_args(names)]
BOARDS = ["7x6", "5x4c3m", "3x2c2", "8x8"]


def test_every_listed_spelling_is_read_or_refused_as_listed():
    table = Path(__file__).parents[2] / "tests" / "data" / "spellings.tsv"
    for line in table.read_text(encoding="utf-8").split("\n")[1:-1]:
        kind, board, text, meaning = line.split("\t")
        text = text.replace(r"\n", "\n").replace(r"\t", "\t").replace(r"\r", "\r")
        if kind == "text" and meaning.startswith("= "):
            assert Position(board, text) == Position(board, meaning[2:]), line
        elif kind == "text":
            with pytest.raises((BoardError, PositionError), match=re.escape(meaning[2:])):
                Position(board, text)
    assert Position("5X4C3M", "33").board == "5x4c3m"


def test_a_position_has_the_facts_of_its_text():
    position = Position("7x6", "4453")
    assert (position.board, position.width, position.height, position.ply) == ("7x6", 7, 6, 4)
    assert (position.to_move, position.play(1).to_move, position.primitive) == ("first", "second", None)
    assert {Position("7x6", text) for text in (position.bits, position.uni, position.moves)} == {position}
    assert Position.from_bitboards("7x6", *position.bitboards) == position


def test_positions_outcomes_and_moves_are_values():
    position, outcome, move = Position("7x6", "4453"), fourbase.Outcome("win", 5), fourbase.Move(3, "tie", 16)
    for value in (position, outcome, move):
        for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert (other, hash(other), type(other)) == (value, hash(value), type(value))
        assert eval(repr(value), vars(fourbase)) == value
        assert value != "4453"
    assert Position("4x4") not in (Position("4x3"), Position("4x4m"))
    assert outcome != fourbase.Outcome("win")
    assert [int(fourbase.Outcome(value)) for value in ("win", "tie", "lose")] == [
        fourbase.WIN,
        fourbase.TIE,
        fourbase.LOSE,
    ]
    assert move.outcome == fourbase.Outcome("tie", 16)
    match outcome:
        case fourbase.Outcome(value, remoteness):
            assert (value, remoteness) == ("win", 5)
    with pytest.raises(OptionError, match="write"):
        fourbase.Outcome("draw")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        position.ply = 3  # type: ignore[misc]


def test_a_position_is_drawn_in_notebooks():
    picture = ElementTree.fromstring(Position("7x6", "4453")._repr_svg_())
    circles = picture.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 42 + 2  # the second player's pieces have a ring


@pytest.mark.parametrize("board", ["", "0x4", "9x8", "-1x4", "٧x6", "x" * 100_000])
@pytest.mark.parametrize("text", ["8", "4444444", "é", "\0", "4" * 100_000])
def test_what_is_no_board_or_no_position_is_refused(board, text):
    for error, name in [(BoardError, board), (PositionError, "7x6")]:
        with pytest.raises(error) as refused:
            Position(name, text)
        assert isinstance(refused.value, ValueError)
        assert len(str(refused.value)) < 300


@pytest.mark.parametrize("column", [-(2**63), -1, 0, 5, 2**62])
def test_a_column_outside_the_board_is_refused(column):
    with pytest.raises(MoveError, match="play a column from 1 to 4"):
        Position("4x3", "111").play(column)


def test_a_position_that_no_game_reaches_has_no_moves():
    # Both players have a move, but under every order the second player is first.
    position = Position.from_bitboards("4x3", 0b10, 0b01)
    assert position.moves is None
    assert eval(repr(position)) == position


def test_bitboards_that_are_no_position_are_refused():
    with pytest.raises(PositionError, match="floats"):
        Position.from_bitboards("4x3", 0b10, 0)
    with pytest.raises(OverflowError):
        Position.from_bitboards("4x3", 2**64, 0)


def random_positions(board: str, count: int) -> list[Position]:
    """Draw positions from random games, finished ones too."""
    return [position for position, _ in islice(games(board, count, 1), count)]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_reads_back_what_it_wrote(board, encoding):
    positions = random_positions(board, 400)
    bitboards = np.array([position.bitboards for position in positions], np.uint64)
    written = encode(positions, encoding)
    assert (decode(written, encoding, board=board) == bitboards).all()
    by_name = {"actions", "openspiel-egocentric", "kaggle", "uci", "planes", "nchw", "bitbully"}
    if encoding not in by_name:
        # The others are told apart by their shape.
        assert (decode(written, board=board) == bitboards).all()


def test_texts_are_those_of_single_positions():
    positions = random_positions("4x4", 200)
    for name in ("bits", "uni", "moves"):
        assert encode(positions, name) == [getattr(position, name) for position in positions]


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
    uci = [[f"{line},win\n" for line in lines], table, table[:, :-1].astype("S1"), table.astype(object)]
    forms = {"openspiel": [flat, flat.tolist()], "kaggle": [boards, np.array(boards, np.int8)], "uci": uci}
    for encoding, same in forms.items():
        for form in same:
            assert (decode(form, encoding) == bitboards).all()


FLOATING = np.zeros((1, 6, 7), np.int8)
FLOATING[0, 0, 3] = 1
COUNTS = np.zeros((1, 6, 7), np.int8)
COUNTS[0, 5, 3] = 2
SEVEN = np.full((1, 6, 7), 7, np.int16)
OTHER_AGENT = encode([Position("7x6", "4")], "pettingzoo")[..., ::-1]


@pytest.mark.parametrize(
    ("data", "encoding", "reason"),
    [
        (FLOATING, "array", r"row 0: the piece in column 4, row 6 \(from the bottom\) floats"),
        (COUNTS, "array", "row 0: X has 0 and O 1 pieces"),
        (SEVEN, "array", "has 7; write 0 for nothing"),
        (np.full((1, 6, 7), 1e30), "array", r"has 1e\+30; write 0"),
        (np.ones((1, 6, 7, 2)), "pettingzoo", "both players have a piece in column 1"),
        (np.full((1, 6, 7, 2), 2), "pettingzoo", r"has \[2, 2\]; each plane has 0 or 1"),
        (np.eye(7)[:6].reshape(1, 6, 7, 1) * [1, 0], "pettingzoo", "the observer has 6 pieces"),
        (OTHER_AGENT, "pettingzoo", "give the observation of the agent to move"),
        (np.zeros((1, 3, 6, 7)), "openspiel", r"has \[0.0, 0.0, 0.0\]; exactly one of the planes has a 1"),
        (np.full((1, 3, 6, 7), 0.5), "openspiel", "exactly one of the planes has a 1"),
        ([{"board": [0] * 42, "mark": 2}], "kaggle", "mark is 2, but by the number of pieces 1 is to move"),
        ([{"board": [0] * 41, "mark": 1}], "kaggle", "the board has 41 cells"),
        (["b," * 41 + "q"], "uci", "has 'q'; write b"),
        (["b,b"], "uci", "is not 42 letters b, x or o"),
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
