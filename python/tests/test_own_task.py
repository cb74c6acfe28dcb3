"""Contract: a task in Python steps as one in Rust, and what its methods return wrongly is refused by name."""

import traceback
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import insonate

LIMIT = 0.4
STEPS = 20


class Hover(insonate.ProbeTask):
    """hold the probe still above a place of the torso"""

    observation = {"distance [m]": 1, "offset [m]": 3}
    settings = {"height": 0.02, "area": [0.03, 0.03]}
    reward_terms = ("near", "slow")
    metric_names = ("last_distance",)

    def reset(self, state, mask, rng):
        area = np.array(self.settings["area"])
        return {"place": rng.uniform(-area, area, 2), "height": self.settings["height"]}

    def observe(self, state):
        return {"distance": state.goal_distance, "offset": state.probe_position - state.goal_position}

    def reward(self, state, action):
        return {"near": 0.5 ** (state.goal_distance / 0.01), "slow": -0.1 * (action**2).sum(axis=1)}

    def is_success(self, state):
        return state.goal_distance < 0.03

    def is_terminated(self, state):
        return state.goal_distance > 0.2

    def metrics(self, state):
        return {"last_distance": state.goal_distance}


class Press(insonate.ProbeTask):
    """probe-press, with those terms of its reward that the state after a step gives"""

    observation = {"force_target [N]": 1}

    def __init__(self, num_envs, settings):
        super().__init__(num_envs, settings)
        self.last_action = np.zeros((num_envs, 0))

    def reset(self, state, mask, rng):
        if self.last_action.shape != state.action.shape:
            self.last_action = np.full(state.action.shape, np.nan)
        self.last_action[mask] = np.nan
        return {"force": state.parameters["force.target"]}

    def observe(self, state):
        return {"force_target": state.goal_force}

    def reward(self, state, action):
        error = abs(state.mean_normal_force - state.goal_force)
        axis = z_axis(state.goal_quaternion)
        offset = state.probe_position - state.goal_position
        across = offset - axis * (offset * axis).sum(axis=1, keepdims=True)
        cosine = (axis * z_axis(state.probe_quaternion)).sum(axis=1)
        tilt = np.arccos(np.clip(cosine, -1.0, 1.0))
        place = 0.5 * np.exp(-((200.0 * np.linalg.norm(across, axis=1)) ** 2))
        change = np.nan_to_num(((action - self.last_action) ** 2).sum(axis=1))
        self.last_action = action.copy()
        self.error = error
        return place + 0.5 * np.exp(-((tilt / 0.05) ** 2)) - 0.02 * change


def z_axis(quaternion):
    w, x, y, z = quaternion.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


insonate.register_task(
    "own-hover",
    Hover,
    defaults={"time.limit": LIMIT, "randomization.breathing": True, "randomization.patient_amplitude": [-0.01, 0.01]},
    ppo={"n_envs": 4, "n_steps": 16, "total_timesteps": 128},
)
insonate.register_task("own-press", Press, defaults={"action.mode": "wrench"})


def actions_of(env, n, seed=3):
    env.action_space.seed(seed)
    return [0.3 * env.action_space.sample() for _ in range(n)]


def test_press_in_python_is_press_in_rust():
    # Noise would be drawn after other draws; the place of the task in Rust is random too.
    same = {
        "randomization.force_noise": 0.0,
        "randomization.force": [2.0, 10.0],
        "randomization.stiffness": [900.0, 2000.0],
        "randomization.damping": [15.0, 45.0],
        "randomization.start_height": 0.002,
    }
    usual = {**same, "randomization.friction": [0.0, 0.1], "time.limit": 1.0, "num_envs": 3}
    weights = {"force": 0.0, "force_error": 0.0, "contact_speed": 0.0}
    rust = insonate.VectorEnv("probe-press", **usual, task={"area": [0.0, 0.0], "reward": weights})
    own = insonate.VectorEnv("own-press", **usual)
    assert own.observation_names == rust.observation_names
    (in_rust, _), (in_python, _) = rust.reset(seed=5), own.reset(seed=5)
    np.testing.assert_array_equal(in_python, in_rust)
    touched = False
    # The first action is compared with none in both.
    for action in actions_of(rust, 40):
        in_rust, in_rust_reward, *in_rust_ends, _ = rust.step(action)
        in_python, reward, *ends, _ = own.step(action)
        np.testing.assert_array_equal(in_python, in_rust)
        np.testing.assert_array_equal(ends, in_rust_ends)
        np.testing.assert_allclose(reward, in_rust_reward, rtol=1e-5, atol=1e-6)
        touched |= bool((in_python[:, own.observation_names.index("force_z [N]")] < -0.5).any())
    assert touched
    rust.close()
    own.close()


