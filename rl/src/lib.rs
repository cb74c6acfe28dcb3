//! Learning: PPO on vectorised environments. Knows numbers of shape `[n_envs, …]`, no robots.
