"""What `evaluate` returns: an agent's moves, policies and values beside the exact ones."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Outcome, Position, encode
from fourbase._types import NO_PLIES, MoveValues, documented, table
from fourbase.errors import OptionError

#: The names of metrics: see `Evaluation`.
Metric: TypeAlias = Literal["keeps", "best", "chance", "regret", "illegal"] | Literal["cross_entropy", "value_error"]

# The 97.5 % quantile of the normal distribution, for intervals of 95 %.
_Z = 1.959963984540054

# The least probability that the cross entropy takes, as the logarithm of 0 is not finite.
_LEAST = 1e-9

# A word for each value, from `LOSE` on.
_VALUES: Final = ("lose", "tie", "win")


@documented
class Estimate(NamedTuple):
    """A mean over positions with its 95 % interval, which has no width where nothing is uncertain."""

    mean: Annotated[float, "The mean."]
    low: Annotated[float, "The lower end of the interval."]
    high: Annotated[float, "The upper end; both are NaN where a single position says nothing of others."]
    positions: Annotated[int, "How many positions count."]


@documented
class Mistake(NamedTuple):
    """A move that gives a value away."""

    position: Annotated[Position, "The position before the move."]
    column: Annotated[int, "The column that was played, from 1."]
    played: Annotated[Outcome, "What that is worth."]
    best: Annotated[Outcome, "What the best move is worth."]
    best_columns: Annotated[tuple[int, ...], "The best columns."]
    probability: Annotated[float, "How often the agent plays so."]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON; the position as bits."""
        outcomes = {"played": self.played.to_dict(), "best": self.best.to_dict()}
        return self._asdict() | outcomes | {"position": self.position.bits}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How an agent's moves compare with the exact values.

    ``result["keeps"]`` is the `Estimate` of a metric, the mean of ``result.rows["keeps"]``:

    =================  =========================================================================================
    ``keeps``          the share of moves that keep the value, where the choice matters: the moves differ in value
    ``best``           the share of moves that also win soonest or lose latest, where the moves differ in that
    ``chance``         what a random legal move would keep, in the positions of ``keeps``
    ``regret``         the plies by which moves that keep a win or a loss come later or sooner than the best move
    ``illegal``        the share of moves that are not legal; they keep nothing
    ``cross_entropy``  of the policy to equal shares for the moves that keep the value, in nats
    ``value_error``    the mean distance of the agent's value from 1, 0 or -1
    =================  =========================================================================================

    The last two are of agents that return policies and values. A metric without positions is missing: `metrics` lists
    those that are there. Intervals speak of positions like these and of an agent that always plays the same in one, or
    that was asked twice or more (``repeats``; 0 for policies). Means are of the ``population``: ``'positions'``, or for
    a sample that `evaluate` drew ``'plies'``, each with the same weight. Row ``i`` of ``policy``, ``predicted`` and
    ``moves`` is that of ``positions[i]``.
    """

    board: str
    population: Literal["positions", "plies"]
    repeats: int
    positions: NDArray[np.uint64]
    moves: MoveValues
    # How often the agent plays each column. A column that is none is missing.
    policy: NDArray[np.float32]
    predicted: NDArray[np.float32] | None
    # The plies of which all positions are here, so that they stand for no others.
    complete: frozenset[int] = frozenset()

    @cached_property
    def ply(self) -> NDArray[np.uint8]:
        """The number of pieces of each position."""
        return np.asarray(np.unpackbits(self.positions.view(np.uint8), axis=1).sum(axis=1), np.uint8)

    @cached_property
    def values(self) -> NDArray[np.int8]:
        """What each position is worth: 1, 0 or -1."""
        return np.asarray(self.moves.values.max(axis=1), np.int8)

    @cached_property
    def _worth(self) -> NDArray[np.int16]:
        """A number for each move: higher for better ones, in plies where the value is the same."""
        worth = self.moves.values.astype(np.int16) * (1000 - self.moves.plies.astype(np.int16))
        return np.where(self.moves.legal, worth, np.int16(-2000))

    @cached_property
    def rows(self) -> dict[str, NDArray[np.float64]]:
        """Each metric in each position, (n,); NaN where it does not apply."""
        legal, worth = self.moves.legal, self._worth
        # Numbers of 32 bits may sum to a little more than 1.
        policy = self.policy / np.maximum(self.policy.sum(axis=1, dtype=np.float64), 1)[:, None]
        keeping = legal & (self.moves.values == self.values[:, None])
        best = legal & (worth == worth.max(axis=1)[:, None])
        count, kept = keeping.sum(axis=1), (policy * keeping).sum(axis=1)
        matters = count < legal.sum(axis=1)
        # Without remoteness, best moves are not known.
        is_known = ~(legal & (self.moves.plies == NO_PLIES)).any(axis=1)
        differs = (best.sum(axis=1) < legal.sum(axis=1)) & is_known
        late = np.where(keeping, worth.max(axis=1)[:, None] - worth, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            regret = (policy * late).sum(axis=1) / kept
        has_regret = differs & (self.values != 0) & (kept > 0)
        illegal = np.clip(1 - (policy * legal).sum(axis=1), 0, 1)
        found = {
            "keeps": np.where(matters, kept, np.nan),
            "best": np.where(differs, (policy * best).sum(axis=1), np.nan),
            "chance": np.where(matters, count / legal.sum(axis=1), np.nan),
            "regret": np.where(has_regret, regret, np.nan),
            "illegal": np.where(illegal < 1e-6, 0, illegal),
        }
        if self.repeats == 0:
            log = np.log(np.clip(policy, _LEAST, 1))
            found["cross_entropy"] = -(keeping * log).sum(axis=1) / count
        if self.predicted is not None:
            found["value_error"] = np.abs(self.predicted - self.values.astype(np.float64))
        return found

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics that are here."""
        return tuple(name for name, rows in self.rows.items() if not np.isnan(rows).all())

    def __getitem__(self, metric: Metric) -> Estimate:
        """Return a metric over all positions."""
        return self._estimate(self._metric(metric), metric)

    def by(self, group: Literal["ply", "value"], metric: Metric = "keeps") -> dict[Any, Estimate]:
        """Return a metric for each ply, or for each value of the position, that has any.

        >>> result = fourbase.evaluate(lambda position: position.legal_moves[0], "4x4")
        >>> {value: round(of.mean, 3) for value, of in result.by("value").items()}
        {'win': 0.435, 'tie': 0.458}
        """
        rows = self._metric(metric)
        if group == "ply":
            groups: dict[Any, NDArray[np.bool_]] = {int(ply): self.ply == ply for ply in np.unique(self.ply)}
        elif group == "value":
            groups = {_VALUES[value + 1]: self.values == value for value in (1, 0, -1)}
        else:
            raise OptionError(f"by={group!r:.40} is unknown; write 'ply' or 'value'")
        masked = {name: np.where(mask, rows, np.nan) for name, mask in groups.items()}
        return {name: self._estimate(of, metric) for name, of in masked.items() if not np.isnan(of).all()}

    def compare(self, other: "Evaluation", metric: Metric = "keeps") -> Estimate:
        """Return how much more of a metric this agent has than another one on the same positions, in pairs.

        >>> first = fourbase.evaluate(lambda position: position.legal_moves[0], "4x4")
        >>> last = fourbase.evaluate(lambda position: position.legal_moves[-1], "4x4")
        >>> round(first.compare(last).mean, 12) == 0
        True
        """
        if not isinstance(other, Evaluation) or not np.array_equal(self.positions, other.positions):
            raise OptionError("the evaluations are of different positions; give both agents the same ones")
        return self._estimate(self._metric(metric) - other._metric(metric), "difference")

    def mistakes(self, most: int = 20) -> list[Mistake]:
        """List moves that give the value away, the worst first: wins that become losses, and of these the nearest."""
        played, best = self.moves.values, self.values[:, None]
        rows, columns = np.nonzero((self.policy > 0) & self.moves.legal & (played < best))
        whole, soon = (best - played)[rows, columns], -self._worth.max(axis=1)[rows]
        order = np.lexsort((columns, rows, self.ply[rows], self.moves.plies[rows, columns], soon, -whole))[:most]
        rows, columns = rows[order], columns[order]
        first = self._worth == self._worth.max(axis=1)[:, None]
        positions = encode(self.positions[rows], "positions", board=self.board)
        found = []
        for position, row, column in zip(positions, rows.tolist(), columns.tolist(), strict=True):
            good = np.flatnonzero(first[row]).tolist()
            outcomes = self._outcome(row, column), self._outcome(row, good[0])
            share = float(self.policy[row, column])
            found.append(Mistake(position, column + 1, *outcomes, tuple(of + 1 for of in good), share))
        return found

    def calibration(self, bins: int = 10) -> list[tuple[float, float, int]]:
        """Return for bins of the agent's values their mean, that of the exact ones, and the number of positions."""
        if self.predicted is None:
            raise OptionError('the agent gave no values; write returns="policy+value"')
        place = np.clip(((self.predicted + 1) / 2 * bins).astype(int), 0, bins - 1)
        masks = [place == number for number in range(bins)]
        return [
            (float(self.predicted[mask].mean()), float(self.values[mask].mean()), int(mask.sum()))
            for mask in masks
            if mask.any()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the metrics, all together and by ply and value, for JSON."""
        metrics: tuple[Any, ...] = self.metrics
        of: dict[str, Any] = {name: self[name]._asdict() for name in metrics}
        groups: tuple[Any, ...] = ("ply", "value")
        for group in groups:
            of[f"by_{group}"] = {
                name: {str(key): one._asdict() for key, one in self.by(group, name).items()} for name in metrics
            }
        return {"board": self.board, "population": self.population, "repeats": self.repeats} | of

    def _metric(self, name: str) -> NDArray[np.float64]:
        rows = self.rows.get(name)
        if rows is None or np.isnan(rows).all():
            raise OptionError(f"there is no metric {name!r:.40} here; write one of {', '.join(self.metrics)}")
        return rows

    def _estimate(self, rows: NDArray[np.float64], metric: str) -> Estimate:
        """Join the plies of a sample, as Zou, Huang and Zhang (2009) join intervals; take given positions together."""
        here = ~np.isnan(rows)
        if self.population == "positions":
            is_all = set(np.unique(self.ply[here]).tolist()) <= self.complete
            return self._of_kind(rows[here], is_all, metric)
        plies = np.unique(self.ply[here]).tolist()
        of = [self._of_kind(rows[here & (self.ply == ply)], ply in self.complete, metric) for ply in plies]
        means, lows, highs, _ = np.array(of).T
        mean = means.mean()
        low = mean - np.sqrt(np.nansum((means - lows) ** 2)) / len(of)
        high = mean + np.sqrt(np.nansum((highs - means) ** 2)) / len(of)
        return Estimate(float(mean), float(low), float(high), int(here.sum()))

    def _of_kind(self, rows: NDArray[np.float64], is_all: bool, metric: str) -> Estimate:
        """Estimate the mean of positions of one kind.

        A share has E. B. Wilson's score interval (1927), for as many trials as have the variance of sampling in two
        stages (Cochran, Sampling Techniques, 1977, equation 10.20).
        """
        count, mean, is_share = len(rows), float(rows.mean()), metric in ("keeps", "best", "illegal")
        if is_all and (self.repeats < 2 or metric == "chance"):
            return Estimate(mean, mean, mean, count)
        if is_all and is_share:
            variance = float((rows * (1 - rows)).sum()) / (self.repeats - 1) / count**2
            if variance == 0:
                return Estimate(mean, mean, mean, count)
        else:
            variance = float(rows.var(ddof=1)) / count if count > 1 else np.nan
        if not is_share:
            half = _Z * np.sqrt(variance)
            return Estimate(mean, float(mean - half), float(mean + half), count)
        trials = mean * (1 - mean) / variance if self.repeats != 1 and variance > 1e-12 else count
        square = _Z**2 / trials
        middle = (mean + square / 2) / (1 + square)
        half = _Z / (1 + square) * np.sqrt(mean * (1 - mean) / trials + square / trials / 4)
        return Estimate(mean, float(max(middle - half, 0)), float(min(middle + half, 1)), count)

    def _outcome(self, row: int, column: int) -> Outcome:
        plies = int(self.moves.plies[row, column])
        return Outcome(_VALUES[self.moves.values[row, column] + 1], None if plies == NO_PLIES else plies)

    def _cells(self) -> list[list[str]]:
        """Return the cells of a table by ply; ``keeps`` has its interval."""
        names: Any = [name for name in self.metrics if name != "illegal" or self["illegal"].mean > 0]
        groups = {name: self.by("ply", name) for name in names}
        lines = [["ply", "positions", *(["95 % interval", names[0]][::-1] if names else []), *names[1:]]]
        last = "mean" if self.population == "plies" else "all"
        total = {name: self[name] for name in names}
        for ply in [*(groups[names[0]] if names else ()), last]:
            of = [total[name] if ply == last else groups[name].get(ply) for name in names]
            first = of[0] or Estimate(np.nan, np.nan, np.nan, 0)
            width = "exact" if first.low == first.high else f"{first.low:.3f}-{first.high:.3f}"
            cells = ["-" if one is None else f"{one.mean:.4f}" for one in of]
            lines.append([str(ply), f"{first.positions:,}", *cells[:1], width, *cells[1:]])
        return lines

    def __str__(self) -> str:
        """Write a table by ply, and what its intervals are of."""
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        fixed = "for an agent that always plays the same; otherwise ask with repeats=2"
        asked = {0: "for an agent that plays by its policy", 1: fixed}
        told = asked.get(self.repeats, f"of {self.repeats} moves in each position")
        return "\n".join([*lines, f"intervals of 95 % for all such positions, {told}"])

    def __repr__(self) -> str:
        of: Any = self.metrics
        shown = ", ".join(f"{name}={self[name].mean:.3f}" for name in of)
        return f"Evaluation({self.board!r}, {len(self.positions):,} positions, {shown})"

    def _repr_html_(self) -> str:
        return table(self._cells())
