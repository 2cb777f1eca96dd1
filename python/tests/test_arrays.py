import json

import fourbase
import numpy as np
import pytest
from fourbase import Database, Position, errors

BITBOARDS = fourbase.decode(["", "1", "12", "2143", "3", "112233", "4213"], board="4x3")


def test_one_batch_has_the_same_answers_in_every_form():
    db = Database("4x3")
    values, plies = db.probe_many(BITBOARDS)
    assert (values.dtype, plies.dtype, values.shape, plies.shape) == (np.int8, np.uint8, (7,), (7,))
    table = db.move_values(BITBOARDS)
    assert [array.dtype for array in table] == [np.int8, np.uint8, np.bool_]
    assert [array.shape for array in table] == [(7, 4)] * 3
    texts, cells = (fourbase.encode(BITBOARDS, encoding, board="4x3") for encoding in ("bits", "array"))
    forms = [texts, tuple(texts), iter(texts), np.array(texts), fourbase.encode(BITBOARDS, "positions", board="4x3")]
    forms += [np.asfortranarray(BITBOARDS), np.repeat(BITBOARDS, 2, axis=0)[::2], cells.astype(np.float32)]
    forms += [cells.astype(np.uint64), cells.tolist(), np.asfortranarray(cells), np.where(cells == 2, -1, cells)]
    for form in forms:
        assert [array.tolist() for array in db.probe_many(form)] == [values.tolist(), plies.tolist()]
    signed = BITBOARDS.astype(np.int64)
    assert db.probe_many(signed, encoding="bitboards")[0].tolist() == values.tolist()
    with pytest.raises(errors.EncodingError, match=r'"actions".*"bitboards"'):
        db.probe_many(signed)


def test_a_batch_may_be_longer_than_a_portion():
    db = Database("5x4")
    one = fourbase.decode(["", "1", "12", "1234", "3"], board="5x4")
    values, plies = db.probe_many(np.tile(one, (220_000, 1)))
    for found, expected in zip((values, plies), db.probe_many(one), strict=True):
        assert (found.reshape(-1, 5) == expected).all()


def test_an_empty_batch_has_no_answers():
    db = Database("4x3")
    for empty in [[], np.zeros((0, 2), np.uint64), np.zeros((0, 3, 4), np.int8)]:
        values, plies = db.probe_many(empty)
        assert (values.shape, plies.shape) == ((0,), (0,))
        assert db.move_values(empty).values.shape == (0, 4)


def test_a_row_that_is_no_position_is_named():
    rows = BITBOARDS.copy()
    rows[5] = [0b10, 0]
    with pytest.raises(errors.PositionError, match=r"row 5: the piece in column 1, row 2 .* floats") as refused:
        Database("4x3").probe_many(rows)
    assert refused.value.row == 5
    with pytest.raises(errors.PositionError, match=r"row 1: move 1, '9': column 9 is outside"):
        Database("4x3").probe_many(["1", "9", "8"])
    with pytest.raises(errors.PositionError, match="row 1: the position is of board 4x4"):
        fourbase.decode([Position("4x3"), Position("4x4")])


def test_rows_that_are_no_positions_can_be_masked():
    db, rows, bad = Database("4x3"), BITBOARDS.copy(), [2, 5]
    rows[bad] = [[1, 1], [0b10, 0]]
    expected = [*db.probe_many(BITBOARDS), *db.move_values(BITBOARDS)]
    for array, missing in zip(expected, [fourbase.NO_VALUE, fourbase.NO_PLIES] * 2 + [0], strict=True):
        array[bad] = missing
    found = [*db.probe_many(rows, errors="mask"), *db.move_values(rows, errors="mask")]
    assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    decoded = fourbase.decode(rows, board="4x3", errors="mask")
    assert (decoded == fourbase.INVALID).all(axis=1).nonzero()[0].tolist() == bad
    assert db.probe_many(decoded, errors="mask")[0].tolist() == expected[0].tolist()


SHAPES = [((3, 3), "u8"), ((3, 4, 3), "i1"), (5, "f8"), ((), "f8"), ((2, 2), "c16"), ((2, 2), "f8"), ((1, 3, 4), "O")]


