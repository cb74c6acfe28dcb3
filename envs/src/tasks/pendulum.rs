//! `pendulum`: swing up a pole and balance it with a motor that is too weak to lift it directly.
//!
//! Dynamics, reward and start are those of Gymnasium's `Pendulum-v1`, as a benchmark for learning. It needs no physics engine.
//! Unlike in Gymnasium, an action out of bounds is an error.
//!
//! A rod of mass m and length l rotates about its end under gravity g and the motor's torque u; θ = 0 is upright:
//! θ'' = 3g/(2l) sin θ + 3/(m l²) u, integrated by the semi-implicit Euler method.
//!
//! **Actions**
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0 | torque | -2 | 2 | N·m |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0 | cos θ | -1 | 1 | 1 |
//! | 1 | sin θ | -1 | 1 | 1 |
//! | 2 | θ' | -8 | 8 | rad/s |
//!
//! **Rewards**, computed from the state before the step, with θ in [-π, π)
//!
//! | term | value |
//! |---|---|
//! | `angle` | -θ² |
//! | `velocity` | -0.1 θ'² |
//! | `torque` | -0.001 u² |
//!
//! **Start**: θ in [-π, π) and θ' in [-1, 1), uniformly distributed; options `theta` and `theta_dot` fix them.
//!
//! **End**: truncated after 200 steps; it never terminates.
//!
//! **Metrics**: `success` is 1 if the pole was within 0.2 rad of upright in each of the last 50 steps; `upright_ratio` is the fraction of
//! such steps.

use std::f64::consts::{PI, TAU};

use insonate_settings::check_range;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::factory::EnvFactory;
use crate::parameters::{self, Parameter};
use crate::settings;
use crate::{BoxSpace, EnvError, EnvSpec, NamedValues as _, ResetOptions, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "pendulum",
    summary: "swing a pole up with a weak motor (Gymnasium's Pendulum-v1)",
    defaults: &|| settings::table(&PendulumSettings::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "100_000"),
        ("n_envs", "4"),
        ("n_steps", "256"),
        ("n_minibatches", "16"),
        ("learning_rate", "1e-3"),
        ("discount", "0.98"),
    ],
    sac: &[("total_timesteps", "10_000"), ("learning_starts", "500")],
};

/// Random parameters of an episode: the start.
const PARAMETERS: [Parameter; 2] = [
    Parameter::new("theta", "rad", -PI, PI),
    Parameter::new("theta_dot", "rad/s", -1.0, 1.0).allowing(-8.0, 8.0),
];

/// Angle from upright within which the pole counts as upright [rad].
const UPRIGHT: f64 = 0.2;

/// Number of final steps in which the pole of a success is upright.
const N_HELD: usize = 50;

/// Settings, with Gymnasium's values as defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendulumSettings {
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Mass of the rod [kg].
    pub mass: f64,
    /// Length of the rod [m].
    pub length: f64,
    /// Time of a step [s].
    pub timestep: f64,
    /// Maximum torque [N·m].
    pub max_torque: f64,
    /// Maximum speed [rad/s]. The speed is clipped to it.
    pub max_speed: f64,
    /// Steps after which an episode is truncated.
    pub max_episode_steps: usize,
}

impl Default for PendulumSettings {
    fn default() -> Self {
        Self {
            gravity: 10.0,
            mass: 1.0,
            length: 1.0,
            timestep: 0.05,
            max_torque: 2.0,
            max_speed: 8.0,
            max_episode_steps: 200,
        }
    }
}

impl PendulumSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("gravity", self.gravity, [0.0, 100.0], "m/s²")?;
        check_range("mass", self.mass, [1e-3, 1e3], "kg")?;
        check_range("length", self.length, [1e-2, 1e2], "m")?;
        check_range("timestep", self.timestep, [1e-4, 0.2], "s")?;
        check_range("max_torque", self.max_torque, [1e-3, 1e3], "N·m")?;
        check_range("max_speed", self.max_speed, [0.1, 1e3], "rad/s")?;
        Ok(check_range(
            "max_episode_steps",
            self.max_episode_steps as f64,
            [1.0, 1e9],
            "steps",
        )?)
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: PendulumSettings = settings::parse(&PendulumSettings::default(), given)?;
    settings.check()?;
    let all = settings::table(&settings);
    Ok(EnvFactory::new(KIND.name, all, move || {
        Ok(Box::new(Pendulum::environment(settings.clone())))
    }))
}

named_values! {
    struct Terms { angle, velocity, torque }
}

named_values! {
    struct Metrics { success, upright_ratio }
}

