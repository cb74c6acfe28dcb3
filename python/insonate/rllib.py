"""Environments and policies for RLlib's new API stack."""

from os import PathLike
from typing import Any

import gymnasium
import torch
from ray import tune
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.connectors.env_to_module import MeanStdFilter

from .env import Env
from .export import save_policy
from .own_task import register_task, registration
from .vector_env import VectorEnv


def register(task_id: str, *, discount: float | None = None, **settings: Any) -> str:
    """Registers a task with RLlib on all nodes of its cluster. Returns the name for ``config.environment``.

    A task of one's own (`insonate.register_task`) is registered in the processes of the cluster too, with a copy of its class.

    With ``gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT`` the environments of a runner step together in Rust.

    Args:
        task_id, settings: as in `insonate.VectorEnv`.
        discount: with which rewards are normalised (`gymnasium.wrappers.vector.NormalizeReward`); None: they are not.
    """

    own = registration(task_id)

    def make(config: Any) -> Any:
        if own is not None and registration(task_id) is None:
            register_task(**own)
        if "num_envs" not in config:
            return Env(task_id, **settings)
        envs: Any = VectorEnv(task_id, config["num_envs"], **settings)
        if discount is not None:
            envs = gymnasium.wrappers.vector.NormalizeReward(envs, gamma=discount)
        return envs

    name = f"insonate-{task_id}"
    tune.register_env(name, make)
    return name


class SuccessRate(RLlibCallback):  # type: ignore[misc]
    """Logs the ``success_rate`` of the last 100 episodes among the results of the environment runners."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any = None, **_: Any) -> None:
        """Reads the last info of the episode."""
        success = episode.get_infos(-1).get("is_success")
        if success is not None:
            metrics_logger.log_value("success_rate", float(success), reduce="mean", window=100)


def save_module(path: str | PathLike[str], algorithm: Algorithm, task_id: str, **settings: Any) -> None:
    """Writes a trained algorithm as a policy file, with the moments of its `MeanStdFilter`.

    Args:
        path: the file, ``policy.safetensors``.
        algorithm: with RLlib's default module, separate layers for policy and value, and tanh or relu.
        task_id, settings: what it was trained in.
    """
    module = algorithm.get_module()
    parts = [module.encoder.actor_encoder, module.pi]
    linear = [m for part in parts for m in part.modules() if isinstance(m, torch.nn.Linear)]
    is_relu = any(isinstance(m, torch.nn.ReLU) for part in parts for m in part.modules())
    env = Env(task_id, **settings)
    n_actions = len(env.action_names)
    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in linear]
    # The last layer outputs means, followed by log standard deviations unless these are free
    # parameters.
    layers[-1] = (layers[-1][0][:n_actions], layers[-1][1][:n_actions])
    mean = variance = None
    for connector in algorithm.env_runner._env_to_module.connectors:
        if isinstance(connector, MeanStdFilter) and connector._filters is not None:
            statistics = next(iter(connector._filters.values())).running_stats
            mean, variance = statistics.mean, statistics.var
    save_policy(
        path,
        env,
        layers,
        activation="relu" if is_relu else "tanh",
        observation_mean=mean,
        observation_variance=variance,
        outputs="shares",
    )
    env.close()
