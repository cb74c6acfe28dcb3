//! `probe-sweep`: slide the probe along a straight path over the soft torso at a constant force and speed.
//!
//! The task that Jakobsen 2021 (NTNU) set and left unsolved, with the success criteria below.
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
//! | `time_to_start` | s | time until the goal moves; 0 after |
//! | `force_target` | N | desired force |
//!
//! # Reward
//!
//! Per control step, $e$: force error in N, $d$: distance across and along the path in m, $\theta$: tilt in rad, $v$: velocity error
//! along the path in m/s, $u$: speed towards the skin at the start of a contact in m/s; weights in `task.reward`.
//!
//! | term | formula | when |
//! |---|---|---|
//! | `position` | $\exp(-\lVert (90 d)^2 \rVert)$, as in the thesis | always |
//! | `orientation` | $\exp(-(\theta / 0.05)^2)$ | always |
//! | `velocity` | $\exp(-(45 v)^2)$, as in the thesis | always |
//! | `force` | $\exp(-(k e)^2)$, $k$: `force_sharpness`; the thesis: 0.7/N; times `at_rest` while the goal rests | in contact |
//! | `force_rate` | $\exp(-(0.01 \dot F)^2)$, as in the thesis | in contact |
//! | `force_error` | $-\min(\lvert e \rvert, 5)$, mean over the step: has a slope where `force` is flat; times `at_rest` while the goal rests | always |
//! | `contact_speed` | $-\Delta \max(0, u / u_{max} - 1/2)$: increase, for the hardest contact so far, $u_{max}$: `task.success.contact_speed` | always |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ | always |
//!
//! # Start
//!
//! The path is straight and on the skin, with random position, direction and length within `task.area`. The probe starts `start.height`
//! above the path's start with the horizontal offset `start.x`, `start.y`. The force sensor is zeroed there. The goal rests for
//! `task.rest`, then moves.
//!
//! # End
//!
//! Terminated: contact lost for `task.release_time` after first contact; more than `task.max_position_error` from the goal;
//! force above `task.max_force`; the simulation diverged. Truncated: the goal has reached the end of the path.
//!
//! Success: `task.success` ([`SuccessCriteria`]) for an episode that reached the end.

use insonate_settings::{check_interval, check_range, check_ranges};
use insonate_sim::verdict::Judge;
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::{Assignments, Profile, TaskKind};
use crate::actions::ActionSettings;
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, ContactCosts, ContactMeter, ContactMetrics, PathProgress, ProbeTask,
    ProbeTaskSettings, Rule, SceneSet, SceneState, StraightPath, SuccessCriteria, TimeSettings,
    WrenchMeasurement, WrenchScript, contact_lost, factory, judge_rules, pressed_too_hard, too_far,
};
use crate::randomization::{EpisodeParameters, RandomizationSettings};
use crate::settings;
use crate::{BoxSpace, EnvError, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "probe-sweep",
    summary: "slide the probe along a path over the torso at a constant force",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[REAL],
    scripted: &[("action.mode", "hybrid_force")],
    demonstrated: &[("action.mode", "wrench")],
    is_studied: true,
    ppo: PPO,
    sac: SAC,
};

/// What a robot in a laboratory does not know: the softness and friction of the skin, the breath, and the delay, bias and drift of its force
/// sensor. The controller reads that sensor. Its gains are the best fixed ones for these ranges.
const REAL: Profile = Profile {
    name: "real",
    summary: "a delayed, drifting, noisy force sensor in the loop; unknown softness, friction and breath",
    settings: &[
        ("scene.shape", "adult"),
        ("action.mode", "hybrid_force"),
        ("action.force_feedback", "sensor"),
        ("action.hybrid_force.force_gain", "0.35"),
        ("action.hybrid_force.force_integral_gain", "0.5"),
        ("observation.joints", "false"),
        ("randomization.stiffness", "[300.0, 4000.0]"),
        ("randomization.damping", "[10.0, 60.0]"),
        ("randomization.friction", "[0.0, 0.3]"),
        ("randomization.breathing", "true"),
        ("randomization.breathing_amplitude", "[0.0, 0.012]"),
        ("randomization.force_delay", "[0.004, 0.06]"),
        ("randomization.force_noise", "[0.02, 0.1]"),
        ("randomization.force_bias", "[-0.2, 0.2]"),
        ("randomization.force_drift", "[-0.05, 0.05]"),
        ("randomization.latency", "[0, 1]"),
    ],
};

