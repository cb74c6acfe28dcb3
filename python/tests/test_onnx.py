"""Contract: an exported policy gives the same actions in onnxruntime as in Rust, on recorded
observations."""

import json
import os
import subprocess

import numpy as np
import onnxruntime
import pytest
from conftest import ROOT

import insonate

CLI = os.environ.get("INSONATE_CLI")

TOLERANCE = 1e-6
"""For actions of -1 to 1: single-precision rounding of the sums of three layers in a different order."""


def recorded(policy, n_steps=150):
    """Observations of an episode with the policy."""
    env = insonate.Env(policy.task, **policy.settings)
    observation, _ = env.reset(seed=3)
    rows = [observation]
    for _ in range(n_steps):
        observation, _, terminated, truncated, _ = env.step(policy(observation))
        rows.append(observation)
        if terminated or truncated:
            break
    env.close()
    return np.array(rows)


def session(model):
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def largest_difference(policy, rows):
    actions = session(policy.to_onnx()).run(None, {"observation": rows})[0]
    assert actions.dtype == np.float32 and actions.shape == (len(rows), len(policy.action_names))
    return np.abs(actions - policy(rows)).max()


@pytest.mark.parametrize("task", ["probe-sweep", "cube-push"])
def test_policies_of_ppo(task):
    policy = insonate.load_policy(ROOT / "data/policies" / task / "policy.safetensors")
    assert largest_difference(policy, recorded(policy)) <= TOLERANCE


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
def test_a_policy_of_imitation(tmp_path):
    def run(*words):
        return subprocess.run([CLI, *map(str, words)], check=True, capture_output=True)

    data, folder = tmp_path / "demonstrations.hdf5", tmp_path / "imitate"
    run("demonstrate", "reacher", "--episodes", "4", "--format", "robomimic", "--output", data)
    run("imitate", "reacher", "--data", data, "--epochs", "20", "--output", folder)
    policy = insonate.load_policy(folder)
    assert largest_difference(policy, recorded(policy)) <= TOLERANCE


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu", "silu"])
@pytest.mark.parametrize("normalized", [False, True])
def test_every_activation_with_and_without_normalisation(activation, normalized, tmp_path):
    rng = np.random.default_rng(0)
    env = insonate.Env("pendulum")
    layers = [(rng.normal(size=(16, 3)) / 2, rng.normal(size=16)), (rng.normal(size=(1, 16)) / 8, rng.normal(size=1))]
    moments = {"observation_mean": rng.normal(size=3), "observation_variance": rng.uniform(0.1, 2.0, size=3), "clip_obs": 2.0}
    path = tmp_path / "policy.safetensors"
    insonate.save_policy(path, env, layers, activation=activation, **(moments if normalized else {}))
    policy = insonate.load_policy(path)
    rows = rng.normal(size=(500, 3)).astype(np.float32) * [1, 1, 8]
    assert largest_difference(policy, rows.astype(np.float32)) <= 2 * TOLERANCE  # torques of -2 to 2


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
def test_the_command_writes_the_model_and_what_its_numbers_mean(policy_file, tmp_path):
    path = tmp_path / "sweep.onnx"
    command = [CLI, "export", policy_file, "--onnx", path, "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    policy = insonate.load_policy(policy_file)
    model = session(path)
    n_obs, n_actions = len(policy.observation_names), len(policy.action_names)
    assert told["observation"] == ["batch", n_obs] and told["action"] == ["batch", n_actions]
    assert [(it.name, it.shape) for it in model.get_inputs()] == [("observation", ["batch", n_obs])]
    assert [(it.name, it.shape) for it in model.get_outputs()] == [("action", ["batch", n_actions])]
    metadata = model.get_modelmeta().custom_metadata_map
    assert metadata["task"] == "probe-sweep" and "stiffness" in metadata["settings"]
    entries = json.loads(metadata["observations"])
    assert [entry["name"] for entry in entries] == policy.observation_names
    (force,) = (entry for entry in entries if entry["name"] == "force_z [N]")
    assert force["frame"] == "probe" and force["filter"].startswith("mean over the control step")
    (error,) = (entry for entry in entries if entry["name"] == "position_error_x [m]")
    assert (error["frame"], error["filter"]) == ("goal", "")
