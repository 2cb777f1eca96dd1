"""Makes the positions of `fourbase.benchmark` again, bit for bit: python make_benchmark.py 7x6-v1 FILE.npz."""

import sys

import fourbase
import numpy as np

# Positions that are drawn at each ply, and the most of each stratum.
DRAWN, MOST = 3000, 24


def chosen(db: fourbase.Database, ply: int) -> tuple[np.ndarray, fourbase.MoveValues]:
    """Return the positions of a ply, in the order in which they were drawn."""
    drawn = db.sample(DRAWN, plies=[ply], seed=ply + 1, distinct=False).positions
    _, first = np.unique(fourbase.canonical(drawn, "bitboards", board=db.board), axis=0, return_index=True)
    words = drawn[np.sort(first)]
    moves = db.move_values(words)
    values, plies = moves.values.astype(int), moves.plies.astype(int)
    value = values.max(axis=1)
    worth = np.where(moves.legal, values * (1000 - plies), -2000)
    keeping = (moves.legal & (values == value[:, None])).sum(axis=1)
    longest = (worth == worth.max(axis=1)[:, None]).sum(axis=1)
    good = np.where(value == fourbase.LOSE, longest, keeping)
    # A choice that matters, and no line to complete at once.
    is_asked = (good < moves.legal.sum(axis=1)) & ~((values == fourbase.WIN) & (plies == 1)).any(axis=1)
    kept = []
    for of_value in (fourbase.WIN, fourbase.TIE, fourbase.LOSE):
        for of_good in (1, 2, 3):
            rows = np.flatnonzero(is_asked & (value == of_value) & (np.minimum(good, 3) == of_good))
            kept.append(rows[:MOST])
    rows = np.sort(np.concatenate(kept))
    return words[rows], fourbase.MoveValues(*(array[rows] for array in moves))


def main(name: str, path: str) -> None:
    """Write the positions, the values of their moves and the plies to the end."""
    db = fourbase.Database(name.partition("-")[0])
    cells = fourbase.Position(db.board).width * fourbase.Position(db.board).height
    parts = []
    for ply in range(cells - 1):
        words, moves = chosen(db, ply)
        parts.append((words, moves.values, moves.plies))
        print(f"ply {ply}: {len(words)}", file=sys.stderr)
    positions, values, plies = (np.concatenate(part) for part in zip(*parts, strict=True))
    np.savez_compressed(path, positions=positions, values=values, plies=plies)


if __name__ == "__main__":
    main(*sys.argv[1:])