/// Settings of PPO and SAC for tasks with a desired force in contact. The force responds immediately, so a short horizon and large steps
/// suffice.
pub(super) const PPO: Assignments = &[
    ("total_timesteps", "600_000"),
    ("learning_rate", "1e-3"),
    ("discount", "0.9"),
    ("gae_lambda", "0.9"),
    ("log_std_init", "-1.0"),
];
pub(super) const SAC: Assignments = &[("total_timesteps", "40_000"), ("discount", "0.97")];

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepSettings {
    /// Half sizes of the area of paths across and along the patient [m], scaled with the torso.
    pub area: [f64; 2],
    /// Length of the path [m].
    pub length: [f64; 2],
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Time that the goal rests at the start [s].
    pub rest: f64,
    /// Acceleration time of the goal [s].
    pub ramp: f64,
    /// Time without contact after which the contact counts as lost [s].
    pub release_time: f64,
    /// Distance from the goal across the probe's axis at which the episode ends [m].
    pub max_position_error: f64,
    /// Force along the axis at which the episode ends [N].
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: SweepReward,
    /// Success criteria.
    pub success: SuccessCriteria,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self {
            area: [0.06, 0.09],
            length: [0.06, 0.12],
            speed: 0.04,
            rest: 0.6,
            ramp: 0.25,
            release_time: 0.25,
            max_position_error: 0.05,
            max_force: 40.0,
            reward: SweepReward::default(),
            success: SuccessCriteria::default(),
        }
    }
}

reward_terms! {
    pub struct SweepReward weighs SweepTerms {
        /// Nearness to the goal. The thesis: 5.
        position: 5.0,
        /// Upright orientation. The thesis: 1.
        orientation: 0.5,
        /// Speed along the path. The thesis: 1.
        velocity: 0.5,
        /// Accuracy of the force. The thesis: 3.
        force: 3.0,
        /// Constancy of the force. The thesis: 2.
        force_rate: 0.2,
        /// Penalty per newton of force error.
        force_error: 4.0,
        /// Penalty for contact faster than half the limit of a success.
        // Exceeds the cost of the time that a gentle approach takes.
        contact_speed: 200.0,
        /// Penalty for changes of the action.
        smoothness: 0.02,
    } and {
        /// Sharpness k of the force term [1/N]. The thesis: 0.7. Use the inverse of a good policy's error to distinguish it from a better one.
        force_sharpness: 0.7,
        /// Fraction of `force` and `force_error` that counts while the goal rests. The success criteria require no force then, and
        /// a reward for it would reward early contact.
        // Of the tried values 1, 0.3 and 0.1, this return ranks policies best by the success criteria.
        at_rest: 0.1,
    }
}

fn defaults() -> ProbeTaskSettings<SweepSettings> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.02,
            limit: 4.0,
        },
        action: ActionSettings::of_mode("wrench"),
        randomization: RandomizationSettings {
            stiffness: [900.0, 2000.0],
            damping: [15.0, 45.0],
            friction: [0.0, 0.1],
            force_noise: [0.0, 0.1],
            ..RandomizationSettings::default()
        },
        ..ProbeTaskSettings::default()
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<SweepSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        let timestep = settings.time.control_timestep;
        let sweep = Sweep::new(settings.task.clone(), timestep);
        Ok(sweep.with_script(WrenchScript::new(&settings.action)))
    }))
}

