import fourbase
import numpy as np
import pytest
from fourbase import Database, Position, Progress
from fourbase.errors import DatabaseError


@pytest.mark.parametrize(("board", "values"), [("4x4", "remoteness"), ("4x3m", "remoteness"), ("5x4", "wdl")])
def test_the_counts_are_those_of_the_program(program, tmp_path, board, values):
    found = fourbase.solve(board, values, db=tmp_path).stats().to_dict()
    expected = program("stats", board, "--values", values, "--json")[0]
    for name in ("legal", "primitive", "win", "tie", "lose"):
        assert found[name] == [ply[name] for ply in expected["plies"]]
        assert sum(found[name]) == expected[name]
    rows = [outcome | {"ply": ply["ply"]} for ply in expected["plies"] for outcome in ply["outcomes"]]
    assert found["outcomes"] == rows
    assert {row["remoteness"] is None for row in rows} == {values == "wdl"}


def test_the_counts_are_those_of_every_game_played_out():
    tier, children = [{Position("4x3")}], {}
    for ply in range(12):
        for position in tier[ply]:
            children[position] = [position.play(column) for column in position.legal_moves]
        tier.append({child for position in tier[ply] for child in children[position]})
    values: dict[Position, int] = {}
    stats = Database("4x3").stats()
    for ply in reversed(range(13)):
        for position in tier[ply]:
            ends = {"win": 1, "tie": 0, "lose": -1}
            moves = [-values[child] for child in children.get(position, [])]
            values[position] = ends[position.primitive] if position.primitive else max(moves)
        worth = np.array([values[position] for position in tier[ply]])
        counts = [(worth == value).sum() for value in (1, 0, -1)]
        assert [stats.win[ply], stats.tie[ply], stats.lose[ply]] == counts
        assert stats.legal[ply] == len(tier[ply])
        assert stats.primitive[ply] == sum(position.primitive is not None for position in tier[ply])


def test_counts_are_kept_beside_the_database_and_can_be_stopped(tmp_path):
    db, seen = fourbase.solve("5x5", "wdl", db=tmp_path), []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        db.stats(progress=stop)
    assert seen[0].unit == "entries"
    file = tmp_path / "5x5" / "wdl.stats.json"
    assert not file.exists()
    first = db.stats()
    assert file.exists()
    # What is kept is not counted again, unless it is damaged.
    assert db.stats(progress=stop).to_dict() == first.to_dict()
    file.write_text("{}")
    assert db.stats().to_dict() == first.to_dict()
    # Counts of a newer fourbase stay.
    newer = file.read_text().replace('"version":', '"version":9')
    file.write_text(newer)
    with pytest.raises(DatabaseError, match="of a newer fourbase"):
        db.stats()
    assert file.read_text() == newer
    with pytest.raises(DatabaseError, match=r"every position of 7x6.*; make one with fourbase.solve"):
        Database("7x6").stats()
