"""Every task in Gymnasium's registry."""

import gymnasium

from ._insonate import tasks


def env_id(task: str) -> str:
    """Gymnasium's name of a task: ``insonate/ProbeSweep-v0`` of ``probe-sweep``."""
    name = "".join(word.capitalize() for word in task.split("-"))
    return f"insonate/{name}-v0"


def register_all() -> None:
    """Registers all tasks; once more changes nothing."""
    for task, _ in tasks():
        if env_id(task) in gymnasium.registry:
            continue
        gymnasium.register(
            env_id(task),
            entry_point="insonate.env:Env",
            vector_entry_point="insonate.vector_env:VectorEnv",
            kwargs={"task_id": task},
        )
