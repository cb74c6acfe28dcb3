"""Contract: every task is a valid Gymnasium environment, under all supported versions of Gymnasium."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import insonate

ALL = [task for task, _ in insonate.tasks()]
QUICK = ["pendulum", "reacher", "table-slide", "probe-sweep"]


@pytest.mark.parametrize("task", ALL)
def test_gymnasium_has_nothing_to_say(task):
    env = gymnasium.make(insonate.env_id(task)).unwrapped
    with warnings.catch_warnings():
        if task == "pendulum":
            # The torque range of 2 N·m either way is that of Gymnasium's Pendulum-v1, which gives the same warning.
            warnings.filterwarnings("ignore", message=".*symmetric and normalized")
        # Elsewhere warnings are errors (pyproject.toml).
        # What has a camera needs OpenGL for the rest: see test_pictures.py.
        check_env(env, skip_render_check=env.environments.is_drawable)
    env.close()


@pytest.mark.parametrize("task", ALL)
def test_every_task_is_registered(task):
    name = insonate.env_id(task)
    assert name.startswith("insonate/") and name.endswith("-v0")
    spec = gymnasium.spec(name)
    assert spec.kwargs == {"task_id": task}


def test_make_and_make_vec_give_the_same_episodes():
    env = gymnasium.make("insonate/ProbeSweep-v0")
    envs = gymnasium.make_vec("insonate/ProbeSweep-v0", num_envs=2)
    assert isinstance(envs, insonate.VectorEnv)
    rows, infos = envs.reset(seed=7)
    assert rows.shape == envs.observation_space.shape and infos == {}
    for env_idx in range(2):
        single, _ = env.reset(seed=7 + env_idx)
        np.testing.assert_array_equal(single, rows[env_idx])
    env.reset(seed=7)
    for _ in range(20):
        actions = envs.action_space.sample()
        rows, rewards, *_ = envs.step(actions)
        single, reward, *_ = env.step(actions[0])
        np.testing.assert_array_equal(single, rows[0])
        assert reward == rewards[0]
    env.close()
    envs.close()


def test_results_do_not_depend_on_threads():
    runs = []
    for n_threads in (1, 2):
        envs = insonate.VectorEnv("table-slide", 5, n_threads=n_threads)
        assert envs.n_threads == n_threads
        envs.action_space.seed(1)
        envs.reset(seed=3)
        runs.append([envs.step(envs.action_space.sample())[:4] for _ in range(100)])
        envs.close()
    for one, two in zip(*runs, strict=True):
        for a, b in zip(one, two, strict=True):
            np.testing.assert_array_equal(a, b)


def test_settings_have_the_names_of_the_command_line():
    ways = (
        {"env.scene.robot": "ur5e"},
        {"scene.robot": "ur5e"},
        {"scene": {"robot": "ur5e"}},
    )
    for settings in ways:
        env = gymnasium.make("insonate/ProbeSweep-v0", **settings)
        assert env.unwrapped.settings["scene"]["robot"] == "ur5e"
        assert env.observation_space.shape != (0,)
        env.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scene.robt": "ur5e"}, "did you mean"),
        ({"scene.robot": "ur6"}, "ur6"),
        ({"scene.robot": 3}, "a string"),
        ({"scene.robot": None}, "NoneType"),
        ({"nonsense": 1}, "nonsense"),
        ({"env": {"scene": {}}}, "by name"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        insonate.Env("probe-sweep", **settings)


def test_an_unknown_task_is_named_with_a_likely_one():
    with pytest.raises(ValueError, match='did you mean "probe-sweep"'):
        insonate.Env("probe-swep")


def test_the_last_info_tells_how_the_episode_went():
    env = insonate.Env("reacher")
    first, _ = env.reset(seed=4)
    assert set(env.parameters) and env.settings == insonate.default_settings("reacher")
    info, rewards, terms = {}, 0.0, dict.fromkeys(env.reward_terms, 0.0)
    while not info:
        _, reward, terminated, truncated, info = env.step(env.scripted_action())
        rewards += reward
        for name, value in env.reward_terms.items():
            terms[name] += value
    assert terminated or truncated
    assert info["is_success"] == (info["metrics"]["success"] == 1.0)
    assert sum(info["reward_terms"].values()) == pytest.approx(rewards, rel=1e-5)
    assert info["reward_terms"] == pytest.approx(terms, rel=1e-4)
    assert isinstance(info["end_reason"], str)
    again, _ = env.reset(options={"episode_seed": info["episode_seed"]})
    np.testing.assert_array_equal(first, again)
    env.close()


def last_info(env):
    env.reset(seed=0)
    while True:
        *_, terminated, truncated, info = env.step(env.scripted_action())
        if terminated or truncated:
            return terminated, info


def test_an_episode_ends_with_a_verdict():
    script = {"action.mode": "hybrid_force"}
    env = insonate.Env("probe-sweep", **script)
    terminated, info = last_info(env)
    assert not terminated and info["is_success"]
    assert (info["verdict"], info["reasons"]) == ("passed", [])
    env.close()
    env = insonate.Env("probe-sweep", **script, **{"task.max_force": 3.0})
    terminated, info = last_info(env)
    assert terminated and not info["is_success"]
    assert info["verdict"] == "failed"
    assert info["reasons"] == [info["end_reason"]] == ["pressed too hard: force above 3 N"]
    env.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_verdicts_of_a_vector_are_objects_with_masks(mode):
    settings = {"action.mode": "hybrid_force", "task.max_force": 3.0}
    envs = insonate.VectorEnv("probe-sweep", 3, autoreset_mode=mode, **settings)
    envs.reset(seed=0)
    infos = {}
    while "verdict" not in infos:
        *_, infos = envs.step(envs.scripted_actions())
        infos = infos.get("final_info", infos)
    over = infos["_verdict"]
    assert over.any() and (over == infos["_reasons"]).all() and (over == infos["_end_reason"]).all()
    for name in ("verdict", "reasons"):
        assert infos[name].dtype == object and infos[name].shape == (3,)
    for env_idx in range(3):
        expected = ("failed", [infos["end_reason"][env_idx]]) if over[env_idx] else (None, None)
        assert (infos["verdict"][env_idx], infos["reasons"][env_idx]) == expected
    envs.close()


def test_a_start_inside_the_table_is_an_error():
    # The torso sinks into the table, and its skin with it.
    env = insonate.Env("probe-press", **{"randomization.torso_z": [-0.2, -0.2]})
    with pytest.raises(insonate.SimulationError, match=r"probe in table by \d+\.\d mm"):
        env.reset(seed=0)
    env.close()


def test_options_fix_random_parameters():
    env = insonate.Env("pendulum")
    names = list(env.parameters)
    env.reset(seed=0, options={names[0]: 0.25})
    assert env.parameters[names[0]] == 0.25
    with pytest.raises(ValueError, match="parameter"):
        env.reset(options={"nonsense": 1.0})
    env.close()


@pytest.mark.parametrize("task", QUICK)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_vectors_keep_the_contract(task, mode):
    envs = insonate.VectorEnv(task, 3, autoreset_mode=mode)
    n_ends = insonate.check_vector_env(envs, n_steps=300)
    assert n_ends > 0 or task == "probe-sweep"


def test_same_step_gives_the_observation_that_next_step_shows():
    makes = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
    next_step, same_step = (insonate.VectorEnv("reacher", 2, autoreset_mode=m) for m in makes)
    next_step.reset(seed=5)
    same_step.reset(seed=5)
    for _ in range(100):
        actions = next_step.action_space.sample()
        rows, _, terminated, truncated, infos = next_step.step(actions)
        first, *_, final = same_step.step(actions)
        if (terminated | truncated).any():
            break
    assert (terminated | truncated).all()
    np.testing.assert_array_equal(rows, final["final_obs"])
    np.testing.assert_array_equal(
        infos["metrics"]["success"], final["final_info"]["metrics"]["success"]
    )
    rows, *_ = next_step.step(actions)
    np.testing.assert_array_equal(rows, first)


def test_gymnasiums_own_wrappers_fit():
    envs = gymnasium.make_vec("insonate/Reacher-v0", num_envs=3)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs = gymnasium.wrappers.vector.ClipAction(envs)
    envs.reset(seed=0)
    for _ in range(200):
        *_, infos = envs.step(3.0 * envs.action_space.sample())
        if "episode" in infos:
            break
    assert infos["episode"]["l"][infos["_episode"]].min() > 0
    envs.close()
