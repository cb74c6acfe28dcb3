"""Environments for Stable-Baselines3, whose `VecEnv` differs from Gymnasium's vector environment."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from .observation import FloatArray
from .vector_env import VectorEnv


class Sb3VecEnv(VecEnv):  # type: ignore[misc]
    """Vectorised environments of a task on threads of Rust, with the interface of Stable-Baselines3.

    At the end of an episode ``infos`` has ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` (return ``r``, length
    ``l``), and the entries of `insonate.Env`. Stable-Baselines3 logs their ``is_success`` as ``rollout/success_rate``.

    Args:
        task_id, n_envs, options: as in `insonate.VectorEnv`.
    """

    def __init__(self, task_id: str, n_envs: int, **options: Any) -> None:
        self.envs = VectorEnv(task_id, n_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.render_mode = self.envs.render_mode
        super().__init__(n_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self._actions: FloatArray = np.zeros(self.envs.action_space.shape or (), np.float32)
        self._returns = np.zeros(n_envs)
        self._lengths = np.zeros(n_envs, int)

    def reset(self) -> Any:
        """Resets the environments, with the seeds from `seed`."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        self._reset_seeds()
        self._returns[:] = 0.0
        self._lengths[:] = 0
        return self.envs.reset(seed=seeds)[0]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Accepts actions of any float type."""
        self._actions = np.ascontiguousarray(actions, np.float32)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Steps all environments."""
        rows, rewards, terminated, truncated, found = self.envs.step(self._actions)
        dones = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for env_idx in np.flatnonzero(dones):
            info = _row(found["final_info"], env_idx)
            info["terminal_observation"] = _row(found["final_obs"], env_idx)
            info["TimeLimit.truncated"] = bool(truncated[env_idx] and not terminated[env_idx])
            info["episode"] = {
                "r": float(self._returns[env_idx]),
                "l": int(self._lengths[env_idx]),
            }
            infos[env_idx] = info
        self._returns[dones] = 0.0
        self._lengths[dones] = 0
        return rows, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Frees the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Images of all environments."""
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environments; they share all attributes."""
        value = self.render_mode if attr_name == "render_mode" else getattr(self.envs, attr_name)
        return [value for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not supported: settings are fixed when the environments are made."""
        raise NotImplementedError(f"{attr_name}: give settings when the environments are made")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **options: Any) -> list[Any]:
        """Not supported: the environments have no individual methods."""
        raise NotImplementedError(f"{method_name}: the environments have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Always false: there are no wrappers."""
        return [False for _ in self._indices(indices)]

    def _indices(self, indices: Any) -> Iterable[int]:
        found: Iterable[int] = self._get_indices(indices)
        return found


def _row(batch: Any, env_idx: Any) -> Any:
    """The infos of one environment, without masks, as plain Python numbers."""
    if isinstance(batch, dict):
        return {
            name: _row(value, env_idx) for name, value in batch.items() if not name.startswith("_")
        }
    value = batch[env_idx]
    return value.item() if isinstance(value, np.generic) else value
