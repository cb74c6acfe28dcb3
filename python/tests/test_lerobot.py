"""Contract: the environment for LeRobot shows what a data set holds, by LeRobot's names."""

import json
from pathlib import Path

import numpy as np
import pytest

import insonate
from insonate.lerobot import LeRobotEnv

SEED = 5
# The script of `demonstrate` acts in this mode.
BODY = {"scene.shape": "adult", "time.limit": 0.3, "action.mode": "hybrid_force"}
SCAN = {"b_mode": True, "size": 48, "lines": 24, "samples": 128}


def episode(env, seed):
    """Observations and actions of the script's episode."""
    seen, actions = [env.reset(seed=seed)[0]], []
    over = False
    while not over:
        actions.append(env.env.scripted_action())
        observation, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
        seen.append(observation)
    return seen, actions, info


def column(seen, name):
    """A feature of the data set by its name there, without the observation after the last step, which LeRobot's format lacks."""
    if name.startswith("observation.images."):
        return np.array([it["pixels"][name.removeprefix("observation.images.")] for it in seen[:-1]])
    own = "agent_pos" if name == "observation.state" else name.removeprefix("observation.")
    return np.array([it[own] for it in seen[:-1]])


def test_an_episode_is_that_of_the_data_set(tmp_path):
    told = insonate.demonstrate("probe-press", tmp_path / "set", episodes=1, seed=SEED, **SCAN, **BODY)
    env = LeRobotEnv("probe-press", picture_seed=SEED, **SCAN, **BODY)
    seen, actions, info = episode(env, SEED)
    assert told["steps"] == len(actions) == env._max_episode_steps and info["episode_seed"] == SEED
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())
    names = [name for name in stats if name.startswith("observation.")]
    assert len(names) == len(env.observation_space.spaces)
    assert {"observation.state", "observation.images.ultrasound", "observation.probe_wrench"} <= set(names)
    for name in names:
        values = column(seen, name).astype(float)
        if name.startswith("observation.images."):
            # The statistics are of a part of the pixels, 0 to 1.
            found = np.array(stats[name]["mean"]).ravel()
            np.testing.assert_allclose(found, values.mean((0, 1, 2)) / 255, rtol=0.05)
            continue
        for what, wanted in (("min", values.min(0)), ("max", values.max(0)), ("mean", values.mean(0))):
            np.testing.assert_allclose(stats[name][what], wanted, atol=1e-5, err_msg=name)
    np.testing.assert_array_equal(stats["action"]["max"], np.max(actions, 0))
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")
    for name in names:
        if not name.startswith("observation.images."):
            np.testing.assert_array_equal(np.array(rows[name].to_pylist(), np.float32), column(seen, name), name)


def test_observations_lie_in_their_space_and_repeat():
    env = LeRobotEnv("probe-press", **SCAN, **BODY)
    seen, actions, _ = episode(env, 3)
    assert all(env.observation_space.contains(it) for it in seen)
    assert seen[0]["pixels"]["ultrasound"].any()
    # Another episode, and back: the receiver's noise starts again, and the organs are the episode's.
    env.reset()
    other = env.step(actions[0])[0]
    again, _ = env.reset(seed=3, options={"lerobot_new_rollout": True})
    for name, value in again.items():
        if name != "pixels":
            np.testing.assert_array_equal(value, seen[0][name])
    np.testing.assert_array_equal(again["pixels"]["ultrasound"], seen[0]["pixels"]["ultrasound"])
    assert (other["agent_pos"] != seen[1]["agent_pos"]).any()


def test_actions_are_clipped():
    ours, wanted = (LeRobotEnv("probe-sweep", **{"time.limit": 0.2}) for _ in range(2))
    ours.reset(seed=1), wanted.reset(seed=1)
    far = np.full(ours.action_space.shape, 7.0)
    np.testing.assert_array_equal(
        ours.step(far)[0]["agent_pos"], wanted.step(ours.action_space.high)[0]["agent_pos"]
    )


def test_wrong_options_are_named():
    with pytest.raises(ValueError, match="size"):
        LeRobotEnv("probe-press", b_mode=True, size=4, **BODY)
    with pytest.raises(ValueError, match="seed"):
        LeRobotEnv("pendulum").reset(seed=-1)
    with pytest.raises(ValueError, match="adult"):
        LeRobotEnv("probe-press", b_mode=True).reset(seed=0)


def test_lerobot_makes_the_environments(monkeypatch):
    pytest.importorskip("lerobot.envs.configs")
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "lerobot_env_insonate")
    from lerobot.envs.factory import make_env, make_env_config
    from lerobot.envs.utils import env_to_policy_features, preprocess_observation

    import lerobot_env_insonate  # noqa: F401

    config = make_env_config("insonate", task="probe-press", settings=BODY, **SCAN)
    features = env_to_policy_features(config)
    assert features["observation.images.ultrasound"].shape == (3, SCAN["size"], SCAN["size"])
    envs = make_env(config, n_envs=2)["insonate"][0]
    observation, _ = envs.reset(seed=[3, 4])
    batch = preprocess_observation(observation)
    assert set(features) == {"action", *batch}
    assert all(batch[name].shape == (2, *features[name].shape) for name in batch)
    for _ in range(envs.call("_max_episode_steps")[0]):
        _, _, terminated, truncated, info = envs.step(envs.action_space.sample())
    assert (terminated | truncated).all() and info["final_info"]["is_success"].shape == (2,)
    envs.close()
