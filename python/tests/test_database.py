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
        # Counted here, then kept by the host.
        counted = remote.stats().to_dict()
        assert counted == local.stats().to_dict() == remote.stats().to_dict()
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


def test_a_further_database_never_makes_an_answer_poorer(root, tmp_path):
    early = fourbase.solve("4x4", db=tmp_path, keep_plies=6)
    values = fourbase.solve("4x4", "wdl", db=tmp_path)
    both, whole = Database("4x4", tmp_path), Database("4x4", root)
    # The best database stores only values, as when a user solves a board whose early plies are built in.
    opened, (places, cache) = both.__reduce__()
    values_first = opened(places[::-1], cache)
    assert [(db.values, db.keep_plies) for db in (both, values_first)] == [("remoteness", 6), ("wdl", None)]
    positions = np.concatenate([next(whole.positions(ply, chunk=300)).positions for ply in range(16)])
    some = fourbase.encode(positions[::37], "positions", board="4x4")
    grade = partial(fourbase.evaluate, lambda position: position.legal_moves[0], sample=1000)
    for db in (both, values_first):
        for ask in (Database.probe_many, Database.move_values):
            for found, expected in zip(ask(db, positions), ask(whole, positions), strict=True):
                assert (found == expected).all()
            # Without a search, all values are known, and the plies that the early database stores.
            stored, alone = ask(db, positions, nodes=0), ask(early, positions, nodes=0, errors="mask")
            assert (stored[0] == ask(values, positions)[0]).all()
            assert ((stored[1] == alone[1]) | (alone[1] == fourbase.NO_PLIES)).all()
            assert (stored[1] < fourbase.NO_PLIES).sum() < (stored[0] != fourbase.NO_VALUE).sum()
        for position in some:
            assert (db.probe(position), db.moves(position)) == (whole.probe(position), whole.moves(position))
            assert db.probe(position, nodes=0).value == values.probe(position).value
        assert grade(db).to_dict() == grade(whole).to_dict()
        copy = pickle.loads(pickle.dumps(db))
        assert (copy, copy.folder, hash(copy)) == (db, db.folder, hash(db))
        assert copy.moves("12341234") == whole.moves("12341234")
    assert len({both, values_first, early, values}) == 4


def test_exactly_one_move_of_a_puzzle_keeps_the_value(root):
    db = Database("4x4", root)
    puzzles = db.puzzles(100, seed=7)
    assert len(puzzles) == 100
    for puzzle in puzzles:
        moves = db.moves(puzzle.position)
        assert [move.column for move in moves if move.value == puzzle.outcome.value] == [puzzle.solution]
        assert puzzle.outcome == db.probe(puzzle.position) == moves[0].outcome
    assert {puzzle.position for puzzle in puzzles}.isdisjoint(puzzle.position.mirrored() for puzzle in puzzles)
    assert db.puzzles(3, seed=7) == puzzles[:3]


def test_puzzles_need_remoteness_and_reasons_are_sentences(root, tmp_path):
    with pytest.raises(errors.DatabaseError, match="remoteness"):
        fourbase.solve("4x4", "wdl", db=tmp_path).puzzles()
    position = fourbase.Position("4x4", "112233")
    assert "line" in Database("4x4", root).probe(position).why(position)


def test_puzzles_stop_when_progress_raises_and_no_more_are_drawn_than_asked_for(root):
    database = Database("5x4", root)
    assert database.puzzles(0) == []

    def stop(progress):
        raise KeyboardInterrupt

    for count in [10**6, 2**60]:
        with pytest.raises(KeyboardInterrupt):
            database.puzzles(count, progress=stop)


def test_players_of_the_program_choose_moves(root):
    database = Database("4x4", root)
    position = Position("4x4", "1213")
    for player in ["level:1", "level:5", "random", "pomakis:3", "follow-up"]:
        assert database.choose(position, player, seed=3) == database.choose("1213", player, seed=3)
        assert database.choose(position, player) in position.legal_moves
    best = database.moves(position)[0]
    assert database.probe(position.play(database.choose(position, "perfect"))).remoteness == best.remoteness - 1
    for player in ["human", "level:6", "", "pomakis:20"]:
        with pytest.raises(errors.OptionError):
            database.choose(position, player)
    with pytest.raises(errors.MoveError, match="the game is over"):
        database.choose("1212121", "level:1")


def test_verify_recomputes_all_values_and_finds_a_changed_byte(root, tmp_path):
    db = fourbase.solve("4x3", db=tmp_path)
    whole = db.verify()
    assert (db.verify(sample=100), whole > 100) == (100, True)
    seen: list[fourbase.Progress] = []
    assert Database("4x4", root).verify(progress=seen.append) > whole
    assert seen[-1].unit == "entries"
    tier = max((tmp_path / "4x3" / "remoteness").glob("tier-*"), key=lambda path: path.stat().st_size)
    changed = bytearray(tier.read_bytes())
    changed[len(changed) // 2] ^= 1
    tier.write_bytes(changed)
    with pytest.raises(fourbase.errors.DatabaseDamaged, match=r"tier-\d+.*replace=True"):
        Database("4x3", tmp_path).verify()
