"""What a task of one's own reads: the state of all environments, and their random generators."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatRows: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = float | Sequence[float] | NDArray[Any]


class TaskState:
    """State of n environments as arrays, one row per environment. They cannot be written to.

    SI units; vectors in the world's frame unless the name says otherwise; quaternions ``[w, x, y, z]``. Values are true ones, without the
    sensor's noise, except for ``measured_…``. The probe's z axis points into the torso.
    """

    def __init__(
        self,
        rows: FloatRows,
        layout: dict[str, tuple[int, int]],
        parameters: FloatRows,
        parameter_names: Sequence[str],
        action: NDArray[np.float32],
        is_active: NDArray[np.bool_],
    ) -> None:
        self._rows = rows
        self._layout = layout
        self._parameters = parameters
        self._parameter_names = parameter_names
        self.action = action
        """Requested action of the last step, shape ``[n, n_actions]``; zeros after a reset."""
        self.is_active = is_active
        """Whether the call is about the environment: it was reset, or has stepped; shape ``[n]``."""

    def _of(self, name: str) -> FloatRows:
        first, last = self._layout[name]
        return self._rows[:, first:last]

    def _single(self, name: str) -> FloatRows:
        return self._rows[:, self._layout[name][0]]

    @property
    def time(self) -> FloatRows:
        """Time since the start of the episode [s], shape ``[n]``."""
        return self._single("time")

    @property
    def parameters(self) -> dict[str, FloatRows]:
        """Random parameters of the episode, such as ``torso.stiffness`` [N/m], each of shape ``[n]``."""
        return {name: self._parameters[:, column] for column, name in enumerate(self._parameter_names)}

    @property
    def probe_position(self) -> FloatRows:
        """Position of the middle of the probe's face [m], shape ``[n, 3]``."""
        return self._of("probe_position")

    @property
    def probe_quaternion(self) -> FloatRows:
        """Orientation of the probe, shape ``[n, 4]``."""
        return self._of("probe_quaternion")

    @property
    def probe_velocity(self) -> FloatRows:
        """Velocity of the face [m/s], shape ``[n, 3]``."""
        return self._of("probe_velocity")

    @property
    def probe_angular_velocity(self) -> FloatRows:
        """Angular velocity of the probe [rad/s], shape ``[n, 3]``."""
        return self._of("probe_angular_velocity")

    @property
    def force(self) -> FloatRows:
        """Force of the surroundings on the probe [N], shape ``[n, 3]``."""
        return self._of("force")

    @property
    def torque(self) -> FloatRows:
        """Torque of the surroundings on the probe about the sensor [N·m], shape ``[n, 3]``."""
        return self._of("torque")

    @property
    def normal_force(self) -> FloatRows:
        """Pressing force along the goal's axis [N], positive when pressing, shape ``[n]``."""
        return self._single("normal_force")

    @property
    def axial_force(self) -> FloatRows:
        """Pressing force along the probe's own axis [N], shape ``[n]``."""
        return self._single("axial_force")

    @property
    def mean_normal_force(self) -> FloatRows:
        """Mean of `normal_force` over the physics steps of the last step [N], shape ``[n]``."""
        return self._single("mean_normal_force")

    @property
    def max_normal_force(self) -> FloatRows:
        """Maximum of `normal_force` over the physics steps of the last step [N], shape ``[n]``."""
        return self._single("max_normal_force")

    @property
    def in_contact(self) -> NDArray[np.bool_]:
        """Whether the probe touches another body, shape ``[n]``."""
        in_contact: NDArray[np.bool_] = self._single("in_contact") != 0.0
        return in_contact

    @property
    def measured_force_in_probe(self) -> FloatRows:
        """What the sensor measured over the last step, with noise and bias, in the probe's frame [N], shape ``[n, 3]``."""
        return self._of("measured_force_in_probe")

    @property
    def measured_torque_in_probe(self) -> FloatRows:
        """The measured torque in the probe's frame [N·m], shape ``[n, 3]``."""
        return self._of("measured_torque_in_probe")

    @property
    def joint_position(self) -> FloatRows:
        """Positions of the arm's joints [rad], shape ``[n, n_joints]``."""
        return self._of("joint_position")

    @property
    def joint_velocity(self) -> FloatRows:
        """Velocities of the arm's joints [rad/s], shape ``[n, n_joints]``."""
        return self._of("joint_velocity")

    @property
    def goal_position(self) -> FloatRows:
        """Position of the goal now [m], shape ``[n, 3]``."""
        return self._of("goal_position")

    @property
    def goal_quaternion(self) -> FloatRows:
        """Orientation of the goal, shape ``[n, 4]``."""
        return self._of("goal_quaternion")

    @property
    def goal_velocity(self) -> FloatRows:
        """Velocity of the goal [m/s], shape ``[n, 3]``."""
        return self._of("goal_velocity")

    @property
    def goal_force(self) -> FloatRows:
        """Desired force along the probe's axis [N], shape ``[n]``."""
        return self._single("goal_force")

    @property
    def goal_distance(self) -> FloatRows:
        """Distance of the face from the goal [m], shape ``[n]``."""
        offset = self.probe_position - self.goal_position
        distance: FloatRows = np.sqrt((offset * offset).sum(axis=1))
        return distance

    @property
    def torso_position(self) -> FloatRows:
        """Position of the torso's frame, which moves with the patient [m], shape ``[n, 3]``."""
        return self._of("torso_position")

    @property
    def torso_quaternion(self) -> FloatRows:
        """Orientation of the torso's frame, shape ``[n, 4]``."""
        return self._of("torso_quaternion")

    @property
    def torso_velocity(self) -> FloatRows:
        """Velocity of the torso's frame [m/s], shape ``[n, 3]``."""
        return self._of("torso_velocity")

    @property
    def breath(self) -> FloatRows:
        """Rise of the chest [m] and its rate [m/s], shape ``[n, 2]``; zeros without breathing, or for torsos other than ``fast``."""
        return self._of("breath")


