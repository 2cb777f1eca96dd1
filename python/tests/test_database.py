import http.server
import pickle
import re
import shutil
import threading
from functools import partial
from pathlib import Path

import fourbase
import numpy as np
import pytest
from fourbase import Database, Outcome, Position
from fourbase.errors import (
    ArgumentError,
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseUnfinished,
    FileError,
    OptionError,
    PositionError,
    SearchLimit,
)


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


class Host(http.server.SimpleHTTPRequestHandler):
    """A host that answers ranges."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"])
        if not path.is_file() or not asked:
            self.send_error(404)
            return
        whole = path.read_bytes()
        first, end = int(asked[1]), min(int(asked[2]) + 1, len(whole))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{end - 1}/{len(whole)}")
        self.send_header("Content-Length", str(end - first))
        self.end_headers()
        self.wfile.write(whole[first:end])

    def log_message(self, *_: object) -> None:
        pass


def test_a_database_at_an_address_answers_as_in_its_folder(root):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=root)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        remote, local = Database("4x4", address), Database("4x4")
        assert (remote, remote.folder) == (local, None)
        positions = local.positions(8, chunk=100_000).__next__().positions
        for found, expected in zip(remote.probe_many(positions), local.probe_many(positions), strict=True):
            assert (found == expected).all()
        assert pickle.loads(pickle.dumps(remote)).moves("1234") == local.moves("1234")
        with pytest.raises(DatabaseMissing, match=f"{address}/4x5/remoteness/manifest"):
            Database("4x5", address)
        with pytest.raises(FileError, match="give a folder of this machine"):
            fourbase.solve("4x3", db=address)
        server.shutdown()
    with pytest.raises(FileError, match="3 times; check the address"):
        Database("4x4", address)


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
    with pytest.raises(PositionError, match='write "4x3" as the board'):
        fourbase.search("4x4", Position("4x3"))
    with pytest.raises(ArgumentError, match="a position is a text"):
        Database("4x4").probe(4)  # type: ignore[arg-type]


def test_numbers_that_cannot_be_are_errors_that_name_them():
    db = Database("4x3")
    wrong = {
        "count=-1": lambda: db.sample(-1),
        "plies=20 is no list": lambda: db.sample(3, plies=20),  # type: ignore[arg-type]
        "threads=70000 .* from 1 to 1024": lambda: fourbase.search("4x3", threads=70000),
        "threads=0": lambda: fourbase.solve("4x3", threads=0),
        "nodes=-1": lambda: db.probe("", nodes=-1),
        "seed='a'": lambda: db.sample(1, seed="a"),  # type: ignore[arg-type]
        "column=0": lambda: fourbase.Move(0, "win"),
    }
    for message, call in wrong.items():
        with pytest.raises(OptionError, match=message):
            call()


def test_outcomes_have_an_order_and_a_score():
    outcomes = [
        Outcome("win", 5),
        Outcome("win", 9),
        Outcome("win"),
        Outcome("tie", 3),
        Outcome("lose", 8),
        Outcome("lose", 2),
    ]
    assert sorted(outcomes, reverse=True) == outcomes
    db = Database("5x4")
    assert max(db.moves("1234"), key=lambda move: move.outcome) == db.moves("1234")[0]
    with pytest.raises(TypeError):
        max(db.moves("1234"))  # type: ignore[type-var]
    # Pons: the winner's last piece of 42 gives 1, and each piece earlier one more.
    start = Position("7x6")
    assert [Outcome("win", plies).score(start) for plies in (41, 39, 7)] == [1, 2, 18]
    assert [Outcome("lose", plies).score(start) for plies in (42, 8)] == [-1, -18]
    assert (Outcome("tie", 42).score(start), Outcome("win").score(start)) == (0, None)
    with pytest.raises(OptionError, match="16 cells are empty"):
        Outcome("win", 41).score(Position("4x4"))


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
    assert (other, hash(other)) == (Database("5x4"), hash(Database("5x4")))
    assert other != Database("4x4")
    assert other.folder == root / "5x4" / "remoteness"
    wdl = fourbase.solve("4x3", values="wdl")
    fourbase.solve("4x3")
    assert (pickle.loads(pickle.dumps(wdl)), wdl.values) == (wdl, "wdl")
    built_in = Database("7x5")
    assert pickle.loads(pickle.dumps(built_in)) == built_in


def test_an_unfinished_database_says_how_to_go_on(tmp_path):
    def stop(progress: fourbase.SolveProgress) -> None:
        raise RuntimeError(progress.entries)

    with pytest.raises(RuntimeError, match="2829936117"):
        fourbase.solve("6x5", db=tmp_path, progress=stop, threads=1)
    if (tmp_path / "6x5" / "remoteness" / "manifest").exists():
        with pytest.raises(DatabaseUnfinished, match="solve"):
            Database("6x5", tmp_path).probe("")
