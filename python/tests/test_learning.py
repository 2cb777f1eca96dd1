"""Arrays for learning: batches, mirror images and data frames."""

import importlib
import pickle
import re
import sys
import textwrap
from types import SimpleNamespace
from typing import Any

import fourbase
import numpy as np
import pytest
from fourbase import Database, errors

DB = "5x4"


@pytest.fixture(scope="module")
def drawn() -> fourbase.Labelled:
    return Database(DB).sample(1003, plies=range(2, 12), seed=1)


@pytest.fixture(scope="module")
def targets(drawn: fourbase.Labelled) -> fourbase.Targets:
    return Database(DB).targets(drawn.positions)


def test_batches_are_the_rows_in_order(targets):
    batches = list(targets.batches(100))
    assert [len(batch.values) for batch in batches] == [100] * 10 + [3]
    for name, array in targets._asdict().items():
        assert (np.concatenate([getattr(batch, name) for batch in batches]) == array).all()
    assert [len(batch.values) for batch in targets.batches(100, drop_last=True)] == [100] * 10
    assert all(isinstance(batch, fourbase.Targets) for batch in batches)


def test_shards_share_no_row_and_a_seed_shuffles_alike(targets):
    rows = np.arange(len(targets.values))
    shards = [[part for part, _ in targets.batches(64, rows, shuffle=5, shard=(index, 3))] for index in range(3)]
    met = np.concatenate([part for shard in shards for part in shard])
    assert sorted(met.tolist()) == rows.tolist()
    assert met.tolist() != rows.tolist()
    again = [part for part, _ in targets.batches(64, rows, shuffle=5, shard=(0, 3))]
    assert all((one == other).all() for one, other in zip(again, shards[0], strict=True))
    for part, batch in targets.batches(64, rows, shuffle=9):
        assert (targets.policy[part] == batch.policy).all()
    for wrong in [{"size": 0}, {"size": 1, "shard": (2, 2)}, {"size": 1, "shard": (-1, 2)}]:
        with pytest.raises(errors.OptionError, match="cannot be"):
            targets.batches(**wrong)


def test_the_example_for_pytorch_runs(targets, drawn, monkeypatch):
    code = re.search(r"::\n\n(.*num_workers=2\))", fourbase.Targets.batches.__doc__ or "", re.DOTALL)
    assert code is not None
    found: list[Any] = []
    try:
        torch = importlib.import_module("torch")
    except ImportError:

        class Loader:
            """Does what PyTorch's loader does with two workers, one after the other."""

            def __init__(self, dataset: Any, **options: Any) -> None:
                assert options == {"batch_size": None, "num_workers": 2}
                self.dataset = dataset

            def __iter__(self) -> Any:
                for index in range(2):
                    data.get_worker_info = lambda index=index: SimpleNamespace(id=index, num_workers=2)
                    yield from self.dataset

        data = SimpleNamespace(IterableDataset=object, DataLoader=Loader, get_worker_info=lambda: None)
        torch = SimpleNamespace(utils=SimpleNamespace(data=data), from_numpy=lambda array: array)
    inputs = fourbase.encode(drawn.positions, "nchw", board=DB)
    names = {"torch": torch, "targets": targets, "inputs": inputs, "epoch": 1}
    exec(textwrap.dedent(code[1]), names)
    found = [(np.asarray(boards), np.asarray(policy)) for boards, policy in names["loader"]]
    boards, policy = (np.concatenate(parts) for parts in zip(*found, strict=True))
    assert boards.shape == inputs.shape
    key = [row.tobytes() + of.tobytes() for row, of in zip(boards, policy, strict=True)]
    assert sorted(key) == sorted(row.tobytes() + of.tobytes() for row, of in zip(inputs, targets.policy, strict=True))


def test_augmented_rows_are_the_answers_about_mirror_images(targets, drawn):
    db = Database(DB)
    positions = fourbase.augment(drawn.positions, board=DB)
    for name, array in fourbase.augment(targets)._asdict().items():
        assert (array == getattr(db.targets(positions), name)).all(), name
    moves = fourbase.augment(db.move_values(drawn.positions))
    assert (moves.values == db.move_values(positions).values).all()
    labelled = fourbase.augment(drawn, board=DB)
    assert (labelled.positions == positions).all()
    assert (labelled.values == db.probe_many(positions)[0]).all()
    with pytest.raises(errors.OptionError, match="board="):
        fourbase.augment(drawn)
    with pytest.raises(errors.EncodingError, match="encode positions afterwards"):
        fourbase.augment(fourbase.encode(drawn.positions, "nchw", board=DB))
    # Flat rows would be turned around, and signed bitboards exchanged.
    flat = fourbase.encode(drawn.positions, "array", board=DB).reshape(len(drawn.positions), -1)
    for wrong in (flat, drawn.positions.astype(np.int64), np.int8(3)):
        with pytest.raises(errors.EncodingError, match="encode positions afterwards"):
            fourbase.augment(wrong, board=DB)  # type: ignore[type-var]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_data_frames_have_a_column_for_each_array_or_column(library, targets, drawn, monkeypatch):
    pytest.importorskip(library)
    for other in {"polars", "pandas"} - {library}:
        monkeypatch.setitem(sys.modules, other, None)
    frame = targets.to_frame()
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns)[:5] == ["values", "plies", "scores", "legal_1", "legal_2"]
    assert (frame["policy_5"].to_numpy() == targets.policy[:, 4]).all()
    assert list(drawn.to_frame().columns) == ["positions_1", "positions_2", "values", "plies", "ply"]
    assert Database(DB).move_values(["1"]).to_frame().shape == (1, 15)


def test_without_a_library_of_frames_the_error_names_them(targets, monkeypatch):
    for library in ("polars", "pandas"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(errors.FourbaseError, match="pip install pandas"):
        targets.to_frame()


def test_big_tuples_show_their_shapes(targets, drawn):
    assert repr(drawn).startswith("Labelled(positions: uint64 (1003, 2), values: int8 (1003,), ")
    assert repr(targets).count("(1003, 5)") == 4
    assert "<td>policy</td><td>float32</td><td>(1003, 5)</td>" in targets._repr_html_()
    for of in (drawn, targets):
        again = pickle.loads(pickle.dumps(of))
        assert type(again) is type(of)
        assert all((one == other).all() for one, other in zip(of, again, strict=True))