@pytest.mark.parametrize("wrong", [*(np.zeros(*kind) for kind in SHAPES), [[1, 2], [3]], np.zeros((1, 1, 1, 1, 1))])
def test_an_array_of_another_shape_or_type_is_refused(wrong):
    with pytest.raises(errors.EncodingError):
        Database("4x3").probe_many(wrong)


@pytest.mark.parametrize("wrong", ["44", Position("4x3"), None, 7, {"board": [0] * 12, "mark": 1}])
def test_what_is_no_batch_is_a_type_error(wrong):
    with pytest.raises(errors.ArgumentError) as refused:
        Database("4x3").probe_many(wrong)
    assert isinstance(refused.value, TypeError)


def test_options_that_do_not_exist_say_which_do():
    with pytest.raises(errors.OptionError, match='write "raise" or "mask"'):
        Database("4x3").probe_many(["1"], errors="ignore")  # type: ignore[arg-type]
    for call in (fourbase.encode, fourbase.decode):
        with pytest.raises(errors.EncodingError, match="write one of moves"):
            call(np.zeros((1, 2), np.uint64), "alphazero")  # type: ignore[call-overload]


def test_lists_of_numbers_say_what_they_are():
    db, actions = Database("4x3"), [[], [0], [0, 1], [1, 0, 3, 2]]
    with pytest.raises(errors.EncodingError, match=r'"actions".*"bitboards"'):
        db.probe_many([[3, 1]])
    texts = ["".join(str(action + 1) for action in row) for row in actions]
    assert db.probe_many(actions, encoding="actions")[1].tolist() == db.probe_many(texts)[1].tolist()
    assert db.probe_many(BITBOARDS.tolist(), encoding="bitboards")[1].tolist() == db.probe_many(BITBOARDS)[1].tolist()
    with pytest.raises(errors.PositionError, match="row 1"):
        db.probe_many([[0], [4]], encoding="actions")
    assert db.probe_many([[0], [-1], [99]], encoding="actions", errors="mask")[0].tolist()[1:] == [-128, -128]
    for wrong in ([[0], [1.5]], [[0], [True]], [[0], "12"], [[0], None], [[0], 1]):
        with pytest.raises(errors.PositionError, match=r"row 1: actions are a list of columns from 0"):
            db.probe_many(wrong, encoding="actions")  # type: ignore[arg-type]
    played = fourbase.encode(BITBOARDS, "actions", board="4x3")
    assert played == [[int(move) - 1 for move in moves] for moves in fourbase.encode(BITBOARDS, "moves", board="4x3")]


def test_rows_of_other_programs_are_read_whole_or_refused():
    cells = ",".join(["x", "o", "b", "b", "b", "b"])
    expected = fourbase.decode(["11"], board="3x2").tolist()
    for text in (cells, f"{cells},win", f"{cells},Draw\r", f"\ufeff{cells}", "'x','o','b','b','b','b','loss'"):
        assert fourbase.decode([text], "uci", board="3x2").tolist() == expected, text
    array = np.array([(*cells.split(","), "win"), (*cells.split(","), "b")])
    assert fourbase.rejected(array, "uci", board="3x2").keys() == {1}
    rows = [cells.split(","), ["x"], [*cells.split(","), "win"], cells]
    assert fourbase.rejected(rows, "uci", board="3x2").keys() == {1}
    agents = [{"observation": fourbase.encode(["11"], "pettingzoo", board="3x2")[0], "action_mask": [0, 1, 1]}]
    assert fourbase.decode(agents, board="3x2").tolist() == expected
    board = [2, 0, 0, 1, 0, 0]
    assert fourbase.decode([{"board": board}, {"board": board, "mark": None}], board="3x2").tolist() == expected * 2


FLAT = fourbase.encode(["11"], "openspiel", board="3x2").ravel().tolist()


