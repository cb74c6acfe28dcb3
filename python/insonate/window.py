"""A window that shows images, for `render_mode="human"`."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray


class Window:
    """Shows a sequence of images. Needs pygame."""

    def __init__(self, title: str, width: int, height: int, fps: float) -> None:
        try:
            import pygame
        except ImportError as error:
            raise gymnasium.error.DependencyNotInstalled(
                'render_mode "human" needs pygame: pip install "insonate[human]"'
            ) from error
        self._pygame: Any = pygame
        pygame.display.init()
        pygame.display.set_caption(title)
        self._screen: Any = pygame.display.set_mode((width, height))
        self._clock: Any = pygame.time.Clock()
        self._fps = fps

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows an image, shape ``[height, width, 3]``, at the frame rate of the simulation."""
        surface = self._pygame.surfarray.make_surface(picture.transpose(1, 0, 2))
        self._screen.blit(surface, (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()
