"""Files of `Database.export`: their format, their names, and NPZ."""

import os
import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fourbase._fourbase import Database, Export
from fourbase.errors import OptionError

_SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".npz": "npz", ".data": "uci"}

# What stands beside an NPZ file. The other formats have theirs from the library.
_NPZ = """# {name}

Positions of Connect Four with exact values, made with:

```python
{made_with}
```

| | |
|---|---|
| rows | {rows:,} |
{facts}

## Arrays

| array | shape | what it is |
|---|---|---|
"""

_MEANINGS = {
    "bitboards": "pieces of the first player and of the second: bit rows x column + row, from 0, row 0 at the bottom",
    "ply": "the number of pieces; the first player is to move if it is even",
    "value": "what the position is worth to the player to move: 1 win, 0 tie, -1 loss",
    "remoteness": "plies to the end under best play",
    "score": "Pons' score: the value times floor((cells + 2 - t) / 2), with t pieces on the board at the end",
    "move_values": "the value of every move for the player who makes it; -128 if it is illegal",
    "move_remoteness": "plies to the end with every move and then best play; 255 if it is illegal",
    "moves": "the smallest order of moves that reaches the position",
    "bits": "each column from the bottom up, 0 first player, 1 second, then a 1, and 0s to the top",
    "uni": "GamesmanUni's string",
}


def export(
    db: Database,
    path: str | os.PathLike[str],
    file_format: Literal["parquet", "csv", "npz", "uci"] | None,
    replace: bool,
    options: dict[str, Any],
) -> int:
    """Write the data set to a temporary file, and give it and the text beside it their names."""
    file = Path(path)
    chosen = file_format or _SUFFIXES.get(file.suffix.lower())
    if chosen is None or chosen not in _SUFFIXES.values():
        which = (
            f"{file.name!r} does not tell the format" if file_format is None else f"format={file_format!r} is unknown"
        )
        raise OptionError(f"{which}; write format='parquet', 'csv', 'npz' or 'uci'")
    if chosen == "uci" and options["columns"] is not None:
        raise OptionError("the format 'uci' has columns of its own; leave columns out, or write unforced=True")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{file.parent} is no folder; make it, or write another path")
    readme = file.with_name(file.name + ".md")
    for name in (file, readme):
        if not replace and name.exists():
            raise FileExistsError(f"{name} exists; write replace=True to replace it, or another path")
    unforced = options["unforced"] or (chosen == "uci" and options["sample"] is None)
    plies, columns = options["plies"], options["columns"]
    plies = None if plies is None else list(plies)
    columns = None if columns is None else list(columns)
    made = Export(
        db,
        plies,
        options["sample"],
        options["kind"],
        options["seed"],
        options["distinct"],
        unforced,
        columns,
        options["nodes"],
        options["memory"],
    )
    told = {"plies": plies, "sample": options["sample"]}
    if options["sample"] is not None:
        told |= {"kind": options["kind"], "seed": options["seed"]}
    told |= {"distinct": options["distinct"], "unforced": options["unforced"], "format": chosen, "columns": columns}
    arguments = "".join(f", {key}={value!r}" for key, value in told.items() if value not in (None, False))
    made_with = f"fourbase.Database({db.board!r}).export({file.name!r}{arguments})"
    with tempfile.TemporaryDirectory(prefix=".fourbase-", dir=file.parent) as folder:
        whole, text = Path(folder, "data"), Path(folder, "readme")
        if chosen == "npz":
            rows, words = _write_npz(made, whole, file.name, made_with)
        else:
            rows, words = made.write(whole, chosen, file.name, made_with)
        text.write_text(words, encoding="utf-8")
        whole.replace(file)
        text.replace(readme)
    return rows


def _write_npz(made: Export, whole: Path, name: str, made_with: str) -> tuple[int, str]:
    """Write the arrays, and return the number of rows and what stands beside them."""
    fields, facts, rows = made.arrays()
    arrays = _together(fields)
    with whole.open("wb") as out:
        np.savez_compressed(out, **arrays)
    told = "\n".join(f"| {key.removeprefix('fourbase.').replace('.', ' ')} | {value} |" for key, value in facts)
    words = _NPZ.format(name=name, made_with=made_with, rows=rows, facts=told)
    for array, content in arrays.items():
        words += f"| `{array}` | {content.dtype} {content.shape} | {_MEANINGS[array]} |\n"
    return rows, words


def _together(fields: dict[str, Any]) -> dict[str, Any]:
    """Put fields that belong together into one array."""
    arrays: dict[str, Any] = {}
    values = [field for field in fields if field.startswith("value_")]
    plies = [field for field in fields if field.startswith("remoteness_")]
    for field, content in fields.items():
        if field == "first":
            arrays["bitboards"] = np.stack([content, fields["second"]], axis=1)
        elif field != "second" and field not in values and field not in plies:
            arrays[field] = np.asarray(content)
    for name, columns in (("move_values", values), ("move_remoteness", plies)):
        if columns:
            arrays[name] = np.stack([fields[column] for column in columns], axis=1)
    return arrays
