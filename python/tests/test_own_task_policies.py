"""Contract: costs, scripted policies and pictures of tasks in Python, as those of tasks in Rust."""

import numpy as np
import pytest

import insonate


class Touch(insonate.ProbeTask):
    """press the probe onto the middle of the torso"""

    observation = {"distance [m]": 1}
    cost_names = ("force", "tilt")

    def reset(self, state, mask, rng):
        return {"place": rng.uniform(-0.02, 0.02, 2), "height": -0.004, "force": 3.0}

    def observe(self, state):
        return {"distance": state.goal_distance}

    def reward(self, state, action):
        return -state.goal_distance

    def is_success(self, state):
        return state.goal_distance < 0.01

    def costs(self, state, action):
        cosine = abs((state.probe_quaternion * state.goal_quaternion).sum(axis=1))
        return {"force": state.max_normal_force / 10.0, "tilt": 2.0 * np.arccos(np.minimum(cosine, 1.0))}

    def scripted_action(self, state):
        # The wish is in the world: towards the goal. Twice the bound is clipped.
        action = np.zeros((self.num_envs, state.action.shape[1]))
        action[:, 2] = -2.0
        return action


class Still(insonate.ProbeTask):
    """do nothing"""

    def reward(self, state, action):
        return np.zeros(self.num_envs)


LIMIT = {"time.limit": 0.4}
insonate.register_task("own-touch", Touch, defaults=LIMIT, ppo={"n_envs": 4, "n_steps": 16, "total_timesteps": 128})
insonate.register_task("own-still", Still, defaults=LIMIT)


def test_costs_are_those_of_the_method():
    envs = insonate.VectorEnv("own-touch", 3, **{"randomization.start_height": 0.002})
    envs.reset(seed=1)
    names = [name.split(" [")[0] for name in envs.observation_names]
    force = names.index("force_z")
    total = np.zeros(3)
    for _ in range(15):
        observations, *_, infos = envs.step(envs.scripted_action())
        total += infos["cost"]
    assert (observations[:, force] < -0.5).all() and (total > 0.2).all()
    env = insonate.Env("own-touch")
    env.reset(seed=1)
    costs, ends = [], False
    while not ends:
        _, _, terminated, truncated, info = env.step(env.scripted_action())
        costs.append(info["cost"])
        ends = terminated or truncated
    # The last info has the sums of the episode by name.
    assert sum(info["costs"].values()) == pytest.approx(sum(costs), rel=1e-5)
    assert list(info["costs"]) == ["force", "tilt"]


def test_the_scripted_policy_is_clipped_and_independent_of_the_number_of_environments():
    envs = insonate.VectorEnv("own-touch", 3)
    rows, _ = envs.reset(seed=4)
    env = insonate.Env("own-touch")
    row, _ = env.reset(seed=5)
    low = envs.action_space.low
    for _ in range(10):
        actions, action = envs.scripted_action(), env.scripted_action()
        assert (actions[:, 2] == low[:, 2]).all()
        np.testing.assert_array_equal(action, actions[1])
        rows, *_ = envs.step(actions)
        row, *_ = env.step(action)
        np.testing.assert_array_equal(row, rows[1])
    assert insonate.Env("own-still").scripted_action() is None


def test_evaluate_rollout_and_demonstrate_take_the_script(tmp_path):
    found = insonate.evaluate(["scripted", "zero"], task="own-touch", episodes=6, envs=4)
    alone = insonate.evaluate("scripted", task="own-touch", episodes=6, envs=1)
    assert alone.summary["return_mean"] == found.summary["policies"][0]["return_mean"]
    assert found.summary["policies"][0]["return_mean"] != found.summary["policies"][1]["return_mean"]
    rollout = insonate.rollout("scripted", task="own-touch", seed=3)
    assert (rollout.actions[:, 2] == -1.0).all() and rollout.costs.shape == (len(rollout.actions), 2)
    assert rollout.costs.sum() > 0.0
    insonate.demonstrate("own-touch", tmp_path / "demos", episodes=4)
    imitation = insonate.imitate("own-touch", tmp_path / "demos", output=tmp_path / "imitate", epochs=2, hidden=[8])
    assert imitation.policy().task == "own-touch"
    with pytest.raises(ValueError, match="own-still has no scripted policy"):
        insonate.evaluate("scripted", task="own-still", episodes=1)


def test_a_limit_of_the_cost_is_trained(tmp_path):
    training = insonate.train("own-touch", output=tmp_path / "gentle", steps=128, envs=4, cost_limit=0.1, evaluate_episodes=2)
    assert np.isfinite(training.columns["charts/episodic_cost"]).any()


def test_errors_of_the_script_are_raised_by_the_next_step():
    class Wrong(Touch):
        """return a wrong shape"""

        def scripted_action(self, state):
            return np.zeros(self.num_envs)

    insonate.register_task("own-wrong", Wrong, defaults=LIMIT)
    envs = insonate.VectorEnv("own-wrong", 2)
    envs.reset(seed=0)
    actions = envs.scripted_action()
    assert not actions.any()
    with pytest.raises(ValueError, match="Wrong.scripted_action returned an action of shape"):
        envs.step(actions)
    envs.reset(seed=0)
    envs.step(actions)

    class Costly(Touch):
        """forget a cost"""

        def costs(self, state, action):
            return {"force": state.max_normal_force}

    insonate.register_task("own-costly", Costly, defaults=LIMIT)
    envs = insonate.VectorEnv("own-costly", 2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="Costly.costs returned .'force'., but must return .'force', 'tilt'."):
        envs.step(actions)


def test_ultrasound_is_observed_by_a_task_in_python():
    settings = {"scene.shape": "adult", "observation.ultrasound": {"readings": ["b_mode"], "lines": 16, "samples": 32}}
    rust = insonate.VectorEnv("probe-press", 2, **settings, task={"area": [0.0, 0.0]})
    own = insonate.VectorEnv("own-touch", 2, **settings)
    assert own.single_observation_space["b_mode"] == rust.single_observation_space["b_mode"]
    observations, _ = own.reset(seed=2)
    for _ in range(15):
        observations, *_ = own.step(own.scripted_action())
    pictures = observations["b_mode"]
    assert pictures.shape == (2, 16, 32, 1) and pictures.dtype == np.uint8 and pictures.std() > 1.0
