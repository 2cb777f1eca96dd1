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
from fourbase import Database, Move, Outcome, Position, errors


def test_every_answer_of_a_small_board_is_that_of_the_program(program):
    db = Database("4x3")
    bitboards = np.concatenate([chunk.positions for ply in range(13) for chunk in db.positions(ply)])
    positions = [*fourbase.encode(bitboards, "positions", board="4x3"), Position("4x3", "1122334")]
    answers = program("query", "4x3", "--batch", "--json", lines=[position.bits for position in positions])
    values, plies = db.probe_many(positions)
    table, numbers = db.move_values(positions), {"win": fourbase.WIN, "tie": fourbase.TIE, "lose": fourbase.LOSE}
    for row, (position, answer) in enumerate(zip(positions, answers, strict=True)):
        assert answer["position"]["bits"] == position.bits
        outcome, children = Outcome(answer["value"], answer["remoteness"]), answer["children"]
        moves = [Move(child["column"], child["value"], child["remoteness"]) for child in children]
        assert (db.probe(position), db.moves(position.bits)) == (outcome, moves)
        assert (values[row], plies[row]) == (numbers[outcome.value], outcome.remoteness)
        expected = np.array([[fourbase.NO_VALUE, fourbase.NO_PLIES, False]] * 4)
        for move in moves:
            expected[move.column - 1] = numbers[move.value], move.remoteness, True
        assert [array[row].tolist() for array in table] == expected.T.tolist()


class Host(http.server.SimpleHTTPRequestHandler):
    """A host that answers ranges."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        first, last = map(int, re.findall(r"\d+", self.headers["Range"]))
        whole = path.read_bytes()
        part = whole[first : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


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
        with pytest.raises(errors.DatabaseMissing, match=f"{address}/4x5/remoteness/manifest"):
            Database("4x5", address)
        with pytest.raises(errors.FileError, match="give a folder of this machine"):
            fourbase.solve("4x3", db=address)
        server.shutdown()
    with pytest.raises(errors.FileError, match="3 times; check the address"):
        Database("4x4", address)


def test_7x6_is_built_in_and_later_positions_are_searched(tmp_path):
    db = Database("7x6")
    assert (db.folder, db.keep_plies, db.outcome) == (None, 13, Outcome("win", 41))
    # 14 plies: the thirteenth is the last that is stored.
    text = "12345671234567"
    assert db.probe(text) == fourbase.search("7x6", text)
    with pytest.raises(errors.SearchLimit, match="nodes="):
        db.probe(text, nodes=1)


def test_a_missing_database_says_what_to_type(tmp_path):
    with pytest.raises(errors.DatabaseMissing, match=r'fourbase\.solve\("5x5"') as missing:
        Database("5x5", tmp_path)
    assert isinstance(missing.value, FileNotFoundError)


def test_a_position_of_another_board_is_refused():
    with pytest.raises(errors.PositionError, match="4x3"):
        Database("4x4").probe(Position("4x3"))
    with pytest.raises(errors.PositionError, match='write "4x3" as the board'):
        fourbase.search("4x4", Position("4x3"))
    with pytest.raises(errors.ArgumentError, match="a position is a text"):
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
        with pytest.raises(errors.OptionError, match=message):
            call()


def test_outcomes_have_an_order_and_a_score():
    outcomes = [Outcome(*of) for of in [("win", 5), ("win", 9), ("win",), ("tie", 3), ("lose", 8), ("lose", 2)]]
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
    with pytest.raises(errors.OptionError, match="16 cells are empty"):
        Outcome("win", 41).score(Position("4x4"))


def test_a_damaged_database_is_an_error_and_not_an_answer(root, tmp_path):
    shutil.copytree(root / "4x4", tmp_path / "4x4")
    for tier in (tmp_path / "4x4" / "remoteness").glob("tier-*"):
        content = tier.read_bytes()
        half = len(content) // 2
        tier.write_bytes(content[:half] + bytes(len(content) - half))
    db = Database("4x4", tmp_path)
    with pytest.raises(errors.DatabaseDamaged, match="replace=True"):
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
    for small in (Database("5x4", cache=2**21), Database("7x5", cache=2**21)):
        # What is pickled has the bytes of the cache.
        assert pickle.loads(pickle.dumps(small)).__reduce__()[1] == small.__reduce__()[1]
        assert small.__reduce__()[1][1] == 2**21


def test_an_unfinished_database_says_how_to_go_on_even_if_masked(tmp_path):
    def stop(progress: fourbase.SolveProgress) -> None:
        # A tier is done, and kept.
        if progress.ply < 29:
            raise RuntimeError(progress.entries)

    with pytest.raises(RuntimeError, match="2829936117"):
        fourbase.solve("6x5", db=tmp_path, progress=stop, threads=1)
    db = Database("6x5", tmp_path)
    for ask in (lambda: db.probe(""), lambda: db.probe_many(["1", "2"], errors="mask")):
        with pytest.raises(errors.DatabaseUnfinished, match="solve"):
            ask()
