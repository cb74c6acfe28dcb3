//! `find-view`: move the probe, in contact at a constant force, from a nearby start to the liver–kidney view.
//!
//! The view (Morison's recess, FAST examination) is the plane of [`insonate_ultrasound::phantom::Adult::liver_kidney_view`], defined by
//! landmarks of the organs at rest. It is not observed: the policy sees which samples of each line are liver and kidney, and its
//! displacement. Each episode draws one of several patients (`randomization.organs`).
//!
//! Hase et al. 2020 (IROS) find a view of the sacrum in this way by DQN. Li et al. 2021 (ICRA) report 4.9 mm and 4.7° for standard views of
//! the spine. Both resample recorded volumes, without contact.
//!
//! # Action
//!
//! Defined by `action.mode`; see [`crate::actions`]. Actions are normalised to -1 to 1.
//!
//! # Observation
//!
//! The scene's entries ([`crate::probe::observation`]). Their goal is the start, so they contain the displacement and rotation since the
//! start. The task has no entries of its own.
//!
//! # Reward
//!
//! Per control step, $d$: distance of the face's centre from that of the view, across its axis, in m; $\theta$: angle between both poses in
//! rad; $D = d + w \theta$ with $w$: `task.metres_per_radian`; $e$: force error along the probe's axis in N; weights in `task.reward`.
//!
//! | term | formula |
//! |---|---|
//! | `progress` | $100 (D_{t-1} - D_t)$: progress in centimetres (potential-based, as SonoGym's decrease of distance and angle) |
//! | `nearness` | $\exp(-(d / d_{max})^2 - (\theta / \theta_{max})^2)$ with the tolerances of a success |
//! | `force_error` | $-\min(\lvert e \rvert, 5)$, mean over the step |
//! | `contact_speed` | as in `probe-press` |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ |
//!
//! # Start
//!
//! On the skin at a random distance of up to `task.start_distance` from the view, rotated about the normal by up to `task.start_turn` from
//! the view. The probe starts `start.height` above the skin, where the force sensor is zeroed. The arm starts in a posture from which it
//! can reach the view; other starts are drawn again.
//!
//! # End
//!
//! Terminated: more than `task.max_distance` from the view; the simulation diverged. Also, within the control step as real robots stop: a
//! force above `task.max_force` along the probe's axis, a joint at its limit, or a contact of the arm, also with itself. In the last two
//! cases the arm no longer exerts the commanded forces.
//! Truncated: at `time.limit`.
//!
//! Success: at the time limit the probe is within `task.tolerance` and `task.tolerance_deg` of the view, and the episode kept
//! `task.limits`.

use std::f64::consts::TAU;

use insonate_settings::check_ranges;
use insonate_sim::Pose;
use insonate_sim::verdict::Judge;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use super::ultrasound_tasks;
use crate::actions::HybridMotionSettings;
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, ContactCosts, ContactMeter, ForceAxis, ForceLimits, ForceMetrics, Goal,
    ProbeTask, ProbeTaskSettings, Rule, SceneSet, SceneState, WrenchMeasurement, factory,
    judge_rules, pressed_too_hard, too_far,
};
use crate::randomization::EpisodeParameters;
use crate::settings;
use crate::ultrasound::UltrasoundSettings;
use crate::{BoxSpace, EnvError, named_values, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "find-view",
    summary: "find the liver–kidney view by what ultrasound shows, at a steady force",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: ultrasound_tasks::PPO,
    sac: ultrasound_tasks::SAC,
};

/// Minimum cosine of the skin's slope at a start.
const LEAST_COSINE: f64 = 0.35;
/// Gain of the script's position error [1/s].
const SCRIPT_RATE: f64 = 3.0;

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewSettings {
    /// Maximum distance of the start from the view [m].
    pub start_distance: f64,
    /// Maximum rotation of the start about the skin's normal [rad].
    pub start_turn: f64,
    /// Maximum final distance from the view for a success [m].
    pub tolerance: f64,
    /// Maximum final angle from the view for a success [deg].
    pub tolerance_deg: f64,
    /// Distance that is equivalent to an angle of one radian [m].
    pub metres_per_radian: f64,
    /// Distance from the view at which the episode ends [m].
    pub max_distance: f64,
    /// Force at which the episode ends [N].
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: ViewReward,
    /// Limits of a success.
    pub limits: ForceLimits,
}

