import json
import os
import pickle
import shutil
import subprocess
import threading
from pathlib import Path

import fourbase
import pytest
from fourbase import Database, Outcome, Position
from fourbase.errors import DatabaseDamaged, DatabaseMissing, DatabaseUnfinished, PositionError, SearchLimit
from oracle import Game, every_position, move_values, value

NAMES = {1: "win", 0: "tie", -1: "lose"}


@pytest.mark.parametrize("game", [Game(4, 3), Game(4, 3, 3)], ids=lambda game: game.name)
def test_every_probe_is_what_a_plain_search_finds(game):
    db = Database(game.name)
    for columns in every_position(game):
        worth, plies = value(game, columns)
        assert db.probe(game.bits(columns)) == Outcome(NAMES[worth], plies)


def test_every_list_of_moves_is_what_a_plain_search_finds():
    game = Game(4, 3)
    db = Database("4x3")
    for columns in every_position(game)[::7]:
        expected = {column + 1: (NAMES[worth], plies) for column, (worth, plies) in move_values(game, columns).items()}
        moves = db.moves(Position("4x3", game.bits(columns)))
        assert {move.column: (move.value, move.remoteness) for move in moves} == expected
        if moves:
            assert moves[0].outcome == db.probe(game.bits(columns))


def test_a_search_is_what_a_probe_says():
    for board in ["4x4", "4x4m", "5x4"]:
        db = Database(board)
        for moves in ["", "1", "12", "1234", "4321", "2233"]:
            assert fourbase.search(board, moves) == db.probe(moves)


def program() -> Path:
    """Find the program: `$FOURBASE_PROGRAM`, or what was built in the checkout."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    named = os.environ.get("FOURBASE_PROGRAM")
    for path in [Path(named)] if named else [target / "release" / "fourbase", target / "debug" / "fourbase"]:
        if path.is_file():
            return path
    pytest.skip("the program is not built: cargo build --release, or set FOURBASE_PROGRAM")


@pytest.mark.parametrize("board", ["4x4", "4x4m", "5x4", "7x6"])
def test_a_probe_is_what_the_command_line_says(board):
    db = Database(board)
    lines = ["", "1", "12", "1234", "2233", "44", "123412", "11112"]
    asked = subprocess.run(
        [program(), "query", board, "--batch", "--json"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    for line, answer in zip(lines, map(json.loads, asked.stdout.splitlines()), strict=False):
        if not line:
            continue
        position = Position(board, line)
        assert answer["position"]["bits"] == position.bits
        assert db.probe(line) == Outcome(answer["value"], answer["remoteness"])
        moves = [(move.column, move.value, move.remoteness) for move in db.moves(line)]
        assert moves == [(child["column"], child["value"], child["remoteness"]) for child in answer["children"]]


def test_the_early_plies_of_7x6_are_part_of_the_package(tmp_path):
    db = Database("7x6", tmp_path)
    assert db.folder is None
    assert db.keep_plies == 13
    assert db.outcome == Outcome("win", 41)
    assert db.moves("")[0].column == 4


def test_a_position_that_is_not_stored_is_searched(tmp_path):
    db = Database("7x6", tmp_path)
    # 14 plies: the thirteenth is the last that is stored.
    text = "12345671234567"
    assert db.probe(text) == fourbase.search("7x6", text)
    with pytest.raises(SearchLimit, match="nodes="):
        db.probe(text, nodes=1)


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
    values, plies = db.probe_many(["", "1"])
    assert values.tolist() == [0, 0]
    assert plies.tolist() == [fourbase.NO_PLIES] * 2


def test_a_database_is_pickled_as_its_place(root):
    db = Database("5x4")
    other = pickle.loads(pickle.dumps(db))
    assert other.probe("12") == db.probe("12")
    assert other.folder == db.folder == root / "5x4" / "remoteness"


def test_threads_share_a_database():
    db, found = Database("5x4"), []
    texts = ["", "1", "12", "123", "1234"] * 20
    expected = [db.probe(text) for text in texts]

    def ask() -> None:
        found.append([db.probe(text) for text in texts] == expected)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_an_unfinished_database_says_how_to_go_on(tmp_path):
    calls = []

    def stop(progress: fourbase.SolveProgress) -> None:
        calls.append(progress)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fourbase.solve("6x5", db=tmp_path, progress=stop, threads=1)
    assert len(calls) == 1
    assert calls[0].entries == 2_829_936_117
    if (tmp_path / "6x5" / "remoteness" / "manifest").exists():
        with pytest.raises(DatabaseUnfinished, match="solve"):
            Database("6x5", tmp_path).probe("")
