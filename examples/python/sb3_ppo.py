"""PPO of Stable-Baselines3 on a task of insonate.

pip install "./python[sb3]"
python examples/python/sb3_ppo.py --task probe-sweep --steps 150000 --output output/sb3
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecNormalize

import insonate
from insonate.sb3 import Sb3VecEnv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="probe-sweep")
    parser.add_argument("--steps", type=int, default=150_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("output/sb3"))
    options = parser.parse_args()
    torch.set_num_threads(1)

    envs = VecNormalize(Sb3VecEnv(options.task, 8), gamma=0.9)
    # The settings of `insonate train probe-sweep`.
    learner = PPO(
        "MlpPolicy",
        envs,
        n_steps=256,
        batch_size=64,
        n_epochs=10,
        learning_rate=lambda remaining: 1e-3 * remaining,
        gamma=0.9,
        gae_lambda=0.9,
        policy_kwargs={"log_std_init": -1.0},
        seed=options.seed,
        device="cpu",
    )
    learner.set_logger(configure(str(options.output), ["stdout", "csv"]))
    start = time.perf_counter()
    learner.learn(options.steps, log_interval=5)
    print(f"trained in {time.perf_counter() - start:.0f} s")
    learner.save(options.output / "model.zip")
    print(f"success rate of 100 episodes: {success_rate(learner, envs, options.task):.3f}")


def success_rate(learner: PPO, envs: VecNormalize, task: str, n_episodes: int = 100) -> float:
    """Success rate of episodes with the seeds 10000, 10001, ..., one in each
    environment."""
    tests = insonate.VectorEnv(task, n_episodes)
    rows, _ = tests.reset(seed=10_000)
    over = np.zeros(n_episodes, bool)
    success = np.zeros(n_episodes, bool)
    while not over.all():
        actions, _ = learner.predict(envs.normalize_obs(rows), deterministic=True)
        rows, _, terminated, truncated, infos = tests.step(actions)
        first = (terminated | truncated) & ~over
        if first.any():
            success[first] = infos["is_success"][first]
            over |= first
    return float(success.mean())


if __name__ == "__main__":
    main()
