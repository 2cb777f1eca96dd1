import json
import os
import signal
import time

import numpy as np
import pytest
from conftest import begin
from fourbase import NO_VALUE, Database
from fourbase.errors import FileExists, FolderMissing, OptionError


def test_npz_has_the_arrays_of_probes(tmp_path):
    db = Database("4x4")
    assert db.export(tmp_path / "a.npz", plies=[6], distinct=True) > 0
    arrays = np.load(tmp_path / "a.npz")
    table = db.move_values(arrays["bitboards"])
    names = ("value", "remoteness", "move_values", "move_remoteness")
    for name, answers in zip(names, [*db.probe_many(arrays["bitboards"]), table.values, table.plies], strict=True):
        assert (arrays[name] == answers).all()
    assert (arrays["ply"] == 6).all()
    card = json.loads(str(arrays["card"]))
    assert (card["fourbase.board"], card["fourbase.database.hash"]) == ("4x4", db.hash)
    text = (tmp_path / "a.npz.md").read_text()
    assert f"| `move_values` | int8 {table.values.shape} | value_1, value_2, value_3, value_4 |" in text


def test_every_row_has_a_move_unless_full_boards_are_named(tmp_path):
    db = Database("4x3")
    rows = db.export(tmp_path / "a.npz")
    assert (np.load(tmp_path / "a.npz")["move_values"] != NO_VALUE).any(axis=1).all()
    full = sum(len(chunk.values) for chunk in db.positions(12))
    assert db.export(tmp_path / "b.csv", plies=range(13)) == rows + full > rows


def test_a_sample_is_that_of_sample(tmp_path):
    db = Database("5x4")
    db.export(tmp_path / "a.npz", plies=range(4, 9), sample=200, kind="choice-matters", seed=5)
    drawn = db.sample(200, plies=range(4, 9), kind="choice-matters", seed=5)
    assert (np.load(tmp_path / "a.npz")["bitboards"] == drawn.positions).all()


@pytest.mark.parametrize("name", ["pyarrow.parquet", "polars"])
def test_parquet_is_what_other_readers_read(tmp_path, name):
    reader = pytest.importorskip(name)
    db = Database("5x4")
    db.export(tmp_path / "a.parquet", plies=range(7))
    db.export(tmp_path / "a.npz", plies=range(7))
    if name == "polars":
        columns = reader.read_parquet(tmp_path / "a.parquet").to_dict(as_series=False)
    else:
        columns = reader.read_table(tmp_path / "a.parquet").to_pydict()
    arrays = np.load(tmp_path / "a.npz")
    expected = dict(zip(("first", "second"), arrays["bitboards"].T, strict=True)) | {"score": arrays["score"]}
    expected |= {f"value_{column + 1}": values for column, values in enumerate(arrays["move_values"].T)}
    for field, cells in expected.items():
        assert [-128 if cell is None else cell for cell in columns[field]] == cells.tolist()


def test_the_program_writes_the_same_bytes(program, tmp_path):
    db, file = Database("5x4"), tmp_path / "a"
    kinds = [{"format": "csv", "plies": range(7)}, {"format": "uci", "plies": [6]}]
    kinds.append({"format": "parquet", "sample": 500, "kind": "random-play"})
    for kind in kinds:
        written = {name: f"{of[0]}-{of[-1]}" if name == "plies" else str(of) for name, of in kind.items()}
        options = [word for name, value in written.items() for word in (f"--{name}", value)]
        program("export", "5x4", "--output", file, "--replace", *options)
        whole = file.read_bytes()
        db.export(file, replace=True, **kind)
        assert file.read_bytes() == whole
        assert 'fourbase.Database("5x4").export("a", ' in (tmp_path / "a.md").read_text()


def test_wrong_options_leave_no_file(tmp_path):
    db = Database("4x3")
    wrong = [{"plies": [13]}, {"plies": []}, {"columns": ["colour"]}, {"columns": []}, {"format": "xlsx"}]
    wrong += [{"sample": 5, **of} for of in ({"kind": "chosen"}, {"plies": [12]}, {"unforced": True})]
    wrong += [{"kind": "choice-matters", "plies": [2]}, {"seed": 9}]
    for options in [*wrong, {"sample": 1000, "plies": [2], "distinct": True}]:
        with pytest.raises(OptionError):
            db.export(tmp_path / "a.csv", **options)
    with pytest.raises(OptionError, match="does not tell the format"):
        db.export(tmp_path / "a.txt")
    for hours in (-1, float("nan")):
        with pytest.raises(OptionError, match="is no time"):
            db.export(tmp_path / "a.csv", hours=hours)
    with pytest.raises(FolderMissing):
        db.export(tmp_path / "none" / "a.csv")
    assert list(tmp_path.iterdir()) == []
    db.export(tmp_path / "a.csv", plies=[1])
    with pytest.raises(FileExists, match="replace=True"):
        db.export(tmp_path / "a.csv", plies=[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.csv.md"]


def test_what_would_take_days_is_refused_and_what_is_quick_is_not(tmp_path):
    db, progress = Database("7x6"), []
    for rows in ({"plies": [20]}, {"plies": [14], "sample": 10**10}):
        with pytest.raises(OptionError, match=r"hours.*sample=.*hours=None"):
            db.export(tmp_path / "a.csv", **rows)
    assert list(tmp_path.iterdir()) == []
    # Stored rows, full boards, and few rows are never refused, and a limit of nodes is an error of its own.
    small = Database("4x3")
    assert small.export(tmp_path / "b.csv", plies=range(13), hours=0.01) > 10_000
    assert small.export(tmp_path / "c.csv", plies=[12], hours=0.01) > 0
    assert db.export(tmp_path / "d.csv", sample=5, plies=[15], hours=0.01, progress=progress.append) == 5
    assert (progress[-1].unit, progress[-1].done, progress[-1].total) == ("positions", 5, 5)
    assert progress[-1].nodes > 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
def test_sigterm_leaves_nothing(tmp_path):
    export = "export(db + '/a.csv', sample=10**7, plies=[14], hours=None)"
    asked = begin(f"print('begun', flush=True); fourbase.Database('7x6').{export}", tmp_path)
    while asked.poll() is None and not list(tmp_path.iterdir()):
        time.sleep(0.05)
    asked.send_signal(signal.SIGTERM)
    asked.communicate(timeout=60)
    assert asked.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
