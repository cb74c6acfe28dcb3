"""PPO of RLlib on a Ray cluster: environment runners on all nodes, failures survived, checkpoints restored.

On the first machine `ray start --head --port 6379`, on each other `ray start --address FIRST:6379`, the wheel of insonate installed on
all of them; then, anywhere in the cluster:

python examples/python/rllib_cluster.py --address auto --runners 8 --steps 1000000 --output /shared/folder/rllib
python examples/python/rllib_cluster.py --address auto --restore --output /shared/folder/rllib --steps 2000000
"""

import argparse
import csv
import time
from pathlib import Path

import ray
from ray.rllib.algorithms.ppo import PPO

from insonate.rllib import save_module
from rllib_ppo import config

CHECKPOINT_EVERY = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default="auto", help="of the cluster's head, HOST:PORT")
    parser.add_argument("--task", default="probe-sweep")
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--steps", type=int, default=150_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--restore", action="store_true", help="go on from the checkpoint in --output")
    parser.add_argument("--output", type=Path, default=Path("output/rllib_cluster"))
    options = parser.parse_args()
    output = options.output.absolute()
    output.mkdir(parents=True, exist_ok=True)
    # Runners on other nodes import what this script imports.
    ray.init(address=options.address, runtime_env={"working_dir": str(Path(__file__).parent)})

    settings = (
        config(options.task, options.seed)
        .env_runners(
            num_env_runners=options.runners,
            num_envs_per_env_runner=4,
            rollout_fragment_length="auto",
            sample_timeout_s=60,
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            ignore_env_runner_failures=True,
            num_consecutive_env_runner_failures_tolerance=100,
            delay_between_env_runner_restarts_s=5,
            env_runner_health_probe_timeout_s=10,
        )
    )
    algorithm = settings.build_algo()
    checkpoint = output / "checkpoint"
    if options.restore:
        algorithm.restore_from_path(str(checkpoint))
    train(algorithm, options.steps, output, checkpoint, is_new=not options.restore)
    path = output / "policy.safetensors"
    save_module(path, algorithm, options.task)
    print(f"saved {path}: insonate evaluate {path} --episodes 100")
    algorithm.stop()


def train(algorithm: PPO, n_steps: int, output: Path, checkpoint: Path, is_new: bool) -> None:
    start = time.perf_counter()
    with (output / "progress.csv").open("w" if is_new else "a", newline="") as file:
        log = csv.writer(file)
        if is_new:
            log.writerow(["steps", "seconds", "success_rate", "runners", "nodes"])
        steps = 0
        while steps < n_steps:
            runners = algorithm.train()["env_runners"]
            steps = int(runners.get("num_env_steps_sampled_lifetime", steps))
            n_runners = algorithm.env_runner_group.num_healthy_remote_env_runners()
            n_nodes = sum(1 for node in ray.nodes() if node["Alive"])
            seconds = time.perf_counter() - start
            success = runners.get("success_rate", float("nan"))
            log.writerow([steps, round(seconds, 1), success, n_runners, n_nodes])
            file.flush()
            print(
                f"{steps} steps, {seconds:.0f} s: success rate {success:.2f}, {n_runners} runners on {n_nodes} nodes",
                flush=True,
            )
            if algorithm.iteration % CHECKPOINT_EVERY == 0:
                algorithm.save_to_path(str(checkpoint))


if __name__ == "__main__":
    main()
