"""Contract: a policy file gives the same actions in Python as in Rust."""

import numpy as np
import pytest

import insonate


def test_a_trained_policy_sweeps(policy_file):
    policy = insonate.load_policy(policy_file)
    assert policy.task == "probe-sweep"
    envs = insonate.VectorEnv(policy.task, 4, autoreset_mode="disabled", **policy.settings)
    rows, _ = envs.reset(seed=0)
    over = np.zeros(4, bool)
    success = np.zeros(4, bool)
    while not over.all():
        rows, _, terminated, truncated, infos = envs.step(policy(rows))
        done = terminated | truncated
        if done.any():
            success |= infos["is_success"] & done
            over |= done
            if not over.all():
                rows, _ = envs.reset(options={"reset_mask": done})
    assert success.all()
    assert len(policy.observation_names) == rows.shape[1]
    envs.close()


def test_one_observation_or_many(policy_file):
    policy = insonate.load_policy(policy_file)
    rows = np.random.default_rng(0).normal(size=(300, len(policy.observation_names)))
    rows = rows.astype(np.float32)
    actions = policy(rows)
    assert actions.shape == (300, len(policy.action_names))
    for row, action in zip(rows[:5], actions[:5], strict=True):
        np.testing.assert_array_equal(policy(row), action)


def test_what_was_trained_elsewhere_acts_the_same_from_its_file(tmp_path):
    rng = np.random.default_rng(0)
    env = insonate.Env("pendulum")
    sizes = [3, 8, 1]
    layers = [
        (rng.normal(size=(n_out, n_in)), rng.normal(size=n_out))
        for n_in, n_out in zip(sizes, sizes[1:], strict=False)
    ]
    mean, variance = rng.normal(size=3), rng.uniform(0.5, 2.0, size=3)
    rows = rng.normal(size=(50, 3)).astype(np.float32)
    normalized = np.clip((rows - mean) / np.sqrt(variance), -10.0, 10.0)
    outputs = np.tanh(normalized @ layers[0][0].T + layers[0][1]) @ layers[1][0].T + layers[1][1]
    path = tmp_path / "policy.safetensors"
    # The torque range is 2 N·m either way.
    for kind, expected in (("actions", outputs), ("shares", 2.0 * outputs)):
        insonate.save_policy(
            path, env, layers, observation_mean=mean, observation_variance=variance, outputs=kind
        )
        policy = insonate.load_policy(path)
        assert policy.task == "pendulum" and policy.settings == env.settings
        np.testing.assert_allclose(policy(rows), np.clip(expected, -2.0, 2.0), atol=1e-4)


def test_layers_that_do_not_fit_are_refused(tmp_path):
    env = insonate.Env("pendulum")
    good = [(np.zeros((1, 3)), np.zeros(1))]
    for layers, words in (
        ([], "layers"),
        ([(np.zeros((1, 4)), np.zeros(1))], "weights"),
        ([(np.zeros((2, 3)), np.zeros(2))], "actions"),
        ([(np.full((1, 3), np.nan), np.zeros(1))], "finite"),
    ):
        with pytest.raises(ValueError, match=words):
            insonate.save_policy(tmp_path / "p.safetensors", env, layers)
    with pytest.raises(ValueError, match="means"):
        insonate.save_policy(
            tmp_path / "p.safetensors", env, good, observation_mean=[0], observation_variance=[1]
        )
    with pytest.raises(ValueError, match="activation"):
        insonate.save_policy(tmp_path / "p.safetensors", env, good, activation="softmax")