impl SweepSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        for half in self.area {
            check_range("task.area", half, [0.005, 0.5], "m")?;
        }
        let diagonal = 2.0 * self.area[0].hypot(self.area[1]);
        check_interval("task.length", self.length, [0.005, diagonal], "m")?;
        check_ranges(
            "task.",
            [
                ("speed", self.speed, [0.001, 0.5], "m/s"),
                ("rest", self.rest, [0.0, 60.0], "s"),
                ("ramp", self.ramp, [0.0, 10.0], "s"),
                ("release_time", self.release_time, [0.0, 60.0], "s"),
                (
                    "max_position_error",
                    self.max_position_error,
                    [0.001, 1.0],
                    "m",
                ),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
            ],
        )?;
        self.success.check()
    }

    /// Draws a path within the area around `center`, scaled by `size`.
    fn path(&self, center: [f64; 2], size: f64, rng: &mut ChaCha8Rng) -> StraightPath {
        let [a, b] = self.area.map(|half| half * size);
        let length = rng.random_range(self.length[0]..=self.length[1]) * size;
        let mut ends = ([0.0, -0.5 * length], [0.0, 0.5 * length]);
        // Some random lines leave the area. If none fits, a line through the centre is used.
        for _ in 0..64 {
            let from = [rng.random_range(-a..=a), rng.random_range(-b..=b)];
            let angle = rng.random_range(0.0..std::f64::consts::TAU);
            let to = [
                from[0] + length * angle.cos(),
                from[1] + length * angle.sin(),
            ];
            if to[0].abs() <= a && to[1].abs() <= b {
                ends = (from, to);
                break;
            }
        }
        let world = |[x, y]: [f64; 2]| [x + center[0], y + center[1]];
        StraightPath {
            from: world(ends.0),
            to: world(ends.1),
            speed: self.speed,
            rest: self.rest,
            ramp: self.ramp,
        }
    }
}

/// The task.
#[derive(Debug)]
pub struct Sweep {
    settings: SweepSettings,
    control_timestep: f64,
    path: StraightPath,
    force: f64,
    contact: ContactMeter,
    progress: PathProgress,
    /// Time since which there is no contact [s].
    released: f64,
    last_force: f64,
    action_change: ActionChange,
    is_off_skin: bool,
    /// The script for the mode `wrench`. Other modes use the zero action.
    script: Option<WrenchScript>,
}

impl Sweep {
    /// Creates a task with these settings.
    pub fn new(settings: SweepSettings, control_timestep: f64) -> Self {
        Self {
            settings,
            control_timestep,
            path: StraightPath::default(),
            force: 0.0,
            contact: ContactMeter::default(),
            progress: PathProgress::default(),
            released: 0.0,
            last_force: 0.0,
            action_change: ActionChange::default(),
            is_off_skin: false,
            script: None,
        }
    }

    fn with_script(self, script: Option<WrenchScript>) -> Self {
        Self { script, ..self }
    }

    fn success_rules(&self) -> [Rule; 7] {
        self.contact.success_rules(&self.settings.success)
    }

    fn is_complete(&self, state: &SceneState) -> bool {
        state.physics.time() >= self.path.duration()
    }
}

impl ProbeTask for Sweep {
    type Terms = SweepTerms;
    type Costs = ContactCosts;
    type Metrics = ContactMetrics;

    fn observation_space(&self) -> BoxSpace {
        let most = self.settings.rest as f32;
        BoxSpace::default()
            .with("time_to_start [s]", 0.0, most)
            .with("force_target [N]", 0.0, 40.0)
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let [x, y, _] = state.model.scene.torso_position;
        self.path = self.settings.path([x, y], episode.size, rng);
        self.force = episode.force;
        self.contact.reset(self.force);
        self.progress = PathProgress::default();
        (self.released, self.last_force) = (0.0, 0.0);
        self.action_change.reset();
        self.is_off_skin = false;
        self.before_substep(state);
        state.place_above(episode)
    }

