"""What the compiled module holds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

__version__: str

class Error(Exception):
    """What insonate cannot do."""

class SimulationError(Error):
    """A scene that cannot be compiled or drawn, or a simulation that failed."""

class OrderError(Error):
    """A call out of order, such as a step before the first reset, from two threads at once, or after a fork."""

class ClosedError(OrderError):
    """A call after `close`."""

def set_library(file: str | Path) -> None:
    """Names the file of libmujoco, which is loaded when the first scene is compiled."""

def tasks() -> list[tuple[str, str]]:
    """Names and summaries of all tasks."""

def default_settings(task: str) -> dict[str, Any]:
    """Every setting of a task with its default; SI units.

    Raises:
        ValueError: for an unknown task.
    """

def load_policy(path: str | Path) -> Policy:
    """Reads a policy file, or the one in the folder of a training.

    Raises:
        FileNotFoundError, ValueError: for a file that is not there, or is no whole policy.
    """

class Policy:
    """A deterministic policy: the mean action, clipped to its bounds."""

    task: str
    """Task that it was trained for, such as ``probe-sweep``."""
    n_trained_steps: int
    """Steps of all environments that it was trained for."""
    observation_names: list[str]
    """Names of what it observes, with units, shape ``[n_obs]``."""
    action_names: list[str]
    """Names of its actions, with units, shape ``[n_actions]``."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the environments that it was trained in."""

    def __call__(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Actions, shape ``[n_actions]`` or ``[n, n_actions]``, for observations of shape ``[n_obs]`` or ``[n, n_obs]``.

        Raises:
            ValueError, TypeError: for another shape or dtype, NaN and infinity.
        """

class Environments:
    """Environments of a task that step together: what `Env` and `VectorEnv` are made of."""

    def __new__(
        cls, task: str, n_envs: int, settings: dict[str, Any], autoreset: str, n_threads: int
    ) -> Self: ...
    @property
    def task(self) -> str:
        """Name of the task."""

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting with its value."""

    @property
    def observation_bounds(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32]]:
        """Names with units, lower and upper bounds of an observation, shape ``[n_obs]`` each."""

    @property
    def action_bounds(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32]]:
        """Names with units, lower and upper bounds of an action, shape ``[n_actions]`` each."""

    @property
    def control_timestep(self) -> float:
        """Simulated time of one step [s]."""

    @property
    def max_episode_steps(self) -> int | None:
        """Steps after which an episode is truncated."""

    @property
    def parameter_names(self) -> list[str]:
        """Names of the random parameters, with units."""

    @property
    def n_threads(self) -> int:
        """Threads that step, the caller's among them."""

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""

    def begin(
        self,
        seeds: Sequence[int | None],
        parameters: Mapping[str, float],
        mask: Sequence[bool] | None = None,
    ) -> NDArray[np.float32]:
        """Begins episodes where `mask` is true; observations of all, shape ``[n_envs, n_obs]``."""

    def begin_episode(
        self, env_idx: int, episode_seed: int, parameters: Mapping[str, float]
    ) -> NDArray[np.float32]:
        """Begins one certain episode in one environment; observations of all, shape ``[n_envs, n_obs]``."""

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One step of all: observations ``[n_envs, n_obs]``, rewards, ends and cuts ``[n_envs]``, infos.

        Args:
            actions: `float32`, C-contiguous, shape ``[n_envs, n_actions]``, within their bounds.

        Raises:
            ValueError, TypeError: for other actions; nothing has moved then.
            OrderError: where an environment must be reset first.
        """

    def step_alone(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step of an environment that is alone."""

    def reward_terms(self) -> dict[str, NDArray[np.float32]]:
        """Weighted terms of the last step's rewards by name, shape ``[n_envs]`` each."""

    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """Random parameters of the present episodes by name, shape ``[n_envs]`` each; SI units."""

    def scripted_actions(self) -> NDArray[np.float32] | None:
        """Actions of the task's scripted policy, shape ``[n_envs, n_actions]``; None: it has none."""

    def draw(
        self, env_idx: int, camera: str | None, width: int, height: int
    ) -> NDArray[np.uint8] | None:
        """What a camera sees of one environment, shape ``[height, width, 3]``; None without a scene."""

    def shut(self) -> None:
        """Ends the threads; every later call but this is a `ClosedError`."""
