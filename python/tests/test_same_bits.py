"""Contract: environments in Python give the same bits as those of the command line."""

import csv
import os
import subprocess

import numpy as np
import pytest

import insonate

CLI = os.environ.get("INSONATE_CLI")


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
@pytest.mark.parametrize("task", ["pendulum", "reacher", "table-slide", "probe-sweep"])
def test_an_episode_of_the_command_line_is_repeated_bit_for_bit(task, tmp_path):
    command = [CLI, "rollout", "random", "--task", task, "--seed", "11", "--no-pictures"]
    subprocess.run([*command, "--output", tmp_path], check=True, capture_output=True)
    with open(tmp_path / "log.csv", newline="") as file:
        rows = list(csv.DictReader(file))

    def numbers(row, prefix):
        return np.array([value for name, value in row.items() if name.startswith(prefix)], np.float32)

    env = insonate.Env(task)
    observation, _ = env.reset(options={"episode_seed": 11})
    for index, row in enumerate(rows):
        np.testing.assert_array_equal(observation, numbers(row, "observation/"), f"step {index}")
        observation, reward, terminated, truncated, _ = env.step(numbers(row, "action/"))
        # The log sums the terms of the reward; the environment returns it as float32.
        assert reward == pytest.approx(float(row["reward"]), rel=1e-6, abs=1e-9)
    assert terminated or truncated
    env.close()
