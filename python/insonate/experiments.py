"""Experiments with a probe on a torso: `press` at a site, `scan` along a path."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Scene
from .progress import Progress, shown
from .results import Result, raise_stopped


@dataclass(frozen=True, eq=False)
class Run(Result):
    """What an experiment measured: ``summary`` as in ``summary.json`` of the command, and ``columns`` by the names of ``log.csv``.

    Each column, such as ``force_z_n``, has one number for each step, shape ``[n]``.
    """

    phases: NDArray[np.str_]
    """Name of the phase of each step, such as ``slide``, shape ``[n]``."""
    notes: list[str]
    """Deviations from the arguments."""
    pictures: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    """Pictures of the scene by camera, such as ``close``, shape ``[height, width, 3]``; empty without ``picture_size``."""

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
        table = super().to_pandas()
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
    picture_size: tuple[int, int] | None = None,
    progress: Progress = False,
) -> Run:
    """Presses the probe into the torso, holds it there and retreats, as ``insonate press`` does.

    Args:
        scene: robot, probe and torso.
        site: where to press, in the torso's frame [m].
        depth: depth below the skin at rest [m].
        speed: speed in and out [m/s].
        hold: time at the depth [s].
        max_force: force at which the probe turns back before the depth is reached [N].
        limits: limits of the verdict by name, such as ``{"lag": 0.02}``.
        picture_size: width and height of the pictures [pixels]; None takes none. A machine without EGL has a note instead.
        progress: True shows a bar; a function is called with the share that is done and a text.

    Returns:
        Statistics, log and verdict. A run that failed its limits is no exception.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if the site cannot be reached, or the robot starts in collision.
    """
    names = _limits(limits)
    with shown(progress, "pressing") as tell:
        outcome = _insonate.press(
            scene,
            site=site,
            depth=depth,
            speed=speed,
            hold=hold,
            max_force=max_force,
            limits=names,
            picture_size=picture_size,
            progress=tell,
        )
    return _run(outcome)


def scan(
    scene: Scene,
    *,
    start: tuple[float, float] = (0.0, -0.06),
    end: tuple[float, float] = (0.0, 0.06),
    force: float = 5.0,
    speed: float = 0.04,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
    picture_size: tuple[int, int] | None = None,
    progress: Progress = False,
) -> Run:
    """Slides the probe along a path over the torso at a steady force, as ``insonate scan`` does.

    Args:
        scene: robot, probe and torso.
        start, end: ends of the path in the torso's frame [m].
        force: force along the probe's axis [N].
        speed: speed along the path [m/s].
        max_force: force between any part of the robot and what it touches at which the scan ends [N].
        limits: limits of the verdict by name, such as ``{"lag": 0.02}``.
        picture_size: width and height of the pictures [pixels]; None takes none. A machine without EGL has a note instead.
        progress: True shows a bar; a function is called with the share that is done and a text.

    Returns:
        Statistics, log and verdict. A run that failed its limits is no exception.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if the path leaves the torso or the arm's reach, or the robot starts in collision.
    """
    names = _limits(limits)
    with shown(progress, "scanning") as tell:
        outcome = _insonate.scan(
            scene,
            start=start,
            end=end,
            force=force,
            speed=speed,
            max_force=max_force,
            limits=names,
            picture_size=picture_size,
            progress=tell,
        )
    return _run(outcome)


def _limits(limits: Mapping[str, float | Sequence[float]] | None) -> list[str]:
    """Limits as ``name=value`` of the command line."""

    def text(value: float | Sequence[float]) -> str:
        numbers = value if isinstance(value, Sequence) else [value]
        return ",".join(repr(float(number)) for number in numbers)

    return [f"{name}={text(value)}" for name, value in (limits or {}).items()]


def _run(
    outcome: tuple[
        dict[str, NDArray[np.float64]],
        list[str],
        str,
        list[str],
        dict[str, NDArray[np.uint8]],
        BaseException | None,
    ],
) -> Run:
    columns, phases, summary, notes, pictures, stopped = outcome
    run = Run(json.loads(summary), columns, np.array(phases, dtype=np.str_), notes, pictures)
    raise_stopped(run, stopped)
    return run
