"""Contract: a policy file acts in Python as it does in Rust."""

import numpy as np

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
