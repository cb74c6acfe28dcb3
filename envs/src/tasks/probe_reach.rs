//! `probe-reach`: move the probe from a free start into gentle contact with a position on the soft torso, and keep it there.
//!
//! The thesis calls it contact establishment.
//!
//! # Action
//!
//! Defined by `action.mode`; see [`crate::actions`]. Actions are normalised to -1 to 1.
//!
//! # Observation
//!
//! The scene's entries ([`crate::probe::observation`]); the task adds none.
//!
//! # Reward
//!
//! Per control step, $d$: distance from the position in m, $\theta$: tilt in rad, $F$: force along the probe's axis in N,
//! $u$: maximum speed towards the skin at the start of a contact in m/s; weights in `task.reward`.
//!
//! | term | formula |
//! |---|---|
//! | `distance` | $1 - \tanh(10 d)$ |
//! | `orientation` | $-\tanh(5 \theta)$, as in the thesis |
//! | `contact` | 1 while the force is in `task.force` |
//! | `force` | $-\max(0, F - F_{most}) / 10$ |
//! | `contact_speed` | $-\min(1, \max(0, u / u_{max} - 1/2))$, once, together with `success`, $u_{max}$: `task.max_contact_speed` |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ |
//! | `success` | 1, once, at the end |
//!
//! # Start
//!
//! The position is random within `task.area`. The probe starts `start.height` above it with the horizontal offset `start.x`, `start.y`,
//! tilted by up to `task.max_tilt` about a random axis. The force sensor is zeroed there.
//!
//! # End
//!
//! Terminated: success, if the probe has been within `task.tolerance` of the position, tilted by less than `task.tilt`, with a
//! force in `task.force`, for `task.hold` seconds; more than `task.max_position_error` away; force above `task.max_force`; the
//! simulation diverged. Truncated: at `time.limit`.

use insonate_settings::{check_interval, check_range, check_ranges};
use insonate_sim::verdict::Judge;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::actions::{ActionSettings, OscPoseSettings};
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, CONTACT_SPEED, ContactCosts, ContactMeter, FORCE_RATE, ForceLimits, ProbeTask,
    ProbeTaskSettings, Rule, SceneSet, SceneState, SkinTarget, TimeSettings, factory, judge_rules,
    pressed_too_hard, too_far,
};
use crate::randomization::{EpisodeParameters, RandomizationSettings};
use crate::settings;
use crate::{BoxSpace, EnvError, named_values, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "probe-reach",
    summary: "bring the probe from a free start into gentle contact with a position on the torso",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[("action.mode", "hybrid_force")],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "400_000"),
        ("learning_rate", "1e-3"),
        ("log_std_init", "-1.5"),
    ],
    sac: &[],
};

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeReachSettings {
    /// Half sizes of the area of positions across and along the patient [m], scaled with the torso.
    pub area: [f64; 2],
    /// Maximum tilt at the start [rad].
    pub max_tilt: f64,
    /// Range of forces for gentle contact [N].
    pub force: [f64; 2],
    /// Maximum distance from the position, across the probe's axis [m].
    pub tolerance: f64,
    /// Maximum tilt [rad].
    pub tilt: f64,
    /// Time that these conditions must hold [s].
    pub hold: f64,
    /// Distance from the position at which the episode ends [m].
    pub max_position_error: f64,
    /// Force at which the episode ends [N]. The thesis: 60.
    pub max_force: f64,
    /// Maximum speed towards the skin at the start of a contact, for a success [m/s].
    pub max_contact_speed: f64,
    /// Maximum force along the axis, for a success [N].
    pub max_peak_force: f64,
    /// Maximum increase of the force over 20 ms, for a success [N/s].
    pub max_force_rate: f64,
    /// Weights of the reward.
    pub reward: ProbeReachReward,
}

reward_terms! {
    pub struct ProbeReachReward weighs ProbeReachTerms {
        /// Nearness to the position.
        distance: 0.3,
        /// Tilt.
        orientation: 0.2,
        /// Gentle contact.
        contact: 0.5,
        /// Penalty for excessive force.
        force: 1.0,
        /// Penalty for contact faster than half the limit of a success.
        contact_speed: 75.0,
        /// Penalty for changes of the action.
        smoothness: 0.01,
        /// Success.
        success: 150.0,
    }
}

