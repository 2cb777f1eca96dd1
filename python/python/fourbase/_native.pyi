import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

from fourbase._progress import Progress, SolveProgress
from fourbase._types import Encoding, Labelled, MoveValues, Puzzle, Strategy, Targets

# fmt: off
__all__ = ["Database", "Move", "Outcome", "Position", "__version__", "decode", "encode",
           "grade", "rejected", "search", "set_helpers", "solve", "strategy"]

__version__: Final[str]

_Value: TypeAlias = Literal["win", "lose", "tie"]
_Progress: TypeAlias = Callable[[Progress], object] | bool | None
_Values: TypeAlias = Literal["remoteness", "wdl"]
_Board: TypeAlias = str | None
_Position: TypeAlias = "str | Position"
_Path: TypeAlias = str | os.PathLike[str]
_ValuesAndPlies: TypeAlias = tuple[NDArray[np.int8], NDArray[np.uint8]]
_Texts: TypeAlias = Literal["moves", "bits", "uni", "uci"]
_Cells: TypeAlias = Literal["array", "planes", "pettingzoo"]
_OpenSpiel: TypeAlias = Literal["openspiel", "openspiel-egocentric"]
_Errors: TypeAlias = Literal["raise", "mask"]
_Column: TypeAlias = Literal["moves", "bits", "uni", "bitboards", "ply", "value", "remoteness", "score", "move-values",
                             "move-remoteness"]
_Kind: TypeAlias = Literal["uniform", "random-play", "choice-matters"]
_Positions: TypeAlias = Sequence[str] | Sequence[Position] | Sequence[Mapping[str, Any]] | Sequence[Any] | NDArray[Any]

@final
class Outcome:
    __match_args__ = ("value", "remoteness")
    def __new__(cls, value: _Value, remoteness: int | None = None) -> Outcome: ...
    value: Final[_Value]
    remoteness: Final[int | None]
    def score(self, position: Position) -> int | None: ...
    def why(self, position: Position) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __lt__(self, other: Outcome, /) -> bool: ...
    def __le__(self, other: Outcome, /) -> bool: ...
    def __gt__(self, other: Outcome, /) -> bool: ...
    def __ge__(self, other: Outcome, /) -> bool: ...

@final
class Move:
    __match_args__ = ("column", "value", "remoteness")
    def __new__(cls, column: int, value: _Value, remoteness: int | None = None) -> Move: ...
    column: Final[int]
    value: Final[_Value]
    remoteness: Final[int | None]
    outcome: Final[Outcome]
    def to_dict(self) -> dict[str, Any]: ...

@final
class Position:
    def __new__(cls, board: str, position: str = "") -> Position: ...
    @classmethod
    def from_bitboards(cls, board: str, first: int, second: int) -> Position: ...
    board: Final[str]
    width: Final[int]
    height: Final[int]
    ply: Final[int]
    to_move: Final[Literal["first", "second"]]
    primitive: Final[_Value | None]
    legal_moves: Final[list[int]]
    bitboards: Final[tuple[int, int]]
    moves: Final[str | None]
    bits: Final[str]
    uni: Final[str]
    def play(self, column: int) -> Position: ...
    def mirrored(self) -> Position: ...
    def _repr_svg_(self) -> str: ...