@pytest.mark.parametrize(
    ("encoding", "rows", "reason"),
    [
        (
            "uci",
            ["x,o,b,b,b,b", "", "a1,a2,b1,b2,c1,c2,class", "x,o,b,b,b,b,b", "x,o,b,b,b,b,win,1", None],
            "letters",
        ),
        ("kaggle", [{"board": [2, 0, 0, 1, 0, 0]}, {}, {"board": [0]}, {"board": [None] * 6}, None], "observation has"),
        ("actions", [[0, 0], None, "header", [9], [True]], "actions are"),
        ("kaggle", [[2, 0, 0, 1, 0, 0], [0], [None] * 6], "the shape (1,)"),
        ("openspiel", [FLAT, FLAT[1:], ["x"] * 18, None, []], "the shape (17,)"),
        ("uci", [[*"xobbbb", "win"], [*"xobbb"], [*"xobbb", "win"], [*"xobbbbb"], [*"xobbbb", "win", "1"]], "letters"),
        ("moves", ["11", None, "4453,-2", 7], "found NoneType"),
        ("array", [[[2, 0, 0], [1, 0, 0]], [], [[0, 0], [0, 0]]], "shape"),
    ],
)
def test_every_kind_of_wrong_row_is_masked_counted_and_explained(encoding, rows, reason):
    found = fourbase.decode(rows, encoding, board="3x2", errors="mask")
    assert found[0].tolist() == fourbase.decode(["11"], board="3x2")[0].tolist()
    assert (found[1:] == fourbase.INVALID).all()
    rejected = fourbase.rejected(rows, encoding, board="3x2")
    assert list(rejected) == list(range(1, len(rows)))
    assert reason in rejected[1]
    with pytest.raises(errors.PositionError, match="row 1"):
        fourbase.decode(rows, encoding, board="3x2")


@pytest.mark.parametrize("rows", [[None] * 12, [{}], [{"observation": 1}], [[0], [0]], [[None] * 12], ["x"] * 12])
def test_a_batch_that_has_wrong_rows_only_is_masked_whole(rows):
    values, plies = Database("4x3").probe_many(rows, encoding="kaggle", errors="mask")
    assert (values.tolist(), plies.tolist()) == ([fourbase.NO_VALUE] * len(rows), [fourbase.NO_PLIES] * len(rows))
    assert len(fourbase.rejected(rows, "kaggle", board="4x3")) == len(rows)


def test_planes_are_cells_column_after_column():
    planes = fourbase.encode(BITBOARDS, "planes", board="4x3")
    cells = fourbase.encode(BITBOARDS, "array", board="4x3")
    assert (planes.shape, planes.dtype) == ((7, 2, 4, 3), np.int8)
    for player, plane in enumerate(planes.swapaxes(0, 1)):
        assert (plane == (cells[:, ::-1] == player + 1).swapaxes(1, 2)).all()
    assert (fourbase.decode(planes.astype(np.float32), "planes", board="4x3") == BITBOARDS).all()


def test_images_have_the_pieces_of_the_player_to_move_first_and_the_top_row_first():
    images = fourbase.encode(BITBOARDS, "nchw", board="4x3")
    assert (images.shape, images.dtype) == ((7, 2, 3, 4), np.float32)
    assert (images == fourbase.encode(BITBOARDS, "pettingzoo", board="4x3").transpose(0, 3, 1, 2)).all()
    # Whose turn it is does not fit the player whose pieces come first.
    swapped = fourbase.encode(["1"], "nchw", board="4x3")[:, ::-1]
    with pytest.raises(errors.PositionError, match="observer has 1 pieces and the other player 0"):
        fourbase.decode(swapped, "nchw", board="4x3")


@pytest.mark.parametrize("encoding", ["array", "bitbully", "planes", "nchw", "pettingzoo", "openspiel"])
def test_rows_may_be_flat(encoding):
    flat = np.reshape(fourbase.encode(BITBOARDS, encoding, board="4x3"), (len(BITBOARDS), -1))
    assert (fourbase.decode(flat, encoding, board="4x3") == BITBOARDS).all()
    assert (fourbase.decode(flat.tolist(), encoding, board="4x3") == BITBOARDS).all()


