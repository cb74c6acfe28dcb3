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

def write_policy(
    path: str | Path,
    environments: Environments,
    layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]],
    activation: str,
    moments: tuple[list[float], list[float], float] | None,
    seed: int,
    n_trained_steps: int,
) -> None:
    """Writes a policy file of what was trained elsewhere; `insonate.save_policy` is what to call."""

def calibrate(
    log: str | Path | Mapping[str, NDArray[np.float64]],
    *,
    model: str | None = None,
    rate: float | None = None,
    episode: int | None = None,
) -> dict[str, Any]:
    """Fits a law of tissue to a recorded press.

    Args:
        log: a file (.csv, .npy, .npz, .parquet), or a dict of `float64` arrays of shape ``[n]``: ``time`` [s], ``indentation`` or
            ``position`` [m], ``force`` [N], and perhaps ``velocity`` [m/s].
        model: one of `laws`, or ``auto``; None: the command line's default.
        rate: sampling rate of a file without time [Hz].
        episode: which episode of a file that holds several.

    Returns:
        ``model``; ``parameters`` by name, each with ``value``, ``unit``, ``standard_error``, ``ci95``, ``identifiable``, ``reason``;
        ``r_squared``, ``rmse_n`` [N], ``n`` samples, ``force_bias`` [N], ``window`` [s], ``notes``.

    Raises:
        FileNotFoundError, ValueError, TypeError: for a log that is not there, cannot be read, or cannot be calibrated.
    """

def laws() -> list[tuple[str, str]]:
    """Names and summaries of the laws that `calibrate` knows."""

def parts() -> list[tuple[str, list[str]]]:
    """Names of the ``robots``, ``probes``, ``torsos`` and ``shapes`` that a scene is made of."""

class Scene:
    """A robot with a probe over a torso, as the command line's options describe it.

    Args:
        robot, probe, torso, shape: of `parts`; a torso None is none.
        stiffness: of the tissue [N/m]. damping: [N·s/m].
        breathing_rate: breaths per second [Hz]; 0: none. breathing_amplitude: rise of the chest [m].
        count: lattice points across, through and along the patient. spacing: distance of neighbours [m].
        timestep: of physics [s].
        robot_position: of the base in world [m].

    Raises:
        ValueError: for an unknown name or a value out of range.
    """

    def __new__(
        cls,
        robot: str = "panda",
        probe: str = "c5-2",
        torso: str | None = "fast",
        *,
        shape: str = "cylinder",
        stiffness: float | None = None,
        damping: float | None = None,
        breathing_rate: float = 0.0,
        breathing_amplitude: float = 0.008,
        count: tuple[int, int, int] | None = None,
        spacing: float | None = None,
        timestep: float = 0.002,
        robot_position: tuple[float, float, float] | None = None,
    ) -> Self: ...
    @property
    def name(self) -> str:
        """Such as ``panda_c5-2_fast``."""

    @property
    def timestep(self) -> float:
        """Length of a physics step [s]."""

    def to_xml(self) -> str:
        """One standalone MJCF file, which `mujoco.MjModel.from_xml_string` takes."""

    def skin(self, x: float, y: float) -> tuple[list[float], list[float]]:
        """Position [m] and outward normal in world of the skin above ``(x, y)`` [m] of the torso's frame."""

class Physics:
    """A scene that runs, with a controller before each step."""

    def __new__(cls, scene: Scene) -> Self: ...
    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @property
    def timestep(self) -> float:
        """Length of a step [s]."""

    @property
    def qpos(self) -> NDArray[np.float64]:
        """A copy of MuJoCo's generalised positions, shape ``[nq]``."""

    @property
    def qvel(self) -> NDArray[np.float64]:
        """A copy of MuJoCo's generalised velocities, shape ``[nv]``."""

    @property
    def ctrl(self) -> NDArray[np.float64]:
        """A copy of the motors' torques [N·m], shape ``[nu]``; to set them ends what a controller did."""

    @ctrl.setter
    def ctrl(self, torques: NDArray[np.float64]) -> None: ...
    def reset(self) -> None:
        """Back to the home pose at time 0, without controller."""

    def step(self, n: int = 1) -> None:
        """Steps `n` times; Ctrl-C ends it between steps.

        Raises:
            SimulationError: where the simulation diverges.
        """

    @staticmethod
    def quantities() -> list[tuple[str, str, str, str]]:
        """What `read` knows: name, unit, shape and a line of text."""

    def read(self, name: str) -> NDArray[np.float64]:
        """A quantity by name in row-major order, SI units; empty where the scene does not have it."""

    def pose_on_skin(
        self, x: float, y: float, lift: float = 0.0
    ) -> tuple[list[float], list[float]]:
        """Position [m] and quaternion wxyz of the probe's face `lift` [m] above the skin, facing it."""

    def place(self, position: Sequence[float], quaternion: Sequence[float]) -> None:
        """Puts the arm at rest with the probe's face at a pose in world, and sets the force sensor's zero.

        Raises:
            SimulationError: where the arm does not reach.
        """

    def control_pose(
        self, position: Sequence[float], quaternion: Sequence[float], stiffness: float | None = None
    ) -> None:
        """Holds the probe's face at a pose in world; stiffness per unit of task inertia [1/s²]."""

    def control_force(
        self, position: Sequence[float], quaternion: Sequence[float], force: float
    ) -> None:
        """Presses with a force [N] along the probe's axis, and holds the pose across it."""

    def particles(self) -> NDArray[np.float64] | None:
        """Positions of the torso's particles in world [m], shape ``[n, 3]``; None without a torso."""

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
