"""Experiments with a probe on a torso: `press` at a site, `scan` along a path, `palpate` for a calibration."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Scene
from .progress import Progress, shown
from .results import Result, raise_stopped


@dataclass(frozen=True, eq=False)
class Stress:
    """Strain and stress of the tissue's elements, tetrahedra or particles, at the end of a press."""

    centers: NDArray[np.float64]
    """Centres of the elements in world [m], shape ``[n, 3]``."""
    volumes: NDArray[np.float64]
    """Volumes of the elements [m³], shape ``[n]``."""
    tensors: NDArray[np.float64]
    """Cauchy stress in world [Pa], tension positive, shape ``[n, 3, 3]``. Viscosity is left out."""
    von_mises: NDArray[np.float64]
    """Von Mises stress [Pa], shape ``[n]``."""
    principal_strains: NDArray[np.float64]
    """Principal strains, stretch - 1, the largest first, shape ``[n, 3]``."""


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
    pressure: NDArray[np.float64] | None = None
    """Pressure on the probe's face [Pa] when its mean over 1 cm² was greatest, in elements of 5 mm, shape ``[n_x, n_y]``: x along the array;
    None if the probe never touched the torso."""
    stress: Stress | None = None
    """Stress in the tissue at the end of a press; None for a scan, and for a torso of springs (``fast``, ``composite``)."""

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
    site: tuple[float, float] | None = None,
    depth: float = 0.03,
    speed: float = 0.02,
    hold: float = 0.5,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
    seed: int | None = None,
    picture_size: tuple[int, int] | None = None,
    progress: Progress = False,
) -> Run:
    """Presses the probe into the torso, holds it there and retreats, as ``insonate press`` does.

    Args:
        scene: robot, probe and torso.
        site: where to press, in the torso's frame [m] [default: the middle; with `seed` a random site].
        depth: depth below the skin at rest [m].
        speed: speed in and out [m/s].
        hold: time at the depth [s].
        max_force: force at which the probe turns back before the depth is reached [N].
        limits: limits of the verdict by name, such as ``{"lag": 0.02}``.
        seed: seed of what is not given and random.
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
            site=_site(scene, site, seed, 0, (0.0, 0.0)),
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
    start: tuple[float, float] | None = None,
    end: tuple[float, float] | None = None,
    force: float = 5.0,
    speed: float = 0.04,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
    seed: int | None = None,
    picture_size: tuple[int, int] | None = None,
    progress: Progress = False,
) -> Run:
    """Slides the probe along a path over the torso at a steady force, as ``insonate scan`` does.

    Args:
        scene: robot, probe and torso.
        start, end: ends of the path in the torso's frame [m] [default: ``(0, -0.06)`` and ``(0, 0.06)``; with `seed` random].
        force: force along the probe's axis [N].
        speed: speed along the path [m/s].
        max_force: force between any part of the robot and what it touches at which the scan ends [N].
        limits: limits of the verdict by name, such as ``{"lag": 0.02}``.
        seed: seed of what is not given and random.
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
            start=_site(scene, start, seed, 0, (0.0, -0.06)),
            end=_site(scene, end, seed, 1, (0.0, 0.06)),
            force=force,
            speed=speed,
            max_force=max_force,
            limits=names,
            picture_size=picture_size,
            progress=tell,
        )
    return _run(outcome)