class TaskRandom:
    """Random numbers of episodes that begin: each environment draws from a generator of its own, which its episode's seed determines.

    Rows of environments whose episode does not begin are zero.
    """

    def __init__(self, mask: NDArray[np.bool_], seeds: NDArray[np.uint64]) -> None:
        self._n = len(mask)
        self._generators = {int(i): np.random.Generator(np.random.PCG64(int(seeds[i]))) for i in np.flatnonzero(mask)}

    def uniform(self, low: Numbers = 0.0, high: Numbers = 1.0, size: int | tuple[int, ...] = ()) -> FloatRows:
        """Uniform numbers from `low` to `high`, shape ``[n, *size]``."""
        shape = _shape(size)
        rows = np.zeros((self._n, *shape))
        for index, generator in self._generators.items():
            rows[index] = generator.uniform(low, high, shape)
        return rows

    def normal(self, mean: Numbers = 0.0, std: Numbers = 1.0, size: int | tuple[int, ...] = ()) -> FloatRows:
        """Normal numbers with a mean and a standard deviation, shape ``[n, *size]``."""
        shape = _shape(size)
        rows = np.zeros((self._n, *shape))
        for index, generator in self._generators.items():
            rows[index] = generator.normal(mean, std, shape)
        return rows

    def integers(self, low: int, high: int, size: int | tuple[int, ...] = ()) -> NDArray[np.int64]:
        """Whole numbers from `low` to below `high`, shape ``[n, *size]``."""
        shape = _shape(size)
        rows = np.zeros((self._n, *shape), np.int64)
        for index, generator in self._generators.items():
            rows[index] = generator.integers(low, high, shape)
        return rows

    def generator(self, index: int) -> np.random.Generator:
        """NumPy's generator of an environment whose episode begins, for other distributions.

        Raises:
            KeyError: if no episode of it begins.
        """
        return self._generators[index]


def _shape(size: int | tuple[int, ...]) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)
