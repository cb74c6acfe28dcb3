"""Arguments of a reset: seeds, and options that fix randomised parameters."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MASK = "reset_mask"
EPISODE = "episode_seed"


def parameters_of(options: Mapping[str, Any] | None) -> dict[str, float]:
    """Randomised parameters that options fix, by name. All other options are such parameters."""
    given = {} if options is None else dict(options)
    for other in (MASK, EPISODE):
        given.pop(other, None)
    try:
        return {str(name): float(value) for name, value in given.items()}
    except (TypeError, ValueError) as error:
        raise ValueError(f"options: random parameters are numbers, {given!r} holds another") from error


def mask_of(options: Mapping[str, Any] | None, n_envs: int) -> list[bool] | None:
    """Mask of the environments to reset, if options contain one."""
    mask: NDArray[np.bool_] | None = (options or {}).get(MASK)
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (n_envs,):
        raise ValueError(f"options: {MASK} must be an array of dtype bool and shape ({n_envs},)")
    if not mask.any():
        raise ValueError(f"options: {MASK} resets no environment")
    return [bool(flag) for flag in mask]


def episode_of(options: Mapping[str, Any] | None) -> int | None:
    """Seed of the episode to repeat, if options contain one."""
    seed = (options or {}).get(EPISODE)
    return None if seed is None else check_seed(seed, 2**64)


def check_seed(seed: int, end: int = 2**63) -> int:
    """Checks a seed: a whole number below `end`."""
    is_whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not is_whole or not 0 <= int(seed) < end:
        raise ValueError(f"seed is {seed!r}; it must be a whole number between 0 and {end - 1}")
    return int(seed)
