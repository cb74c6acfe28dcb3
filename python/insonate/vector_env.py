"""Vectorised environments with Gymnasium's vector API, stepped on threads of Rust."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import _freed_memory
from ._insonate import Environments
from .copies import recall, remake, remembered
from .observation import FloatArray, Observation, ObservationLayout
from .registration import spec_with_limit
from .rendering import RENDER_MODES, Rendering, check_size, render_modes
from .reset_options import check_seed, mask_of, parameters_of

Seeds: TypeAlias = int | Sequence[int | None] | NDArray[np.integer[Any]] | None
Stepped: TypeAlias = tuple[
    Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]


class VectorEnv(Environments, GymnasiumVectorEnv[Any, FloatArray, Any]):
    """Vectorised environments of a task.

    The same seed and actions give the same bits on any number of threads, and as the task in Rust. Returned arrays are new.

    Args:
        task_id: name of the task, such as ``probe-sweep``; `insonate.tasks` lists them.
        num_envs: number of environments.
        n_threads: number of threads that step, including the caller's thread; 0: one per core.
        autoreset_mode: when an environment is reset after the end of an episode. With ``DISABLED``, a reset with
            ``options={"reset_mask": mask}`` resets the environments where the mask, `bool` of shape ``[num_envs]``, is true.
        render_mode, camera, width, height, pictures, max_episode_steps, settings: as in `insonate.Env`.

    Attributes and methods have the names of `insonate.Env`; values of one environment are arrays, shape ``[num_envs, ...]``.

    At the end of an episode ``infos`` has the entries of `insonate.Env` as arrays with masks. With ``SAME_STEP`` they are in
    ``final_info``, next to ``final_obs``.
    """

    metadata: dict[str, Any] = {
        "render_modes": RENDER_MODES,
        "render_fps": 50,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    _spec: EnvSpec | None = None

    def __new__(
        cls,
        task_id: str,
        num_envs: int = 1,
        *,
        n_threads: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: str | None = None,
        width: int = 640,
        height: int = 480,
        pictures: str = "uint8",
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> "VectorEnv":
        """Creates the environments."""
        check_size(width, height)
        mode = _mode(autoreset_mode).name.lower()
        return super().__new__(cls, task_id, num_envs, settings, mode, n_threads, max_episode_steps)

    def __init__(
        self,
        task_id: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: str | None = None,
        width: int = 640,
        height: int = 480,
        pictures: str = "uint8",
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        self._layout = ObservationLayout(self, pictures)
        self._rendering = Rendering(self, render_mode, camera, (width, height))
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.metadata = {
            **self.metadata,
            "render_modes": render_modes(self),
            "render_fps": round(1.0 / self.control_timestep),
            "autoreset_mode": _mode(autoreset_mode),
        }
        _, low, high = self.action_bounds
        self.single_observation_space = self._layout.single_space
        self.single_action_space = spaces.Box(low, high, dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_seed = False
        # If Python has nothing to add, `step` is the compiled method.
        is_plain = not self._layout.is_dict and render_mode != "human"
        if not is_plain and type(self).step is VectorEnv.step:
            self.step = self._step_and_arrange  # type: ignore[method-assign]

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Resets the environments.

        A whole number seeds environment i with ``seed + i``. A sequence or array has one seed per environment. None continues the streams of seeds.
        """
        rows = self.begin(
            self._seeds(seed), parameters_of(options), mask_of(options, self.num_envs)
        )
        self._has_seed = True
        self._rendering.show()
        return self._layout.arrange(rows), {}

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification, with the limit of steps of an episode; None if the environment was not made by Gymnasium."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = spec_with_limit(spec, self.max_episode_steps)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Images of all environments, shape ``[height, width, 3]`` each; None unless `render_mode` is ``rgb_array``."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(self._rendering.picture(env_idx) for env_idx in range(self.num_envs))

    def save(self) -> bytes:
        """The state as bytes, as `insonate.Env.save`."""
        return self.snapshot(self._has_seed)

    def restore(self, state: bytes) -> Observation:
        """Goes back to a saved state of as many environments with the same task and settings, as `insonate.Env.restore`.

        Returns:
            The observations of that state; zeros for environments before their first reset.
        """
        self._has_seed, rows = self.resume(state)
        return self._layout.arrange(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """What `pickle` and `copy` make a copy from."""
        return remake, (type(self), (self.task, self.num_envs), self._keywords()), remembered(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        recall(self, state)

    def _keywords(self) -> dict[str, Any]:
        width, height = self._rendering.size
        return {
            "n_threads": self.n_threads,
            "autoreset_mode": self.metadata["autoreset_mode"],
            "render_mode": self.render_mode,
            "camera": self._rendering.camera,
            "width": width,
            "height": height,
            "pictures": self._layout.pictures,
            **self.settings,
        }

    def close_extras(self, **_: Any) -> None:
        """Frees the environments. Only further calls of `close` are allowed."""
        self._rendering.close()
        self.shut()
        _freed_memory.return_to_system()

    def _step_and_arrange(self, actions: ArrayLike) -> Stepped:
        rows, rewards, terminated, truncated, infos = Environments.step(self, actions)
        if "final_obs" in infos:
            infos["final_obs"] = self._layout.arrange(infos["final_obs"])
        self._rendering.show()
        return self._layout.arrange(rows), rewards, terminated, truncated, infos

    def _seeds(self, seed: Seeds) -> list[int | None]:
        if seed is None:
            if self._has_seed:
                return [None] * self.num_envs
            first = int(self.np_random.integers(2**31))
            return [first + env_idx for env_idx in range(self.num_envs)]
        if isinstance(seed, np.ndarray) and seed.ndim > 0:
            if seed.ndim != 1 or not np.issubdtype(seed.dtype, np.integer):
                raise ValueError(
                    f"seed is an array of dtype {seed.dtype} and shape {seed.shape}, "
                    f"but must hold whole numbers and have shape ({self.num_envs},)"
                )
            seed = seed.tolist()
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds were given for {self.num_envs} environments")
            return [None if one is None else check_seed(one) for one in seed]
        first = check_seed(seed.item() if isinstance(seed, np.ndarray) else seed)
        self._np_random, self._np_random_seed = seeding.np_random(first)
        return [first + env_idx for env_idx in range(self.num_envs)]


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of a name such as ``next_step``."""
    if isinstance(mode, AutoresetMode):
        return mode
    known = {known.name.lower(): known for known in AutoresetMode}
    if mode.lower() not in known:
        raise ValueError(f"autoreset_mode is {mode!r}; it must be one of {sorted(known)}")
    return known[mode.lower()]
