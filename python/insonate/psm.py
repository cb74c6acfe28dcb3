"""The da Vinci PSM: kinematics and dynamics (`Psm`), and the experiments `track`, `palpate` and `identify`.

Joints are yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b in rad, with the insertion in m.
"""

import json
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Psm, Scene
from .progress import Progress, shown
from .results import Result, pandas, raise_stopped

__all__ = ["Identification", "Psm", "PsmRun", "identify", "palpate", "track"]


@dataclass(frozen=True, eq=False)
class PsmRun(Result):
    """What an experiment with the arm measured, every 5 ms.

    ``columns`` has ``time`` [s], shape ``[n]``; ``q``, ``dq``, ``wanted`` [rad, m], ``motor_torque``, ``simulated_torque``,
    ``model_torque`` [N·m, N], shape ``[n, 7]``; ``tip_force`` and ``estimated_force`` in the world [N], shape ``[n, 3]``.
    """

    def to_pandas(self) -> Any:
        """The samples as a pandas ``DataFrame``; a column of an array has its number, as ``q1``.

        Raises:
            ImportError: if pandas is not installed.
        """
        columns: dict[str, NDArray[np.float64]] = {}
        for name, values in self.columns.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update({f"{name}{i + 1}": values[:, i] for i in range(values.shape[1])})
        return pandas("to_pandas").DataFrame(columns)


@dataclass(frozen=True, eq=False)
class Identification:
    """Dynamics of an arm, identified from logs."""

    summary: dict[str, Any]
    """Parameters, errors and notes, as ``result.json`` of the command."""
    html: str
    """The report as an HTML page."""

    def to_pandas(self) -> Any:
        """The base parameters as a pandas ``DataFrame``: name, value, standard error.

        Raises:
            ImportError: if pandas is not installed.
        """
        return pandas("to_pandas").DataFrame(self.summary["base_parameters"])

    def _repr_html_(self) -> str:
        return self.html


def track(
    *,
    trajectory: str = "spiral",
    controller: str = "computed-torque",
    counterweight: bool = True,
    instrument: str = "large-needle-driver",
    duration: float | None = None,
    progress: Progress = False,
) -> PsmRun:
    """Follows a motion and compares the torques with the identified model's, as ``insonate psm track`` does.

    Args:
        trajectory: ``line``, ``spiral``, or ``excitation-1`` to ``excitation-4``.
        controller: ``pd``, ``computed-torque`` or ``impedance``.
        counterweight: whether the simulated arm has its counterweight.
        instrument: ``large-needle-driver`` or ``fenestrated-grasper``.
        duration: simulated time [s] [default: 10; excitation: 30].
        progress: True shows a bar; a function is called with the share that is done and a text.

    Raises:
        ValueError: for a name or value out of range.
        SimulationError: if the simulation diverges.
    """
    with shown(progress, "tracking") as tell:
        summary, columns, stopped = _insonate.psm_track(
            trajectory=trajectory,
            controller=controller,
            counterweight=counterweight,
            instrument=instrument,
            duration=duration,
            progress=tell,
        )
    result = PsmRun(json.loads(summary), columns)
    raise_stopped(result, stopped)
    return result


def palpate(
    scene: Scene,
    *,
    depth: float = 0.012,
    press_rate: float = 0.5,
    sweep: float = 0.02,
    duration: float = 6.0,
    progress: Progress = False,
) -> PsmRun:
    """Palpates a torso and estimates the force on the tip from motor torques, as ``insonate psm simulate`` does.

    Args:
        scene: a scene with the robot ``psm``.
        depth: depth of the tool below the skin at rest [m].
        press_rate: presses per second [Hz].
        sweep: distance across the torso while pressing [m].
        duration: simulated time [s].
        progress: True shows a bar; a function is called with the share that is done and a text.

    Raises:
        ValueError: for a value out of range.
        SimulationError: if the simulation diverges, or the scene has another robot.
    """
    with shown(progress, "palpating") as tell:
        summary, columns, stopped = _insonate.psm_palpate(
            scene, depth=depth, press_rate=press_rate, sweep=sweep, duration=duration, progress=tell
        )
    result = PsmRun(json.loads(summary), columns)
    raise_stopped(result, stopped)
    return result


def identify(
    train: str | PathLike[str],
    *,
    test: str | PathLike[str] | None = None,
    payload: str | PathLike[str] | None = None,
    rate: float | None = None,
    payload_rate: float | None = None,
    angles: str = "radians",
    lengths: str = "metres",
    torques: str = "motor",
    coordinates: str = "motor",
    method: str = "sdp",
    cutoff: float | str = 5.4,
) -> Identification:
    """Finds the arm's dynamics from recorded motions, as ``insonate psm identify`` does.

    Args:
        train: log to fit: q1 to q7, dq1 to dq7, tau1 to tau7, at least 5 s; text, or a NumPy, Parquet, HDF5, MATLAB or spreadsheet file.
        test: log of another motion, to validate the result.
        payload: log of the same arm with a compact payload, whose mass and place are identified.
        rate: sample rate of the logs [Hz] [default: from the time column, or 200].
        payload_rate: sample rate of the payload's log [Hz] [default: ``rate``].
        angles: ``radians`` or ``degrees``.
        lengths: ``metres`` or ``millimetres``.
        torques: ``motor`` (of the motors on the arm) or ``reaction`` (of the arm on its motors).
        coordinates: ``joint`` or ``motor``.
        method: ``ols``, ``wls``, or ``sdp``, which is constrained to physically possible bodies.
        cutoff: cut-off of the zero-phase low-pass [Hz], or ``published``: 16.96 Hz and an unfiltered regressor (Wang et al. 2019).

    Raises:
        ValueError: for a log that cannot be read or is too short, or a value out of range.
    """
    if isinstance(cutoff, str) and cutoff != "published":
        raise ValueError(f"cutoff is {cutoff!r}; it must be a number of Hz, or published")
    summary, page = _insonate.psm_identify(
        fspath(train),
        test=None if test is None else fspath(test),
        payload=None if payload is None else fspath(payload),
        rate=rate,
        payload_rate=payload_rate,
        angles=angles,
        lengths=lengths,
        torques=torques,
        coordinates=coordinates,
        method=method,
        cutoff=None if isinstance(cutoff, str) else float(cutoff),
    )
    return Identification(json.loads(summary), page)