@final
class Database:
    def __new__(cls, board: str, db: _Path | None = None, *, cache: int | None = None) -> Database: ...
    board: Final[str]
    values: Final[_Values]
    folder: Final[Path | None]
    keep_plies: Final[int | None]
    outcome: Final[Outcome | None]
    hash: Final[str | None]
    entries: Final[int]
    def positions(self, ply: int, *, legal: bool = True, chunk: int = 65536, memory: int | None = None,
                  hours: float | None = 24.0, progress: _Progress = None) -> Iterator[Labelled]: ...
    def sample(self, count: int, *, plies: Iterable[int] | None = None, seed: int = 1,
               kind: _Kind = "uniform", distinct: bool = False, progress: _Progress = None) -> Labelled: ...
    def choose(self, position: _Position, player: str, *, seed: int = 1, nodes: int | None = None) -> int: ...
    def puzzles(self, count: int = 1, *, seed: int = 1, nodes: int | None = None,
                progress: _Progress = None) -> list[Puzzle]: ...
    def export(self, path: _Path, *, plies: Iterable[int] | None = None, sample: int | None = None,
               kind: _Kind | None = None, seed: int | None = None, distinct: bool = False, unforced: bool = False,
               format: Literal["parquet", "csv", "npz", "uci"] | None = None,  # noqa: A002
               columns: Iterable[_Column] | None = None, replace: bool = False, nodes: int | None = None,
               memory: int | None = None, hours: float | None = 24.0, progress: _Progress = None) -> int: ...
    def probe(self, position: _Position, *, nodes: int | None = None, progress: _Progress = None) -> Outcome: ...
    def moves(self, position: _Position, *, nodes: int | None = None, progress: _Progress = None) -> list[Move]: ...
    def probe_many(self, positions: _Positions, *, encoding: Encoding | None = None, errors: _Errors = "raise",
                   nodes: int | None = None, progress: _Progress = None) -> _ValuesAndPlies: ...
    def move_values(self, positions: _Positions, *, encoding: Encoding | None = None, errors: _Errors = "raise",
                    nodes: int | None = None, progress: _Progress = None) -> MoveValues: ...
    def targets(self, positions: _Positions, *, encoding: Encoding | None = None,
                policy: Literal["optimal", "fastest"] | float | None = None, nodes: int | None = None,
                progress: _Progress = None) -> Targets: ...
    def _repr_html_(self) -> str: ...

def set_helpers(helpers: dict[str, Callable[..., Any]]) -> None: ...
def search(board: str, position: str | Position | None = None, *, nodes: int | None = None,
           seconds: float | None = None, threads: int = 1, table_bytes: int | None = None,
           progress: _Progress = None) -> Outcome: ...
def solve(board: str, values: _Values = "remoteness", *, db: _Path | None = None,
          progress: Callable[[SolveProgress], object] | bool | None = None, threads: int | None = None,
          memory: int | None = None, keep_plies: int | None = None, replace: bool = False) -> Database: ...
def decode(data: _Positions, encoding: Encoding | None = None, *, board: _Board = None,
           errors: _Errors = "raise") -> NDArray[np.uint64]: ...
def rejected(data: _Positions, encoding: Encoding | None = None, *, board: _Board = None) -> dict[int, str]: ...
@overload
def encode(positions: _Positions, encoding: _Texts, *, board: _Board = None) -> list[str]: ...
@overload
def encode(positions: _Positions, encoding: Literal["positions"], *, board: _Board = None) -> list[Position]: ...
@overload
def encode(positions: _Positions, encoding: Literal["actions"], *, board: _Board = None) -> list[list[int]]: ...
@overload
def encode(positions: _Positions, encoding: Literal["bitboards"], *, board: _Board = None) -> NDArray[np.uint64]: ...
@overload
def encode(positions: _Positions, encoding: _Cells, *, board: _Board = None) -> NDArray[np.int8]: ...
@overload
def encode(positions: _Positions, encoding: _OpenSpiel, *, board: _Board = None) -> NDArray[np.float32]: ...
@overload
def encode(positions: _Positions, encoding: Literal["kaggle"], *, board: _Board = None) -> list[dict[str, Any]]: ...
def grade(ask: Callable[[NDArray[np.uint64]], NDArray[np.int64]], at_once: int, database: Database, sample: int | None,
          seed: int, repeats: int, progress: _Progress) -> tuple[list[tuple[int, Any]], Any, Any]: ...
def strategy(rule: Callable[[Position, int | None], int | None], board: str, *,
             player: Literal["first", "second"] = "second", db: _Path | None = None, memory: int | None = None,
             progress: _Progress = None) -> Strategy: ...
