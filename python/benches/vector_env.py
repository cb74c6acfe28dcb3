"""Steps per second from Python, compared with `insonate bench env` and with Gymnasium's vectors of Reacher-v5.

pip install "gymnasium[mujoco]"
python python/benches/vector_env.py --cli target/release/insonate [--memory 1000000]

Both sides step 16 environments on 2 threads under random actions, in turns, since the load of a machine changes; the best of each
counts. `--memory N` steps N times and prints how much the process grew.
"""

import argparse
import json
import resource
import subprocess
import time
from collections.abc import Callable
from typing import Any

import gymnasium

import insonate

N_ENVS = 16
TASKS = {"reacher": 500, "table-slide": 20, "probe-sweep": 20}
"""Steps of each environment per turn."""


def rate(step: Callable[[Any], Any], actions: list[Any], n_envs: int) -> float:
    start = time.perf_counter()
    for action in actions:
        step(action)
    return len(actions) * n_envs / (time.perf_counter() - start)


def of_cli(cli: str, task: str, n_steps: int, n_threads: int) -> float:
    command = [cli, "bench", "env", "--task", task, "--envs", str(N_ENVS), "--threads", str(n_threads)]
    command += ["--policy", "random", "--rounds", "1", "--steps", str(n_steps), "--json"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(found.stdout)["env_steps_per_second"]


def compare(cli: str, task: str, n_steps: int, n_turns: int, n_threads: int) -> None:
    envs = insonate.VectorEnv(task, N_ENVS, n_threads=n_threads)
    actions = [envs.action_space.sample() for _ in range(n_steps)]
    ours, theirs = [], []
    for _ in range(n_turns):
        theirs.append(of_cli(cli, task, n_steps, n_threads))
        # Start from the state of the command line's environments after their warm-up.
        envs.reset(seed=0)
        rate(envs.step, [envs.action_space.sample() for _ in range(50)], N_ENVS)
        ours.append(rate(envs.step, actions, N_ENVS))
    envs.close()
    best, reference = max(ours), max(theirs)
    print(f"{task}: {best:.0f} steps/s from Python, {reference:.0f} in Rust: {100 * best / reference:.1f} %", flush=True)


def gymnasiums() -> None:
    for mode in ("sync", "async"):
        envs = gymnasium.make_vec("Reacher-v5", num_envs=N_ENVS, vectorization_mode=mode)
        envs.reset(seed=0)
        actions = [envs.action_space.sample() for _ in range(100)]
        best = max(rate(envs.step, actions, N_ENVS) for _ in range(5))
        envs.close()
        print(f"Gymnasium's {mode} vector of Reacher-v5: {best:.0f} steps/s", flush=True)


def memory(n_steps: int) -> None:
    envs = insonate.VectorEnv("reacher", N_ENVS, n_threads=2)
    envs.reset(seed=0)
    actions = [envs.action_space.sample() for _ in range(100)]
    sizes = []
    for index in range(n_steps // N_ENVS):
        envs.step(actions[index % 100])
        if index % (n_steps // N_ENVS // 10) == 0:
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(f"largest memory over {n_steps} steps [MiB]: {[round(size, 1) for size in sizes]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", default="target/release/insonate")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=0)
    options = parser.parse_args()
    for task, n_steps in TASKS.items():
        compare(options.cli, task, n_steps, options.turns, options.threads)
    gymnasiums()
    if options.memory:
        memory(options.memory)


if __name__ == "__main__":
    main()
