import csv
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from fourbase import Database
from fourbase.errors import OptionError


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_file_has_the_answers_of_the_database(tmp_path):
    db = Database("4x4")
    assert (
        db.export(tmp_path / "a.csv", plies=range(5, 9), sample=300, seed=3, columns=["moves", "value", "move-values"])
        == 300
    )
    assert len(rows_of(tmp_path / "a.csv")) == 300
    for row in rows_of(tmp_path / "a.csv"):
        assert ["lose", "tie", "win"][int(row["value"]) + 1] == db.probe(row["moves"]).value
        found = {column: int(row[f"value_{column}"]) for column in range(1, 5) if row[f"value_{column}"]}
        expected = {move.column: ["lose", "tie", "win"].index(move.value) - 1 for move in db.moves(row["moves"])}
        assert found == expected


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
    assert "| `move_values` | int8" in (tmp_path / "a.npz.md").read_text()


def test_a_sample_is_that_of_sample(tmp_path):
    db = Database("5x4")
    for kind in ("uniform", "random-play", "choice-matters"):
        db.export(tmp_path / "a.npz", plies=range(4, 9), sample=200, kind=kind, seed=5, replace=True)
        drawn = db.sample(200, plies=range(4, 9), kind=kind, seed=5)
        assert (np.load(tmp_path / "a.npz")["bitboards"] == drawn.positions).all()


@pytest.mark.parametrize("name", ["pyarrow", "polars"])
def test_parquet_is_what_other_readers_read(tmp_path, name):
    pytest.importorskip(name)
    db = Database("5x4")
    db.export(tmp_path / "a.parquet", plies=range(7))
    db.export(tmp_path / "a.npz", plies=range(7))
    if name == "pyarrow":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
        assert table.schema.metadata[b"fourbase.board"] == b"5x4"
        columns = {field: table[field].to_pylist() for field in table.column_names}
    else:
        import polars

        columns = polars.read_parquet(tmp_path / "a.parquet").to_dict(as_series=False)
    arrays = np.load(tmp_path / "a.npz")
    assert columns["first"] == arrays["bitboards"][:, 0].tolist()
    assert columns["value"] == arrays["value"].tolist()
    assert columns["score"] == arrays["score"].tolist()
    for column in range(5):
        found = [-128 if cell is None else cell for cell in columns[f"value_{column + 1}"]]
        assert found == arrays["move_values"][:, column].tolist()


def test_the_program_writes_the_same_bytes(tmp_path):
    program = os.environ.get("FOURBASE_PROGRAM") or Path(__file__).parents[2] / "target" / "release" / "fourbase"
    if not Path(program).exists():
        pytest.skip("the program is not built")
    for name, options in [("a.csv", ["--plies", "0-6"]), ("a.parquet", ["--sample", "500", "--kind", "random-play"])]:
        subprocess.run(
            [program, "export", "5x4", "--output", tmp_path / name, *options], check=True, capture_output=True
        )
        whole = (tmp_path / name).read_bytes()
        kinds = {"plies": range(7)} if name == "a.csv" else {"sample": 500, "kind": "random-play"}
        Database("5x4").export(tmp_path / name, replace=True, **kinds)
        assert (tmp_path / name).read_bytes() == whole


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


def test_the_text_of_the_uci_data_set(tmp_path):
    count = Database("4x4").export(tmp_path / "a.data", plies=[6])
    lines = (tmp_path / "a.data").read_text().splitlines()
    assert len(lines) == count > 0
    assert all(len(line.split(",")) == 17 and line.split(",")[-1] in ("win", "loss", "draw") for line in lines)
