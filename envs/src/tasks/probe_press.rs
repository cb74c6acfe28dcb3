//! `probe-press`: press the probe on a position of the soft torso, reach a force and hold it.
//!
//! # Action
//!
//! Defined by `action.mode`; see [`crate::actions`]. Actions are normalised to -1 to 1.
//!
//! # Observation
//!
//! The scene's entries ([`crate::probe::observation`]) and:
//!
//! | entry | unit | meaning |
//! |---|---|---|
//! | `force_target` | N | desired force |
//!
//! # Reward
//!
//! Per control step, $e$: force error in N, $d$: distance from the position across the probe's axis in m, $\theta$: tilt in rad,
//! $u$: speed towards the skin at the start of a contact in m/s; weights in `task.reward`.
//!
//! | term | formula | when |
//! |---|---|---|
//! | `force` | $\exp(-(0.7 e)^2)$; times `while_settling` before `task.settling` | in contact |
//! | `force_error` | $-\min(\lvert e \rvert, 5)$, mean over the step; times `while_settling` before `task.settling` | always |
//! | `position` | $\exp(-(200 d)^2)$ | always |
//! | `orientation` | $\exp(-(\theta / 0.05)^2)$ | always |
//! | `contact_speed` | $-\Delta \max(0, u / u_{max} - 1/2)$: increase, for the hardest contact so far, $u_{max}$: `task.max_contact_speed` | always |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ | always |
//!
//! # Start
//!
//! The position is random within `task.area`. The desired force is `force.target`. The probe starts `start.height` above the
//! position with the horizontal offset `start.x`, `start.y`. The force sensor is zeroed there.
//!
//! # End
//!
//! Terminated: more than `task.max_position_error` from the position; force above `task.max_force`; the simulation diverged.
//! Truncated: at `time.limit`.
//!
//! Success: at the time limit the force has been within `task.tolerance` of the desired force during the last `task.hold`
//! seconds and never exceeded it by more than `task.max_overshoot`, the contact speed was below `task.max_contact_speed`, and the force
//! rate was below `task.max_force_rate`.

use insonate_settings::{check_range, check_ranges};
use insonate_sim::verdict::Judge;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use super::probe_sweep;
use crate::actions::ActionSettings;
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, CONTACT_SPEED, ContactCosts, ContactMeter, ContactMetrics, FORCE_RATE,
    ForceLimits, HeldForce, ProbeTask, ProbeTaskSettings, Rule, SceneSet, SceneState, SkinTarget,
    TimeSettings, factory, judge_rules, pressed_too_hard, too_far,
};
use crate::randomization::{EpisodeParameters, RandomizationSettings};
use crate::settings;
use crate::{BoxSpace, EnvError, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "probe-press",
    summary: "press the probe on the torso, reach a force and hold it",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[("action.mode", "hybrid_force")],
    demonstrated: &[],
    is_studied: true,
    ppo: probe_sweep::PPO,
    sac: probe_sweep::SAC,
};

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PressSettings {
    /// Half sizes of the area of positions across and along the patient [m], scaled with the torso.
    pub area: [f64; 2],
    /// Tolerance of the force [N].
    pub tolerance: f64,
    /// Time that the force must be held at the end [s].
    pub hold: f64,
    /// Time of a gentle approach until the force is reached [s].
    pub settling: f64,
    /// Maximum overshoot of the force [N].
    pub max_overshoot: f64,
    /// Maximum speed towards the skin at the start of a contact, for a success [m/s].
    pub max_contact_speed: f64,
    /// Maximum increase of the force over 20 ms, for a success [N/s].
    pub max_force_rate: f64,
    /// Distance from the position at which the episode ends [m].
    pub max_position_error: f64,
    /// Force at which the episode ends [N].
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: PressReward,
}

reward_terms! {
    pub struct PressReward weighs PressTerms {
        /// Accuracy of the force.
        force: 3.0,
        /// Penalty per newton of force error.
        force_error: 1.0,
        /// Nearness to the position.
        position: 0.5,
        /// Upright orientation.
        orientation: 0.5,
        /// Penalty for contact faster than half the limit of a success.
        contact_speed: 100.0,
        /// Penalty for changes of the action.
        smoothness: 0.02,
    } and {
        /// Fraction of `force` and `force_error` that counts before `task.settling`. Without it, early contact would be rewarded.
        while_settling: 0.1,
    }
}

impl Default for PressSettings {
    fn default() -> Self {
        Self {
            area: [0.06, 0.09],
            tolerance: 0.5,
            hold: 1.0,
            settling: 1.5,
            max_overshoot: 3.0,
            max_contact_speed: CONTACT_SPEED,
            max_force_rate: FORCE_RATE,
            max_position_error: 0.05,
            max_force: 40.0,
            reward: PressReward::default(),
        }
    }
}

impl PressSettings {
    fn check(&self) -> Result<(), EnvError> {
        for half in self.area {
            check_range("task.area", half, [0.0, 0.5], "m")?;
        }
        Ok(check_ranges(
            "task.",
            [
                ("tolerance", self.tolerance, [0.01, 40.0], "N"),
                ("hold", self.hold, [0.0, 60.0], "s"),
                ("settling", self.settling, [0.0, 60.0], "s"),
                ("max_overshoot", self.max_overshoot, [0.0, 1e3], "N"),
                (
                    "max_contact_speed",
                    self.max_contact_speed,
                    [0.0, 10.0],
                    "m/s",
                ),
                ("max_force_rate", self.max_force_rate, [0.0, 1e6], "N/s"),
                (
                    "max_position_error",
                    self.max_position_error,
                    [0.001, 1.0],
                    "m",
                ),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
            ],
        )?)
    }
}

