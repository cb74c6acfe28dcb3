"""Contract: the environment of recorded demonstrations can be recreated from their file."""

import json
import os
import subprocess

import gymnasium
import numpy as np
import pytest

import insonate

CLI = os.environ.get("INSONATE_CLI")

pytestmark = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")


def env_args(path):
    """The attribute of the group `data`, found by the start of its JSON, so that no HDF5 reader is needed."""
    text = path.read_bytes().decode("latin-1")
    return json.JSONDecoder().raw_decode(text, text.index('{"env_name"'))[0]


@pytest.mark.parametrize(
    ("task", "settings"),
    [("pendulum", {"gravity": 5.0, "max_episode_steps": 30}), ("probe-sweep", {"scene.robot": "ur5e", "action.mode": "hybrid_force"})],
)
def test_a_robomimic_file_makes_its_environment_again(task, settings, tmp_path):
    path = tmp_path / "demonstrations.hdf5"
    command = [CLI, "demonstrate", task, "--episodes", "1", "--seed", "3", "--format", "robomimic", "--output", path]
    for name, value in settings.items():
        command += ["--set", f"env.{name}={json.dumps(value)}"]
    told = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True).stdout)
    args = env_args(path)
    made = gymnasium.make(args["env_name"], **args["env_kwargs"])
    wanted = insonate.Env(task, **settings)
    assert made.unwrapped.environments.settings == wanted.environments.settings
    assert args["type"] == 2 and args["env_version"] == insonate.__version__
    for env in (made, wanted):
        env.reset(options={"episode_seed": 3})
    n_steps, over = 0, False
    while not over:
        action = wanted.scripted_action()
        ours, theirs = made.step(action), wanted.step(action)
        np.testing.assert_array_equal(ours[0], theirs[0])
        n_steps, over = n_steps + 1, ours[2] or ours[3]
    assert n_steps == told["steps"]
