"""The space of observations: a box, or a dict of state and picture where a camera is observed."""

import re
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._insonate import Environments

FloatArray: TypeAlias = NDArray[np.float32]
Observation: TypeAlias = Any
"""A `FloatArray`, or a dict of two."""

LARGEST = np.finfo(np.float32).max
PIXEL = re.compile(r"pixel_(\d+)_(\d+)_(\w+) \[")


class ObservationLayout:
    """How a row of numbers becomes an observation.

    With a camera, an observation is a dict of ``state``, shape ``[n_state]``, and ``camera``, shape ``[height, width, channels]``,
    each pixel 0 to 1; of stacked observations the channels of the newest picture are the last.
    """

    def __init__(self, environments: Environments) -> None:
        names, low, high = environments.observation_bounds
        # What has no bound of its own is finite at least, and Gymnasium wants bounds that are.
        low, high = np.maximum(low, -LARGEST), np.minimum(high, LARGEST)
        pixels = [PIXEL.match(name) for name in names]
        is_pixel = np.array([pixel is not None for pixel in pixels])
        self.is_dict = bool(is_pixel.any())
        self.single_space: spaces.Space[Any] = spaces.Box(low, high, dtype=np.float32)
        if not self.is_dict:
            return
        last = [pixel for pixel in pixels if pixel is not None][-1]
        height, width = int(last[1]) + 1, int(last[2]) + 1
        n_pixels = int(is_pixel.sum())
        n_stack = sum(1 for name in names if name.startswith("pixel_0_0_" + last[3]))
        self._frames = (n_stack, height, width, n_pixels // (n_stack * height * width))
        self._state = np.flatnonzero(~is_pixel)
        self._pixels = np.flatnonzero(is_pixel)
        shape = (height, width, n_stack * self._frames[-1])
        picture = spaces.Box(0.0, 1.0, shape=shape, dtype=np.float32)
        state = spaces.Box(low[self._state], high[self._state], dtype=np.float32)
        self.single_space = spaces.Dict({"camera": picture, "state": state})

    def arrange(self, rows: FloatArray) -> Observation:
        """Rows of numbers, shape ``[..., n_obs]``, as observations."""
        if not self.is_dict:
            return rows
        lead = rows.shape[:-1]
        frames = rows[..., self._pixels].reshape(*lead, *self._frames)
        picture = np.moveaxis(frames, -4, -2)
        shape = (*lead, *picture.shape[-4:-2], -1)
        return {
            "camera": np.ascontiguousarray(picture.reshape(shape)),
            "state": rows[..., self._state],
        }
