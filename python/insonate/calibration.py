"""Calibration: laws of tissue with confidence intervals from recorded presses."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Scene
from .progress import Progress, shown
from .results import Result, raise_stopped


class DataFrame(Protocol):
    """What `calibrate` uses of a pandas ``DataFrame``."""

    @property
    def columns(self) -> Any: ...
    def to_numpy(self) -> NDArray[Any]: ...
    def __getitem__(self, key: Any, /) -> Any: ...


Log: TypeAlias = str | PathLike[str] | Mapping[str, NDArray[np.float64]] | DataFrame
"""A file, or `float64` arrays by name."""

Option: TypeAlias = bool | int | float | str | Sequence[float] | Mapping[str, Any] | None
"""Value of an option: True for a switch, numbers, a word, several numbers, or columns and units by name."""


@dataclass(frozen=True, eq=False)
class Calibration(Result):
    """Laws of several logs and their pooled parameters; the table has one row for each parameter of each log."""

    logs: list[dict[str, Any]]
    """The result of each log, as `calibrate` returns it for one."""
    softness: str
    """The softness file: ``Path("softness.toml").write_text(calibration.softness)`` for `Scene(softness=…)`."""
    no_softness: str | None
    """Why the logs give no stiffness and damping for a scene; None if they do."""
    html: str
    """The report as an HTML page, as ``report.html`` of the command."""

    def _repr_html_(self) -> str:
        return self.html


@overload
def calibrate(
    log: Log,
    *,
    model: str | None = None,
    rate: float | None = None,
    episode: int | None = None,
    robot: Scene | None = None,
    fit_scene: None = None,
    map: Literal[False] = False,
    places: None = None,
    output: None = None,
    overwrite: bool = False,
    progress: Progress = False,
    **options: Option,
) -> dict[str, Any]: ...


@overload
def calibrate(
    log: list[Any] | tuple[Log, ...],
    *,
    model: str | None = None,
    rate: float | None = None,
    episode: int | None = None,
    robot: Scene | None = None,
    fit_scene: Scene | None = None,
    map: bool = False,
    places: Mapping[str, Sequence[float]] | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = False,
    **options: Option,
) -> Calibration: ...


def calibrate(
    log: Log | list[Any] | tuple[Log, ...],
    *,
    model: str | None = None,
    rate: float | None = None,
    episode: int | None = None,
    robot: Scene | None = None,
    fit_scene: Scene | None = None,
    map: bool = False,
    places: Mapping[str, Sequence[float]] | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = False,
    **options: Option,
) -> dict[str, Any] | Calibration:
    """Fits a law of tissue to a recorded press, or to those of a list, as ``insonate calibrate --no-simulation`` does.

    Args:
        log: a file that the command reads, or a dict of `float64` arrays: ``time`` [s], shape ``[n]``; ``indentation`` [m], shape ``[n]``,
            or ``position`` [m], shape ``[n]`` or ``[n, 3]``; ``force`` [N] and perhaps ``velocity`` [m/s], shape ``[n]`` or ``[n, 3]``; or a
            pandas ``DataFrame`` with these columns, shape ``[n]`` each. Or a list of logs, each of one site.
        model: one of `laws`, or ``auto``, which compares them [default: ``kelvin-voigt``].
        rate: sampling rate of a file without time [Hz].
        episode: which episode of a file that holds several.
        robot: a scene whose arm recorded joint positions; its kinematics give the position of the flange.
        fit_scene: with a list of logs, a scene whose torso is tuned until a simulated press measures the same.
        map: with a list of logs, maps of stiffness and damping over the skin: ``summary["map"]``, and in the softness file, so that
            `Scene(softness=…)` has them. Logs that contain positions in space need no `places`.
        places: positions [m] of the logs' sites in a common frame, ``(x, y)`` or ``(x, y, z)``, by the names of the logs without folder
            and extension; those of arrays are ``arrays-1``, ``arrays-2``, …
        output: with a list of logs, a folder for the files of the command.
        overwrite: remove what another command wrote into the folder.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **options: the other options of the command with their names, such as ``bias=0.6``, ``window=(0.4, 3.2)``, ``fit_offset=True``,
            ``loss="huber"``, ``tip="sphere:0.02"``, ``bootstrap=500``, ``columns={"time": 1, "force": 5}``,
            ``units={"indentation": "mm"}``; ``insonate calibrate --help`` lists them with units and ranges.

    Returns:
        Of one log ``model``; ``parameters`` by name, each with ``value``, ``unit``, ``standard_error``, ``ci95``, ``identifiable``,
        ``reason``; ``r_squared``, ``rmse_n`` [N], ``n`` samples, ``force_bias`` [N], ``window`` [s], ``notes``.
        Of a list a `Calibration`, whose ``summary`` is ``result.json`` of the command.

    Raises:
        FileNotFoundError, ValueError, TypeError: for a log that is not there, cannot be read, or cannot be calibrated, and for options
            out of range.
    """
    words = option_words({"model": model, "rate": rate, "episode": episode, **options})
    several = list(log) if isinstance(log, list | tuple) else None
    single = several is None
    if single and (fit_scene is not None or output is not None or map):
        raise ValueError("fit_scene, map and output need a list of logs; give [log]")
    if places is not None and not map:
        raise ValueError("places is for a map; give map=True")
    logs = [_given(one) for one in ([log] if several is None else several)]
    if not logs:
        raise ValueError("log is empty; give at least one recorded press")
    with shown(progress, "calibrating") as tell, in_keywords():
        summary, softness, page, each, problem, stopped = _insonate.calibrate(
            logs,
            words,
            robot=robot,
            fit_scene=fit_scene,
            map=map,
            places=None if places is None else {name: _place(name, place) for name, place in places.items()},
            with_report=not single,
            output=None if output is None else fspath(output),
            overwrite=overwrite,
            progress=tell,
        )
    if single:
        raise_stopped(each[0], stopped)
        return each[0]
    figures = json.loads(summary)
    result = Calibration(figures, _table(figures), each, softness, problem, page or "")
    raise_stopped(result, stopped)
    return result


def option_words(options: Mapping[str, Option]) -> list[str]:
    """Options as words of the command line."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words[-1] += f"={_word(value)}"
    return words


