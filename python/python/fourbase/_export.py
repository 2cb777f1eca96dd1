"""Files of `Database.export`: their names, and NPZ."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from fourbase._progress import ended_by_sigterm
from fourbase.errors import FileExists, FolderMissing

# Columns that consist of several fields.
_TABLES = ("bitboards", "move_values", "move_remoteness")


def export(made: Any, file: Path, replace: bool, made_with: str) -> int:
    """Write a data set and the text beside it to temporary files, name them, and return the number of rows."""
    if not file.parent.is_dir():
        raise FolderMissing(f"{file.parent} is no folder; make it, or write another path")
    readme = file.with_name(file.name + ".md")
    for name in (file, readme):
        if not replace and name.exists():
            raise FileExists(f"{name} exists; write replace=True to replace it, or another path")
    with ended_by_sigterm(), tempfile.TemporaryDirectory(prefix=".fourbase-", dir=file.parent) as folder:
        whole, text = Path(folder, "data"), Path(folder, "readme")
        rows, words, facts, portions = made.write(whole, file.name, made_with)
        if portions is not None:
            words += _write_npz(whole, portions, dict(facts))
        text.write_text(words, encoding="utf-8")
        whole.replace(file)
        text.replace(readme)
    return int(rows)


def _write_npz(whole: Path, portions: list[list[tuple[str, str, Any]]], facts: dict[str, str]) -> str:
    """Write the fields of all portions as one array for each column, and return the text that explains the arrays."""
    columns: dict[str, dict[str, list[Any]]] = {}
    for portion in portions:
        for column, field, cells in portion:
            columns.setdefault(column, {}).setdefault(field, []).append(cells)
    arrays: dict[str, Any] = {}
    words = (
        "\n## Arrays\n\nNull is -128 in int8 and 255 in uint8.\n\n| array | type and shape | columns |\n|---|---|---|\n"
    )
    for column, fields in columns.items():
        parts = [np.concatenate(cells) for cells in fields.values()]
        arrays[column] = np.stack(parts, axis=1) if column in _TABLES else parts[0]
        words += f"| `{column}` | {arrays[column].dtype} {arrays[column].shape} | {', '.join(fields)} |\n"
    arrays["card"] = np.array(json.dumps(facts))
    words += (
        "| `card` | text | the facts above as JSON, as in the metadata of Parquet: `json.loads(str(file['card']))` |\n"
    )
    with whole.open("wb") as out:
        np.savez_compressed(out, **arrays)
    return words
