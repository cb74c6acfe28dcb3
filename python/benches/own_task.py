"""Steps per second of a task written in Python, compared with the same task in Rust: `probe-press` with its reward.

python python/benches/own_task.py

64 environments on 2 threads under random actions, in turns, since the load of a machine changes; medians of five.
"""

import statistics
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import insonate

N_ENVS = 64
N_STEPS = 100
N_TURNS = 5
SETTINGS: dict[str, Any] = {
    "randomization": {
        "stiffness": [900.0, 2000.0],
        "damping": [15.0, 45.0],
        "friction": [0.0, 0.1],
        "force_noise": [0.0, 0.1],
        "force": [2.0, 10.0],
    },
    "time.limit": 3.0,
    "action.mode": "wrench",
}


def axis_z(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The z axis of each frame, shape ``[n, 3]``."""
    w, x, y, z = quaternions.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


class Press(insonate.ProbeTask):
    """press on a place of the torso with a constant force"""

    observation = {"force_target [N]": 1}
    reward_terms = ("force", "force_error", "position", "orientation", "smoothness")

    def __init__(self, num_envs: int, settings: Mapping[str, Any]) -> None:
        super().__init__(num_envs, settings)
        self.last: NDArray[np.float64] = np.zeros((num_envs, 0))
        self.across = np.zeros(num_envs)

    def reset(self, state: insonate.TaskState, mask: NDArray[np.bool_], rng: insonate.TaskRandom) -> Any:
        if self.last.size == 0:
            self.last = np.zeros(state.action.shape)
        self.last[mask] = 0.0
        place = rng.uniform([-0.06, -0.09], [0.06, 0.09], 2)
        return {"place": place, "force": state.parameters["force.target"]}

    def observe(self, state: insonate.TaskState) -> Any:
        return {"force_target": state.goal_force}

    def reward(self, state: insonate.TaskState, action: NDArray[np.float32]) -> Any:
        error = abs(state.mean_normal_force - state.goal_force)
        axis = axis_z(state.goal_quaternion)
        offset = state.probe_position - state.goal_position
        self.across = np.linalg.norm(offset - axis * (offset * axis).sum(1, keepdims=True), axis=1)
        tilt = np.arccos(np.clip((axis * axis_z(state.probe_quaternion)).sum(1), -1, 1))
        change = ((action - self.last) ** 2).sum(1)
        self.last = action.astype(np.float64)
        counted = np.where(state.time < 1.5, 0.1, 1.0)
        return {
            "force": counted * 3 * state.in_contact * np.exp(-((0.7 * error) ** 2)),
            "force_error": -counted * np.minimum(error, 5),
            "position": 0.5 * np.exp(-((200 * self.across) ** 2)),
            "orientation": 0.5 * np.exp(-((tilt / 0.05) ** 2)),
            "smoothness": -0.02 * change,
        }

    def is_terminated(self, state: insonate.TaskState) -> Any:
        return (self.across > 0.05) | (state.normal_force > 40)

    def is_success(self, state: insonate.TaskState) -> Any:
        return abs(state.normal_force - state.goal_force) < 0.5


def main() -> None:
    insonate.register_task("press-in-python", Press, defaults=SETTINGS)
    names = {"Rust": "probe-press", "Python": "press-in-python"}
    envs = {language: insonate.VectorEnv(name, N_ENVS, n_threads=2) for language, name in names.items()}
    rates: dict[str, list[float]] = {language: [] for language in envs}
    for env in envs.values():
        env.reset(seed=0)
    for _ in range(N_TURNS):
        for language, env in envs.items():
            env.action_space.seed(0)
            actions = [0.3 * env.action_space.sample() for _ in range(N_STEPS)]
            start = time.perf_counter()
            for action in actions:
                env.step(action)
            rates[language].append(N_STEPS * N_ENVS / (time.perf_counter() - start))
    rust, python = (statistics.median(rates[language]) for language in ("Rust", "Python"))
    print(f"{python:.0f} steps/s with the task in Python, {rust:.0f} in Rust: {100 * python / rust:.0f} %")


if __name__ == "__main__":
    main()
