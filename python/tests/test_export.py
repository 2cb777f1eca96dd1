from typing import Any

import numpy as np
import pytest
from fourbase import Database
from fourbase.errors import OptionError


def test_npz_has_the_arrays_of_probes(tmp_path):
    db = Database("4x4")
    assert db.export(tmp_path / "a.npz", plies=[6], distinct=True) > 0
    arrays = np.load(tmp_path / "a.npz")
    values, plies = db.probe_many(arrays["bitboards"])
    assert (values == arrays["value"]).all()
    assert (plies == arrays["remoteness"]).all()
    table = db.move_values(arrays["bitboards"])
    assert (table.values == arrays["move_values"]).all()
    assert (table.plies == arrays["move_remoteness"]).all()
    assert (arrays["ply"] == 6).all()
    text = (tmp_path / "a.npz.md").read_text()
    assert f"| `move_values` | int8 {table.values.shape} | value_1, value_2, value_3, value_4 |" in text


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
        table = reader.read_table(tmp_path / "a.parquet")
        assert table.schema.metadata[b"fourbase.board"] == b"5x4"
        columns = table.to_pydict()
    arrays = np.load(tmp_path / "a.npz")
    expected = dict(zip(("first", "second"), arrays["bitboards"].T, strict=True)) | {"score": arrays["score"]}
    expected |= {f"value_{column + 1}": values for column, values in enumerate(arrays["move_values"].T)}
    for field, cells in expected.items():
        assert [-128 if cell is None else cell for cell in columns[field]] == cells.tolist()


def test_the_program_writes_the_same_bytes(program, tmp_path):
    db, file = Database("5x4"), tmp_path / "a"
    kinds: list[dict[str, Any]] = [
        {"format": "csv", "plies": range(7)},
        {"format": "parquet", "sample": 500, "kind": "random-play"},
        {"format": "uci", "plies": [6]},
    ]
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
    wrong = [
        {"plies": [13]},
        {"plies": []},
        {"sample": 10, "kind": "chosen"},
        {"columns": ["colour"]},
        {"columns": []},
        {"sample": 5, "plies": [12]},
        {"sample": 5, "unforced": True},
        {"sample": 1000, "plies": [2], "distinct": True},
        {"format": "xlsx"},
    ]
    for options in wrong:
        with pytest.raises(OptionError):
            db.export(tmp_path / "a.csv", **options)
    with pytest.raises(OptionError, match="does not tell the format"):
        db.export(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError):
        db.export(tmp_path / "none" / "a.csv")
    assert list(tmp_path.iterdir()) == []
    db.export(tmp_path / "a.csv", plies=[1])
    with pytest.raises(FileExistsError, match="replace=True"):
        db.export(tmp_path / "a.csv", plies=[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.csv.md"]