impl Default for ProbeReachSettings {
    fn default() -> Self {
        Self {
            area: [0.06, 0.09],
            max_tilt: 0.2,
            force: [0.5, 6.0],
            tolerance: 0.01,
            tilt: 0.1,
            hold: 0.2,
            max_position_error: 0.3,
            max_force: 40.0,
            max_contact_speed: CONTACT_SPEED,
            max_peak_force: 15.0,
            max_force_rate: FORCE_RATE,
            reward: ProbeReachReward::default(),
        }
    }
}

impl ProbeReachSettings {
    fn check(&self) -> Result<(), EnvError> {
        for half in self.area {
            check_range("task.area", half, [0.0, 0.5], "m")?;
        }
        check_interval("task.force", self.force, [0.0, 40.0], "N")?;
        Ok(check_ranges(
            "task.",
            [
                ("max_tilt", self.max_tilt, [0.0, 1.0], "rad"),
                ("tolerance", self.tolerance, [1e-4, 0.5], "m"),
                ("tilt", self.tilt, [1e-3, 3.2], "rad"),
                ("hold", self.hold, [0.0, 60.0], "s"),
                (
                    "max_position_error",
                    self.max_position_error,
                    [0.01, 2.0],
                    "m",
                ),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
                (
                    "max_contact_speed",
                    self.max_contact_speed,
                    [0.0, 10.0],
                    "m/s",
                ),
                ("max_peak_force", self.max_peak_force, [0.0, 1e4], "N"),
                ("max_force_rate", self.max_force_rate, [0.0, 1e6], "N/s"),
            ],
        )?)
    }
}

/// Upper limit of the penalty from [`ContactMeter::contact_speed_penalty`]: a hard arrival must stay better than no arrival.
const MOST_HARDNESS: f64 = 1.0;

fn defaults() -> ProbeTaskSettings<ProbeReachSettings> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.02,
            limit: 4.0,
        },
        action: ActionSettings {
            osc_pose: OscPoseSettings {
                position_scale: 0.02,
                orientation_scale: 0.1,
                ..OscPoseSettings::default()
            },
            ..ActionSettings::of_mode("osc_pose")
        },
        randomization: RandomizationSettings {
            stiffness: [900.0, 2000.0],
            damping: [15.0, 45.0],
            friction: [0.0, 0.1],
            force_noise: [0.0, 0.1],
            start_height: [0.02, 0.06],
            start_offset: [-0.03, 0.03],
            force: [3.0, 3.0],
            ..RandomizationSettings::default()
        },
        ..ProbeTaskSettings::default()
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<ProbeReachSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        Ok(ProbeReach::new(settings.task.clone()))
    }))
}

named_values! {
    /// Metrics of an episode.
    struct ProbeReachMetrics {
        success,
        time_to_contact_s,
        peak_force_n,
        contact_speed_m_s,
        force_rate_n_s,
    }
}

/// The task.
#[derive(Debug)]
struct ProbeReach {
    settings: ProbeReachSettings,
    target: SkinTarget,
    contact: ContactMeter,
    /// Time since which all conditions hold [s].
    held: f64,
    time_to_contact: f64,
    action_change: ActionChange,
}

impl ProbeReach {
    fn new(settings: ProbeReachSettings) -> Self {
        Self {
            settings,
            target: SkinTarget::default(),
            contact: ContactMeter::default(),
            held: 0.0,
            time_to_contact: f64::NAN,
            action_change: ActionChange::default(),
        }
    }

    fn is_gentle(&self, state: &SceneState) -> bool {
        let [least, most] = self.settings.force;
        state.probe.in_contact && (least..=most).contains(&state.probe.normal_force)
    }

    fn is_reached(&self) -> bool {
        self.held >= self.settings.hold
    }

    fn limits(&self) -> ForceLimits {
        ForceLimits {
            contact_ratio: 0.0,
            peak_force: self.settings.max_peak_force,
            contact_speed: self.settings.max_contact_speed,
            force_rate: self.settings.max_force_rate,
        }
    }

