import copy
import pickle
import random
import xml.etree.ElementTree as ElementTree

import fourbase
import pytest
from fourbase import Position
from fourbase.errors import BoardError, FourbaseError, MoveError, PositionError
from oracle import Game

GAMES = [Game(4, 3), Game(5, 4), Game(7, 6), Game(4, 4, 3, True), Game(9, 7)]


def games(seed: int, count: int):
    """Play random games with the oracle and with fourbase side by side."""
    drawn = random.Random(seed)
    for number in range(count):
        game = GAMES[number % len(GAMES)]
        columns, position = game.start, Position(game.name)
        while True:
            yield game, columns, position
            legal = game.legal(columns)
            if not legal:
                break
            column = drawn.choice(legal)
            columns, position = game.play(columns, column), position.play(column + 1)


def test_random_games_are_those_of_a_plain_implementation():
    for game, columns, position in games(1, 100):
        assert position.bits == game.bits(columns)
        assert position.bitboards == game.bitboards(columns)
        assert position.legal_moves == [column + 1 for column in game.legal(columns)]
        assert position.ply == game.ply(columns)
        assert position.to_move == ("first", "second")[game.ply(columns) % 2]
        winner = game.winner(columns)
        to_move = "xo"[game.ply(columns) % 2]
        expected = None if winner is None else {"-": "tie", to_move: "win"}.get(winner, "lose")
        assert position.primitive == expected


def test_every_text_reads_back():
    for _, _, position in games(2, 50):
        texts = [position.bits, position.uni, position.moves]
        assert all(Position(position.board, text) == position for text in texts)
        assert Position.from_bitboards(position.board, *position.bitboards) == position
        assert eval(repr(position)) == position


def test_copies_and_pickles_are_equal_and_hash_equally():
    for _, _, position in games(3, 20):
        copies = [copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]
        for other in copies:
            assert other == position
            assert hash(other) == hash(position)
            assert type(other) is Position


def test_positions_of_different_boards_differ():
    assert Position("4x3") != Position("4x4")
    assert Position("4x4") != Position("4x4m")
    assert Position("4x4") != "4x4"
    assert len({Position("4x4", "12"), Position("4x4", "12"), Position("4x4", "21")}) == 2


def test_the_mirror_image_of_the_mirror_image_is_the_position():
    for _, columns, position in games(4, 20):
        assert position.mirrored().mirrored() == position
        assert (position.mirrored() == position) == (columns == columns[::-1])


def test_a_position_is_drawn_in_notebooks():
    picture = ElementTree.fromstring(Position("7x6", "4453")._repr_svg_())
    circles = picture.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 42 + 2  # the second player's pieces have a ring


def test_a_position_does_not_change():
    position = Position("7x6", "4")
    with pytest.raises(AttributeError):
        position.ply = 3  # type: ignore[misc]


@pytest.mark.parametrize("board", ["", "7", "0x4", "9x8", "7x6c0", "-1x4", "7X6", "7x6 ", "٧x6", "x" * 100_000])
def test_a_text_that_is_no_board_is_refused(board):
    with pytest.raises(BoardError) as refused:
        Position(board)
    assert isinstance(refused.value, ValueError | FourbaseError)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("text", ["8", "0", "4444444", "1_X", "é", "\0", "10", "4" * 100_000, "1212121 "])
def test_a_text_that_is_no_position_is_refused(text):
    with pytest.raises(PositionError) as refused:
        Position("7x6", text)
    assert refused.value.row is None
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("column", [-(2**63), -1, 0, 5, 2**62])
def test_a_column_outside_the_board_is_refused(column):
    with pytest.raises(MoveError, match="play a column from 1 to 4"):
        Position("4x3").play(column)


def test_a_full_column_and_a_finished_game_are_refused():
    with pytest.raises(MoveError, match="column 1 is full"):
        Position("4x3", "111").play(1)
    with pytest.raises(MoveError, match="the first player has won"):
        Position("4x4", "1212121").play(3)


def test_a_position_that_no_game_reaches_has_no_moves():
    # Both players have a move, but under every order the second player is first.
    position = Position.from_bitboards("4x3", 0b10, 0b01)
    assert position.moves is None
    assert eval(repr(position)) == position


def test_bitboards_that_are_no_position_are_refused():
    with pytest.raises(PositionError, match="floats"):
        Position.from_bitboards("4x3", 0b10, 0)
    with pytest.raises(PositionError, match="outside the board"):
        Position.from_bitboards("4x3", 1 << 63, 0)
    with pytest.raises(OverflowError):
        Position.from_bitboards("4x3", 2**64, 0)


def test_outcomes_and_moves_are_values():
    outcome = fourbase.Outcome("win", 5)
    assert pickle.loads(pickle.dumps(outcome)) == outcome == fourbase.Outcome("win", remoteness=5)
    assert {outcome: 1}[copy.deepcopy(outcome)] == 1
    assert outcome != fourbase.Outcome("win")
    move = fourbase.Move(3, "tie", 16)
    assert pickle.loads(pickle.dumps(move)) == move
    assert move.outcome == fourbase.Outcome("tie", 16)
    match outcome:
        case fourbase.Outcome(value, remoteness):
            assert (value, remoteness) == ("win", 5)
    with pytest.raises(fourbase.errors.OptionError, match="write"):
        fourbase.Outcome("draw")
