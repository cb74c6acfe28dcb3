//! A gradient step of critics, actor and temperature (Haarnoja 2018, Algorithm 1).
//!
//! The twin critics share no data, so each can run on its own thread, with the same arithmetic as on one thread.

use super::Sac;
use super::critic::{CriticStats, pair};
use super::squashed_gaussian::squash_gradient;
use crate::network::AdamStep;
use crate::training::join;

/// Statistics of a gradient step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UpdateStats {
    /// Statistics of both critics.
    pub critics: [CriticStats; 2],
    /// Mean of α ln π − min Q (Eq. 9).
    pub actor_loss: f64,
    /// Mean entropy −ln π.
    pub entropy: f64,
    /// Loss of the temperature (Eq. 18); zero without `autotune`.
    pub alpha_loss: f64,
    /// Whether a gradient was not finite. That network is then unchanged.
    pub is_skipped: bool,
}

impl Sac {
    /// (actor, minibatch) => a ~ π for s and s'
    pub(super) fn draw_actions(&mut self) {
        let (minibatch, rng) = (&self.minibatch, &mut self.sample_rng);
        let n = minibatch.rewards.len();
        self.next_drawn
            .draw(&mut self.actor, &minibatch.next_observations, rng);
        self.drawn
            .draw(&mut self.actor, &minibatch.observations, rng);
        pair(
            &minibatch.next_observations,
            &self.next_drawn.actions,
            n,
            &mut self.next_pairs,
        );
        pair(
            &minibatch.observations,
            &minibatch.actions,
            n,
            &mut self.pairs,
        );
        pair(
            &minibatch.observations,
            &self.drawn.actions,
            n,
            &mut self.drawn_pairs,
        );
    }

    /// (rewards, target critics, α) => y = r + γ (min Q̄(s', a') − α ln π(a'|s')) (Eqs. 2 and 3)
    pub(super) fn compute_targets(&mut self) {
        let pairs = &self.next_pairs;
        let [first, second] = &mut self.critics;
        join(
            self.n_threads,
            || first.evaluate_target(pairs),
            || second.evaluate_target(pairs),
        );
        let (alpha, discount) = (self.temperature.alpha(), self.config.discount as f32);
        for (row, y) in self.targets.iter_mut().enumerate() {
            let least = first.values[row].min(second.values[row]);
            let value = least - alpha * self.next_drawn.log_probs[row];
            let continues = self.minibatch.continues[row];
            *y = self.minibatch.rewards[row] + discount * continues * value;
        }
    }

    /// (minibatch, y) => better critics, their gradients at the policy's actions, target critics
    pub(super) fn update_critics(&mut self) -> [CriticStats; 2] {
        let step = adam_step(self.config.q_lr, self.config.adam_epsilon);
        let (pairs, drawn_pairs, targets) = (&self.pairs, &self.drawn_pairs, &self.targets);
        let tau = self.config.tau;
        let learn = |critic: &mut super::Critic| {
            let stats = critic.learn(pairs, targets, step);
            critic.differentiate(drawn_pairs);
            critic.follow(tau);
            stats
        };
        let [first, second] = &mut self.critics;
        let (first, second) = join(self.n_threads, || learn(first), || learn(second));
        [first, second]
    }

    /// (gradients of the critics, α) => better actor: one step along the gradient of α ln π − min Q (Eqs. 9 and 10)
    pub(super) fn update_actor(&mut self) -> (f64, bool) {
        let alpha = self.temperature.alpha();
        let (drawn, [first, second]) = (&self.drawn, &self.critics);
        let n_actions = drawn.actions.len() / drawn.log_probs.len();
        let weight = 1.0 / drawn.log_probs.len() as f32;
        let mut by_action = vec![0.0; n_actions];
        let mut loss = 0.0;
        self.actor.compute_gradient(
            &self.minibatch.observations,
            &self.rows,
            |row, heads, by_heads, _| {
                let is_first = first.values[row] <= second.values[row];
                let critic = if is_first { first } else { second };
                let own = row * n_actions..(row + 1) * n_actions;
                for (by_action, slope) in by_action.iter_mut().zip(&critic.by_actions[own.clone()])
                {
                    *by_action = -weight * slope;
                }
                loss += f64::from(alpha * drawn.log_probs[row] - critic.values[row]);
                squash_gradient(
                    [heads, &drawn.noise[own.clone()], &drawn.actions[own]],
                    &by_action,
                    weight * alpha,
                    by_heads,
                );
            },
        );
        let is_finite = self.actor.squared_norm().is_finite();
        if is_finite {
            let step = adam_step(self.config.policy_lr, self.config.adam_epsilon);
            self.actor.step(step);
        }
        (loss * f64::from(weight), is_finite)
    }