@dataclass(frozen=True, eq=False)
class Recording(Result):
    """Presses as a robot with a force sensor records them. ``summary`` is ``truth.json`` of the command; the table has one row for each site."""

    logs: dict[str, dict[str, NDArray[np.float64]]]
    """Log of each site, as `calibrate` takes it: ``time`` [s], shape ``[n]``; ``position`` [m], ``velocity`` [m/s] and ``force`` [N] in the
    world, shape ``[n, 3]``."""
    csv: dict[str, str]
    """The logs as texts, as the command writes them."""

    @property
    def verdict(self) -> str:
        """``passed`` or ``failed``."""
        return str(self.summary["verdict"])

    def write(self, folder: str | PathLike[str]) -> None:
        """Writes the logs and ``truth.json`` into a folder. A missing folder is made."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        for name, text in self.csv.items():
            (path / f"{name}.csv").write_text(text)
        (path / "truth.json").write_text(json.dumps(self.summary, indent=2) + "\n")


def palpate(
    scene: Scene,
    *,
    site: tuple[float, float] | None = None,
    depth: float = 0.01,
    speed: float = 0.02,
    hold: float = 0.5,
    max_force: float = 80.0,
    noise: str | Mapping[str, float | tuple[float, float]] = "none",
    rate: float = 500.0,
    sine: tuple[float, float, float] | None = None,
    seed: int = 0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
    progress: Progress = False,
) -> Recording:
    """Records presses for a calibration, as ``insonate press --sites 5`` does: air, a press, a hold, a sine, a retreat.

    Args:
        scene: robot, probe and torso.
        site: one site in the torso's frame [m] [default: the five sites of the thesis].
        depth: greatest indentation after the first contact [m].
        speed: speed in and out [m/s].
        hold: time at the depth before the sine [s].
        max_force: force at which the recording is given up [N].
        noise: errors of the recorder: ``none``, ``thesis``, or by name ``force`` [N], ``bias`` and ``lateral-bias`` [N] as a number or a range,
            ``latency`` [s], ``step`` of the force [N], ``position`` [m], ``velocity`` [m/s].
        rate: sample rate [Hz].
        sine: amplitude [m], frequency [Hz] and number of cycles [default: 0.3 of the depth, 2, 4].
        seed: seed of bias and noise.
        limits: limits of the verdict by name.
        progress: True shows a bar; a function is called with the share that is done and a text.

    Returns:
        Logs and their ground truth.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if a site cannot be reached, or the force is too large.
        KeyboardInterrupt: after Ctrl-C; its attribute ``partial`` has the sites that were finished.
    """
    if isinstance(noise, Mapping):
        noise = ",".join(f"{name}={_range(value)}" for name, value in noise.items()) or "none"
    names = _limits(limits)
    with shown(progress, "recording") as tell:
        recorded, truth, stopped = _insonate.palpate(
            scene,
            site=site,
            depth=depth,
            speed=speed,
            hold=hold,
            max_force=max_force,
            noise=noise,
            rate=rate,
            sine=sine,
            seed=seed,
            limits=names,
            progress=tell,
        )
    summary = json.loads(truth)
    sites = summary["sites"]
    figures = ("stiffness", "damping", "r_squared", "peak_indentation_m", "peak_force_n", "contact_depth_m")
    columns: dict[str, NDArray[Any]] = {"site": np.array([site["name"] for site in sites], dtype=np.str_)}
    columns |= {name: np.array([site[name] for site in sites], dtype=np.float64) for name in figures}
    result = Recording(
        summary,
        columns,
        {name: log for name, log, _ in recorded},
        {name: text for name, _, text in recorded},
    )
    raise_stopped(result, stopped)
    return result


def _range(value: float | tuple[float, float]) -> str:
    numbers = value if isinstance(value, Sequence) else [value]
    return ":".join(repr(float(number)) for number in numbers)


def _site(
    scene: Scene,
    given: tuple[float, float] | None,
    seed: int | None,
    index: int,
    usual: tuple[float, float],
) -> tuple[float, float]:
    """The site that is given, or a random one of the seed, or the usual one."""
    if given is not None:
        return given
    return usual if seed is None else scene.random_site(seed, index)


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
        NDArray[np.float64] | None,
        dict[str, NDArray[np.float64]] | None,
        BaseException | None,
    ],
) -> Run:
    columns, phases, summary, notes, pictures, pressure, arrays, stopped = outcome
    stress = None if arrays is None else Stress(**arrays)
    run = Run(json.loads(summary), columns, np.array(phases, dtype=np.str_), notes, pictures, pressure, stress)
    raise_stopped(run, stopped)
    return run