reward_terms! {
    pub struct ViewReward weighs ViewTerms {
        /// Reward per centimetre of progress.
        progress: 1.0,
        /// Nearness to the view.
        nearness: 0.3,
        /// Penalty per newton of force error.
        force_error: 0.02,
        /// Penalty for contact faster than half the limit of a success.
        contact_speed: 10.0,
        /// Penalty for changes of the action.
        smoothness: 0.01,
    }
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self {
            start_distance: 0.04,
            start_turn: 0.7,
            tolerance: 0.01,
            tolerance_deg: 10.0,
            metres_per_radian: 0.05,
            max_distance: 0.1,
            max_force: 40.0,
            reward: ViewReward::default(),
            limits: ForceLimits::default(),
        }
    }
}

impl ViewSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_ranges(
            "task.",
            [
                ("start_distance", self.start_distance, [0.0, 0.08], "m"),
                ("start_turn", self.start_turn, [0.0, 1.6], "rad"),
                ("tolerance", self.tolerance, [1e-4, 0.1], "m"),
                ("tolerance_deg", self.tolerance_deg, [0.1, 90.0], "°"),
                ("metres_per_radian", self.metres_per_radian, [0.0, 1.0], "m"),
                ("max_distance", self.max_distance, [0.01, 1.0], "m"),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
            ],
        )?;
        self.limits.check()
    }
}

fn defaults() -> ProbeTaskSettings<ViewSettings> {
    let mut settings = ultrasound_tasks::defaults(
        2.5,
        HybridMotionSettings {
            speed_scale: 0.06,
            turn_scale: 1.0,
            ..HybridMotionSettings::default()
        },
        UltrasoundSettings {
            readings: vec!["liver".to_owned(), "kidney".to_owned()],
            lines: 16,
            samples: 20,
            depth: 0.16,
            ..UltrasoundSettings::default()
        },
        ViewSettings::default(),
    );
    "thesis".clone_into(&mut settings.scene.lattice);
    settings.observation.wrench = false;
    settings
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<ViewSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    ultrasound_tasks::check_readings(&settings.observation.ultrasound)?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        let script = ultrasound_tasks::script(&settings.action);
        Ok(FindView::new(
            settings.task.clone(),
            settings.time.limit,
            script,
        ))
    }))
}

/// Reason for an immediate stop of the robot.
#[derive(Debug, Clone, Copy)]
enum Stop {
    /// The force exceeded its limit.
    Force,
    /// A joint at its limit or a contact of the arm.
    Obstruction(&'static str),
}

named_values! {
    /// Metrics of an episode.
    struct ViewMetrics { success, view_distance_mm, view_angle_deg, path_mm }
}

/// The task.
#[derive(Debug)]
struct FindView {
    settings: ViewSettings,
    limit: f64,
    /// Settings of the action mode that the script uses.
    script: Option<HybridMotionSettings>,
    torso_from_view: Isometry3<f64>,
    contact: ContactMeter,
    /// Current distance [m] and angle [rad] from the view.
    error: [f64; 2],
    /// $D$ after the previous control step.
    last: f64,
    /// Reason for the robot's stop.
    stopped: Option<Stop>,
    path: ultrasound_tasks::Path,
    action_change: ActionChange,
}

impl FindView {
    fn new(settings: ViewSettings, limit: f64, script: Option<HybridMotionSettings>) -> Self {
        Self {
            settings,
            limit,
            script,
            torso_from_view: Isometry3::identity(),
            contact: ContactMeter::along(ForceAxis::Probe),
            error: [0.0; 2],
            last: 0.0,
            stopped: None,
            path: ultrasound_tasks::Path::default(),
            action_change: ActionChange::default(),
        }
    }

    /// Distance across the view's axis [m], and angle [rad].
    fn error(&self, state: &SceneState) -> [f64; 2] {
        let view_from_probe = self.torso_from_view.inverse() * state.torso_from_probe();
        let offset = view_from_probe.translation.vector;
        [offset.x.hypot(offset.y), view_from_probe.rotation.angle()]
    }

    fn potential(&self) -> f64 {
        self.error[0] + self.settings.metres_per_radian * self.error[1]
    }

    /// Draws a start on the skin. `None` if it is outside the skin.
    fn draw_start(&self, state: &SceneState, force: f64, rng: &mut ChaCha8Rng) -> Option<Goal> {
        let distance = self.settings.start_distance * rng.random::<f64>().sqrt();
        let angle = rng.random_range(0.0..TAU);
        let turn = self.settings.start_turn * rng.random_range(-1.0..=1.0);
        // In the frame of the compiled torso, across the view's axis.
        let origin = Vector3::from(state.model.scene.torso_position);
        let offset = Vector3::new(distance * angle.cos(), distance * angle.sin(), 0.0);
        let place = self.torso_from_view * nalgebra::Point3::from(offset);
        let point = state.skin(place.x + origin.x, place.y + origin.y)?;
        let lateral = state.in_world(&self.torso_from_view).rotation * Vector3::x();
        let upright = Pose::with_z_axis(point.position, -point.normal, lateral);
        let pose = Pose {
            rotation: upright.rotation * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn),
            ..upright
        };
        (point.normal.z > LEAST_COSINE).then_some(Goal {
            force,
            ..Goal::at(pose)
        })
    }
}

