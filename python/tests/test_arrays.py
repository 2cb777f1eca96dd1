import fourbase
import numpy as np
import pytest
from fourbase import Database, Position
from fourbase.errors import EncodingError, OptionError, PositionError, SearchLimit
from oracle import Game, every_position, move_values, value

GAME = Game(4, 3)
POSITIONS = every_position(GAME)
TEXTS = [GAME.bits(columns) for columns in POSITIONS]
BITBOARDS = np.array([GAME.bitboards(columns) for columns in POSITIONS], np.uint64)


def board_array(game: Game, columns: tuple[str, ...]) -> list[list[int]]:
    """Write a position as rows from the top."""
    rows = range(game.height - 1, -1, -1)
    return [[" xo".index(column[row]) if row < len(column) else 0 for column in columns] for row in rows]


def test_every_value_of_4x3_is_what_a_plain_search_finds():
    values, plies = Database("4x3").probe_many(BITBOARDS)
    assert (values.dtype, plies.dtype) == (np.int8, np.uint8)
    assert list(zip(values.tolist(), plies.tolist(), strict=True)) == [value(GAME, columns) for columns in POSITIONS]


def test_every_value_of_every_move_of_4x3_is_what_a_plain_search_finds():
    table = Database("4x3").move_values(BITBOARDS)
    expected = [move_values(GAME, columns) for columns in POSITIONS]
    for array, place, missing in [(table.values, 0, fourbase.NO_VALUE), (table.plies, 1, fourbase.NO_PLIES)]:
        rows = [[of[column][place] if column in of else missing for column in range(4)] for of in expected]
        assert array.tolist() == rows
    assert table.legal.tolist() == [[column in of for column in range(4)] for of in expected]
    assert table.legal.dtype == np.bool_


def test_one_batch_has_the_same_answers_in_every_form():
    db = Database("4x3")
    expected = [array.tolist() for array in db.probe_many(BITBOARDS)]
    forms = [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        [Position("4x3", text) for text in TEXTS],
        BITBOARDS.astype(np.int64),
        BITBOARDS.tolist(),
        np.asfortranarray(BITBOARDS),
        np.repeat(BITBOARDS, 2, axis=0)[::2],
        np.array([board_array(GAME, columns) for columns in POSITIONS], np.int8),
        np.array([board_array(GAME, columns) for columns in POSITIONS], np.float32),
        [board_array(GAME, columns) for columns in POSITIONS],
        np.where((cells := np.array([board_array(GAME, columns) for columns in POSITIONS])) == 2, -1, cells),
    ]
    for form in forms:
        assert [array.tolist() for array in db.probe_many(form)] == expected


def test_a_batch_of_a_million_is_that_many_single_probes():
    db = Database("5x4")
    drawn = np.random.default_rng(1).integers(0, len(BITBOARDS), 300)
    texts = [GAME.bits(POSITIONS[row]) for row in drawn]
    assert Database("4x3").probe_many(texts)[0].tolist() == [value(GAME, POSITIONS[row])[0] for row in drawn]
    one = fourbase.decode(["", "1", "12", "1234", "3"], board="5x4")
    many = np.tile(one, (200_001, 1))
    values, plies = db.probe_many(many)
    assert len(values) == 1_000_005
    for row, position in enumerate(fourbase.encode(one, "positions", board="5x4")):
        assert set(plies[row::5].tolist()) == {db.probe(position).remoteness}


def test_an_empty_batch_has_no_answers():
    db = Database("4x3")
    for empty in [[], np.zeros((0, 2), np.uint64), np.zeros((0, 3, 4), np.int8)]:
        values, plies = db.probe_many(empty)
        assert (values.shape, plies.shape) == ((0,), (0,))
        assert db.move_values(empty).values.shape == (0, 4)


def test_a_row_that_is_no_position_is_named():
    rows = BITBOARDS[:10].copy()
    rows[7] = [0b10, 0]
    with pytest.raises(PositionError, match=r"row 7: the piece in column 1, row 2 .* floats") as refused:
        Database("4x3").probe_many(rows)
    assert refused.value.row == 7
    with pytest.raises(PositionError, match=r"row 1: move 1, '9': column 9 is outside"):
        Database("4x3").probe_many(["1", "9", "8"])


def test_rows_that_are_no_positions_can_be_masked():
    rows = BITBOARDS[:10].copy()
    rows[7], rows[2] = [0b10, 0], [1, 1]
    db = Database("4x3")
    values, plies = db.probe_many(rows, errors="mask")
    table = db.move_values(rows, errors="mask")
    for row in range(10):
        bad = row in (2, 7)
        assert (values[row] == fourbase.NO_VALUE) == bad
        assert (plies[row] == fourbase.NO_PLIES) == bad
        assert table.legal[row].any() == (not bad)
        if not bad:
            assert (values[row], plies[row]) == value(GAME, POSITIONS[row])
            outcomes = move_values(GAME, POSITIONS[row])
            assert table.values[row].tolist() == [outcomes[column][0] for column in range(4)]
    decoded = fourbase.decode(rows, board="4x3", errors="mask")
    assert (decoded[[2, 7]] == fourbase.INVALID).all()
    assert (decoded[[0, 1, 3]] == rows[[0, 1, 3]]).all()
    assert db.probe_many(decoded, errors="mask")[0].tolist() == values.tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((3, 3), np.uint64),
        np.zeros((3, 4, 3), np.int8),
        np.zeros(5),
        np.zeros((2, 2), np.complex128),
        np.zeros((2, 2), np.float64),
        [[1, 2], [3]],
        np.zeros((1, 1, 1, 1, 1)),
    ],
)
def test_an_array_of_another_shape_or_type_says_which_is_wanted(wrong):
    with pytest.raises(EncodingError):
        Database("4x3").probe_many(wrong)


@pytest.mark.parametrize("wrong", ["44", Position("4x3"), None, 7])
def test_what_is_no_batch_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        Database("4x3").probe_many(wrong)


def test_options_that_do_not_exist_say_which_do():
    with pytest.raises(OptionError, match='write "raise" or "mask"'):
        Database("4x3").probe_many(["1"], errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(EncodingError, match="write one of moves"):
        Database("4x3").probe_many(["1"], encoding="alphazero")  # type: ignore[call-overload]


def test_a_limit_of_nodes_holds_for_batches(tmp_path):
    db = Database("7x6", tmp_path)
    with pytest.raises(SearchLimit):
        db.probe_many(["12345671234567", "12345671234561"], nodes=1)


def test_positions_of_two_boards_are_no_batch():
    with pytest.raises(PositionError, match="row 1: the position is of board 4x4"):
        fourbase.decode([Position("4x3"), Position("4x4")])
    with pytest.raises(PositionError, match="row 0"):
        Database("4x3").probe_many([Position("4x4")])