def test_what_another_board_has_too_must_be_named():
    # The arrays of 6x7 have the shapes of arrays of 7x6 in another encoding.
    for encoding in ("array", "nchw"):
        with pytest.raises(errors.EncodingError):
            fourbase.decode(fourbase.encode(["1", "12"], encoding, board="6x7"))  # type: ignore[call-overload]
    for encoding in ("bitbully", "planes", "nchw"):
        with pytest.raises(errors.EncodingError):
            fourbase.decode(fourbase.encode(["1", "12"], encoding))  # type: ignore[call-overload]
    with pytest.raises(errors.EncodingError, match="one position of nchw"):
        fourbase.decode(fourbase.encode(["4"], "nchw")[0])


def test_one_position_instead_of_a_batch_is_told_so():
    for encoding in ("array", "pettingzoo"):
        one = fourbase.encode(["44"], encoding, board="7x6")[0]
        for named in (None, encoding):
            with pytest.raises(errors.EncodingError, match=r"write data\[None\]"):
                fourbase.decode(one, named)
    for board in ([0.4] * 41 + [1.9], [10**400] * 42, [None] * 42, None):
        with pytest.raises((errors.ArgumentError, errors.PositionError)):
            fourbase.decode([{"board": board, "mark": 2}])
    observation = fourbase.encode(["44"], "kaggle")
    assert fourbase.decode(observation).tolist() == fourbase.decode(["44"]).tolist()


def test_arrow_arrays_of_texts_are_read():
    arrow = pytest.importorskip("pyarrow")
    texts = ["", "1", "12"]
    for array in (arrow.array(texts), arrow.chunked_array([texts])):
        assert Database("4x3").probe_many(array)[1].tolist() == Database("4x3").probe_many(texts)[1].tolist()
    table = arrow.table({"moves": ["", None, "12"]})
    expected = Database("4x3").probe_many(["", "?", "12"], errors="mask")[1].tolist()
    assert Database("4x3").probe_many(table, errors="mask")[1].tolist() == expected
    words = fourbase.decode(texts, board="4x3")
    table = arrow.table({"first": words[:, 0], "second": words[:, 1]})
    assert (fourbase.decode(table, board="4x3") == words).all()


def test_what_is_not_decided_is_named_or_masked(tmp_path):
    # Ply 14 is not stored.
    db, rows = Database("7x6"), ["", "4444", "12345671234567"]
    for ask in (db.probe_many, db.move_values):
        with pytest.raises(errors.SearchLimit, match=r"row 2: .* nodes=.*errors=\"mask\"") as refused:
            ask(rows, nodes=1)
        assert refused.value.row == 2
    values, plies = db.probe_many(rows, nodes=1, errors="mask")
    assert (values.tolist(), plies.tolist()) == ([1, 1, -128], [41, 37, 255])
    whole, masked = db.move_values(rows[:2]), db.move_values(rows, nodes=1, errors="mask")
    assert (masked.values[:2] == whole.values).all()
    assert masked.legal[2].all()
    assert (masked.values[2] == fourbase.NO_VALUE).any()


def test_results_are_json():
    db = Database("5x4")
    table, drawn = db.move_values(["1234"]), db.sample(5, plies=[6])
    results = [db.probe("1"), db.moves("1234")[0], table, drawn, fourbase.strategy(lambda *_: 1, "4x3")]
    texts = [json.loads(json.dumps(result.to_dict())) for result in results]
    assert texts[:2] == [{"value": "win", "remoteness": 19}, {"column": 3, "value": "tie", "remoteness": 16}]
    assert texts[2]["plies"] == [[16] * 5]
    assert texts[3]["ply"] == [6] * 5
    assert texts[4]["verdict"] == results[4].verdict
    assert "<td>tie 16</td>" in table._repr_html_()
    assert "<td>2584821</td>" in db._repr_html_()


def test_a_tier_comes_in_chunks_with_the_answers_of_probes():
    # The outcomes of 4x3 are solved, those of early plies of 7x6 probed.
    for board, ply in [("4x3", 6), ("7x6", 3)]:
        db = Database(board)
        chunks = list(db.positions(ply, chunk=50))
        assert {len(chunk.positions) for chunk in chunks[:-1]} == {50}
        for chunk in chunks:
            for found, expected in zip(chunk[1:], db.probe_many(chunk.positions), strict=True):
                assert (found == expected).all()
        rows = np.concatenate([chunk.positions for chunk in chunks])
        assert len(np.unique(rows, axis=0)) == len(rows)
        assert (rows == np.concatenate([chunk.positions for chunk in db.positions(ply)])).all()
    # With positions that no game reaches.
    legal, every = (next(Database("4x4").positions(9, legal=legal)).positions for legal in (True, False))
    assert len(legal) < len(every)


