"""Figures that others have published, from `../shared/truth`."""

import csv
import gzip
from pathlib import Path

import fourbase
import pytest
from fourbase import Database

VALUES = {"win": 1, "draw": 0, "loss": -1}


def ply8(truth: Path, board: str) -> tuple[list[str], list[int], list[int]]:
    """Read Böck's positions after 8 plies: as bit strings, with values for the player to move and plies to the end."""
    height = int(board.split("x")[1])
    texts, values, plies = [], [], []
    with gzip.open(truth / f"ply8_{board}.csv.gz", "rt") as lines:
        for row in csv.DictReader(lines):
            columns = row["columns_bottom_up"].replace("x", "0").replace("o", "1").split("/")
            texts.append(" ".join(f"{column}1".ljust(height + 1, "0") for column in columns))
            values.append(VALUES[row["value_for_first_player_to_move"]])
            plies.append(int(row["plies_to_end"]))
    return texts, values, plies


@pytest.mark.parametrize(("board", "step"), [("5x5", 1), ("7x6", 37)])
def test_positions_after_8_plies_have_the_published_values(truth, tmp_path, board, step):
    texts, values, plies = (of[::step] for of in ply8(truth, board))
    db = Database("7x6", tmp_path) if board == "7x6" else fourbase.solve(board, db=tmp_path)
    found = db.probe_many(texts)
    assert [array.tolist() for array in found] == [values, plies]


def test_pons_positions_have_the_published_scores(truth):
    lines = (truth / "pons" / "Test_L3_R1").read_text().splitlines()
    table = [line.split() for line in lines]
    positions = fourbase.encode([moves for moves, _ in table], "positions")
    for position, (_, score) in zip(positions[::20], table[::20], strict=True):
        outcome = fourbase.search("7x6", position)
        assert outcome.remoteness is not None
        # A win is 22 minus the stones that the winner has at the end.
        stones = (position.ply + outcome.remoteness + 1) // 2
        winner = 22 - stones
        assert {"win": winner, "tie": 0, "lose": -winner}[outcome.value] == int(score)