    fn before_substep(&mut self, state: &mut SceneState) {
        match self.path.goal(state, self.force) {
            Some(goal) => state.goal = goal,
            None => self.is_off_skin = true,
        }
    }

    fn after_substep(&mut self, state: &SceneState) {
        self.contact.update(state);
        if state.goal.speed > 0.0 {
            self.progress.add(&self.path, state);
        }
        self.released = if state.probe.in_contact {
            0.0
        } else {
            self.released + state.physics.timestep()
        };
    }

    fn observe(&self, state: &SceneState, observation: &mut [f32]) {
        observation[0] = (self.path.rest - state.physics.time()).max(0.0) as f32;
        observation[1] = self.force as f32;
    }

    fn reward(&mut self, state: &SceneState, action: &[f32]) -> SweepTerms {
        let (probe, goal, weight) = (&state.probe, &state.goal, &self.settings.reward);
        let slip = (probe.twist.linear - goal.twist.linear).dot(&goal.direction);
        let error = self.contact.take_error();
        let rate = (probe.normal_force - self.last_force) / self.control_timestep;
        let touching = f64::from(u8::from(probe.in_contact));
        // The thesis squares each entry inside the norm.
        let nearness = (-state.offset_across().map(|d| (90.0 * d).powi(2)).norm()).exp();
        let change = self.action_change.update(action);
        let limit = self.settings.success.contact_speed;
        let hardness = self.contact.contact_speed_penalty(limit);
        let counted = if state.physics.time() < self.path.rest {
            weight.at_rest
        } else {
            1.0
        };
        let reward = SweepTerms {
            position: weight.position * nearness,
            orientation: weight.orientation * (-(state.tilt() / 0.05).powi(2)).exp(),
            velocity: weight.velocity * (-(45.0 * slip).powi(2)).exp(),
            force: counted
                * weight.force
                * touching
                * (-(weight.force_sharpness * error).powi(2)).exp(),
            force_rate: weight.force_rate * touching * (-(0.01 * rate).powi(2)).exp(),
            force_error: -counted * weight.force_error * error.min(5.0),
            contact_speed: -weight.contact_speed * hardness,
            smoothness: -weight.smoothness * change,
        };
        self.last_force = probe.normal_force;
        reward
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = self.settings.success.limits();
        self.contact.take_costs(&limits)
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        let settings = &self.settings;
        if self.contact.first_contact().is_some() && self.released > settings.release_time {
            return Some(contact_lost(settings.release_time));
        }
        if state.offset_across().norm() > settings.max_position_error {
            return Some(too_far("path", settings.max_position_error));
        }
        if state.probe.normal_force > settings.max_force {
            return Some(pressed_too_hard(settings.max_force));
        }
        if self.is_off_skin {
            return Some(EpisodeEnd::Terminated("the path left the skin".into()));
        }
        let end = match self.contact.first_contact() {
            Some(_) => "path complete",
            None => "path over without contact",
        };
        self.is_complete(state)
            .then_some(EpisodeEnd::Truncated(end))
    }

    /// The zero action, which is a controller in `hybrid_force`. In `wrench`, a separate script.
    fn scripted_action(
        &mut self,
        state: &SceneState,
        measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        match &self.script {
            Some(script) => script.act(state, measured, action),
            None => action.fill(0.0),
        }
        true
    }

    fn judge(&self, judge: Judge) -> Judge {
        let judge = judge.path(self.progress.figures(&self.path));
        let judge = self.contact.judge_force(judge, None);
        let judge = self.contact.judge_contact_and_tilt(judge);
        judge_rules(judge, &self.success_rules())
    }

    fn metrics(&self) -> ContactMetrics {
        let is_done = self.contact.time() >= self.path.duration() - 1e-9;
        let success = is_done && self.success_rules().iter().all(Rule::is_kept);
        self.contact.metrics(success)
    }
}
