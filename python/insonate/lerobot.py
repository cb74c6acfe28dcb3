"""An environment whose observations are the rows of the data sets of `insonate.demonstrate`, for LeRobot.

The package ``lerobot_env_insonate`` gives it to LeRobot's own scripts; this module needs no LeRobot.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._insonate import SceneRecorder, tasks
from .env import Env
from .observation import FloatArray
from .reset_options import check_seed

LEROBOTS_OPTION = "lerobot_"
"""How names of LeRobot's own options of a reset begin."""


class LeRobotEnv(gymnasium.Env[Any, FloatArray]):
    """One environment of a task with the observations of its data sets, by the names that LeRobot expects.

    ========================== ================================================== ================================
    observation                in LeRobot                                         content
    ========================== ================================================== ================================
    ``agent_pos``              ``observation.state``                              the task's observation
    ``pixels`` [camera]        ``observation.images.<camera>``                    ``uint8`` ``[height, width, 3]``
    a signal                   ``observation.<signal>``                           as in the data set
    ========================== ================================================== ================================

    The numbers and pictures of an episode are those of ``insonate demonstrate`` with the same options and seed, bit by bit.
    An action out of bounds is clipped.

    Args:
        task_id: the task.
        cameras, camera_size, b_mode, size, lines, samples, imaging_depth: as in `insonate.demonstrate`.
        picture_seed: seed of speckle and noise: the ``seed`` of `insonate.demonstrate`.
        render_mode: ``rgb_array`` or None.
        settings: settings of the task.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        task_id: str,
        *,
        cameras: Sequence[str] = (),
        camera_size: tuple[int, int] = (128, 96),
        b_mode: bool = False,
        size: int = 320,
        lines: int = 128,
        samples: int = 512,
        imaging_depth: float | None = None,
        picture_seed: int = 0,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.env = Env(task_id, render_mode=render_mode, pictures="flat", **settings)
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self.env.metadata["render_fps"]}
        self.task = task_id
        self.task_description = dict(tasks())[task_id]
        self.action_space = self.env.action_space
        self._recorder = SceneRecorder(
            self.env.environments,
            list(cameras),
            camera_size,
            (size, lines, samples, imaging_depth) if b_mode else None,
            picture_seed,
        )
        width, height = camera_size
        shapes = {_key(name): (height, width, 3) for name in cameras}
        if b_mode:
            shapes["ultrasound"] = (size, size, 3)
        parts: dict[str, spaces.Space[Any]] = {"agent_pos": self.env.observation_space}
        if shapes:
            pictures: dict[str, spaces.Space[Any]] = {
                name: spaces.Box(0, 255, shape, np.uint8) for name, shape in shapes.items()
            }
            parts["pixels"] = spaces.Dict(pictures)
        for name, entries in self._recorder.signals:
            parts[name] = spaces.Box(-np.inf, np.inf, (len(entries),), np.float32)
        self.observation_space = spaces.Dict(parts)
        self._next_episode: int | None = None

    @property
    def _max_episode_steps(self) -> int | None:
        """Where LeRobot looks for the number of steps after which an episode is truncated."""
        return self.env.max_episode_steps

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts the episode of a seed, as ``insonate demonstrate --seed`` does; without one, the episode of the next seed."""
        if seed is None:
            seed = self._next_episode
        if seed is None:
            seed = int(self.np_random.integers(2**31))
        seed = check_seed(seed)
        super().reset(seed=seed)
        self._next_episode = seed + 1
        given = {name: value for name, value in (options or {}).items() if not name.startswith(LEROBOTS_OPTION)}
        row, info = self.env.reset(options={**given, "episode_seed": seed})
        self._recorder.begin(self.env.environments, seed)
        return self._observe(row), info

    def step(self, action: FloatArray) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Applies an action for one control step."""
        box = self.env.action_space
        assert isinstance(box, spaces.Box)
        clipped = np.clip(np.asarray(action, np.float32), box.low, box.high)
        row, reward, terminated, truncated, info = self.env.step(clipped)
        return self._observe(row), reward, terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """Image of the scene, shape ``[height, width, 3]``."""
        return self.env.render()

    def close(self) -> None:
        """Frees the environment."""
        self.env.close()

    def _observe(self, row: FloatArray) -> dict[str, Any]:
        pictures, signals = self._recorder.take(self.env.environments)
        observation: dict[str, Any] = {"agent_pos": row}
        if pictures:
            observation["pixels"] = {_key(name): picture for name, picture in pictures.items()}
        return {**observation, **signals}


def _key(camera: str) -> str:
    """Name of a camera in a data set."""
    return camera.replace("/", "_")
