"""Experiments with a probe on a torso: `press` at a site, `scan` along a path."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Scene


@dataclass(frozen=True, eq=False)
class Run:
    """What an experiment measured."""

    summary: dict[str, Any]
    """Statistics with units in their names, as in ``summary.json`` of the command."""
    columns: dict[str, NDArray[np.float64]]
    """The log by the names of ``log.csv``, such as ``force_z_n``, one number for each step, shape ``[n]``."""
    phases: NDArray[np.str_]
    """Name of the phase of each step, such as ``slide``, shape ``[n]``."""
    notes: list[str]
    """Deviations from the arguments."""

    @property
    def verdict(self) -> str:
        """``passed`` or ``failed``."""
        return str(self.summary["verdict"])

    @property
    def reasons(self) -> list[str]:
        """Why the run failed; empty if it passed."""
        return list(self.summary["reasons"])

    def to_pandas(self) -> Any:
        """The log as a pandas ``DataFrame`` with the columns of ``log.csv``.

        Raises:
            ImportError: if pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        table = pandas.DataFrame(self.columns)
        table.insert(1, "phase", self.phases)
        table["in_contact"] = table["in_contact"].astype(int)
        return table


def press(
    scene: Scene,
    *,
    site: tuple[float, float] = (0.0, 0.0),
    depth: float = 0.03,
    speed: float = 0.02,
    hold: float = 0.5,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
) -> Run:
    """Presses the probe into the torso, holds it there and retreats, as ``insonate press`` does.

    Args:
        scene: robot, probe and torso.
        site: where to press, in the torso's frame [m].
        depth: depth below the skin at rest [m].
        speed: speed in and out [m/s].
        hold: time at the depth [s].
        max_force: force at which the probe turns back before the depth is reached [N].
        limits: limits of the verdict by name, as in ``--limit``.

    Returns:
        Statistics, log and verdict. A run that failed its limits is no exception.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if the site cannot be reached, or the robot starts in collision.
    """
    names = _limits(limits)
    return _run(
        _insonate.press(
            scene, site=site, depth=depth, speed=speed, hold=hold, max_force=max_force, limits=names
        )
    )


def scan(
    scene: Scene,
    *,
    start: tuple[float, float] = (0.0, -0.06),
    end: tuple[float, float] = (0.0, 0.06),
    force: float = 5.0,
    speed: float = 0.04,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
) -> Run:
    """Slides the probe along a path over the torso at a steady force, as ``insonate scan`` does.

    Args:
        scene: robot, probe and torso.
        start, end: ends of the path in the torso's frame [m].
        force: force along the probe's axis [N].
        speed: speed along the path [m/s].
        max_force: force between any part of the robot and what it touches at which the scan ends [N].
        limits: limits of the verdict by name, as in ``--limit``.

    Returns:
        Statistics, log and verdict. A run that failed its limits is no exception.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if the path leaves the torso or the arm's reach, or the robot starts in collision.
    """
    names = _limits(limits)
    return _run(
        _insonate.scan(
            scene, start=start, end=end, force=force, speed=speed, max_force=max_force, limits=names
        )
    )


def _limits(limits: Mapping[str, float | Sequence[float]] | None) -> list[str]:
    """Limits as ``name=value`` of the command line."""

    def text(value: float | Sequence[float]) -> str:
        numbers = value if isinstance(value, Sequence) else [value]
        return ",".join(repr(float(number)) for number in numbers)

    return [f"{name}={text(value)}" for name, value in (limits or {}).items()]


def _run(outcome: tuple[dict[str, NDArray[np.float64]], list[str], str, list[str]]) -> Run:
    columns, phases, summary, notes = outcome
    return Run(json.loads(summary), columns, np.array(phases, dtype=np.str_), notes)
