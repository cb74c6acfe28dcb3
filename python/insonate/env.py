"""One environment with Gymnasium's API."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from ._insonate import Environments
from .copies import recall, remake, remembered
from .observation import FloatArray, Observation, ObservationLayout
from .registration import spec_with_limit
from .rendering import RENDER_MODES, Rendering, check_size, render_modes
from .reset_options import check_seed, episode_of, parameters_of


class Env(gymnasium.Env[Any, FloatArray]):
    """One environment of a task.

    The same seed and actions give the same bits as environment 0 of a `VectorEnv`, and as the task in Rust.

    Args:
        task_id: name of the task, such as ``probe-sweep``; `insonate.tasks` lists them.
        render_mode: ``rgb_array``, ``human`` (a window; needs pygame) or None.
        camera: name of a camera of the scene; None: the close one.
        width, height: size of images [pixels].
        pictures: observed images: ``uint8``, 0 to 255 (depth is `float32`, 0 to 1); ``float32``, 0 to 1; ``flat``: no dict, but one
            row of `float32`, as policy files need it.
        max_episode_steps: number of steps after which an episode is truncated; None: that of the settings. It sets the task's own
            limit, such as ``time.limit``.
        settings: settings of the task with their names on the command line, dotted or nested:
            ``**{"scene.robot": "ur5e"}`` or ``scene={"robot": "ur5e"}``; `insonate.default_settings` lists them.

    The ``options`` of a reset fix randomised parameters of the episode, by the names in `parameters` or by the setting that holds
    their range: ``{"torso.stiffness": 1400.0}`` or ``{"stiffness": 1400.0}``.
    The option ``episode_seed`` repeats the episode with that seed, which its ``info`` contains.
    If the task has costs, every ``info`` has ``cost``, the sum of the costs in the step, as in Safety-Gymnasium.
    The last ``info`` of an episode has ``metrics``, ``parameters``, ``reward_terms`` and ``costs`` (sums), each by name,
    ``is_success`` if the task defines success, ``end_reason`` (in words, with the limit that was exceeded) and ``episode_seed``.
    Tasks with a probe add ``verdict``, ``"passed"`` or ``"failed"``, and ``reasons``, a list of strings that is empty if it passed;
    the limits are the settings ``verdict``. A reset fails if the robot starts inside another part; the error names both and the depth.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 50}
    _spec: EnvSpec | None = None

    def __init__(
        self,
        task_id: str,
        *,
        render_mode: str | None = None,
        camera: str | None = None,
        width: int = 640,
        height: int = 480,
        pictures: str = "uint8",
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        check_size(width, height)
        self.environments = Environments(task_id, 1, settings, "disabled", 1, max_episode_steps)
        self._layout = ObservationLayout(self.environments, pictures)
        self._rendering = Rendering(self.environments, render_mode, camera, (width, height))
        _, low, high = self.environments.action_bounds
        self.render_mode = render_mode
        self.metadata = {
            **self.metadata,
            "render_modes": render_modes(self.environments),
            "render_fps": round(1.0 / self.environments.control_timestep),
        }
        self.observation_space = self._layout.single_space
        self.action_space = spaces.Box(low, high, dtype=np.float32)
        self._has_seed = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Resets the environment. `seed` starts a new stream of episode seeds; without it the next seed of the stream is used."""
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        if seed is None and not self._has_seed:
            seed = int(self.np_random.integers(2**31))
        self._has_seed = True
        parameters, episode = parameters_of(options), episode_of(options)
        if episode is None:
            rows = self.environments.begin([seed], parameters)
        else:
            rows = self.environments.begin_episode(0, episode, parameters)
        self._rendering.show()
        return self._layout.arrange(rows[0]), {}

    def step(
        self, action: FloatArray
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Applies an action for one control step.

        Args:
            action: real numbers of any type, shape ``[n_actions]``, within their bounds; a value that rounding left one unit in the
                last place outside is clipped.

        Raises:
            ValueError, TypeError: for an invalid action; the environment has not moved then.
            OrderError: if the environment must be reset first.
        """
        row, reward, terminated, truncated, info = self.environments.step_alone(action)
        self._rendering.show()
        return self._layout.arrange(row), reward, terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """Image of the camera, shape ``[height, width, 3]``; None unless `render_mode` is ``rgb_array``."""
        return self._rendering.picture(0) if self.render_mode == "rgb_array" else None

    def save(self) -> bytes:
        """The state as bytes, from which `restore` goes on with the same bits.

        It holds the stream of episode seeds, and seed, parameters and actions of the episode. Gymnasium's own generators
        (`np_random`, and those of the spaces) are not in it; `copy.deepcopy` and `pickle` keep them too.
        """
        return self.environments.snapshot(self._has_seed)

    def restore(self, state: bytes) -> Observation:
        """Goes back to a saved state of an environment with the same task and settings, by repeating its episode.

        This takes as long as the steps of the episode so far. `reward_terms` are zero until the next step.

        Returns:
            The observation of that state; zeros before the first reset.

        Raises:
            ValueError: for bytes that are no such state; the environment is as it was.
            SimulationError: if the repeated episode differs, as on another machine; the environment is as it was.
            KeyboardInterrupt: after Ctrl-C; the environment must be reset or restored.
        """
        self._has_seed, rows = self.environments.resume(state)
        return self._layout.arrange(rows[0])

    def __reduce__(self) -> tuple[Any, ...]:
        """What `pickle` and `copy` make a copy from."""
        return remake, (type(self), (self.task,), self._keywords()), remembered(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        recall(self, state)

    def _keywords(self) -> dict[str, Any]:
        width, height = self._rendering.size
        return {
            "render_mode": self.render_mode,
            "camera": self._rendering.camera,
            "width": width,
            "height": height,
            "pictures": self._layout.pictures,
            **self.settings,
        }

    def close(self) -> None:
        """Frees the environment. Only further calls of `close` are allowed."""
        self._rendering.close()
        self.environments.shut()

    def scripted_action(self) -> FloatArray | None:
        """Action of the task's scripted policy, shape ``[n_actions]``; None if the task has no scripted policy."""
        actions = self.environments.scripted_action()
        return None if actions is None else actions[0]

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification, with the limit of steps of an episode; None if the environment was not made by Gymnasium."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = spec_with_limit(spec, self.max_episode_steps)

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.environments.task

    @property
    def settings(self) -> dict[str, Any]:
        """All settings with their values."""
        return self.environments.settings

    @property
    def parameters(self) -> dict[str, float]:
        """Randomised parameters of the episode by name."""
        return {name: float(value[0]) for name, value in self.environments.parameters.items()}

    @property
    def reward_terms(self) -> dict[str, float]:
        """Weighted terms of the last step's reward by name. Their sum is the reward."""
        return {name: float(value[0]) for name, value in self.environments.reward_terms.items()}

    @property
    def observation_names(self) -> list[str]:
        """Names of the observation's entries, with units."""
        return self.environments.observation_names

    @property
    def action_names(self) -> list[str]:
        """Names of the action's entries, with units."""
        return self.environments.action_names

    @property
    def parameter_names(self) -> list[str]:
        """Names of the randomised parameters, with units."""
        return self.environments.parameter_names

    @property
    def control_timestep(self) -> float:
        """Simulated time of one step [s]."""
        return self.environments.control_timestep

    @property
    def max_episode_steps(self) -> int | None:
        """Number of steps after which an episode is truncated."""
        return self.environments.max_episode_steps