@pytest.mark.parametrize("kind", ["uniform", "random-play", "choice-matters"])
def test_a_sample_is_the_same_for_the_same_seed(kind):
    db = Database("5x4")
    one, other, third = (db.sample(300, plies=range(6, 9), seed=seed, kind=kind) for seed in (1, 1, 2))
    assert (one.positions == other.positions).all()
    assert (one.positions != third.positions).any()
    drawn = [db.sample(300, seed=np.random.default_rng(seed)).positions for seed in (7, 7, 8)]
    assert ((drawn[0] == drawn[1]).all(), (drawn[0] == drawn[2]).all()) == (True, False)
    assert [array.tolist() for array in db.probe_many(one.positions)] == [one.values.tolist(), one.plies.tolist()]
    assert {position.ply for position in fourbase.encode(one.positions, "positions", board="5x4")} == {6, 7, 8}


def test_what_cannot_be_listed_or_drawn_is_refused():
    db = Database("4x3")
    with pytest.raises(errors.OptionError, match="write 0 to 12"):
        db.positions(13)
    with pytest.raises(errors.OptionError, match="chunk=0"):
        db.positions(3, chunk=0)
    with pytest.raises(errors.SolveMemory, match=r"sample\(\)"):
        Database("7x6").positions(13, memory=1 << 20)
    # Refused before the first position, with an estimate.
    with pytest.raises(errors.OptionError, match=r"about [\d,]+ hours.*sample\(\).*hours=None"):
        Database("7x6").positions(14, hours=1)
    with pytest.raises(errors.OptionError, match="hours=-1"):
        db.positions(3, hours=-1)
    for plies in ([12], [], [13]):
        with pytest.raises(errors.OptionError, match="write other plies="):
            db.sample(10, plies=plies)
    with pytest.raises(MemoryError, match="draw fewer, or write them to a file"):
        db.sample(10**12)
    with pytest.raises(errors.OptionError, match="uniform"):
        db.sample(10, kind="normal")  # type: ignore[arg-type]
    assert len(db.sample(0).positions) == 0


def test_the_first_rows_of_a_long_ply_come_before_the_last(tmp_path):
    db, seen = Database("7x6"), []
    chunks = db.positions(20, chunk=50, hours=None, progress=seen.append)
    assert isinstance(chunks, fourbase.Chunks)
    chunk = next(chunks)
    assert (len(chunk.positions), set(chunk.ply.tolist()), seen[-1][:3]) == (50, {20}, ("positions", 50, None))
    # Each is a position that a game reaches.
    assert len(set(fourbase.encode(chunk.positions, "moves", board="7x6"))) == 50
    seen.clear()
    solved = next(iter(Database("5x4").positions(12, progress=seen.append)))
    assert (seen[-1].unit, seen[-1].done) == ("entries", seen[-1].total)
    assert (Database("5x4").probe_many(solved.positions)[0] == solved.values).all()


def test_a_distinct_sample_has_no_position_twice(tmp_path):
    db, seen = Database("7x6"), []
    every = db.sample(1000, plies=[2, 3], kind="random-play")
    assert len(np.unique(every.positions, axis=0)) < 300
    drawn = db.sample(25, plies=[2], kind="random-play", distinct=True, progress=seen.append)
    positions = fourbase.encode(drawn.positions, "positions", board="7x6")
    assert len({min(position.bits, position.mirrored().bits) for position in positions}) == 25
    assert seen[-1][:3] == ("positions", 25, 25)
    assert (drawn.values == db.probe_many(drawn.positions)[0]).all()
    with pytest.raises(errors.OptionError, match=r"only 25 of 26 .*; write a smaller count, or more plies"):
        db.sample(26, plies=[2], distinct=True)
