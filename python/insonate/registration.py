"""Registers every task with Gymnasium."""

import copy

import gymnasium
from gymnasium.envs.registration import EnvSpec

from ._insonate import tasks


def env_id(task: str) -> str:
    """Gymnasium id of a task: ``insonate/ProbeSweep-v0`` for ``probe-sweep``."""
    name = "".join(word.capitalize() for word in task.split("-"))
    return f"insonate/{name}-v0"


def register_all() -> None:
    """Registers all tasks. Repeated calls have no effect."""
    for task, _ in tasks():
        register_one(task)


def register_one(task: str) -> str:
    """Registers a task and returns its id. A repeated call has no effect."""
    name = env_id(task)
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point="insonate.env:Env",
            vector_entry_point="insonate.vector_env:VectorEnv",
            kwargs={"task_id": task},
        )
    return name


def spec_with_limit(spec: EnvSpec | None, max_episode_steps: int | None) -> EnvSpec | None:
    """A copy of a specification with the limit of steps that the environment applies itself.

    The registered specification has no limit: with one, Gymnasium would add a `TimeLimit` that ignores the settings.
    """
    if spec is None:
        return None
    spec = copy.copy(spec)
    spec.max_episode_steps = max_episode_steps
    return spec