def test_observation_and_reward_are_the_formulas_of_the_usual_observation():
    env = insonate.Env("own-hover")
    names = [name.split(" [")[0] for name in env.observation_names]
    at = {name: names.index(name) for name in names}
    error = slice(at["position_error_x"], at["position_error_z"] + 1)
    row, _ = env.reset(seed=4)
    for action in actions_of(env, STEPS - 1):
        # The usual error is in the goal's frame, and so has the same length.
        distance = np.linalg.norm(row[error].astype(float))
        assert row[at["distance"]] == pytest.approx(distance, rel=1e-4)
        assert np.linalg.norm(row[at["offset_0"] : at["offset_2"] + 1]) == pytest.approx(distance, rel=1e-4)
        row, reward, terminated, truncated, _ = env.step(action)
        distance = np.linalg.norm(row[error].astype(float))
        terms = env.reward_terms
        assert terms["near"] == pytest.approx(0.5 ** (distance / 0.01), rel=1e-3)
        assert terms["slow"] == pytest.approx(-0.1 * float((action.astype(float) ** 2).sum()), rel=1e-5)
        assert reward == pytest.approx(sum(terms.values()), rel=1e-5)
        assert not (terminated or truncated)
    *_, truncated, info = env.step(action)
    distance = np.linalg.norm(row[error].astype(float))
    assert truncated and info["end_reason"] == "time limit"
    assert info["metrics"]["last_distance"] == pytest.approx(distance, abs=0.01)
    assert info["is_success"] == (info["metrics"]["last_distance"] < 0.03)
    assert (info["verdict"] == "passed") <= info["is_success"]
    env.close()


def test_a_goal_is_as_high_over_the_skin_as_the_task_says_and_moves_with_its_velocity():
    class Seen(insonate.ProbeTask):
        """keeps what it is given"""

        settings = {"height": 0.02, "speed": 0.0}

        def reset(self, state, mask, rng):
            place = np.zeros((self.num_envs, 2))
            velocity = np.stack([np.zeros(self.num_envs), np.full(self.num_envs, self.settings["speed"])], axis=1)
            return {"place": place, "velocity": velocity, "height": self.settings["height"], "force": 3.0}

        def reward(self, state, action):
            seen.append((state.goal_position.copy(), state.goal_velocity.copy(), state.time.copy(), state.goal_force.copy()))
            return np.zeros(self.num_envs)

    insonate.register_task("own-seen", Seen)
    seen = []
    for settings in ({"height": 0.02}, {"height": 0.05}, {"speed": 0.04}):
        envs = insonate.VectorEnv("own-seen", 2, task=settings)
        envs.reset(seed=1)
        for _ in range(5):
            envs.step(np.zeros(envs.action_space.shape, np.float32))
        envs.close()
    low, high, moving = seen[:5], seen[5:10], seen[10:]
    assert np.linalg.norm(high[4][0] - low[4][0], axis=1) == pytest.approx([0.03, 0.03], abs=1e-9)
    assert np.all(low[4][1] == 0.0) and np.all(low[4][3] == 3.0)
    np.testing.assert_allclose(moving[4][2], 5 * 0.02, rtol=1e-9)
    # The last physics step sees the goal of its start.
    passed = moving[4][0][:, 1] - moving[0][0][:, 1]
    np.testing.assert_allclose(passed, 0.04 * (moving[4][2] - moving[0][2]), rtol=1e-6)
    np.testing.assert_allclose(moving[4][1][:, 1], 0.04, rtol=1e-9)


def run(n_threads, num_envs=3, seed=8, **more):
    envs = insonate.VectorEnv("own-hover", num_envs, n_threads=n_threads, **more)
    rows = [envs.reset(seed=seed)[0]]
    rewards = []
    for action in actions_of(envs, 2 * STEPS + 5):
        row, reward, *_ = envs.step(action)
        rows.append(row)
        rewards.append(reward)
    envs.close()
    return np.array(rows), np.array(rewards)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(mode):
    one, two = run(1, autoreset_mode=mode), run(2, autoreset_mode=mode)
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert len(np.unique(one[0][0, :, 0])) == 3
    other = run(2, seed=9, autoreset_mode=mode)
    assert not np.array_equal(one[0], other[0])


def test_an_environment_of_a_vector_is_the_same_alone():
    envs = insonate.VectorEnv("own-hover", 3, autoreset_mode=AutoresetMode.DISABLED)
    together, _ = envs.reset(seed=20)
    actions = actions_of(envs, 6)
    rows = [together]
    rewards = []
    for action in actions:
        row, reward, *_ = envs.step(action)
        rows.append(row)
        rewards.append(reward)
    for index in range(3):
        env = insonate.Env("own-hover")
        alone, _ = env.reset(seed=20 + index)
        np.testing.assert_array_equal(alone, rows[0][index])
        for step, action in enumerate(actions):
            alone, reward, *_ = env.step(action[index])
            np.testing.assert_array_equal(alone, rows[step + 1][index])
            assert reward == rewards[step][index]
        env.close()
    # A reset of one of them leaves the others as they are.
    mask = np.array([False, True, False])
    row, _ = envs.reset(seed=[None, 21, None], options={"reset_mask": mask})
    np.testing.assert_array_equal(row[mask], rows[0][mask])
    np.testing.assert_array_equal(row[~mask], rows[-1][~mask])
    envs.close()


