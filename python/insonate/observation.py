"""The observation space: a box, or a dict of state and images if a camera or ultrasound is observed."""

import re
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._insonate import Environments

FloatArray: TypeAlias = NDArray[np.float32]
Observation: TypeAlias = Any
"""A `FloatArray`, or a dict of them."""

LARGEST = np.finfo(np.float32).max
PIXEL = re.compile(r"(pixel|b_mode|labels|confidence|liver|kidney)_(\d+)_(\d+)(_\w+)? \[")
KEYS = {"pixel": "camera"}
PICTURES = ("uint8", "float32", "flat")
WHITE = 255


class Picture:
    """The entries of a row that form an image, and its shape: rows, columns, channels from the oldest to the newest."""

    def __init__(self, word: str, pixels: list[re.Match[str] | None], most: float, is_whole: bool) -> None:
        own = [at for at, pixel in enumerate(pixels) if pixel is not None and pixel[1] == word]
        found = [pixel for pixel in (pixels[at] for at in own) if pixel is not None]
        first, last = found[0], found[-1]
        height, width = int(last[2]) + 1, int(last[3]) + 1
        n_stack = sum(1 for pixel in found if pixel[0] == first[0])
        self.key = KEYS.get(word, word)
        self.indices = np.array(own)
        self._frames = (n_stack, height, width, len(own) // (n_stack * height * width))
        self.shape = (height, width, n_stack * self._frames[-1])
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
        names, low, high = environments.observation_bounds
        # Gymnasium needs finite bounds: entries without bounds get the greatest finite ones.
        low, high = np.maximum(low, -LARGEST), np.minimum(high, LARGEST)
        pixels = [PIXEL.match(name) for name in names]
        firsts = {pixel[1]: at for at, pixel in reversed(list(enumerate(pixels))) if pixel is not None}
        kind = environments.settings.get("observation", {}).get("camera", {}).get("kind")
        self._pictures = [
            Picture(word, pixels, float(high[at]), pictures == "uint8" and not (word == "pixel" and kind == "depth"))
            for word, at in (firsts.items() if pictures != "flat" else ())
        ]
        self.is_dict = bool(self._pictures)
        self.single_space: spaces.Space[Any] = spaces.Box(low, high, dtype=np.float32)
        if not self.is_dict:
            return
        self._state = np.array([at for at, pixel in enumerate(pixels) if pixel is None])
        entries: dict[str, spaces.Space[Any]] = {
            picture.key: picture.space for picture in self._pictures
        }
        entries["state"] = spaces.Box(low[self._state], high[self._state], dtype=np.float32)
        self.single_space = spaces.Dict(entries)

    def arrange(self, rows: FloatArray) -> Observation:
        """Converts rows of numbers, shape ``[..., n_obs]``, to observations."""
        if not self.is_dict:
            return rows
        pictures = {picture.key: picture.of(rows) for picture in self._pictures}
        return {**pictures, "state": rows[..., self._state]}
