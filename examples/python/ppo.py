"""PPO in one file, in CleanRL's manner, for Gymnasium 1.x.

pip install ./python torch
python examples/python/ppo.py --task probe-sweep --steps 150000 --output output/ppo

Environments begin the next episode in the step after an end (NEXT_STEP). So the observation after an end is the last of its
episode, whose value a cut episode keeps, and the sample of the step after it is no sample: it is left out.
"""

import argparse
import csv
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

import insonate

N_ENVS, N_STEPS, N_MINIBATCHES, N_EPOCHS = 8, 256, 32, 10
LEARNING_RATE, DISCOUNT, GAE_LAMBDA, CLIP, VF_COEF, MAX_GRAD_NORM = 1e-3, 0.9, 0.9, 0.2, 0.5, 0.5


def layer(n_inputs: int, n_outputs: int, gain: float = 2**0.5) -> nn.Linear:
    linear = nn.Linear(n_inputs, n_outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    def __init__(self, n_obs: int, n_actions: int) -> None:
        super().__init__()
        self.critic = nn.Sequential(layer(n_obs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
        self.actor = nn.Sequential(layer(n_obs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, n_actions, 0.01))
        self.log_std = nn.Parameter(torch.full((n_actions,), -1.0))

    def policy(self, observation: torch.Tensor) -> Normal:
        return Normal(self.actor(observation), self.log_std.exp())

    def value(self, observation: torch.Tensor) -> torch.Tensor:
        return self.critic(observation).squeeze(-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="probe-sweep")
    parser.add_argument("--steps", type=int, default=150_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("output/ppo"))
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(options.seed)
    options.output.mkdir(parents=True, exist_ok=True)

    envs = gym.make_vec(insonate.env_id(options.task), num_envs=N_ENVS)
    envs = gym.wrappers.vector.ClipAction(envs)
    envs = normalized = gym.wrappers.vector.NormalizeObservation(envs)
    envs = gym.wrappers.vector.NormalizeReward(envs, gamma=DISCOUNT)
    n_obs, n_actions = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    agent = Agent(n_obs, n_actions)
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE, eps=1e-5)

    shape = (N_STEPS, N_ENVS)
    observations, actions = torch.zeros(*shape, n_obs), torch.zeros(*shape, n_actions)
    log_probs, values, next_values = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    rewards, ends, terminations = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    is_sample = torch.zeros(shape, dtype=torch.bool)

    start = time.perf_counter()
    file = (options.output / "progress.csv").open("w", newline="")
    log = csv.writer(file)
    log.writerow(["steps", "seconds", "success_rate"])
    successes: list[bool] = []
    observation = torch.as_tensor(envs.reset(seed=options.seed)[0], dtype=torch.float32)
    over = np.zeros(N_ENVS, bool)
    n_iterations = -(-options.steps // (N_STEPS * N_ENVS))
    for iteration in range(n_iterations):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - iteration / n_iterations)

        # Collect.
        for step in range(N_STEPS):
            with torch.no_grad():
                policy = agent.policy(observation)
                action = policy.sample()
                values[step] = agent.value(observation)
            observations[step], actions[step] = observation, action
            log_probs[step] = policy.log_prob(action).sum(-1)
            is_sample[step] = torch.as_tensor(~over)
            rows, reward, terminated, truncated, infos = envs.step(action.numpy())
            observation = torch.as_tensor(rows.clip(-10, 10), dtype=torch.float32)
            with torch.no_grad():
                next_values[step] = agent.value(observation)
            rewards[step] = torch.as_tensor(reward.clip(-10, 10))
            over = terminated | truncated
            ends[step], terminations[step] = torch.as_tensor(over), torch.as_tensor(terminated)
            if over.any():
                successes += infos["is_success"][over].tolist()

        # Generalised advantage estimation (Schulman 2016, Eq. 16).
        advantages = torch.zeros(shape)
        advantage = torch.zeros(N_ENVS)
        for step in reversed(range(N_STEPS)):
            delta = rewards[step] + DISCOUNT * next_values[step] * (1 - terminations[step]) - values[step]
            advantage = delta + DISCOUNT * GAE_LAMBDA * (1 - ends[step]) * advantage
            advantages[step] = advantage
        returns = advantages + values

        # Update.
        keep = is_sample.flatten()
        batch = [x.flatten(0, 1)[keep] for x in (observations, actions)]
        batch += [x.flatten()[keep] for x in (log_probs, values, advantages, returns)]
        n_samples = int(keep.sum())
        for _ in range(N_EPOCHS):
            for indices in np.array_split(rng.permutation(n_samples), N_MINIBATCHES):
                obs, act, old_log_prob, old_value, adv, ret = (x[indices] for x in batch)
                ratio = (agent.policy(obs).log_prob(act).sum(-1) - old_log_prob).exp()
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                policy_loss = torch.max(-adv * ratio, -adv * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                value = agent.value(obs)
                clipped = old_value + (value - old_value).clamp(-CLIP, CLIP)
                value_loss = 0.5 * torch.max((value - ret) ** 2, (clipped - ret) ** 2).mean()
                optimizer.zero_grad()
                (policy_loss + VF_COEF * value_loss).backward()
                nn.utils.clip_grad_norm_(agent.parameters(), MAX_GRAD_NORM)
                optimizer.step()

        row = [(iteration + 1) * N_STEPS * N_ENVS, time.perf_counter() - start, np.mean(successes[-100:] or [0.0])]
        log.writerow([row[0], f"{row[1]:.1f}", f"{row[2]:.3f}"])
        file.flush()
        print(f"{row[0]} steps, {row[1]:.0f} s: success rate {row[2]:.2f}")
    print(f"trained in {time.perf_counter() - start:.0f} s")

    normalizer = normalized.obs_rms
    path = options.output / "policy.safetensors"
    linear = [part for part in agent.actor if isinstance(part, nn.Linear)]
    insonate.save_policy(
        path,
        insonate.Env(options.task),
        [(part.weight.detach().numpy(), part.bias.detach().numpy()) for part in linear],
        activation="tanh",
        observation_mean=normalizer.mean,
        observation_variance=normalizer.var,
        n_trained_steps=n_iterations * N_STEPS * N_ENVS,
    )
    print(f"saved {path}: insonate evaluate {path} --episodes 100")


if __name__ == "__main__":
    main()
