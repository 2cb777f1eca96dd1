"""Compare 7x6 from what fourbase ships with BitBully and its book of 12 plies: answers and CPU seconds.

    $ pip install bitbully bitbully-databases
    $ python benches/against_bitbully.py

Both give value and distance of the same positions, one call each, in turns (A B A B), each time with new objects, so
that nothing is left of the round before. Every answer is compared; the exit code is 1 if any differs. The whole batch
is asked with `probe_many` as well. CPU seconds are those of the process, so that no thread is forgotten.

BitBully's fastest search is asked, `mtdf`; its `score_to_moves_left` turns a score into plies. `--moves` asks for every
move of each position instead: `Database.moves` and `BitBully.score_all_moves`.
"""

import argparse
import importlib.metadata
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import bitbully
import fourbase
import numpy as np

_VALUES = {"win": 1, "tie": 0, "lose": -1}


def ours(empty: str, moves: bool) -> Callable[[Any], Any]:
    """Return what answers from the plies that fourbase ships: no database of this machine is opened."""
    database = fourbase.Database("7x6", empty)

    def answer(of: Any) -> tuple[int, int]:
        return _VALUES[of.value], of.remoteness or 0

    if moves:
        return lambda position: {move.column - 1: answer(move) for move in database.moves(position)}
    return lambda position: answer(database.probe(position))


def theirs(_: str, moves: bool) -> Callable[[Any], Any]:
    """Return what answers with BitBully, and its book that has distances."""
    agent = bitbully.BitBully(opening_book="12-ply-dist")

    def answer(score: int, board: Any) -> tuple[int, int]:
        return (score > 0) - (score < 0), agent.score_to_moves_left(score, board)

    if moves:
        return lambda board: {column: answer(score, board) for column, score in agent.score_all_moves(board).items()}
    return lambda board: answer(agent.mtdf(board), board)


def timed(ask: Callable[[Any], Any], positions: Sequence[Any]) -> tuple[list[Any], Any]:
    """Return the answers, and the CPU seconds of each."""
    answers, seconds = [], np.zeros(len(positions))
    for row, position in enumerate(positions):
        begin = time.process_time_ns()
        answers.append(ask(position))
        seconds[row] = (time.process_time_ns() - begin) / 1e9
    return answers, seconds


def batch(empty: str, bitboards: Any, answers: list[Any], moves: bool) -> tuple[float, float, int]:
    """Ask for all positions in one call. Return CPU seconds, wall seconds, and the number of rows that differ."""
    database = fourbase.Database("7x6", empty)
    cpu, wall = time.process_time(), time.perf_counter()
    table = database.move_values(bitboards) if moves else database.probe_many(bitboards)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    found: list[Any] = list(zip(*(array.tolist() for array in table), strict=True))
    if moves:
        rows = ([*zip(values, plies, strict=True)] for values, plies, _ in found)
        found = [{c: of for c, of in enumerate(row) if of[0] != fourbase.NO_VALUE} for row in rows]
    return cpu, wall, sum(one != other for one, other in zip(found, answers, strict=True))


def main() -> int:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--plies", type=int, nargs=2, default=(8, 20), metavar=("FIRST", "LAST"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default="random-play", choices=["random-play", "uniform", "choice-matters"])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--moves", action="store_true")
    options = parser.parse_args()
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("fourbase", "bitbully", "bitbully-databases")]
    print(", ".join([*versions, f"Python {sys.version.split()[0]}"]))
    with tempfile.TemporaryDirectory() as empty:
        return compare(options, empty)


def compare(options: argparse.Namespace, empty: str) -> int:
    """Draw positions, ask both, and print what they took."""
    first, last = options.plies
    drawn = fourbase.Database("7x6", empty).sample(
        options.positions, plies=range(first, last + 1), seed=options.seed, kind=options.kind
    )
    bitboards = drawn.positions
    positions = fourbase.encode(bitboards, "positions", board="7x6")
    plies = np.array([position.ply for position in positions])
    boards = [bitbully.Board(rows.tolist()) for rows in fourbase.encode(bitboards, "array", board="7x6")]
    players: list[Any] = [(ours, positions), (theirs, boards)]
    rounds: list[list[Any]] = [[], []]
    different, batches = 0, []
    for _ in range(options.pairs):
        answers = []
        for (player, positions), measured in zip(players, rounds, strict=True):
            found, seconds = timed(player(empty, options.moves), positions)
            answers.append(found)
            measured.append(seconds)
        different += sum(one != other for one, other in zip(*answers, strict=True))
        cpu, wall, wrong = batch(empty, bitboards, answers[1], options.moves)
        batches.append((cpu, wall))
        different += wrong
    report(options, plies, np.array(rounds), np.array(batches))
    print(f"answers that differ: {different} of {2 * options.pairs * len(plies):,}")
    return 1 if different else 0


def report(options: argparse.Namespace, plies: Any, rounds: Any, batches: Any) -> None:
    """Print CPU milliseconds by ply, the median of the rounds, and the ratio of every pair."""
    asked = "every move" if options.moves else "value and distance"
    print(f"{len(plies):,} positions, {options.kind}, seed {options.seed}, {asked}; {options.pairs} pairs; CPU ms")
    print(f"{'ply':>4} {'positions':>10} {'fourbase':>10} {'BitBully':>10} {'ratio':>7}")
    for ply in [*np.unique(plies), None]:
        here = plies == ply if ply is not None else np.ones(len(plies), bool)
        ours, theirs = np.median(rounds[:, :, here].sum(axis=2), axis=1) * 1e3
        name = "all" if ply is None else ply
        print(f"{name:>4} {here.sum():>10,} {ours:>10.1f} {theirs:>10.1f} {theirs / ours:>7.2f}")
    totals = rounds.sum(axis=2)
    ratios = totals[1] / totals[0]
    listed = " ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"BitBully / fourbase by pair: {listed}; median {statistics.median(ratios):.2f}")
    cpu, wall = np.median(batches, axis=0)
    print(
        f"in one call: {cpu * 1e3:.1f} CPU ms, {wall * 1e3:.1f} ms of wall time; "
        f"BitBully / fourbase {np.median(totals[1] / batches[:, 0]):.2f} by CPU seconds"
    )


if __name__ == "__main__":
    sys.exit(main())
