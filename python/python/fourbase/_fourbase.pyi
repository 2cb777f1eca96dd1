import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

from fourbase._types import Labelled, MoveValues

__all__ = [
    "Chunks",
    "Database",
    "Export",
    "Move",
    "Outcome",
    "Position",
    "__version__",
    "decode",
    "encode",
    "grade",
    "search",
    "solve",
    "strategy",
]

__version__: Final[str]

_Value: TypeAlias = Literal["win", "lose", "tie"]
_Values: TypeAlias = Literal["remoteness", "wdl"]
_Errors: TypeAlias = Literal["raise", "mask"]
_Encoding: TypeAlias = Literal[
    "moves",
    "bits",
    "uni",
    "positions",
    "bitboards",
    "array",
    "pettingzoo",
    "openspiel",
    "openspiel-egocentric",
    "kaggle",
    "uci",
]
_Column: TypeAlias = Literal[
    "moves",
    "bits",
    "uni",
    "bitboards",
    "ply",
    "value",
    "remoteness",
    "score",
    "move-values",
    "move-remoteness",
]
_Positions: TypeAlias = Sequence[str] | Sequence[Position] | Sequence[Mapping[str, Any]] | Sequence[Any] | NDArray[Any]

@final
class Export:
    def __new__(
        cls,
        database: Database,
        plies: Sequence[int] | None,
        count: int | None,
        kind: str,
        seed: int,
        distinct: bool,
        unforced: bool,
        columns: Sequence[str] | None,
        nodes: int | None,
        memory: int | None,
    ) -> Export: ...
    def write(self, path: str | os.PathLike[str], file_format: str, name: str, made_with: str) -> tuple[int, str]: ...
    def arrays(self) -> tuple[dict[str, Any], list[tuple[str, str]], int]: ...

@final
class Outcome:
    __match_args__ = ("value", "remoteness")
    def __new__(cls, value: _Value, remoteness: int | None = None) -> Outcome: ...
    @property
    def value(self) -> _Value: ...
    @property
    def remoteness(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Move:
    __match_args__ = ("column", "value", "remoteness")
    def __new__(cls, column: int, value: _Value, remoteness: int | None = None) -> Move: ...
    @property
    def column(self) -> int: ...
    @property
    def value(self) -> _Value: ...
    @property
    def remoteness(self) -> int | None: ...
    @property
    def outcome(self) -> Outcome: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    def __new__(cls, board: str, position: str = "") -> Position: ...
    @classmethod
    def from_bitboards(cls, board: str, first: int, second: int) -> Position: ...
    @property
    def board(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def ply(self) -> int: ...
    @property
    def to_move(self) -> Literal["first", "second"]: ...
    @property
    def primitive(self) -> _Value | None: ...
    @property
    def legal_moves(self) -> list[int]: ...
    @property
    def bitboards(self) -> tuple[int, int]: ...
    @property
    def moves(self) -> str | None: ...
    @property
    def bits(self) -> str: ...
    @property
    def uni(self) -> str: ...
    def play(self, column: int) -> Position: ...
    def mirrored(self) -> Position: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Chunks:
    def __iter__(self) -> Chunks: ...
    def __next__(self) -> Labelled: ...

@final
class Database:
    def __new__(cls, board: str, db: str | os.PathLike[str] | None = None, *, cache: int | None = None) -> Database: ...
    @property
    def board(self) -> str: ...
    @property
    def values(self) -> _Values: ...
    @property
    def folder(self) -> Path | None: ...
    @property
    def keep_plies(self) -> int | None: ...
    @property
    def outcome(self) -> Outcome | None: ...
    @property
    def hash(self) -> str | None: ...
    @property
    def entries(self) -> int: ...
    def positions(self, ply: int, *, legal: bool = True, chunk: int = 65536, memory: int | None = None) -> Chunks: ...
    def sample(
        self,
        count: int,
        *,
        plies: Iterable[int] | None = None,
        seed: int = 1,
        kind: Literal["uniform", "random-play", "choice-matters"] = "uniform",
    ) -> Labelled: ...
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        plies: Iterable[int] | None = None,
        sample: int | None = None,
        kind: Literal["uniform", "random-play", "choice-matters"] = "uniform",
        seed: int = 1,
        distinct: bool = False,
        unforced: bool = False,
        format: Literal["parquet", "csv", "npz", "uci"] | None = None,  # noqa: A002
        columns: Iterable[_Column] | None = None,
        replace: bool = False,
        nodes: int | None = None,
        memory: int | None = None,
    ) -> int: ...
    def probe(self, position: str | Position, *, nodes: int | None = None) -> Outcome: ...
    def moves(self, position: str | Position, *, nodes: int | None = None) -> list[Move]: ...
    def probe_many(
        self,
        positions: _Positions,
        *,
        encoding: _Encoding | None = None,
        errors: _Errors = "raise",
        nodes: int | None = None,
    ) -> tuple[NDArray[np.int8], NDArray[np.uint8]]: ...
    def move_values(
        self,
        positions: _Positions,
        *,
        encoding: _Encoding | None = None,
        errors: _Errors = "raise",
        nodes: int | None = None,
    ) -> MoveValues: ...

def search(
    board: str,
    position: str | Position | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    table_bytes: int | None = None,
) -> Outcome: ...
def solve(
    board: str,
    values: _Values,
    db: str | os.PathLike[str] | None,
    progress: Callable[[int, int, int], object] | None,
    threads: int | None,
    memory: int | None,
    keep_plies: int | None,
    replace: bool,
) -> Database: ...
def decode(
    data: _Positions, encoding: _Encoding | None = None, *, board: str | None = None, errors: _Errors = "raise"
) -> NDArray[np.uint64]: ...
@overload
def encode(
    positions: _Positions, encoding: Literal["moves", "bits", "uni", "uci"], *, board: str | None = None
) -> list[str]: ...
@overload
def encode(positions: _Positions, encoding: Literal["positions"], *, board: str | None = None) -> list[Position]: ...
@overload
def encode(
    positions: _Positions, encoding: Literal["bitboards"], *, board: str | None = None
) -> NDArray[np.uint64]: ...
@overload
def encode(
    positions: _Positions, encoding: Literal["array", "pettingzoo"], *, board: str | None = None
) -> NDArray[np.int8]: ...
@overload
def encode(
    positions: _Positions, encoding: Literal["openspiel", "openspiel-egocentric"], *, board: str | None = None
) -> NDArray[np.float32]: ...
@overload
def encode(positions: _Positions, encoding: Literal["kaggle"], *, board: str | None = None) -> list[dict[str, Any]]: ...
def grade(
    ask: Callable[[NDArray[np.uint64]], NDArray[np.int64]], database: Database, sample: int | None, seed: int
) -> tuple[
    list[tuple[int, tuple[int, int, int | None, float]]],
    tuple[int, int, int | None, float],
    tuple[Position, int, Outcome, Outcome, list[int]] | None,
]: ...
def strategy(
    rule: Callable[[Position, int | None], int | None],
    board: str,
    player: str,
    database: Database | None,
    memory: int | None,
) -> dict[str, Any]: ...
