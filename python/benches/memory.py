"""Memory and processes: environments that are made, rendered and closed again and again, steps, and forked and spawned processes.

python python/benches/memory.py [--rounds 200] [--processes 20] [--steps 100000] [--task probe-sweep]

Prints a table, and fails if the memory grows by more than 50 MB after the first tenth of the rounds, or if a process fails.
"""

import argparse
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import insonate

LIMIT = 50.0
"""Growth that is allowed [MB]."""


def rss() -> float:
    """Resident memory of this process [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def n_threads() -> int:
    """Threads of this process, those of Rust included."""
    return len(os.listdir("/proc/self/task"))


def make_render_close(task: str, *, render: bool) -> bool:
    """Returns whether a picture was made: a machine without EGL makes none."""
    env = insonate.Env(task, render_mode="rgb_array", width=160, height=120)
    env.reset(seed=0)
    env.step(env.action_space.sample())
    picture = None
    if render:
        try:
            picture = env.render()
        except insonate.SimulationError as error:
            if "EGL" not in str(error):
                raise
    env.close()
    return picture is not None


def make_vector(task: str) -> None:
    envs = insonate.VectorEnv(task, 4, n_threads=2)
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
    envs.close()


def growth(rounds: int, work: Callable[[], object]) -> tuple[float, float, float]:
    """Memory after a tenth of the rounds and after all [MB], and the time of a round [s]."""
    first = 0.0
    start = time.perf_counter()
    for index in range(rounds):
        work()
        if index == rounds // 10:
            first = rss()
    return first, rss(), (time.perf_counter() - start) / rounds


def child(task: str, seed: int, rewards: "multiprocessing.Queue[float]") -> None:
    env = insonate.Env(task)
    env.reset(seed=seed)
    rewards.put(float(env.step(np.zeros(env.action_space.shape, np.float32))[1]))
    env.close()


def run_processes(method: str, n: int, task: str) -> tuple[int, float]:
    """Number of processes that gave the reward of this process, and the time [s]."""
    context = multiprocessing.get_context(method)
    rewards = context.Queue()
    expected: "multiprocessing.Queue[float]" = multiprocessing.get_context("spawn").Queue()
    child(task, 7, expected)
    wanted = expected.get()
    start = time.perf_counter()
    processes = [context.Process(target=child, args=(task, 7, rewards)) for _ in range(n)]
    for at in range(0, n, 4):
        group = processes[at : at + 4]
        for process in group:
            process.start()
        for process in group:
            process.join(120)
    good = sum(process.exitcode == 0 for process in processes)
    same = sum(rewards.get() == wanted for _ in range(good))
    return same, time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="probe-sweep")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    failed = []
    threads = n_threads()

    print(f"{'work':<44} {'after 10 %':>12} {'at the end':>12} {'growth':>10} {'each':>10}")
    pictures = []
    works: list[tuple[str, int, Callable[[], object]]] = [
        ("make, step, close an Env", options.rounds, lambda: make_render_close(options.task, render=False)),
        ("make, render, close an Env", options.rounds, lambda: pictures.append(make_render_close(options.task, render=True))),
        ("make, step, close 4 in a VectorEnv", options.rounds, lambda: make_vector(options.task)),
    ]
    pendulum = insonate.VectorEnv("pendulum", 4)
    pendulum.reset(seed=0)
    works.append(("steps of 4 pendulums", options.steps, lambda: pendulum.step(pendulum.action_space.sample())))
    for name, rounds, work in works:
        first, last, seconds = growth(rounds, work)
        print(f"{rounds:>7} x {name:<34} {first:>9.1f} MB {last:>9.1f} MB {last - first:>7.1f} MB {1e3 * seconds:>7.2f} ms", flush=True)
        if last - first > LIMIT:
            failed.append(name)
    pendulum.close()
    print(f"pictures: {sum(pictures)} of {options.rounds}")
    print(f"threads: {threads} at first, {n_threads()} at the end, {threading.active_count()} of Python")

    for method in ("fork", "spawn"):
        same, seconds = run_processes(method, options.processes, options.task)
        print(f"{options.processes:>7} x {method} a process with an Env: {same} with the same reward, {seconds:.1f} s")
        if same < options.processes:
            failed.append(method)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