/// The pole and its motor.
#[derive(Debug, Clone, Default)]
pub struct Pendulum {
    settings: PendulumSettings,
    theta: f64,
    theta_dot: f64,
    torque: f64,
    terms: Terms,
    /// Numbers of steps so far, of upright steps, and of upright steps since the last other one.
    n_steps: usize,
    n_upright: usize,
    n_held: usize,
}

impl Pendulum {
    /// Creates the environment. It must be reset before its first step.
    pub fn environment(settings: PendulumSettings) -> Environment<Self> {
        let (torque, speed) = (settings.max_torque as f32, settings.max_speed as f32);
        let spec = EnvSpec {
            id: KIND.name.to_owned(),
            observation_space: BoxSpace::default()
                .with("cos_theta [1]", -1.0, 1.0)
                .with("sin_theta [1]", -1.0, 1.0)
                .with("theta_dot [rad/s]", -speed, speed),
            action_space: BoxSpace::default().with("torque [N·m]", -torque, torque),
            reward_terms: Terms::names(),
            costs: Vec::new(),
            observation_groups: Vec::new(),
            metrics: Metrics::names(),
            parameters: parameters::names(&PARAMETERS),
            max_episode_steps: Some(settings.max_episode_steps),
            control_timestep: settings.timestep,
            n_substeps: 0,
        };
        let pendulum = Self {
            settings,
            ..Self::default()
        };
        Environment::of(spec, pendulum)
    }

    /// Angle from upright [rad] and angular velocity [rad/s].
    pub fn state(&self) -> [f64; 2] {
        [self.theta, self.theta_dot]
    }

    /// Semi-implicit Euler step.
    fn integrate(&mut self) {
        let PendulumSettings {
            gravity,
            mass,
            length,
            timestep,
            max_speed,
            ..
        } = self.settings;
        let acceleration = 3.0 * gravity / (2.0 * length) * self.theta.sin()
            + 3.0 / (mass * length * length) * self.torque;
        let theta_dot = self.theta_dot + acceleration * timestep;
        self.theta_dot = theta_dot.clamp(-max_speed, max_speed);
        self.theta += self.theta_dot * timestep;
    }
}

/// The angle wrapped to [-π, π).
fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

impl Simulation for Pendulum {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        parameters::draw(&PARAMETERS, options, rng)
    }

    fn reset(&mut self, parameters: &[f64], _rng: ChaCha8Rng) -> Result<(), EnvError> {
        (self.theta, self.theta_dot) = (parameters[0], parameters[1]);
        (self.n_steps, self.n_upright, self.n_held) = (0, 0, 0);
        Ok(())
    }

    fn set_action(&mut self, action: &[f32]) {
        self.torque = f64::from(action[0]);
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        let angle = wrapped(self.theta);
        // (state, torque) => reward => state
        self.terms = Terms {
            angle: -angle * angle,
            velocity: -0.1 * self.theta_dot * self.theta_dot,
            torque: -0.001 * self.torque * self.torque,
        };
        self.integrate();
        self.n_steps += 1;
        let is_upright = wrapped(self.theta).abs() < UPRIGHT;
        self.n_upright += usize::from(is_upright);
        self.n_held = if is_upright { self.n_held + 1 } else { 0 };
        Ok(())
    }

    fn reward(&mut self, terms: &mut [f64]) {
        self.terms.write(terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        None
    }

    fn observe(&self, observation: &mut [f32]) {
        observation[0] = self.theta.cos() as f32;
        observation[1] = self.theta.sin() as f32;
        observation[2] = self.theta_dot as f32;
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let values = Metrics {
            success: f64::from(self.n_held >= N_HELD),
            upright_ratio: self.n_upright as f64 / self.n_steps.max(1) as f64,
        };
        values.write(metrics);
    }

    /// Pumps energy until the pole can reach the top, and balances it there with a linear controller (Åström and Furuta 2000,
    /// doi:10.1016/S0005-1098(99)00140-5, §3).
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let PendulumSettings {
            gravity,
            mass,
            length,
            max_torque,
            ..
        } = self.settings;
        let inertia = mass * length * length / 3.0;
        let weight = mass * gravity * length / 2.0;
        let angle = wrapped(self.theta);
        let energy = inertia * self.theta_dot.powi(2) / 2.0 + weight * (angle.cos() - 1.0);
        let hold = -2.0 * weight * angle - 2.0 * (weight * inertia).sqrt() * self.theta_dot;
        let torque = if hold.abs() < max_torque || angle.abs() < UPRIGHT {
            hold
        } else {
            // At rest, either direction works.
            -energy.signum() * max_torque * (self.theta_dot + 1e-9).signum()
        };
        action[0] = torque.clamp(-max_torque, max_torque) as f32;
        true
    }
}
