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
    envs.action_space.seed(7)
    for _ in range(20):
        # Small actions: no episode ends.
        actions = 0.2 * envs.action_space.sample()
        rows, rewards, *_ = envs.step(actions)
        single, reward, terminated, truncated, _ = env.step(actions[0])
        np.testing.assert_array_equal(single, rows[0])
        assert reward == rewards[0] and not (terminated or truncated)
    env.close()
    envs.close()


@pytest.mark.parametrize(
    ("mode", "options"), [("sync", {}), ("async", {"context": "spawn", "shared_memory": True})]
)
def test_gymnasiums_own_vectors_go_on_after_an_episode(mode, options):
    envs = gymnasium.make_vec(
        "insonate/Reacher-v0", num_envs=3, vectorization_mode=mode, vector_kwargs=options
    )
    ours = gymnasium.make_vec("insonate/Reacher-v0", num_envs=3)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    ours.reset(seed=0)
    n_ends, seeds = 0, set()
    for _ in range(160):
        actions = envs.action_space.sample()
        rows, _, terminated, truncated, infos = envs.step(actions)
        expected, *_, known = ours.step(actions)
        np.testing.assert_array_equal(rows, expected)
        over = terminated | truncated
        if over.any():
            np.testing.assert_array_equal(infos["_episode_seed"], over)
            np.testing.assert_array_equal(infos["episode_seed"], known["episode_seed"])
            seeds.update(infos["episode_seed"][over].tolist())
            n_ends += over.sum()
    envs.close()
    ours.close()
    assert n_ends >= 6
    # Half of all seeds do not fit in `int64`.
    assert max(seeds) >= 2**63


@pytest.mark.parametrize("task", QUICK)
def test_the_spec_has_the_limit_of_an_episode(task):
    env = gymnasium.make(insonate.env_id(task))
    limit = env.unwrapped.max_episode_steps
    assert env.spec.max_episode_steps == limit > 0
    env.close()
    envs = gymnasium.make_vec(insonate.env_id(task), num_envs=1, max_episode_steps=7)
    assert envs.spec.max_episode_steps == envs.max_episode_steps == 7
    envs.close()


@pytest.mark.parametrize("task", ["pendulum", "table-slide", "tissue-reach", "continuum-navigate"])
def test_an_episode_has_the_given_number_of_steps(task):
    envs = insonate.VectorEnv(task, 2, max_episode_steps=4)
    envs.reset(seed=0)
    ends = [envs.step(np.zeros(envs.action_space.shape))[3] for _ in range(4)]
    np.testing.assert_array_equal(ends, [[False, False]] * 3 + [[True, True]])
    with pytest.raises(ValueError, match="max_episode_steps is 0"):
        insonate.Env(task, max_episode_steps=0)


def test_single_and_vector_have_the_same_names():
    env, envs = insonate.Env("table-slide"), insonate.VectorEnv("table-slide", 2)
    for name in ("task", "settings", "observation_names", "action_names", "parameter_names"):
        assert getattr(env, name) == getattr(envs, name)
    assert env.control_timestep == envs.control_timestep
    env.reset(seed=0)
    envs.reset(seed=0)
    env.step(env.scripted_action())
    envs.step(envs.scripted_action())
    np.testing.assert_array_equal(envs.scripted_action()[0], env.scripted_action())
    for name in ("parameters", "reward_terms"):
        one, many = getattr(env, name), getattr(envs, name)
        assert one == {key: values[0] for key, values in many.items()}
        assert all(values.shape == (2,) for values in many.values())


def test_seeds_may_be_an_array():
    envs = insonate.VectorEnv("reacher", 3)
    rows, _ = envs.reset(seed=[5, 9, 2])
    for seeds in (np.array([5, 9, 2]), np.array([5, 9, 2], np.uint8)):
        np.testing.assert_array_equal(envs.reset(seed=seeds)[0], rows)
    rows, _ = envs.reset(seed=4)
    np.testing.assert_array_equal(envs.reset(seed=np.int64(4))[0], rows)
    for seeds, words in (
        (np.array([1.0, 2.0, 3.0]), "float64"),
        (np.array([[1, 2, 3]]), "shape"),
        (np.array([1, 2]), "2 seeds"),
        (np.array([1, 2, -3]), "seed is -3"),
    ):
        with pytest.raises(ValueError, match=words):
            envs.reset(seed=seeds)


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
        *_, infos = envs.step(envs.scripted_action())
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


def test_options_have_the_names_of_parameters_or_of_their_settings():
    env = insonate.Env("probe-sweep")
    first, _ = env.reset(seed=0, options={"torso.stiffness": 1400.0})
    again, _ = env.reset(seed=0, options={"stiffness": 1400.0})
    assert env.parameters["torso.stiffness"] == 1400.0
    np.testing.assert_array_equal(first, again)
    for options, words in (
        ({"stiffness": 1400.0, "torso.stiffness": 1400.0}, "another name|names"),
        ({"stiffness": 1.0}, "50 to 20000|stiffness"),
        # Two parameters share this setting.
        ({"start_offset": 0.0}, "start"),
    ):
        with pytest.raises(ValueError, match=words):
            env.reset(options=options)
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
    next_step.action_space.seed(5)
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
    envs.action_space.seed(0)
    for _ in range(200):
        *_, infos = envs.step(3.0 * envs.action_space.sample())
        if "episode" in infos:
            break
    assert infos["episode"]["l"][infos["_episode"]].min() > 0
    envs.close()
