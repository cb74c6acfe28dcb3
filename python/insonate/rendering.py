"""Rendering of environments, as `rgb_array` or in a window."""

import importlib.util

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ._insonate import Environments
from .window import Window

RENDER_MODES = ["rgb_array", "human"]
MAX_SIZE = 4096
"""Largest width and height [pixels]."""


def render_modes(environments: Environments) -> list[str]:
    """Available render modes: none without a camera, no window without pygame."""
    if not environments.is_drawable:
        return []
    has_window = importlib.util.find_spec("pygame") is not None
    return RENDER_MODES if has_window else ["rgb_array"]


def check_size(width: int, height: int) -> None:
    """Checks the size of images [pixels], before the environments are made."""
    for name, side in (("width", width), ("height", height)):
        if not 1 <= side <= MAX_SIZE:
            raise ValueError(f"{name} is {side} pixels, but must lie in 1 to {MAX_SIZE}")


class Rendering:
    """Rendering options of environments."""

    def __init__(
        self,
        environments: Environments,
        mode: str | None,
        camera: str | None,
        size: tuple[int, int],
    ) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {mode!r}; it must be one of {RENDER_MODES}, or None")
        self._environments = environments
        self._mode = mode
        self.camera = camera
        self.size = size
        self._window: Window | None = None

    def picture(self, env_idx: int) -> NDArray[np.uint8]:
        """Image of the camera, shape ``[height, width, 3]``."""
        drawn = self._environments.draw(env_idx, self.camera, *self.size)
        if drawn is None:
            raise gymnasium.error.Error(f"the task {self._environments.task} has no scene to draw")
        return drawn

    def show(self) -> None:
        """Shows the first environment in a window if the mode is ``human``."""
        if self._mode != "human":
            return
        picture = self.picture(0)
        if self._window is None:
            environments = self._environments
            fps = 1.0 / environments.control_timestep
            self._window = Window(f"insonate {environments.task}", *self.size, fps)
        self._window.show(picture)

    def close(self) -> None:
        """Closes the window."""
        if self._window is not None:
            self._window.close()
            self._window = None
