"""PPO of RLlib on a task that this file defines, in a process of its own, which gets a copy of the class.

pip install "./python[rllib]"
python examples/python/rllib_own_task.py --steps 100000 --output output/hover
"""

import argparse
import os

# Networks of this size are slower on several threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig

import insonate
from insonate.rllib import SuccessRate, register


class Hover(insonate.ProbeTask):
    """hold the probe still above a place of the torso"""

    observation = {"height_error [m]": 1}
    settings = {"height": 0.02}

    def reset(self, state, mask, rng):
        return {"place": rng.uniform(-0.03, 0.03, size=2), "height": self.settings["height"]}

    def observe(self, state):
        return {"height_error": state.probe_position[:, 2] - state.goal_position[:, 2]}

    def reward(self, state, action):
        return 0.5 ** (state.goal_distance / 0.005)

    def is_success(self, state):
        return state.goal_distance < 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--output", default="output/hover")
    arguments = parser.parse_args()

    insonate.register_task("hover", Hover, defaults={"time.limit": 2.0})
    ray.init(include_dashboard=False)
    algorithm = (
        PPOConfig()
        .environment(register("hover"))
        .env_runners(
            num_env_runners=1,
            num_envs_per_env_runner=8,
            gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .training(train_batch_size_per_learner=2048, minibatch_size=64, num_epochs=10, gamma=0.95)
        .callbacks(SuccessRate)
        .build_algo()
    )
    n_steps = 0
    while n_steps < arguments.steps:
        result = algorithm.train()
        n_steps = int(result["num_env_steps_sampled_lifetime"])
        episodes = result["env_runners"]
        mean_return, success = episodes.get("episode_return_mean"), episodes.get("success_rate")
        print(f"{n_steps} steps: return {mean_return}, success rate {success}", flush=True)
    print(algorithm.save_to_path(os.path.abspath(arguments.output)))
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
