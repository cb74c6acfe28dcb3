"""Studies: from recorded presses of one patient to a policy, with the error of each step."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _insonate
from .calibration import Option, in_keywords, option_words
from .progress import Progress, shown
from .results import pandas


@dataclass(frozen=True, eq=False)
class Study:
    """Softness of the logs, fitted torsos, policies, and their results under each condition."""

    summary: dict[str, Any]
    """The result, as ``study.json`` in the folder."""
    html: str
    """The report as an HTML page, as ``study.html`` in the folder."""
    folder: Path
    """Folder with the report, the plots and the policies."""

    def to_pandas(self) -> Any:
        """The conditions as a pandas ``DataFrame``.

        Raises:
            ImportError: if pandas is not installed.
        """
        return pandas("to_pandas").json_normalize(self.summary["conditions"])

    def _repr_html_(self) -> str:
        return self.html


def study(
    logs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    held_out: Sequence[str | PathLike[str]] = (),
    truth: tuple[float, float] | None = None,
    model: str | None = None,
    torso: Sequence[str] = (),
    task: str = "probe-sweep",
    steps: int = 400_000,
    train_seed: int = 1,
    episodes: int = 50,
    threads: int = 0,
    resume: bool = False,
    overwrite: bool = False,
    output: str | PathLike[str] = "output/study",
    robot: Mapping[str, Any] | None = None,
    patient: str | PathLike[str] | None = None,
    calibration: Mapping[str, Option] | None = None,
    progress: Progress = False,
) -> Study:
    """Goes from recorded presses to a policy, as ``insonate study`` does.

    The logs are calibrated, torsos are fitted to them, a policy is trained on the fitted torso and one on the thesis', and both are
    evaluated at other softness, breathing, places, logs and torsos.

    Args:
        logs: recorded presses; each is one site.
        held_out: logs for validation that are not used for fitting.
        truth: true stiffness [N/m] and damping [N·s/m] of the logs, if known.
        model: law of tissue [default: as in `calibrate`].
        torso: kinds of torso to fit in addition to ``fast`` [default: all].
        task: task to learn.
        steps: number of steps of each training.
        train_seed: seed of each training.
        episodes: number of episodes of each policy in each condition, 2 to 100000.
        threads: number of threads; 0 uses one per core. It does not affect the results.
        resume: continue the study in the folder: fitted torsos and trained policies are kept.
        overwrite: remove the study of the folder, or what another command wrote there.
        output: folder for the report and the policies.
        robot: settings of the robot, such as ``{"robot": "ur5e"}``, by the names of ``env.scene``.
        patient: patient whose trunk is the torso of all steps: ``adult``, or the folder of a patient that ``insonate patient make`` wrote.
        calibration: options of `calibrate`, such as ``{"bias": 0.6, "window": (0.4, 3.2)}``.
        progress: True shows a bar for each step; a function is called with the share of the step that is done and a text.

    Raises:
        ValueError: for a name or value out of range, or logs that do not give stiffness and damping.
        FileExistsError: if the folder holds another study.
        KeyboardInterrupt: after Ctrl-C; fitted torsos and finished iterations are saved, and ``resume=True`` continues.
    """
    if resume and overwrite:
        raise ValueError("resume and overwrite exclude each other")
    several = [logs] if isinstance(logs, str | PathLike) else list(logs)
    with shown(progress, "study") as tell, in_keywords():
        summary, page = _insonate.study(
            [fspath(log) for log in several],
            held_out=[fspath(log) for log in held_out],
            truth=truth,
            words=option_words({"model": model, **(calibration or {})}),
            torso=list(torso),
            task=task,
            steps=steps,
            train_seed=train_seed,
            episodes=episodes,
            threads=threads,
            start="resume" if resume else "overwrite" if overwrite else "new",
            output=fspath(output),
            robot=dict(robot or {}),
            patient=_scene_of(patient),
            progress=tell,
        )
    return Study(json.loads(summary), page, Path(output))


def _scene_of(patient: str | PathLike[str] | None) -> dict[str, Any]:
    """The patient as settings of a scene."""
    if patient is None:
        return {}
    return {"shape": "adult"} if patient == "adult" else {"patients": [fspath(patient)]}
