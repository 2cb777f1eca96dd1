import fourbase
import numpy as np
import pytest
from fourbase import Database
from fourbase.errors import OptionError, SolveMemory
from oracle import Game, every_position, value


def unfinished(game: Game, ply: int) -> set[tuple[int, int]]:
    """List what `positions` lists: all but the games that a line has finished."""
    positions = [columns for columns in every_position(game) if game.ply(columns) == ply]
    return {game.bitboards(columns) for columns in positions if game.winner(columns) in (None, "-")}


@pytest.mark.parametrize("game", [Game(4, 3), Game(4, 3, 3)], ids=lambda game: game.name)
def test_whole_tiers_are_what_play_reaches(game):
    db = Database(game.name)
    for ply in range(13):
        chunks = list(db.positions(ply, chunk=50))
        rows = [tuple(map(int, row)) for chunk in chunks for row in chunk.positions]
        assert len(rows) == len(set(rows))
        assert set(rows) == unfinished(game, ply)
        assert all(len(chunk.positions) == 50 for chunk in chunks[:-1])


def test_whole_tiers_have_the_values_of_probes():
    game, db = Game(4, 3), Database("4x3")
    expected = {game.bitboards(columns): value(game, columns) for columns in every_position(game)}
    for ply in range(13):
        for chunk in db.positions(ply):
            found = zip(chunk.positions.tolist(), chunk.values.tolist(), chunk.plies.tolist(), strict=True)
            assert all(expected[first, second] == (worth, plies) for (first, second), worth, plies in found)


def test_the_order_of_a_tier_is_fixed():
    db = Database("5x4")
    one = np.concatenate([chunk.positions for chunk in db.positions(8, chunk=1000)])
    other = np.concatenate([chunk.positions for chunk in db.positions(8)])
    assert (one == other).all()


def test_positions_that_no_game_reaches_are_listed_on_request():
    db = Database("4x4")
    legal = {tuple(row) for chunk in db.positions(9) for row in chunk.positions.tolist()}
    entries = {tuple(row) for chunk in db.positions(9, legal=False) for row in chunk.positions.tolist()}
    assert legal < entries
    for first, second in sorted(entries)[::50]:
        position = fourbase.Position.from_bitboards("4x4", first, second)
        assert (position.moves is not None) == ((first, second) in legal)


def test_the_numbers_of_positions_are_the_published_ones(truth, tmp_path):
    lines = (truth / "counts.csv").read_text().splitlines()
    published = {int(line.split(",")[3]) for line in lines if line.startswith("4,5,4,")}
    db = fourbase.solve("4x5", db=tmp_path)
    listed = sum(len(chunk.positions) for ply in range(21) for chunk in db.positions(ply))
    # The published number has the games that a line has finished as well: count these from their last moves.
    finished = 0
    for ply in range(20):
        ends = [np.zeros((0, 2), np.uint64)]
        for chunk in db.positions(ply):
            table = db.move_values(chunk.positions)
            rows, columns = np.nonzero(table.legal & (table.plies == 1) & (table.values == 1))
            ends.append(after(chunk.positions[rows], columns, ply, 5))
        finished += len(np.unique(np.concatenate(ends), axis=0))
    assert {listed + finished} == published


def after(positions: np.ndarray, columns: np.ndarray, ply: int, height: int) -> np.ndarray:
    """Drop a piece into a column of each position."""
    occupied = positions[:, 0] | positions[:, 1]
    played = positions.copy()
    played[:, ply % 2] |= (occupied + (np.uint64(1) << (columns * height).astype(np.uint64))) & ~occupied
    return played


def test_a_ply_beyond_the_board_and_too_little_memory_are_refused():
    with pytest.raises(OptionError, match="write 0 to 12"):
        Database("4x3").positions(13)
    with pytest.raises(SolveMemory, match=r"sample\(\)"):
        Database("7x6").positions(20, memory=1 << 20)


@pytest.mark.parametrize("kind", ["uniform", "random-play", "choice-matters"])
def test_a_sample_is_the_same_for_the_same_seed(kind):
    db = Database("5x4")
    one, other, third = (db.sample(500, seed=seed, kind=kind) for seed in (1, 1, 2))
    assert (one.positions == other.positions).all()
    assert (one.positions != third.positions).any()
    values, plies = db.probe_many(one.positions)
    assert (one.values == values).all()
    assert (one.plies == plies).all()


def test_a_uniform_sample_has_every_position():
    db = Database("4x3")
    drawn = {tuple(row) for row in db.sample(20_000, plies=[5]).positions.tolist()}
    game = Game(4, 3)
    positions = [columns for columns in every_position(game) if game.ply(columns) == 5]
    assert drawn == {game.bitboards(columns) for columns in positions if game.winner(columns) is None}


def test_a_sample_has_the_plies_that_were_asked_for():
    sample = Database("5x4").sample(300, plies=range(6, 9), kind="random-play")
    plies = [position.ply for position in fourbase.encode(sample.positions, "positions", board="5x4")]
    assert set(plies) == {6, 7, 8}


def test_in_a_sample_of_choices_the_moves_differ_in_value():
    db = Database("5x4")
    table = db.move_values(db.sample(300, kind="choice-matters").positions)
    for values, legal in zip(table.values, table.legal, strict=True):
        assert len(set(values[legal].tolist())) > 1


def test_a_sample_that_cannot_be_drawn_is_refused():
    db = Database("4x3")
    with pytest.raises(OptionError, match="plies="):
        db.sample(10, plies=[12])
    with pytest.raises(OptionError, match="no plies are chosen; write other plies="):
        db.sample(10, plies=[], kind="random-play")
    with pytest.raises(OptionError, match="there is no ply 13: 4x3 has 12 cells; write other plies="):
        db.sample(10, plies=[13])
    with pytest.raises(MemoryError, match="draw fewer, or write them to a file"):
        db.sample(10**12)
    with pytest.raises(OptionError, match="chunk=0"):
        db.positions(3, chunk=0)
    with pytest.raises(OptionError, match="uniform"):
        db.sample(10, kind="normal")  # type: ignore[arg-type]
    assert len(db.sample(0).positions) == 0


def test_7x6_is_sampled_from_what_is_shipped(tmp_path):
    db = Database("7x6", tmp_path)
    sample = db.sample(200, plies=range(10), seed=3)
    assert (sample.values != fourbase.NO_VALUE).all()
    positions = fourbase.encode(sample.positions, "positions")
    assert all(position.moves is not None and position.primitive is None for position in positions)