def test_a_saved_state_goes_on_with_the_same_bits():
    envs = insonate.VectorEnv("own-press", 3, n_threads=2, **{"time.limit": 2.0})
    envs.reset(seed=2)
    first, second = actions_of(envs, 7), actions_of(envs, 5, seed=4)
    for index, action in enumerate(first):
        envs.step(action)
        if index == 3:
            # From here on the episodes have different lengths.
            envs.begin_episode(1, 77, {})
    state = envs.save()
    expected = [envs.step(action) for action in second]
    other = insonate.VectorEnv("own-press", 3, n_threads=1, **{"time.limit": 2.0})
    other.restore(state)
    for action, (row, reward, *_) in zip(second, expected, strict=True):
        again, reward_again, *_ = other.step(action)
        np.testing.assert_array_equal(again, row)
        np.testing.assert_array_equal(reward_again, reward)
    envs.close()
    other.close()


def test_gymnasium_and_our_checker_have_nothing_to_say():
    env = gymnasium.make("insonate/OwnHover-v0").unwrapped
    with warnings.catch_warnings():
        check_env(env, skip_render_check=True)
    env.close()
    assert insonate.check_vector_env(gymnasium.make_vec("insonate/OwnHover-v0", num_envs=2), n_steps=50) > 0


def test_settings_of_the_task_and_of_all_tasks_with_a_probe():
    env = insonate.Env("own-hover", task={"height": 0.05}, **{"action.mode": "joint_velocity", "observation.n_stack": 2})
    settings = env.settings
    assert settings["task"] == {"height": 0.05, "area": [0.03, 0.03]} and settings["time"]["limit"] == LIMIT
    first, _ = env.reset(seed=1, options={"stiffness": 1200.0})
    assert env.parameters["torso.stiffness"] == 1200.0
    half = len(first) // 2
    np.testing.assert_array_equal(first[:half], first[half:])
    second, *_ = env.step(np.full(env.action_space.shape, 0.1, np.float32))
    np.testing.assert_array_equal(second[:half], first[half:])
    assert not np.array_equal(second[half:], first[half:])
    env.close()
    with pytest.raises(ValueError, match="task.hight"):
        insonate.Env("own-hover", task={"hight": 0.05})
    assert insonate.default_settings("own-hover")["task"]["height"] == 0.02
    assert ("own-hover", Hover.__doc__) in insonate.tasks()


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [
        ("reward", lambda n: np.zeros(n + 1), r"Wrong\.reward returned reward of shape \(4,\), but must return shape \(3,\)"),
        ("reward", lambda n: 0.0, r"Wrong\.reward returned reward of shape \(\), but must return shape \(3,\)"),
        ("reward", lambda n: ["a"] * n, r"Wrong\.reward returned reward of dtype <U1"),
        ("reward", lambda n: [0.0, np.nan, 0.0], r"Wrong\.reward returned nan as reward of environment 1"),
        ("reward", lambda n: {"x": np.zeros(n)}, r"Wrong\.reward returned \['x'\], but must return \['reward'\]"),
        ("observe", lambda n: {}, r"Wrong\.observe returned \[\], but must return \['pair'\]"),
        ("observe", lambda n: np.zeros((n, 2)), r"Wrong\.observe returned a ndarray"),
        ("observe", lambda n: {"pair": np.zeros((n, 3))}, r"Wrong\.observe returned pair of shape \(3, 3\), but must return shape \(3, 2\)"),
        ("observe", lambda n: {"pair": np.full((n, 2), 1e300)}, r"Wrong\.observe returned inf"),
        ("is_success", np.zeros, r"Wrong\.is_success returned dtype float64, but must return bool"),
        ("is_terminated", lambda n: np.zeros((n, 1), bool), r"Wrong\.is_terminated returned shape \(3, 1\), but must return shape \(3,\)"),
        ("reset", lambda n: {"place": np.zeros((n, 3))}, r"Wrong\.reset returned place of shape \(3, 3\), but must return shape \(3, 2\)"),
        ("reset", lambda n: {"depth": 0.0}, r"Wrong\.reset returned \['depth'\], but a goal has"),
        ("reset", lambda n: {"height": 0.0, "position": np.zeros((n, 3))}, "not both"),
        ("reset", lambda n: {"position": np.zeros((n, 3))}, "returned no quaternion"),
        ("reset", lambda n: {"position": np.zeros((n, 3)), "quaternion": np.ones((n, 4))}, "quaternion of length 2.0"),
        ("reset", lambda n: {"place": np.full((n, 2), 9.0)}, "is not on the skin"),
    ],
)
def test_what_a_method_returns_wrongly_is_refused_by_name(method, value, expected):
    class Wrong(insonate.ProbeTask):
        """returns one wrong value"""

        observation = {"pair": 2}

        def observe(self, state):
            return {"pair": np.zeros((self.num_envs, 2))}

        def reward(self, state, action):
            return np.zeros(self.num_envs)

    setattr(Wrong, method, lambda self, *given: value(self.num_envs))
    insonate.register_task("own-wrong", Wrong)
    envs = insonate.VectorEnv("own-wrong", 3)
    with pytest.raises((ValueError, TypeError), match=expected):
        envs.reset(seed=0)
        envs.step(np.zeros(envs.action_space.shape, np.float32))
    envs.close()


