"""PPO of RLlib on a task of insonate, stepped through the native vector entry point.

pip install "./python[rllib]"
python examples/python/rllib_ppo.py --task probe-sweep --steps 250000 --output output/rllib
"""

import argparse
import csv
import os
import time
from pathlib import Path

# Networks of this size are slower on several threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import MeanStdFilter
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

from insonate.rllib import SuccessRate, register, save_module


def config(task: str, seed: int) -> PPOConfig:
    """The settings of `insonate train probe-sweep`, as far as RLlib supports them."""
    return (
        PPOConfig()
        .environment(register(task, discount=0.9))
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=8,
            gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT,
            env_to_module_connector=lambda env, spaces=None, device=None: MeanStdFilter(),
        )
        .training(
            train_batch_size_per_learner=2048,
            minibatch_size=64,
            num_epochs=10,
            lr=[[0, 1e-3], [200_000, 1e-4]],
            gamma=0.9,
            lambda_=0.9,
            clip_param=0.2,
            vf_clip_param=10.0,
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .rl_module(
            model_config=DefaultModelConfig(
                fcnet_hiddens=[64, 64], fcnet_activation="tanh", vf_share_layers=False, free_log_std=True
            )
        )
        .callbacks(SuccessRate)
        .debugging(seed=seed)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="probe-sweep")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("output/rllib"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    ray.init(address="local", num_cpus=2, include_dashboard=False)
    algorithm = config(options.task, options.seed).build_algo()
    start = time.perf_counter()
    with (options.output / "progress.csv").open("w", newline="") as file:
        log = csv.writer(file)
        log.writerow(["steps", "seconds", "success_rate"])
        steps = 0
        while steps < options.steps:
            runners = algorithm.train()["env_runners"]
            steps = int(runners["num_env_steps_sampled_lifetime"])
            row = [steps, round(time.perf_counter() - start, 1), runners.get("success_rate", float("nan"))]
            log.writerow(row)
            file.flush()
            print(f"{row[0]} steps, {row[1]:.0f} s: success rate {row[2]:.2f}", flush=True)
    print(f"trained in {time.perf_counter() - start:.0f} s")
    path = options.output / "policy.safetensors"
    save_module(path, algorithm, options.task)
    print(f"saved {path}: insonate evaluate {path} --episodes 100")
    algorithm.stop()


if __name__ == "__main__":
    main()
