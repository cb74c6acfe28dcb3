"""Plans with copies of an environment: model predictive path integral control (Williams et al. 2017,
doi:10.1109/ICRA.2017.7989202) swings up `pendulum`.

Needs no more than the package: ``python examples/python/mppi.py``.
"""

import argparse
import copy

import numpy as np

import insonate


class Planner:
    """Tries noisy plans on a copy of the environment and averages them by their returns."""

    def __init__(self, env: insonate.Env, horizon: int, n_samples: int, noise: float, temperature: float, seed: int):
        self.model = copy.deepcopy(env)
        self.low, self.high = env.action_space.low, env.action_space.high
        self.plan = np.zeros((horizon, *self.low.shape), np.float32)
        self.n_samples, self.temperature = n_samples, temperature
        self.noise = noise * (self.high - self.low)
        self.random = np.random.default_rng(seed)

    def action(self, env: insonate.Env) -> np.ndarray:
        """The first action of the best plan from the environment's state on."""
        state = env.save()
        shape = (self.n_samples, *self.plan.shape)
        plans = np.clip(self.plan + self.noise * self.random.normal(size=shape), self.low, self.high)
        plans = plans.astype(np.float32)
        returns = np.array([self.try_out(state, plan) for plan in plans])
        weights = np.exp((returns - returns.max()) / self.temperature)
        self.plan = np.tensordot(weights / weights.sum(), plans, axes=1).astype(np.float32)
        self.plan = np.clip(self.plan, self.low, self.high)
        action = self.plan[0].copy()
        self.plan = np.roll(self.plan, -1, axis=0)
        self.plan[-1] = 0.0
        return action

    def try_out(self, state: bytes, plan: np.ndarray) -> float:
        """Return of a plan."""
        self.model.restore(state)
        total = 0.0
        for action in plan:
            _, reward, terminated, truncated, _ = self.model.step(action)
            total += reward
            if terminated or truncated:
                break
        return total


def main() -> None:
    """Runs an episode under the planner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200, help="steps of the episode")
    parser.add_argument("--samples", type=int, default=48, help="plans that are tried in each step")
    parser.add_argument("--horizon", type=int, default=25, help="steps of a plan")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    env = insonate.Env("pendulum", max_episode_steps=given.steps)
    env.reset(seed=given.seed)
    planner = Planner(env, given.horizon, given.samples, noise=0.25, temperature=5.0, seed=given.seed)
    rewards = []
    over = False
    while not over:
        _, reward, terminated, truncated, _ = env.step(planner.action(env))
        rewards.append(reward)
        over = terminated or truncated
    print(f"return {sum(rewards):.1f}; last 20 steps {np.mean(rewards[-20:]):.3f} a step")


if __name__ == "__main__":
    main()