fn defaults() -> ProbeTaskSettings<PressSettings> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.02,
            limit: 3.0,
        },
        action: ActionSettings::of_mode("wrench"),
        randomization: RandomizationSettings {
            stiffness: [900.0, 2000.0],
            damping: [15.0, 45.0],
            friction: [0.0, 0.1],
            force_noise: [0.0, 0.1],
            force: [2.0, 10.0],
            ..RandomizationSettings::default()
        },
        ..ProbeTaskSettings::default()
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<PressSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        Ok(Press::new(settings.task.clone(), settings.time.limit))
    }))
}

/// The task.
#[derive(Debug)]
struct Press {
    settings: PressSettings,
    limit: f64,
    target: SkinTarget,
    contact: ContactMeter,
    /// Time since which the force is within the tolerance [s].
    held: f64,
    /// Force errors at the end, where the force must be held.
    last: HeldForce,
    /// Maximum distance from the position in contact [m].
    place_error: f64,
    action_change: ActionChange,
}

impl Press {
    fn new(settings: PressSettings, limit: f64) -> Self {
        Self {
            settings,
            limit,
            target: SkinTarget::default(),
            contact: ContactMeter::default(),
            held: 0.0,
            last: HeldForce::default(),
            place_error: 0.0,
            action_change: ActionChange::default(),
        }
    }

    /// Limits of a success in addition to the held force.
    fn limits(&self) -> ForceLimits {
        ForceLimits {
            contact_ratio: 0.0,
            peak_force: self.target.force + self.settings.max_overshoot,
            contact_speed: self.settings.max_contact_speed,
            force_rate: self.settings.max_force_rate,
        }
    }
}

impl ProbeTask for Press {
    type Terms = PressTerms;
    type Costs = ContactCosts;
    type Metrics = ContactMetrics;

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default().with("force_target [N]", 0.0, 40.0)
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        self.target = SkinTarget::draw(self.settings.area, state, episode, rng);
        self.contact.reset(self.target.force);
        (self.held, self.place_error) = (0.0, 0.0);
        self.last = HeldForce::default();
        self.action_change.reset();
        self.before_substep(state);
        state.place_above(episode)
    }

    fn before_substep(&mut self, state: &mut SceneState) {
        self.target.set_goal(state);
    }

    fn after_substep(&mut self, state: &SceneState) {
        self.contact.update(state);
        let (force, wanted) = (state.probe.normal_force, self.target.force);
        if self.contact.time() > self.limit - self.settings.hold {
            self.last.add(force, wanted);
        }
        if state.probe.in_contact {
            self.place_error = self.place_error.max(state.offset_across().norm());
        }
        self.held = if (force - wanted).abs() <= self.settings.tolerance {
            self.held + state.physics.timestep()
        } else {
            0.0
        };
    }

    fn observe(&self, _state: &SceneState, observation: &mut [f32]) {
        observation[0] = self.target.force as f32;
    }

    fn reward(&mut self, state: &SceneState, action: &[f32]) -> PressTerms {
        let weight = &self.settings.reward;
        let error = self.contact.take_error();
        let touching = f64::from(u8::from(state.probe.in_contact));
        let change = self.action_change.update(action);
        let limit = self.settings.max_contact_speed;
        let hardness = self.contact.contact_speed_penalty(limit);
        let counted = if state.physics.time() < self.settings.settling {
            weight.while_settling
        } else {
            1.0
        };
        PressTerms {
            force: counted * weight.force * touching * (-(0.7 * error).powi(2)).exp(),
            force_error: -counted * weight.force_error * error.min(5.0),
            position: weight.position * (-(200.0 * state.offset_across().norm()).powi(2)).exp(),
            orientation: weight.orientation * (-(state.tilt() / 0.05).powi(2)).exp(),
            contact_speed: -weight.contact_speed * hardness,
            smoothness: -weight.smoothness * change,
        }
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = self.limits();
        self.contact.take_costs(&limits)
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        let settings = &self.settings;
        if state.offset_across().norm() > settings.max_position_error {
            return Some(too_far("place", settings.max_position_error));
        }
        (state.probe.normal_force > settings.max_force)
            .then(|| pressed_too_hard(settings.max_force))
    }

    fn judge(&self, judge: Judge) -> Judge {
        let judge = judge.place(self.place_error);
        let judge = self.contact.judge_force(judge, Some(&self.last));
        let judge = self.contact.judge_contact_and_tilt(judge);
        let judge = judge_rules(judge, &self.contact.limit_rules(&self.limits()));
        let held = Rule::at_least("force held [s]", self.held, self.settings.hold);
        judge_rules(judge, &[held])
    }

    fn metrics(&self) -> ContactMetrics {
        let is_done = self.contact.time() >= self.limit - 1e-9 && self.held >= self.settings.hold;
        let success = is_done && self.contact.is_within(&self.limits());
        self.contact.metrics(success)
    }
}