impl ProbeTask for FindView {
    type Terms = ViewTerms;
    type Costs = ContactCosts;
    type Metrics = (ViewMetrics, ForceMetrics);

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default()
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let patient = state.patient.as_ref();
        let patient = patient.ok_or(EnvError::Order("a view without a patient"))?;
        self.torso_from_view = patient.liver_kidney_view()?;
        self.contact.reset(episode.force);
        self.stopped = None;
        self.path = ultrasound_tasks::Path::default();
        self.action_change.reset();
        let missing = ["task.start_distance", "leads to starts outside the skin"];
        let draw = |state: &SceneState| self.draw_start(state, episode.force, rng);
        let view = state.in_world(&self.torso_from_view);
        let placed = ultrasound_tasks::place(state, episode, Some(&view), missing, draw);
        self.error = self.error(state);
        self.last = self.potential();
        placed
    }

    fn before_substep(&mut self, _state: &mut SceneState) {}

    fn after_substep(&mut self, state: &SceneState) {
        self.contact.update(state);
        self.error = self.error(state);
        self.path.follow(state);
        let is_hard = state.axial_force() > self.settings.max_force;
        let hard = is_hard.then_some(Stop::Force);
        self.stopped = hard.or_else(|| state.obstruction().map(Stop::Obstruction));
    }

    fn stops(&self) -> bool {
        self.stopped.is_some()
    }

    fn observe(&self, _state: &SceneState, _observation: &mut [f32]) {}

    fn reward(&mut self, _state: &SceneState, action: &[f32]) -> ViewTerms {
        let (weight, settings) = (&self.settings.reward, &self.settings);
        let [distance, angle] = self.error;
        let near = (distance / settings.tolerance).powi(2)
            + (angle / settings.tolerance_deg.to_radians()).powi(2);
        let now = self.potential();
        let reward = ViewTerms {
            progress: weight.progress * 100.0 * (self.last - now),
            nearness: weight.nearness * (-near).exp(),
            force_error: -weight.force_error * self.contact.take_error().min(5.0),
            contact_speed: -weight.contact_speed
                * self
                    .contact
                    .contact_speed_penalty(settings.limits.contact_speed),
            smoothness: -weight.smoothness * self.action_change.update(action),
        };
        self.last = now;
        reward
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = &self.settings.limits;
        self.contact.take_costs(limits)
    }

    fn end(&self, _state: &SceneState) -> Option<EpisodeEnd> {
        let is_far = self.error[0] > self.settings.max_distance;
        self.stopped
            .map(|stop| match stop {
                Stop::Force => pressed_too_hard(self.settings.max_force),
                Stop::Obstruction(what) => EpisodeEnd::Terminated(what.into()),
            })
            .or_else(|| is_far.then(|| too_far("view", self.settings.max_distance)))
    }

    fn judge(&self, judge: Judge) -> Judge {
        let [distance, angle] = self.error;
        let (settings, angle) = (&self.settings, angle.to_degrees());
        let judge = self.contact.judge_force(judge, None);
        let judge = self.contact.judge_limits(judge, &settings.limits);
        let rules = [
            Rule::below("distance to the view [m]", distance, settings.tolerance),
            Rule::below("angle to the view [deg]", angle, settings.tolerance_deg),
        ];
        judge_rules(judge, &rules)
    }

    /// Moves to the true view, which policies do not observe.
    fn scripted_action(
        &mut self,
        state: &SceneState,
        _measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        let Some(mode) = &self.script else {
            return false;
        };
        let probe = &state.probe.world_from_probe;
        let view = state.in_world(&self.torso_from_view);
        let back = probe.rotation.inverse();
        let way = back * (view.position - probe.position) * SCRIPT_RATE;
        let turn = (back * view.rotation).scaled_axis() * SCRIPT_RATE;
        mode.action_of([way.x, way.y, turn.z, turn.x, turn.y, 0.0], action);
        true
    }

    fn metrics(&self) -> Self::Metrics {
        let [distance, angle] = self.error;
        let is_there = distance < self.settings.tolerance
            && angle.to_degrees() < self.settings.tolerance_deg
            && self.contact.time() >= self.limit - 1e-9
            && self.contact.is_within(&self.settings.limits);
        let own = ViewMetrics {
            success: f64::from(is_there),
            view_distance_mm: 1e3 * distance,
            view_angle_deg: angle.to_degrees(),
            path_mm: 1e3 * self.path.length(),
        };
        (own, self.contact.force_metrics())
    }
}
