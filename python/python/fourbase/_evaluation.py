"""What `evaluate` returns: an agent's moves, policies and values beside the exact ones."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Outcome, Position, encode
from fourbase._types import LOSE, NO_PLIES, WIN, MoveValues, documented, frame, pieces, table, whole_number
from fourbase.errors import OptionError

#: The names of metrics: see `Evaluation`.
Metric: TypeAlias = (
    Literal["keeps", "best", "chance", "regret", "resists"] | Literal["illegal", "cross_entropy", "value_error"]
)

# The metrics that are shares of moves.
_SHARES = ("keeps", "best", "resists", "illegal")

# The 97.5 % quantile of the normal distribution, for intervals of 95 %.
_Z = 1.959963984540054

# The least probability that the cross entropy takes, as the logarithm of 0 is not finite.
_LEAST = 1e-9

# A word for each value, from `LOSE` on.
_VALUES: Final = ("lose", "tie", "win")


@documented
class Estimate(NamedTuple):
    """A mean over positions with its 95 % interval, of zero width if nothing is uncertain."""

    mean: Annotated[float, "The mean."]
    low: Annotated[float, "The lower end of the interval."]
    high: Annotated[float, "The upper end; both ends are NaN if there are too few positions to tell."]
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
    ``best``           in the same positions, the share of moves that also win soonest
    ``chance``         in the same positions, what a random legal move would keep
    ``regret``         the plies by which moves that keep a win win later, in the positions where some move keeps it
    ``resists``        the share of moves that lose latest, in lost positions whose moves lose at different times
    ``illegal``        the share of moves that are not legal; they keep nothing
    ``cross_entropy``  where the choice matters, of the policy to equal shares for the moves that keep the value, in
                       nats; a probability below 1e-9 counts as that. It measures the fit to the policy ``"optimal"``
                       of `Database.targets`, not strength: a player who knows one of two good moves has much of it
    ``value_error``    the mean distance of the agent's value from 1, 0 or -1
    =================  =========================================================================================

    The last two are of agents that return policies and values. `metrics` lists the available ones. Intervals are for
    positions that are drawn as these were, and for an agent that always plays the same in one, or that was asked twice
    or more (``repeats``; 0 for policies). Means are of the ``population``: ``'positions'``, or for a sample that
    `evaluate` drew ``'plies'``, each with the same weight, where ``illegal`` and ``value_error`` too are of the
    positions where the choice matters. Plies where none was drawn are missing, so that ``resists`` and ``regret``
    need samples of thousands. Row ``i`` of ``policy``, ``predicted`` and ``moves`` is that of
    ``positions[i]``.
    """

    board: str
    population: Literal["positions", "plies"]
    repeats: int
    positions: NDArray[np.uint64]
    moves: MoveValues
    # How often the agent plays each column. Columns off the board are not stored.
    policy: NDArray[np.float64]
    predicted: NDArray[np.float64] | None
    # The plies of which all positions are here, so that they stand for no others.
    complete: frozenset[int] = frozenset()

    @cached_property
    def ply(self) -> NDArray[np.uint8]:
        """The number of pieces of each position."""
        return pieces(self.positions)

    @cached_property
    def values(self) -> NDArray[np.int8]:
        """What each position is worth: 1, 0 or -1."""
        return np.asarray(self.moves.values.max(axis=1), np.int8)

    @cached_property
    def _worth(self) -> NDArray[np.int16]:
        return self.moves._worth()

    @cached_property
    def rows(self) -> dict[str, NDArray[np.float64]]:
        """Each metric in each position, (n,); NaN where it does not apply."""
        legal, worth, policy = self.moves.legal, self._worth, self.policy
        keeping = legal & (self.moves.values == self.values[:, None])
        best = legal & (worth == worth.max(axis=1)[:, None])
        count, kept = keeping.sum(axis=1), (policy * keeping).sum(axis=1)
        matters = count < legal.sum(axis=1)
        # Without remoteness, best moves are not known.
        is_known = ~(legal & (self.moves.plies == NO_PLIES)).any(axis=1)
        resists = is_known & ~matters & (self.values == LOSE) & (best.sum(axis=1) < legal.sum(axis=1))
        late = np.where(keeping, worth.max(axis=1)[:, None] - worth, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            regret = (policy * late).sum(axis=1) / kept
        good = (policy * best).sum(axis=1)
        here = matters | (self.population == "positions")
        found = {
            "keeps": np.where(matters, kept, np.nan),
            "best": np.where(matters & is_known, good, np.nan),
            "chance": np.where(matters, count / legal.sum(axis=1), np.nan),
            "regret": np.where(matters & is_known & (self.values == WIN) & (kept > 0), regret, np.nan),
            "resists": np.where(resists, good, np.nan),
            "illegal": np.where(here, np.clip(1 - (policy * legal).sum(axis=1), 0, 1).round(12), np.nan),
        }
        if self.repeats == 0:
            log = np.log(np.clip(policy, _LEAST, 1))
            found["cross_entropy"] = np.where(matters, -(keeping * log).sum(axis=1) / count, np.nan)
        if self.predicted is not None:
            found["value_error"] = np.where(here, np.abs(self.predicted - self.values), np.nan)
        return found

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics that are here."""
        return tuple(name for name, rows in self.rows.items() if not np.isnan(rows).all())

    def __getitem__(self, metric: Metric) -> Estimate:
        """Return a metric over all positions."""
        return self._estimate(self._metric(metric), self._noise(metric), metric in _SHARES)

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
        noise, is_share = self._noise(metric), metric in _SHARES
        masked = {name: np.where(mask, rows, np.nan) for name, mask in groups.items()}
        return {name: self._estimate(of, noise, is_share) for name, of in masked.items() if not np.isnan(of).all()}

    def compare(self, other: "Evaluation", metric: Metric = "keeps") -> Estimate:
        """Return how much more of a metric this agent has than another one on the same positions, in pairs.

        A pair counts where both have the metric: `regret` where both keep the win.

        >>> first = fourbase.evaluate(lambda position: position.legal_moves[0], "4x4")
        >>> last = fourbase.evaluate(lambda position: position.legal_moves[-1], "4x4")
        >>> round(first.compare(last).mean, 12) == 0
        True
        """
        is_same = isinstance(other, Evaluation) and (self.board, self.population) == (other.board, other.population)
        if not is_same or not np.array_equal(self.positions, other.positions):
            raise OptionError("the evaluations are of different positions; give both agents the same ones")
        differences = self._metric(metric) - other._metric(metric)
        if np.isnan(differences).all():
            raise OptionError(f"in no position both have {metric}; compare another metric")
        mean, low, high, count = self._estimate(differences, self._noise(metric) + other._noise(metric), False)
        most = 1.0 if metric in _SHARES else np.inf
        return Estimate(mean, max(low, -most), min(high, most), count)

    def mistakes(self, most: int = 20, *, least: float = 0.1) -> list[Mistake]:
        """List moves of at least some probability that give the value away.

        The worst come first: wins that become losses, and of these the nearest.
        """
        most = whole_number("most", most, 0, 2**31)
        played, best = self.moves.values, self.values[:, None]
        rows, columns = np.nonzero((self.policy >= max(least, 1e-12)) & self.moves.legal & (played < best))
        fall, soon = (best - played)[rows, columns], -self._worth.max(axis=1)[rows]
        order = np.lexsort((columns, rows, self.ply[rows], self.moves.plies[rows, columns], soon, -fall))[:most]
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
        bins = whole_number("bins", bins, 1, 1000)
        place = np.clip(((self.predicted + 1) / 2 * bins).astype(int), 0, bins - 1)
        masks = [place == number for number in range(bins)]
        return [
            (float(self.predicted[mask].mean()), float(self.values[mask].mean()), int(mask.sum()))
            for mask in masks
            if mask.any()
        ]

    def to_frame(self) -> Any:
        """Return the metrics of each position as a data frame of pandas or polars."""
        of: dict[str, NDArray[Any]] = {"positions": self.positions, "ply": self.ply, "value": self.values}
        return frame(of | self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the metrics, all together and by ply and value, for JSON."""
        metrics: tuple[Any, ...] = self.metrics
        groups: tuple[Any, ...] = ("ply", "value")
        of = {name: _numbers(self[name]) for name in metrics}
        for group in groups:
            of[f"by_{group}"] = {
                name: {str(key): _numbers(one) for key, one in self.by(group, name).items()} for name in metrics
            }
        return {"board": self.board, "population": self.population, "repeats": self.repeats} | of

    def _metric(self, name: str) -> NDArray[np.float64]:
        rows = self.rows.get(name)
        if rows is None or np.isnan(rows).all():
            known = (
                f"write one of {', '.join(self.metrics)}" if self.metrics else "in no position here the choice matters"
            )
            raise OptionError(f"there is no metric {name!r:.40} here; {known}")
        return rows

    def _noise(self, metric: str) -> NDArray[np.float64]:
        """Return for each position the variance of the metric that the drawing of moves causes; NaN if unknown."""
        rows = self.rows[metric]
        if self.repeats < 2 or metric == "chance":
            return np.zeros(len(rows))
        return rows * (1 - rows) / (self.repeats - 1) if metric in _SHARES else np.full(len(rows), np.nan)

    def _estimate(self, rows: NDArray[np.float64], noise: NDArray[np.float64], is_share: bool) -> Estimate:
        """Join the plies of a sample, as Zou, Huang and Zhang (2009) join intervals; take given positions together."""
        here = ~np.isnan(rows)
        plies = np.unique(self.ply[here]).tolist()
        if self.population == "positions":
            return _of_kind(rows[here], noise[here], set(plies) <= self.complete, is_share, self.repeats == 1)
        kinds = [here & (self.ply == ply) for ply in plies]
        # The variance within a ply; one of few positions has that of all.
        free = int(here.sum()) - len(kinds)
        inner = sum(float(rows[kind].var()) * int(kind.sum()) for kind in kinds) / free if free else float("nan")
        of = [
            _of_kind(rows[kind], noise[kind], ply in self.complete, is_share, self.repeats == 1, inner)
            for ply, kind in zip(plies, kinds, strict=True)
        ]
        means, lows, highs, _ = np.array(of).T
        mean = float(means.mean())
        low = mean - float(np.sqrt(((means - lows) ** 2).sum())) / len(of)
        high = mean + float(np.sqrt(((highs - means) ** 2).sum())) / len(of)
        return Estimate(mean, low, high, int(here.sum()))

    def _outcome(self, row: int, column: int) -> Outcome:
        plies = int(self.moves.plies[row, column])
        return Outcome(_VALUES[self.moves.values[row, column] + 1], None if plies == NO_PLIES else plies)

    def _cells(self) -> list[list[str]]:
        """Return the cells of a table by ply; ``keeps`` has its interval."""
        names: Any = [name for name in self.metrics if name != "illegal" or self["illegal"].mean > 0]
        groups = {name: self.by("ply", name) for name in names}
        if not names:
            return [["in no position here the choice matters"]]
        lines = [["ply", "positions", names[0], "95 % interval", *names[1:]]]
        last = "mean" if self.population == "plies" else "all"
        total = {name: self[name] for name in names}
        for ply in [*np.unique(self.ply).tolist(), last]:
            of = [total[name] if ply == last else groups[name].get(ply) for name in names]
            first = of[0] or Estimate(np.nan, np.nan, np.nan, 0)
            width = "exact" if first.low == first.high else f"{first.low:.3f}-{first.high:.3f}"
            cells = ["-" if one is None else f"{one.mean:.4f}" for one in of]
            lines.append([str(ply), f"{first.positions:,}", *cells[:1], width, *cells[1:]])
        return lines

    def __str__(self) -> str:
        """Write a table by ply, and what the intervals cover."""
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


def _of_kind(
    rows: NDArray[np.float64],
    noise: NDArray[np.float64],
    is_all: bool,
    is_share: bool,
    is_binary: bool,
    inner: float = float("nan"),
) -> Estimate:
    """Estimate the mean of positions of one kind, of which these are all or a sample.

    The variance is that of sampling in two stages (Cochran, Sampling Techniques, 1977, equation 10.20); ``inner`` is
    that of single rows where there are too few to tell. A share has E. B. Wilson's score interval (1927), for as many
    trials as have the variance, and other means one with a quantile of Student's distribution (Cornish and Fisher).
    """
    count, mean = len(rows), float(rows.mean())
    if is_all and not np.isnan(noise).any():
        variance = float(noise.sum()) / count**2
        if variance == 0:
            return Estimate(mean, mean, mean, count)
    elif count >= 5 or is_share:
        variance = float(rows.var(ddof=1)) / count if count > 1 else 0.0
    else:
        variance = inner / count
    if not is_share:
        # With fewer than three freedoms the expansion is too far off.
        free = count - 1 if count >= 5 else np.inf
        half = (_Z + (_Z**3 + _Z) / (4 * free) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * free**2)) * variance**0.5
        return Estimate(mean, mean - half, mean + half, count)
    trials = count if is_binary or variance < 1e-12 else mean * (1 - mean) / variance
    square = _Z**2 / trials
    middle = (mean + square / 2) / (1 + square)
    half = _Z / (1 + square) * float(np.sqrt(mean * (1 - mean) / trials + square / trials / 4))
    return Estimate(mean, min(max(middle - half, 0.0), mean), max(min(middle + half, 1.0), mean), count)


def _numbers(of: Estimate) -> dict[str, Any]:
    """Return the fields by name; JSON has no NaN."""
    return {name: None if value != value else value for name, value in of._asdict().items()}
