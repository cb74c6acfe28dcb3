"""Copies of environments: `pickle` and `copy`, built on their states."""

from collections.abc import Callable
from typing import Any

REMEMBERED = ("_np_random", "_np_random_seed", "action_space", "single_action_space", "_spec")
"""Attributes of Gymnasium's classes that a copy takes over."""


def remake(cls: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Makes an environment as it was made first."""
    return cls(*arguments, **keywords)


def remembered(env: Any) -> dict[str, Any]:
    """The attributes that a copy takes over, and the state."""
    kept = {name: env.__dict__[name] for name in REMEMBERED if name in env.__dict__}
    return {"state": env.save(), "attributes": kept}


def recall(env: Any, state: dict[str, Any]) -> None:
    """Gives an environment what `remembered` returned."""
    env.restore(state["state"])
    for name in REMEMBERED:
        if name in state["attributes"]:
            setattr(env, name, state["attributes"][name])
