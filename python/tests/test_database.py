import pickle
import shutil

import fourbase
import numpy as np
import pytest
from fourbase import Database, Outcome, Position
from fourbase.errors import DatabaseDamaged, DatabaseMissing, DatabaseUnfinished, PositionError, SearchLimit


def test_every_answer_of_a_small_board_is_that_of_the_program(program):
    db = Database("4x3")
    bitboards = np.concatenate([chunk.positions for ply in range(13) for chunk in db.positions(ply)])
    positions = [*fourbase.encode(bitboards, "positions", board="4x3"), Position("4x3", "1122334")]
    answers = program("query", "4x3", "--batch", "--json", lines=[position.bits for position in positions])
    values, plies = db.probe_many(positions)
    table = db.move_values(positions)
    for row, (position, answer) in enumerate(zip(positions, answers, strict=True)):
        outcome = db.probe(position)
        assert answer["position"]["bits"] == position.bits
        assert outcome == Outcome(answer["value"], answer["remoteness"])
        assert (["tie", "win", "lose"][values[row]], plies[row]) == (outcome.value, outcome.remoteness)
        moves = [(move.column, move.value, move.remoteness) for move in db.moves(position.bits)]
        assert moves == [(child["column"], child["value"], child["remoteness"]) for child in answer["children"]]
        of_arrays = [
            (column + 1, ["tie", "win", "lose"][table.values[row, column]], table.plies[row, column])
            for column in np.flatnonzero(table.legal[row])
        ]
        assert of_arrays == sorted(moves)
        assert (table.values[row][~table.legal[row]] == fourbase.NO_VALUE).all()
        assert (table.plies[row][~table.legal[row]] == fourbase.NO_PLIES).all()


def test_7x6_is_built_in_and_later_positions_are_searched(tmp_path):
    db = Database("7x6", tmp_path)
    assert (db.folder, db.keep_plies, db.outcome) == (None, 13, Outcome("win", 41))
    # 14 plies: the thirteenth is the last that is stored.
    text = "12345671234567"
    assert db.probe(text) == fourbase.search("7x6", text)
    with pytest.raises(SearchLimit, match="nodes="):
        db.probe(text, nodes=1)
    with pytest.raises(SearchLimit):
        db.probe_many([text, "12345671234561"], nodes=1)


def test_a_missing_database_says_what_to_type(tmp_path):
    with pytest.raises(DatabaseMissing, match=r'fourbase\.solve\("5x5"') as missing:
        Database("5x5", tmp_path)
    assert isinstance(missing.value, FileNotFoundError)


def test_a_position_of_another_board_is_refused():
    with pytest.raises(PositionError, match="4x3"):
        Database("4x4").probe(Position("4x3"))
    with pytest.raises(TypeError, match="a position is a text"):
        Database("4x4").probe(4)  # type: ignore[arg-type]


def test_a_damaged_database_is_an_error_and_not_an_answer(root, tmp_path):
    shutil.copytree(root / "4x4", tmp_path / "4x4")
    for tier in (tmp_path / "4x4" / "remoteness").glob("tier-*"):
        content = bytearray(tier.read_bytes())
        content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
        tier.write_bytes(content)
    db = Database("4x4", tmp_path)
    with pytest.raises(DatabaseDamaged, match="replace=True"):
        [db.probe(moves) for moves in ["", "1", "2", "12", "22", "1234"]]


def test_a_database_of_values_alone_has_no_remoteness(tmp_path):
    db = fourbase.solve("4x4", "wdl", db=tmp_path)
    assert db.values == "wdl"
    assert db.probe("1") == Outcome("tie")
    assert [array.tolist() for array in db.probe_many(["", "1"])] == [[0, 0], [fourbase.NO_PLIES] * 2]


def test_a_database_is_pickled_as_its_place(root):
    other = pickle.loads(pickle.dumps(Database("5x4")))
    assert other.probe("12") == Database("5x4").probe("12")
    assert other.folder == root / "5x4" / "remoteness"


def test_an_unfinished_database_says_how_to_go_on(tmp_path):
    def stop(progress: fourbase.SolveProgress) -> None:
        raise RuntimeError(progress.entries)

    with pytest.raises(RuntimeError, match="2829936117"):
        fourbase.solve("6x5", db=tmp_path, progress=stop, threads=1)
    if (tmp_path / "6x5" / "remoteness" / "manifest").exists():
        with pytest.raises(DatabaseUnfinished, match="solve"):
            Database("6x5", tmp_path).probe("")
