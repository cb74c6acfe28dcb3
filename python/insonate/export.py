"""Export of policies that were trained in Python, as files for `insonate evaluate` and `load_policy`."""

from collections.abc import Sequence
from os import PathLike, fspath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._insonate import write_policy
from .env import Env
from .vector_env import VectorEnv


def save_policy(
    path: str | PathLike[str],
    env: Env | VectorEnv,
    layers: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    activation: str = "tanh",
    observation_mean: ArrayLike | None = None,
    observation_variance: ArrayLike | None = None,
    clip_obs: float = 10.0,
    outputs: str = "actions",
    seed: int = 0,
    n_trained_steps: int = 0,
) -> None:
    """Writes a multilayer perceptron that outputs the mean action.

    Args:
        path: the file, ``policy.safetensors``.
        env: what it was trained in: task, settings and spaces go into the file.
        layers: weight, shape ``[n_outputs, n_inputs]``, and bias, shape ``[n_outputs]``, of each layer, as `torch.nn.Linear` has them.
        activation: of the hidden layers: ``tanh``, ``relu``, ``elu`` or ``silu``.
        observation_mean, observation_variance: moments that normalised observations, shape ``[n_obs]``; None: not normalised.
        clip_obs: range that normalised observations were clipped to.
        outputs: ``actions``, or ``shares`` of half the range of each action about its middle (RLlib's normalised actions).
        seed, n_trained_steps: of the training, for the record.

    Raises:
        ValueError: for layers or moments that do not fit, or numbers that are not finite.
    """
    arrays = [(_matrix(weight), _vector(bias)) for weight, bias in layers]
    if outputs not in ("actions", "shares"):
        raise ValueError(f"outputs is {outputs!r}; it must be actions or shares")
    environments = env if isinstance(env, VectorEnv) else env.environments
    _, low, high = environments.action_bounds
    bounded = np.isfinite(low) & np.isfinite(high)
    if outputs == "actions" and arrays:
        # Policies in files output shares.
        center = np.where(bounded, 0.5 * (low + high), 0.0)
        half = np.where(bounded, 0.5 * (high - low), 1.0)
        weight, bias = arrays[-1]
        if len(bias) == len(half):
            arrays[-1] = _matrix(weight / half[:, None]), _vector((bias - center) / half)
    moments = None
    if observation_mean is not None and observation_variance is not None:
        mean, variance = np.ravel(observation_mean), np.ravel(observation_variance)
        moments = (mean.astype(float).tolist(), variance.astype(float).tolist(), clip_obs)
    write_policy(fspath(path), environments, arrays, activation, moments, seed, n_trained_steps)


def _matrix(array: ArrayLike) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, np.float32)


def _vector(array: ArrayLike) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, np.float32).ravel()
