"""Contract: a task written in Python trains with learners of other packages. Skipped where they are not installed."""

import warnings

import gymnasium
import numpy as np
import pytest

import insonate


class Reach(insonate.ProbeTask):
    """bring the probe to a place above the skin"""

    cost_names = ("force",)

    def reset(self, state, mask, rng):
        return {"place": rng.uniform(-0.02, 0.02, 2), "height": 0.01}

    def reward(self, state, action):
        return -10.0 * state.goal_distance

    def is_success(self, state):
        return state.goal_distance < 0.02

    def costs(self, state, action):
        return {"force": np.maximum(state.max_normal_force - 5.0, 0.0) / 5.0}


insonate.register_task("learner-reach", Reach, defaults={"time.limit": 0.5})


@pytest.fixture
def quiet():
    """Other packages warn of what is theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_stable_baselines3_trains_a_task_in_python(quiet):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    from insonate.sb3 import Sb3VecEnv

    envs = Sb3VecEnv("learner-reach", 4)
    learner = PPO("MlpPolicy", envs, n_steps=32, batch_size=32, n_epochs=2, seed=1, device="cpu")
    before = [parameter.detach().clone() for parameter in learner.policy.parameters()]
    learner.learn(512)
    assert learner.num_timesteps == 512
    assert any((a != b).any() for a, b in zip(before, learner.policy.parameters(), strict=True))
    # Every episode ends at the limit of time, and was logged with its success.
    assert len(learner.ep_info_buffer) >= 4 and len(learner.ep_success_buffer) == len(learner.ep_info_buffer)
    mean, spread = evaluate_policy(learner, envs, n_eval_episodes=4, warn=False)
    assert np.isfinite([mean, spread]).all() and mean < 0.0
    envs.close()


def test_stable_baselines3_takes_the_single_environment(quiet):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make("insonate/LearnerReach-v0").unwrapped, skip_render_check=True)


def test_rllib_trains_a_task_in_python(quiet):
    pytest.importorskip("ray")
    pytest.importorskip("torch")
    from ray.rllib.algorithms.ppo import PPOConfig

    from insonate.rllib import register

    name = register("learner-reach")
    config = PPOConfig().environment(name).env_runners(num_env_runners=0, num_envs_per_env_runner=4)
    algorithm = config.training(train_batch_size=256, minibatch_size=64, num_epochs=2).build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["num_env_steps_sampled_lifetime"] >= 256