class Stops(insonate.ProbeTask):
    """raises when it is told to"""

    is_told = False

    def reward(self, state, action):
        if Stops.is_told:
            raise KeyError("told to stop")
        return np.zeros(self.num_envs)


@pytest.mark.parametrize("make", [lambda: insonate.Env("own-stops"), lambda: insonate.VectorEnv("own-stops", 2)])
def test_an_exception_keeps_its_traceback_and_the_environment_goes_on_after_a_reset(make):
    insonate.register_task("own-stops", Stops)
    env = make()
    action = np.zeros(env.action_space.shape, np.float32)
    env.reset(seed=0)
    Stops.is_told = True
    try:
        with pytest.raises(KeyError, match="told to stop") as caught:
            env.step(action)
    finally:
        Stops.is_told = False
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(frame.name == "reward" and frame.filename == __file__ for frame in frames)
    with pytest.raises(insonate.OrderError, match="reset"):
        env.step(action)
    first, _ = env.reset(seed=0)
    env.step(action)
    again, _ = env.reset(seed=0)
    np.testing.assert_array_equal(first, again)
    env.close()


def test_an_episode_ends_when_the_task_says_so():
    class Ends(insonate.ProbeTask):
        """ends after three and five steps, the first with success"""

        def reward(self, state, action):
            return np.ones(self.num_envs)

        def is_terminated(self, state):
            return state.time > np.array([0.05, 0.09])

        def is_success(self, state):
            return np.array([True, False])

    insonate.register_task("own-ends", Ends)
    envs = insonate.VectorEnv("own-ends", 2)
    envs.reset(seed=0)
    ended = {}
    for step in range(1, 6):
        *_, terminated, truncated, infos = envs.step(np.zeros(envs.action_space.shape, np.float32))
        assert not truncated.any()
        for index in np.flatnonzero(terminated):
            ended[int(index)] = (step, bool(infos["is_success"][index]), infos["end_reason"][index])
    assert ended == {0: (3, True, "success"), 1: (5, False, "ended by the task without success")}
    envs.close()


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_our_algorithms_train_and_evaluate(algorithm, tmp_path):
    result = insonate.train(
        "own-hover",
        output=tmp_path / "trained",
        algorithm=algorithm,
        steps=128,
        threads=2,
        evaluate_episodes=2,
        **({"sac": {"learning_starts": 32, "batch_size": 16}, "envs": 4} if algorithm == "sac" else {}),
    )
    if algorithm == "ppo":
        assert len(next(iter(result.columns.values()))) == 2
    evaluated = insonate.evaluate(tmp_path / "trained", episodes=2, envs=2)
    assert len(evaluated.columns["return"]) == 2
    rollout = insonate.rollout(tmp_path / "trained", seed=1)
    assert len(rollout.rewards) == STEPS


def test_an_exception_in_a_training_is_the_tasks_own(tmp_path):
    insonate.register_task("own-stops", Stops)
    Stops.is_told = True
    try:
        with pytest.raises(KeyError, match="told to stop"):
            insonate.train("own-stops", output=tmp_path / "trained", steps=64)
    finally:
        Stops.is_told = False


def test_registration_is_checked():
    with pytest.raises(TypeError, match="subclass of insonate.ProbeTask"):
        insonate.register_task("own-int", int)
    with pytest.raises(ValueError, match="probe-press"):
        insonate.register_task("probe-press", Hover)
    with pytest.raises(ValueError, match="lower-case"):
        insonate.register_task("Own Hover", Hover)
    with pytest.raises(ValueError, match="time.limt"):
        insonate.register_task("own-other", Hover, defaults={"time.limt": 1.0})
    with pytest.raises(ValueError, match="size of x"):
        insonate.register_task("own-other", type("Other", (insonate.ProbeTask,), {"observation": {"x": 0}}))
    with pytest.raises(ValueError, match="own-other"):
        insonate.Env("own-other")
