"""What the functions return: figures, tables as arrays, and their views in notebooks."""

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Result:
    """Figures and a table; notebooks show both."""

    summary: dict[str, Any]
    """Statistics with units in their names, as the command prints them with ``--json``."""
    columns: dict[str, NDArray[Any]]
    """Table: one array for each column, shape ``[n]``. A cell without a number is NaN."""

    def to_pandas(self) -> Any:
        """The table as a pandas ``DataFrame``.

        Raises:
            ImportError: if pandas is not installed.
        """
        return pandas("to_pandas").DataFrame(self.columns)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(_shown(value))}</td></tr>"
            for name, value in self.summary.items()
        )
        sizes = [len(column) for column in self.columns.values()]
        table = f"{sizes[0]} rows of {', '.join(self.columns)}" if sizes else ""
        return f"<table>{rows}</table><p>{html.escape(table)}</p>"


def pandas(function: str) -> Any:
    """The package pandas, which is imported only when it is needed.

    Raises:
        ImportError: if it is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{function} needs pandas: pip install pandas") from error
    return pandas


def table(content: bytes) -> dict[str, NDArray[Any]]:
    """Columns of a CSV file: numbers where all cells are numbers or empty, else texts."""
    rows = list(csv.reader(io.StringIO(content.decode())))
    if not rows:
        return {}
    names, cells = rows[0], rows[1:]
    return {name: _column(name, [row[index] for row in cells]) for index, name in enumerate(names)}


def raise_stopped(result: object, stopped: BaseException | None) -> None:
    """Raises what stopped a call, with what was computed until then as its attribute ``partial``."""
    if stopped is not None:
        stopped.partial = result  # type: ignore[attr-defined]
        raise stopped


def _column(name: str, cells: Sequence[str]) -> NDArray[Any]:
    if name == "seed":
        # float64 rounds seeds above 2^53.
        return np.array([int(cell) for cell in cells], np.uint64)
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells, dtype=np.str_)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_shown(inner) for inner in value) + "]"
    return str(value)
