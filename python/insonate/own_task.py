"""Tasks of one's own: a class whose methods compute with arrays over all environments of a vector.

The physics steps run in Rust on all threads; the methods are called once per step of the whole vector.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _insonate
from .registration import register_one
from .task_state import TaskRandom, TaskState

FloatRows: TypeAlias = NDArray[np.float64]

SKIN = ("place", "velocity", "height")
"""Entries of a goal on the skin, besides its force."""

POSE = ("position", "quaternion")
"""Entries of a goal at rest in the world, besides its force."""

GOAL_LENGTH = 9
"""Numbers of a goal for the compiled part: kind, force, and those of `SKIN` or `POSE`."""


class ProbeTask:
    """A task of an arm with a probe on a torso. Write a subclass, and name it by `register_task`.

    One object serves all environments of a vector, n of them. Arrays have one row per environment, always in the same order.
    The methods are called in this order: `reset` and `observe` for environments whose episode begins; then in every step `reward`,
    `is_success`, `is_terminated`, `costs`, `metrics` and `observe`. Rows that a call is not about (`TaskState.is_active` is false) hold an earlier
    state; what is returned for them is ignored, and may be NaN.

    An episode must be a pure function of its seed and actions: compute from `state`, draw from `rng`, and if a method keeps an array of
    its own from step to step, let `reset` set its rows of the mask, and `reward` alone change it.

    Attributes of the class:
        observation: names and sizes of the entries that the task adds to the observation. A unit may follow the name:
            ``{"height_error [m]": 1}``; `observe` returns them by the name alone.
        settings: the task's own settings with their defaults: numbers, strings, booleans, lists. They are set as ``task.height`` or
            ``task={"height": 0.03}``.
        reward_terms: names of the weighted terms of the reward, if `reward` returns a dict of them.
        cost_names: names of the costs, if there is a method `costs`. Their sum is ``info["cost"]`` and what ``train(cost_limit=…)`` limits.
        metric_names: names of the metrics, if there is a method `metrics`. ``success`` is always one.

    Args:
        num_envs: number of environments.
        settings: values of the settings, as `self.settings` afterwards.
    """

    observation: Mapping[str, int] = {}
    settings: Mapping[str, Any] = {}
    reward_terms: Sequence[str] = ("reward",)
    cost_names: Sequence[str] = ()
    metric_names: Sequence[str] = ()

    def __init__(self, num_envs: int, settings: Mapping[str, Any]) -> None:
        self.num_envs = num_envs
        self.settings = settings

    def reset(
        self, state: TaskState, mask: NDArray[np.bool_], rng: TaskRandom
    ) -> Mapping[str, ArrayLike] | None:
        """Chooses the goals of the environments whose episode begins.

        The robot is at home; the torso has the softness and the place of the episode. Afterwards the probe is placed above the goal, with the
        random height and offset of the settings ``randomization.start_height`` and ``randomization.start_offset``.

        Args:
            state: state of all environments.
            mask: whether an episode begins, shape ``[n]``.
            rng: generators of the episodes: each environment draws from its own, which its seed determines.

        Returns:
            The goal by name; a number holds for all environments. Either on the skin, where it moves with the breathing patient: ``place``
            [m], shape ``[n, 2]``, from the middle of the torso across and along the patient; ``velocity`` [m/s], shape ``[n, 2]``, of the
            place over the torso; ``height`` [m] over the skin, shape ``[n]``. Or at rest in the world: ``position`` [m], shape ``[n, 3]``;
            ``quaternion`` wxyz, shape ``[n, 4]``; the z axis is the probe's, into the torso. Both with ``force`` [N], shape ``[n]``, along
            the probe's axis. What is missing is zero. None: the middle of the skin.
        """
        return None

    def observe(self, state: TaskState) -> Mapping[str, ArrayLike]:
        """The entries of `observation`, each of shape ``[n]`` or ``[n, size]``."""
        return {}

    def reward(self, state: TaskState, action: NDArray[np.float32]) -> ArrayLike | Mapping[str, ArrayLike]:
        """The reward of the step, shape ``[n]``, or a dict of the `reward_terms`; their sum is the reward.

        Args:
            state: state after the step.
            action: requested action, shape ``[n, n_actions]``.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method reward")

    def is_success(self, state: TaskState) -> ArrayLike:
        """Whether the task is fulfilled now, `bool` of shape ``[n]``. At the end of an episode this is its success."""
        return np.zeros(self.num_envs, np.bool_)

    def is_terminated(self, state: TaskState) -> ArrayLike:
        """Whether the episode ends now, by success or failure, `bool` of shape ``[n]``. By default it ends at ``time.limit``."""
        return np.zeros(self.num_envs, np.bool_)

    def costs(self, state: TaskState, action: NDArray[np.float32]) -> Mapping[str, ArrayLike]:
        """The costs of `cost_names` of the step, each of shape ``[n]``, such as the force above a limit as a share of it."""
        return {}

    def scripted_action(self, state: TaskState) -> ArrayLike:
        """The action of a scripted policy, shape ``[n, n_actions]``; it is clipped to the bounds. A task with this method has the policy
        ``scripted`` for `evaluate`, `rollout` and `demonstrate`. It must depend on the state alone.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method scripted_action")

    def metrics(self, state: TaskState) -> Mapping[str, ArrayLike]:
        """The metrics of `metric_names`, each of shape ``[n]``. Those of the last step are the episode's."""
        return {}