    /// The bounds of a success.
    fn rules(&self) -> [Rule; 4] {
        let [_, peak, speed, rate] = self.contact.limit_rules(&self.limits());
        let (name, hold) = ("gentle contact at the place [s]", self.settings.hold);
        [Rule::at_least(name, self.held, hold), speed, peak, rate]
    }
}

impl ProbeTask for ProbeReach {
    type Terms = ProbeReachTerms;
    type Costs = ContactCosts;
    type Metrics = ProbeReachMetrics;

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default()
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        self.target = SkinTarget::draw(self.settings.area, state, episode, rng);
        (self.held, self.time_to_contact) = (0.0, f64::NAN);
        let [_, gentle] = self.settings.force;
        self.contact.reset(gentle);
        self.action_change.reset();
        self.before_substep(state);
        let mut start = state.start(episode);
        let around = rng.random_range(0.0..std::f64::consts::TAU);
        let axis = Unit::new_normalize(Vector3::new(around.cos(), around.sin(), 0.0));
        let tilt = self.settings.max_tilt * rng.random::<f64>();
        start.rotation *= UnitQuaternion::from_axis_angle(&axis, tilt);
        state.place(&start)
    }

    fn before_substep(&mut self, state: &mut SceneState) {
        self.target.set_goal(state);
    }

    fn after_substep(&mut self, state: &SceneState) {
        if state.probe.in_contact && self.time_to_contact.is_nan() {
            self.time_to_contact = state.physics.time();
        }
        self.contact.update(state);
        let holds = self.is_gentle(state)
            && state.offset_across().norm() <= self.settings.tolerance
            && state.tilt() <= self.settings.tilt;
        self.held = if holds {
            self.held + state.physics.timestep()
        } else {
            0.0
        };
    }

    fn observe(&self, _state: &SceneState, _observation: &mut [f32]) {}

    fn reward(&mut self, state: &SceneState, action: &[f32]) -> ProbeReachTerms {
        let weight = &self.settings.reward;
        let change = self.action_change.update(action);
        let excess = (state.probe.normal_force - self.settings.force[1]).max(0.0);
        let reached = f64::from(u8::from(self.is_reached()));
        // A penalty before arrival would teach the policy to stay away from the skin.
        let hardness = if self.is_reached() {
            let limit = self.settings.max_contact_speed;
            let hardness = self.contact.contact_speed_penalty(limit);
            hardness.min(MOST_HARDNESS)
        } else {
            0.0
        };
        ProbeReachTerms {
            distance: weight.distance * (1.0 - (10.0 * state.offset().norm()).tanh()),
            orientation: -weight.orientation * (5.0 * state.tilt()).tanh(),
            contact: weight.contact * f64::from(u8::from(self.is_gentle(state))),
            force: -weight.force * excess / 10.0,
            contact_speed: -weight.contact_speed * hardness,
            smoothness: -weight.smoothness * change,
            success: weight.success * reached,
        }
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = self.limits();
        self.contact.take_costs(&limits)
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        if self.is_reached() {
            return Some(EpisodeEnd::Reached("in contact"));
        }
        let settings = &self.settings;
        if state.offset().norm() > settings.max_position_error {
            return Some(too_far("place", settings.max_position_error));
        }
        (state.probe.normal_force > settings.max_force)
            .then(|| pressed_too_hard(settings.max_force))
    }

    fn judge(&self, judge: Judge) -> Judge {
        let judge = judge.peak(self.settings.force[1], self.contact.peak_force());
        judge_rules(judge, &self.rules())
    }

    fn metrics(&self) -> ProbeReachMetrics {
        let is_success = self.rules().iter().all(Rule::is_kept);
        ProbeReachMetrics {
            success: f64::from(is_success),
            time_to_contact_s: self.time_to_contact,
            peak_force_n: self.contact.peak_force(),
            contact_speed_m_s: self.contact.contact_speed(),
            force_rate_n_s: self.contact.force_rate(),
        }
    }
}