@contextmanager
def in_keywords() -> Iterator[None]:
    """Lets errors name keywords in place of the command's options."""
    try:
        yield
    except ValueError as error:
        text = re.sub(r"invalid value '(.*?)' for '--([a-z-]+)[^']*'", r"--\2 is '\1'", str(error))
        keyword = re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), text)
        raise type(error)(keyword) from None


def _word(value: Option) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={part}" for name, part in value.items())
    if isinstance(value, str):
        return value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Sequence | np.ndarray):
        return ",".join(_word(part) for part in value)
    return repr(value) if isinstance(value, int) else repr(float(value))  # type: ignore[arg-type]


def _place(name: str, place: Sequence[float]) -> tuple[float, float, float]:
    numbers = np.asarray(place, np.float64)
    if numbers.shape not in ((2,), (3,)) or not (np.abs(numbers) <= 100.0).all():
        raise ValueError(f"places[{name!r}] is {place!r}, but must be 2 or 3 numbers from -100 to 100 m")
    x, y, *z = numbers.tolist()
    return x, y, *(z or [0.0])


def _given(log: Any) -> Any:
    """A path as text, arrays as a dict, a table as it is."""
    if isinstance(log, str | PathLike):
        return Path(log)
    return dict(log) if isinstance(log, Mapping) else log


def _table(figures: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    rows = [
        (log["file"], name, found["value"], found["standard_error"])
        for log in figures["logs"]
        for name, found in log["parameters"].items()
    ]
    files, names, values, errors = zip(*rows, strict=True) if rows else ((), (), (), ())
    return {
        "log": np.array(files, dtype=np.str_),
        "parameter": np.array(names, dtype=np.str_),
        "value": np.array(values, dtype=np.float64),
        "standard_error": np.array(errors, dtype=np.float64),
    }
