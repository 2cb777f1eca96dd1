import copy
import pickle
import xml.etree.ElementTree as ElementTree

import fourbase
import pytest
from fourbase import Position
from fourbase.errors import BoardError, MoveError, OptionError, PositionError


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