    /// (ln π, target entropy) => α
    pub(super) fn update_temperature(&mut self) -> (f64, f64) {
        let log_probs = self.drawn.log_probs.iter();
        let entropy = -log_probs.map(|x| f64::from(*x)).sum::<f64>() / self.targets.len() as f64;
        let loss = if self.config.autotune && entropy.is_finite() {
            let step = adam_step(self.config.policy_lr, self.config.adam_epsilon);
            self.temperature.learn(entropy, step)
        } else {
            0.0
        };
        (entropy, loss)
    }
}

fn adam_step(learning_rate: f64, epsilon: f64) -> AdamStep {
    AdamStep {
        learning_rate,
        epsilon,
        gradient_scale: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Activation;
    use crate::policy::PolicyIdentity;
    use crate::sac::SacConfig;
    use insonate_envs::{Autoreset, VecConfig, VecEnv, tasks};

    /// A training after its first minibatch.
    fn sac() -> Sac {
        let pendulum = (tasks::by_name("pendulum").unwrap().build)(&toml::Table::new()).unwrap();
        let vector = VecConfig {
            autoreset: Autoreset::SameStep,
            n_threads: 1,
        };
        let env = VecEnv::new(pendulum.make_many(1).unwrap(), vector).unwrap();
        let config = SacConfig {
            n_envs: 1,
            batch_size: 8,
            hidden_sizes: vec![6, 5],
            activation: Activation::Tanh,
            alpha: 0.3,
            ..SacConfig::default()
        };
        let mut sac = Sac::new(env, config, PolicyIdentity::default()).unwrap();
        for _ in 0..30 {
            sac.collect_step(&|| false).unwrap();
        }
        sac.sample_minibatch();
        sac.draw_actions();
        sac
    }

    /// Mean of α ln π − min Q with the drawn noise.
    fn actor_loss(sac: &mut Sac) -> f64 {
        let (observations, n) = (sac.minibatch.observations.clone(), sac.targets.len());
        let drawn = &mut sac.drawn;
        sac.actor.evaluate(&observations, |row, heads| {
            let noise = &drawn.noise[row..=row];
            drawn.log_probs[row] =
                super::super::squash(heads, noise, &mut drawn.actions[row..=row]);
        });
        pair(&observations, &sac.drawn.actions, n, &mut sac.drawn_pairs);
        let pairs = &sac.drawn_pairs;
        for critic in &mut sac.critics {
            critic.differentiate(pairs);
        }
        let alpha = f64::from(sac.temperature.alpha());
        let [first, second] = &sac.critics;
        let rows = 0..n;
        let losses = rows.map(|row| {
            let least = first.values[row].min(second.values[row]);
            alpha * f64::from(sac.drawn.log_probs[row]) - f64::from(least)
        });
        losses.sum::<f64>() / n as f64
    }

    #[test]
    fn the_actors_gradient_is_that_of_its_loss() {
        let mut sac = sac();
        let loss = actor_loss(&mut sac);
        let before = sac.actor.network.parameters().clone();
        let (found, is_finite) = sac.update_actor();
        assert!(is_finite && (found - loss).abs() < 1e-5, "{found}, {loss}");
        let gradient = sac.actor.gradient().to_vec();
        let mut largest = 0.0_f64;
        for (i, slope) in gradient.iter().enumerate() {
            let mut at = |step: f32| {
                let parameters = sac.actor.network.parameters_mut();
                parameters.copy_from_slice(&before);
                // Padding has no gradient and must stay zero.
                if *slope != 0.0 {
                    parameters[i] += step;
                }
                actor_loss(&mut sac)
            };
            let expected = (at(1e-2) - at(-1e-2)) / 2e-2;
            // Tolerance for rounding of a loss of about 1, divided by the step, and for the cubic term.
            let error = (expected - f64::from(*slope)).abs();
            assert!(error < 1e-3, "{i}: {expected}, {slope}");
            largest = largest.max(expected.abs());
        }
        assert!(largest > 0.1, "the gradient is seen: {largest}");
    }

    #[test]
    fn targets_are_as_computed_by_hand_and_end_where_the_task_does() {
        let mut sac = sac();
        sac.minibatch.continues[0] = 0.0;
        sac.compute_targets();
        let (alpha, discount) = (sac.temperature.alpha(), sac.config.discount as f32);
        assert_eq!(sac.targets[0], sac.minibatch.rewards[0]);
        for row in 1..sac.targets.len() {
            let input = &sac.next_pairs[row * 4..][..4];
            let [first, second] = [0, 1].map(|twin| {
                let critic = &sac.critics[twin];
                let mut value = 0.0;
                let mut workspace = critic.target.workspace(1);
                critic
                    .target
                    .evaluate(input, &mut workspace, |_, q| value = q[0]);
                value
            });
            let value = first.min(second) - alpha * sac.next_drawn.log_probs[row];
            let y = sac.minibatch.rewards[row] + discount * value;
            assert!((sac.targets[row] - y).abs() < 1e-5);
        }
    }
}
