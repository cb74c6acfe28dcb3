"""A checker for vector environments, like Gymnasium's `check_env` for single ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

SEED = 123


class ContractError(AssertionError):
    """A vector environment violates Gymnasium's API."""


def check_vector_env(env: VectorEnv[Any, Any, Any], n_steps: int = 2000) -> int:
    """Checks spaces, seeds, shapes, types, reuse of arrays, autoreset and `close` of any `gymnasium.vector.VectorEnv`.

    Takes random actions, and closes the environment at the end.

    Args:
        env: a new environment.
        n_steps: maximum number of steps to wait for the end of an episode.

    Returns:
        Number of episode ends. If it is 0, autoreset was not checked.

    Raises:
        ContractError: for the first violation.
    """
    mode = env.metadata.get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        raise ContractError(f"metadata['autoreset_mode'] is {mode!r}")
    _check_spaces(env)
    _check_seeds(env)
    _check_determinism(env)
    n_ends = _check_episodes(env, mode, n_steps)
    _check_close(env)
    return n_ends


def _ensure(holds: bool, problem: str) -> None:
    if not holds:
        raise ContractError(problem)


def _check_spaces(env: VectorEnv[Any, Any, Any]) -> None:
    for name in ("observation_space", "action_space"):
        single: spaces.Space[Any] = getattr(env, f"single_{name}")
        expected = batch_space(single, env.num_envs)
        _ensure(getattr(env, name) == expected, f"{name} is not the batch of single_{name}")


def _check_seeds(env: VectorEnv[Any, Any, Any]) -> None:
    first = _reset(env, SEED)
    _ensure(_equal(first, _reset(env, SEED)), "the same seed gives other observations")
    each = [SEED + env_idx for env_idx in range(env.num_envs)]
    _ensure(_equal(first, _reset(env, each)), "seed s is not the seeds s, s + 1, ...")
    _ensure(not _equal(first, _reset(env, None)), "a reset without seed repeats the last episode")


def _check_determinism(env: VectorEnv[Any, Any, Any]) -> None:
    env.action_space.seed(SEED)
    actions = [env.action_space.sample() for _ in range(20)]
    runs = []
    for _ in range(2):
        _reset(env, SEED)
        given: list[Any] = []
        kept = None
        for action in actions:
            given.append(_step(env, action)[:4])
            kept = kept or _copy(given[0])
            if (given[-1][2] | given[-1][3]).any():
                break
        _ensure(_equal(given[0], kept), "a step writes to arrays that an earlier one gave")
        runs.append(given)
    pairs = zip(runs[0], runs[1], strict=True)
    same = all(_equal(a, b) for a, b in pairs)
    _ensure(same, "the same seed and actions give other steps")


def _check_episodes(env: VectorEnv[Any, Any, Any], mode: AutoresetMode, n_steps: int) -> int:
    """Takes random steps until every environment has ended an episode, and checks the reset after each end."""
    observation = _reset(env, SEED)
    ended = np.zeros(env.num_envs, bool)
    over = np.zeros(env.num_envs, bool)
    n_ends = 0
    for _ in range(n_steps):
        if mode is AutoresetMode.DISABLED and over.any():
            observation = _reset_where(env, over, observation)
            over[:] = False
        step = _step(env, env.action_space.sample())
        observation, rewards, terminated, truncated, infos = step
        if mode is AutoresetMode.NEXT_STEP:
            quiet = not (rewards[over].any() or terminated[over].any() or truncated[over].any())
            _ensure(quiet, "the step after an end is not the reset that NEXT_STEP says")
        over = terminated | truncated
        if mode is AutoresetMode.SAME_STEP and over.any():
            _check_final(env, infos, over, observation)
        n_ends += int(over.sum())
        ended |= over
        if ended.all():
            break
    return n_ends


def _check_final(
    env: VectorEnv[Any, Any, Any], infos: Mapping[str, Any], over: NDArray[np.bool_], observation: Any
) -> None:
    _ensure("final_obs" in infos and "final_info" in infos, "infos lack final_obs or final_info")
    _ensure(np.array_equal(infos["_final_obs"], over), "_final_obs is not where episodes ended")
    for env_idx in np.flatnonzero(over):
        final = _row(infos["final_obs"], env_idx)
        _ensure(final in env.single_observation_space, f"final_obs of env {env_idx} is not in its space")
        same = _equal(final, _row(observation, env_idx))
        _ensure(not same, f"final_obs of env {env_idx} is the first of the next episode")


def _reset_where(env: VectorEnv[Any, Any, Any], mask: NDArray[np.bool_], before: Any) -> Any:
    after, _ = env.reset(options={"reset_mask": mask.copy()})
    for env_idx in range(env.num_envs):
        same = _equal(_row(before, env_idx), _row(after, env_idx))
        if mask[env_idx]:
            _ensure(not same, f"reset_mask did not reset env {env_idx}")
        else:
            _ensure(same, f"reset_mask changed env {env_idx}, which it leaves out")
    return after


def _check_close(env: VectorEnv[Any, Any, Any]) -> None:
    env.close()
    env.close()
    try:
        env.step(env.action_space.sample())
    except Exception:
        return
    raise ContractError("a step after close raises nothing")


def _reset(env: VectorEnv[Any, Any, Any], seed: Any) -> Any:
    observation, infos = env.reset(seed=seed)
    _ensure(observation in env.observation_space, "a reset's observation is not in its space")
    _ensure(isinstance(infos, dict), "infos is not a dict")
    return observation


def _step(env: VectorEnv[Any, Any, Any], actions: Any) -> tuple[Any, ...]:
    """Checks shapes and types of a step, and that it does not modify its input."""
    before = _copy(actions)
    step: tuple[Any, ...] = env.step(actions)
    _ensure(len(step) == 5, f"a step gives {len(step)} values, not 5")
    _ensure(_equal(before, actions), "a step changes the actions")
    observation, rewards, terminated, truncated, infos = step
    _ensure(observation in env.observation_space, "a step's observation is not in its space")
    for name, array, kind in (
        ("rewards", rewards, np.floating),
        ("terminations", terminated, np.bool_),
        ("truncations", truncated, np.bool_),
    ):
        fits = isinstance(array, np.ndarray) and array.shape == (env.num_envs,)
        _ensure(fits and np.issubdtype(array.dtype, kind), f"{name} is {array!r}")
    _ensure(bool(np.isfinite(rewards).all()), "a reward is not finite")
    _check_masks(infos, env.num_envs)
    return step


def _check_masks(infos: Mapping[str, Any], n_envs: int) -> None:
    for name, value in infos.items():
        if name.startswith("_"):
            continue
        mask = infos.get(f"_{name}")
        fits = isinstance(mask, np.ndarray) and mask.shape == (n_envs,) and mask.dtype == np.bool_
        _ensure(fits, f"infos[{name!r}] has no mask _{name} of dtype bool and shape ({n_envs},)")
        if isinstance(value, dict):
            _check_masks(value, n_envs)


def _row(batch: Any, env_idx: Any) -> Any:
    if isinstance(batch, dict):
        return {key: _row(value, env_idx) for key, value in batch.items()}
    return batch[env_idx]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return tuple(_copy(inner) for inner in value)
    return np.copy(value)