class Answers:
    """Calls a task for the compiled part, and checks what its methods return."""

    def __init__(
        self,
        task_class: type[ProbeTask],
        num_envs: int,
        settings: dict[str, Any],
        entries: list[tuple[str, int]],
        parameters: list[str],
    ) -> None:
        self._task = task_class(num_envs, settings)
        self._n = num_envs
        self._layout: dict[str, tuple[int, int]] = {}
        first = 0
        for name, length in entries:
            self._layout[name] = (first, first + length)
            first += length
        self._parameters = [bare(name) for name in parameters]
        self._sizes = {bare(name): size for name, size in task_class.observation.items()}
        self._width = sum(self._sizes.values())

    def reset(
        self,
        rows: FloatRows,
        parameters: FloatRows,
        actions: NDArray[np.float32],
        mask: NDArray[np.bool_],
        seeds: NDArray[np.uint64],
    ) -> FloatRows:
        """Goals as rows of numbers, shape ``[n, 9]``."""
        state = self._state(rows, parameters, actions, mask)
        chosen = self._task.reset(state, mask.copy(), TaskRandom(mask, seeds))
        return self._goals({} if chosen is None else chosen, mask)

    def step(
        self,
        rows: FloatRows,
        parameters: FloatRows,
        actions: NDArray[np.float32],
        mask: NDArray[np.bool_],
    ) -> tuple[FloatRows, NDArray[np.bool_], NDArray[np.bool_], FloatRows, FloatRows, NDArray[np.float32]]:
        """Reward terms, success, end, costs, metrics and observation of a step."""
        state = self._state(rows, parameters, actions, mask)
        task = self._task
        rewards = task.reward(state, state.action)
        names = tuple(task.reward_terms)
        if not isinstance(rewards, Mapping):
            if len(names) != 1:
                raise self._wrong("reward", f"returned no dict of the terms {names}")
            rewards = {names[0]: rewards}
        terms = self._columns("reward", rewards, dict.fromkeys(names, 1), mask)
        success = self._flags("is_success", task.is_success(state))
        ends = self._flags("is_terminated", task.is_terminated(state))
        sizes = dict.fromkeys(task.cost_names, 1)
        costs = self._columns("costs", task.costs(state, state.action) if sizes else {}, sizes, mask)
        sizes = dict.fromkeys(task.metric_names, 1)
        metrics = self._columns("metrics", task.metrics(state) if sizes else {}, sizes, mask)
        return terms, success, ends, costs, metrics, self._observation(state, mask)

    def observe(
        self,
        rows: FloatRows,
        parameters: FloatRows,
        actions: NDArray[np.float32],
        mask: NDArray[np.bool_],
    ) -> NDArray[np.float32]:
        """The task's entries of the observation, shape ``[n, size]``."""
        return self._observation(self._state(rows, parameters, actions, mask), mask)

    def script(
        self,
        rows: FloatRows,
        parameters: FloatRows,
        actions: NDArray[np.float32],
        mask: NDArray[np.bool_],
    ) -> NDArray[np.float32]:
        """Actions of the scripted policy, shape ``[n, n_actions]``."""
        state = self._state(rows, parameters, actions, mask)
        chosen = self._task.scripted_action(state)
        return self._numbers("scripted_action", "an action", chosen, actions.shape[1], mask).astype(np.float32)

    def _state(
        self,
        rows: FloatRows,
        parameters: FloatRows,
        actions: NDArray[np.float32],
        mask: NDArray[np.bool_],
    ) -> TaskState:
        for array in (rows, parameters, actions, mask):
            array.setflags(write=False)
        return TaskState(rows, self._layout, parameters, self._parameters, actions, mask)

    def _observation(self, state: TaskState, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        if not self._sizes:
            return np.zeros((self._n, 0), np.float32)
        rows = self._columns("observe", self._task.observe(state), self._sizes, mask)
        with np.errstate(over="ignore"):
            small = rows.astype(np.float32)
        self._check_finite("observe", "an entry as float32", small, mask)
        return small

    def _goals(self, chosen: Mapping[str, ArrayLike], mask: NDArray[np.bool_]) -> FloatRows:
        given = set(chosen)
        known = {*SKIN, *POSE, "force"}
        if not given <= known:
            raise self._wrong("reset", f"returned {sorted(given - known)}, but a goal has {sorted(known)}")
        if given & set(SKIN) and given & set(POSE):
            raise self._wrong("reset", f"returned {sorted(given)}: a goal is on the skin or at rest in the world, not both")
        goals = np.zeros((self._n, GOAL_LENGTH))
        goals[:, 1] = self._numbers("reset", "force", chosen.get("force", 0.0), 1, mask)[:, 0]
        if not given & set(POSE):
            for name, first, size in (("place", 2, 2), ("velocity", 4, 2), ("height", 6, 1)):
                goals[:, first : first + size] = self._numbers("reset", name, chosen.get(name, 0.0), size, mask)
            return goals
        for name, first, size in (("position", 2, 3), ("quaternion", 5, 4)):
            if name not in given:
                raise self._wrong("reset", f"returned no {name}: a goal at rest has {POSE}")
            goals[:, first : first + size] = self._numbers("reset", name, chosen[name], size, mask)
        goals[:, 0] = 1.0
        norms = np.linalg.norm(goals[mask, 5:], axis=1)
        if not np.allclose(norms, 1.0, atol=1e-6):
            raise self._wrong("reset", f"returned a quaternion of length {norms[np.argmax(abs(norms - 1.0))]}, not 1")
        return goals

    def _columns(
        self,
        method: str,
        values: Mapping[str, ArrayLike],
        sizes: Mapping[str, int],
        mask: NDArray[np.bool_],
    ) -> FloatRows:
        """The named arrays next to each other, shape ``[n, sum of sizes]``."""
        if not isinstance(values, Mapping):
            raise self._wrong(method, f"returned a {type(values).__name__}, but must return a dict of {list(sizes)}")
        if set(values) != set(sizes):
            raise self._wrong(method, f"returned {sorted(values)}, but must return {sorted(sizes)}")
        rows = np.zeros((self._n, sum(sizes.values())))
        first = 0
        for name, size in sizes.items():
            rows[:, first : first + size] = self._numbers(method, name, values[name], size, mask, is_row=True)
            first += size
        return rows

    def _numbers(
        self,
        method: str,
        name: str,
        value: ArrayLike,
        size: int,
        mask: NDArray[np.bool_],
        *,
        is_row: bool = False,
    ) -> FloatRows:
        """Finite numbers of shape ``[n, size]``; rows outside the mask are zero. A number serves for all, unless it `is_row`."""
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise self._wrong(method, f"returned {name} of dtype {array.dtype}, but must return numbers", TypeError)
        wanted = (self._n, size)
        if array.ndim == 0 and not is_row:
            array = np.broadcast_to(array, wanted)
        elif size == 1 and array.shape == (self._n,):
            array = array[:, None]
        if array.shape != wanted:
            shape = (self._n,) if size == 1 else wanted
            raise self._wrong(method, f"returned {name} of shape {array.shape}, but must return shape {shape}")
        self._check_finite(method, name, array, mask)
        return np.where(mask[:, None], array, 0.0)

    def _check_finite(self, method: str, name: str, rows: NDArray[Any], mask: NDArray[np.bool_]) -> None:
        if np.isfinite(rows).all():
            return
        bad = np.flatnonzero(mask & ~np.isfinite(rows).all(axis=1))
        if len(bad):
            row = rows[bad[0]]
            value = row[~np.isfinite(row)][0]
            raise self._wrong(method, f"returned {value} as {name} of environment {bad[0]}, but must return finite numbers")

    def _flags(self, method: str, value: ArrayLike) -> NDArray[np.bool_]:
        array = np.asarray(value)
        if array.dtype != np.bool_:
            raise self._wrong(method, f"returned dtype {array.dtype}, but must return bool", TypeError)
        if array.shape != (self._n,):
            raise self._wrong(method, f"returned shape {array.shape}, but must return shape {(self._n,)}")
        return np.ascontiguousarray(array)

    def _wrong(self, method: str, problem: str, kind: type[Exception] = ValueError) -> Exception:
        return kind(f"{type(self._task).__name__}.{method} {problem}")


def register_task(
    name: str,
    task_class: type[ProbeTask],
    *,
    summary: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    ppo: Mapping[str, Any] | None = None,
    sac: Mapping[str, Any] | None = None,
) -> str:
    """Registers a task, so that everything that takes a task's name knows it: `Env`, `VectorEnv`, `train`, `evaluate`, Gymnasium.

    Registering a name again replaces the task; environments that exist keep theirs. Other processes must import the module that
    registers it, as with Gymnasium's own registry.

    Args:
        name: name of the task: lower-case letters, digits and hyphens, not that of a task of insonate.
        task_class: the class of the task.
        summary: one line for lists [default: the first line of the class's docstring].
        defaults: settings that differ from the usual ones, dotted or nested, such as ``{"time.limit": 3.0, "action.mode": "wrench"}``.
        ppo, sac: settings of the algorithms that suit the task, such as ``{"total_timesteps": 200_000}``.

    Returns:
        Gymnasium's id of the task: ``insonate/Hover-v0`` for ``hover``.

    Raises:
        TypeError: if the class is no `ProbeTask`.
        ValueError: for a name that is taken or not allowed, sizes that are no positive whole numbers, or wrong settings.
    """
    if not (isinstance(task_class, type) and issubclass(task_class, ProbeTask)):
        raise TypeError(f"task_class is {task_class!r}, but must be a subclass of insonate.ProbeTask")
    entries: list[tuple[str, float, float]] = []
    for entry, size in task_class.observation.items():
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(f"observation: the size of {entry} is {size!r}, but must be a whole number of at least 1")
        entries += [(named, -np.inf, np.inf) for named in _numbered(entry, size)]
    lines = (task_class.__doc__ or "").strip().splitlines()
    _insonate.register_task(
        name,
        lines[0] if summary is None and lines else summary or "",
        lambda *given: Answers(task_class, *given),
        observation=entries,
        terms=list(task_class.reward_terms),
        costs=list(task_class.cost_names),
        metrics=list(task_class.metric_names),
        has_script=task_class.scripted_action is not ProbeTask.scripted_action,
        defaults={**(defaults or {}), "task": dict(task_class.settings)},
        ppo=dict(ppo or {}),
        sac=dict(sac or {}),
    )
    _registered[name] = {
        "name": name,
        "task_class": task_class,
        "summary": summary,
        "defaults": defaults,
        "ppo": ppo,
        "sac": sac,
    }
    return register_one(name)


_registered: dict[str, dict[str, Any]] = {}


def registration(name: str) -> dict[str, Any] | None:
    """The arguments with which a task was registered in this process; None for a task of insonate."""
    return _registered.get(name)


def bare(name: str) -> str:
    """The name without its unit: ``height_error`` for ``height_error [m]``."""
    return name.split(" [")[0]


def _numbered(name: str, size: int) -> list[str]:
    if size == 1:
        return [name]
    unit = name[len(bare(name)) :]
    return [f"{bare(name)}_{index}{unit}" for index in range(size)]
