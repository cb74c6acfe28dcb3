"""The observation space: a box, or a dict of state and images if a camera or ultrasound is observed."""

import math
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._insonate import Environments

FloatArray: TypeAlias = NDArray[np.float32]
Observation: TypeAlias = Any
"""A `FloatArray`, or a dict of them."""

LARGEST = np.finfo(np.float32).max
PICTURES = ("uint8", "float32", "flat")
WHITE = 255


class Picture:
    """The entries of a row that form an image of shape rows, columns, channels from the oldest to the newest.

    Args:
        indices: the entries, oldest image first.
        shape: rows, columns and channels of one image.
        most: the greatest value of an entry.
        is_whole: whether the image has whole numbers from 0 to 255.
    """

    def __init__(self, indices: NDArray[np.intp], shape: list[int], most: float, is_whole: bool) -> None:
        height, width, channels = shape
        n_stack = len(indices) // (height * width * channels)
        self.indices = indices
        self._frames = (n_stack, height, width, channels)
        self.shape = (height, width, n_stack * channels)
        self._is_whole = is_whole
        self._scale = np.float32(WHITE / most)
        self.space = (
            spaces.Box(0, WHITE, self.shape, np.uint8)
            if is_whole
            else spaces.Box(0.0, most, self.shape, np.float32)
        )

    def of(self, rows: FloatArray) -> NDArray[Any]:
        """Extracts the image from rows of numbers, shape ``[..., n_obs]``."""
        lead = rows.shape[:-1]
        frames = rows[..., self.indices].reshape(*lead, *self._frames)
        image = np.ascontiguousarray(np.moveaxis(frames, -4, -2).reshape(*lead, *self.shape))
        return np.rint(image * self._scale).astype(np.uint8) if self._is_whole else image


class ObservationLayout:
    """Conversion of a row of numbers to an observation.

    With a camera or ultrasound, an observation is a dict of ``state``, shape ``[n_state]``; ``camera``, shape
    ``[height, width, channels]``; ``b_mode``, ``labels``, ``confidence``, ``liver`` and ``kidney``, shape ``[lines, samples, 1]``.
    In stacked observations the channels of the newest image are the last.

    Args:
        environments: the environments.
        pictures: ``uint8``: images are `uint8`, 0 to 255, and depth is `float32`, 0 to 1, because 8 bits are too coarse for it;
            ``float32``: images are `float32`, 0 to 1, labels 0 to 255; ``flat``: no dict, but one row of `float32`, as policy files
            need it.
    """

    def __init__(self, environments: Environments, pictures: str = "uint8") -> None:
        if pictures not in PICTURES:
            raise ValueError(f"pictures is {pictures!r}, but must be one of {PICTURES}")
        self.pictures = pictures
        _, low, high = environments.observation_bounds
        # Gymnasium needs finite bounds: entries without bounds get the greatest finite ones.
        low, high = np.maximum(low, -LARGEST), np.minimum(high, LARGEST)
        # Entries of each group, and its last description: groups of a stack share their names.
        entries: dict[str, list[NDArray[np.intp]]] = {}
        groups: dict[str, tuple[list[int], str]] = {}
        first = 0
        for name, shape, _, kind, _ in environments.observation_groups:
            last = first + math.prod(shape)
            entries.setdefault(name, []).append(np.arange(first, last))
            groups[name] = (shape, kind)
            first = last
        indices = {name: np.concatenate(ranges) for name, ranges in entries.items()}
        images = {name: group for name, group in groups.items() if group[1] != "state" and pictures != "flat"}
        self._pictures = {
            name: Picture(
                indices[name], shape, float(high[indices[name][0]]), pictures == "uint8" and kind != "depth"
            )
            for name, (shape, kind) in images.items()
        }
        self.is_dict = bool(self._pictures)
        self.single_space: spaces.Space[Any] = spaces.Box(low, high, dtype=np.float32)
        if not self.is_dict:
            return
        self._state = indices["state"]
        parts: dict[str, spaces.Space[Any]] = {
            name: picture.space for name, picture in self._pictures.items()
        }
        parts["state"] = spaces.Box(low[self._state], high[self._state], dtype=np.float32)
        self.single_space = spaces.Dict(parts)

    def arrange(self, rows: FloatArray) -> Observation:
        """Converts rows of numbers, shape ``[..., n_obs]``, to observations."""
        if not self.is_dict:
            return rows
        pictures = {name: picture.of(rows) for name, picture in self._pictures.items()}
        return {**pictures, "state": rows[..., self._state]}
