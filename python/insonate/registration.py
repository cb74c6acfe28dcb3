"""Registers every task with Gymnasium."""

import gymnasium

from ._insonate import tasks


def env_id(task: str) -> str:
    """Gymnasium id of a task: ``insonate/ProbeSweep-v0`` for ``probe-sweep``."""
    name = "".join(word.capitalize() for word in task.split("-"))
    return f"insonate/{name}-v0"


def register_all() -> None:
    """Registers all tasks. Repeated calls have no effect."""
    for task, _ in tasks():
        if env_id(task) in gymnasium.registry:
            continue
        gymnasium.register(
            env_id(task),
            entry_point="insonate.env:Env",
            vector_entry_point="insonate.vector_env:VectorEnv",
            kwargs={"task_id": task},
        )
