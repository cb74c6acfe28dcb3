//! `coverage`: sweep the probe in contact at a constant force until the imaged slices have passed over an organ's surface.
//!
//! The surface is `task.n_points` points of the organ at rest. A point is seen if it is in the slice, on a line in contact,
//! with neither bone nor gas before it. The slice is as thick as the beam at half its maximum. A scanner acquires several frames between
//! two control steps:
//! the slice is thicker on either side by half of the displacement across it. The visible area depends on the patient: it is the part that
//! a raster of upright poses sees of the torso at rest, with the whole face in contact ([`crate::ultrasound::Raster`]). Fractions refer to
//! that area. A force that brings less of the face into contact never sees all of it.
//!
//! # Action
//!
//! Defined by `action.mode`; see [`crate::actions`]. Actions are normalised to -1 to 1. By default, velocities along and across the array.
//!
//! # Observation
//!
//! The scene's entries ([`crate::probe::observation`]), including which samples show the organ. The goal is the start. Then:
//!
//! | entry | |
//! |---|---|
//! | `seen_share` | fraction of the area that was seen |
//! | `unseen_ROW_COLUMN` | unseen fraction of the area in each cell of the probe's frame: rows by the distance to the slice ([`ROWS`]), columns by the distance to the probe's axis ([`COLUMNS`]); known from a plan on a registered CT |
//!
//! # Reward
//!
//! Per control step, $s$: fraction seen, $l$: path of the face in cm since the previous step, $e$: force error along the probe's axis in N;
//! weights in `task.reward`.
//!
//! | term | formula |
//! |---|---|
//! | `seen` | $100 (s_t - s_{t-1})$: each percent counts once |
//! | `path` | $-l$ |
//! | `covered` | 1 at the step that reaches `task.share` |
//! | `force_error` | $-\min(\lvert e \rvert, 5)$, mean over the step |
//! | `contact_speed` | as in `probe-press` |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ |
//!
//! # Start
//!
//! Upright on the skin at a random position of the raster's area over the organ, with the array across the body. The probe starts
//! `start.height` above the skin, where the force sensor is zeroed.
//!
//! # End
//!
//! Terminated: the fraction seen reaches `task.share`; more than `task.max_distance` outside the raster's area; force above
//! `task.max_force`; the simulation diverged. Truncated: at `time.limit`.
//!
//! Success: the fraction seen reached `task.share`, and the episode kept `task.limits`.

use std::sync::Arc;

use insonate_settings::{check_range, check_ranges};
use insonate_sim::Pose;
use insonate_sim::verdict::Judge;
use insonate_ultrasound::phantom::SoftOrgan;
use nalgebra::{Isometry3, Vector3};
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
    ImagingTask, ProbeTask, ProbeTaskSettings, Rule, SceneSet, SceneState, WrenchMeasurement,
    factory, judge_rules, pressed_too_hard, too_far,
};
use crate::randomization::EpisodeParameters;
use crate::settings;
use crate::ultrasound::{
    COLUMNS, CoverageMap, FrameAssessment, KnownSurfaces, OrganScan, OrganSurface, ROWS, Raster,
    RasterScript, UltrasoundSettings,
};
use crate::{BoxSpace, EnvError, named_values, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "coverage",
    summary: "sweep over an organ until its surface is seen, at a steady force",
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
/// Maximum displacement across the slice per control step; larger ones leave gaps [m].
const MAX_ACROSS: f64 = 0.005;
/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageSettings {
    /// `liver` or `right_kidney`. It sets the defaults of `time.limit` and `observation.ultrasound.readings`.
    pub organ: String,
    /// Number of surface points per ellipsoid of the organ.
    pub n_points: usize,
    /// Fraction of the visible area that a success has seen.
    pub share: f64,
    /// Distance outside the raster's area, seen from above, at which the episode ends [m].
    pub max_distance: f64,
    /// Force at which the episode ends [N].
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: CoverageReward,
    /// Limits of a success.
    pub limits: ForceLimits,
}

reward_terms! {
    pub struct CoverageReward weighs CoverageTerms {
        /// Reward per percent newly seen.
        seen: 0.1,
        /// Penalty per centimetre of path.
        path: 0.05,
        /// Reward once the fraction is reached.
        covered: 2.0,
        /// Penalty per newton of force error.
        force_error: 0.02,
        /// Penalty for contact faster than half the limit of a success.
        contact_speed: 10.0,
        /// Penalty for changes of the action.
        smoothness: 0.01,
    }
}

impl Default for CoverageSettings {
    fn default() -> Self {
        Self {
            organ: "right_kidney".to_owned(),
            n_points: 600,
            share: 0.55,
            max_distance: 0.08,
            max_force: 40.0,
            reward: CoverageReward::default(),
            limits: ForceLimits::default(),
        }
    }
}

impl CoverageSettings {
    fn check(&self) -> Result<(), EnvError> {
        self.organ()?;
        check_range(
            "task.n_points",
            self.n_points as f64,
            [16.0, 10_000.0],
            "points",
        )?;
        check_ranges(
            "task.",
            [
                ("share", self.share, [0.01, 1.0], ""),
                ("max_distance", self.max_distance, [0.001, 1.0], "m"),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
            ],
        )?;
        self.limits.check()
    }

    fn organ(&self) -> Result<SoftOrgan, EnvError> {
        let found = SoftOrgan::ALL.iter().find(|(name, _)| *name == self.organ);
        let known = SoftOrgan::ALL.map(|(name, _)| name);
        found
            .map(|(_, organ)| *organ)
            .ok_or_else(|| EnvError::unknown("organ", &self.organ, &known))
    }
}

fn defaults() -> ProbeTaskSettings<CoverageSettings> {
    defaults_of(SoftOrgan::RightKidney)
}

/// Defaults for an organ: its time limit and the reading that shows it.
fn defaults_of(organ: SoftOrgan) -> ProbeTaskSettings<CoverageSettings> {
    let (limit, reading) = match organ {
        SoftOrgan::RightKidney => (6.0, "kidney"),
        SoftOrgan::Liver => (12.0, "liver"),
    };
    let mut settings = ultrasound_tasks::defaults(
        limit,
        HybridMotionSettings {
            axes: ["x", "y"].map(str::to_owned).to_vec(),
            speed_scale: 0.05,
            ..HybridMotionSettings::default()
        },
        UltrasoundSettings {
            readings: vec![reading.to_owned()],
            lines: 16,
            samples: 24,
            depth: 0.18,
            ..UltrasoundSettings::default()
        },
        CoverageSettings::default(),
    );
    settings.observation.wrench = false;
    settings
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let asked = given.get("task").and_then(|task| task.get("organ"));
    let is_asked =
        |(name, _): &&(&str, SoftOrgan)| asked.and_then(toml::Value::as_str) == Some(name);
    let organ = SoftOrgan::ALL.iter().find(is_asked);
    let defaults = defaults_of(organ.map_or(SoftOrgan::RightKidney, |(_, organ)| *organ));
    let settings: ProbeTaskSettings<CoverageSettings> = settings::parse(&defaults, given)?;
    settings.check()?;
    settings.task.check()?;
    ultrasound_tasks::check_readings(&settings.observation.ultrasound)?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    let known = KnownSurfaces::default();
    Ok(factory(KIND.name, settings, scenes, move |settings, _| {
        let script = ultrasound_tasks::script(&settings.action);
        Coverage::new(settings.task.clone(), script, known.clone())
    }))
}

named_values! {
    /// Metrics of an episode.
    struct CoverageMetrics { success, seen_share, path_mm, seen_per_path_1_m }
}

/// The task.
#[derive(Debug)]
struct Coverage {
    settings: CoverageSettings,
    organ: SoftOrgan,
    /// Settings of the action mode that the script uses.
    script: Option<HybridMotionSettings>,
    known: KnownSurfaces,
    /// The survey of a patient's organ while it runs.
    survey: Option<(u64, OrganScan)>,
    surface: Option<Arc<OrganSurface>>,
    map: CoverageMap,
    /// Fraction seen after the previous control step, and the path length then [m].
    last: [f64; 2],
    contact: ContactMeter,
    /// Pose of the face in the last frame.
    imaged: Option<Isometry3<f64>>,
    path: ultrasound_tasks::Path,
    /// Distance outside the raster's area, seen from above [m].
    outside: f64,
    route: RasterScript,
    action_change: ActionChange,
}

impl Coverage {
    fn new(
        settings: CoverageSettings,
        script: Option<HybridMotionSettings>,
        known: KnownSurfaces,
    ) -> Result<Self, EnvError> {
        Ok(Self {
            organ: settings.organ()?,
            settings,
            script,
            known,
            survey: None,
            surface: None,
            map: CoverageMap::new(0),
            last: [0.0; 2],
            contact: ContactMeter::along(ForceAxis::Probe),
            imaged: None,
            path: ultrasound_tasks::Path::default(),
            outside: 0.0,
            route: RasterScript::default(),
            action_change: ActionChange::default(),
        })
    }

    /// Loads the patient's surface, or begins to survey it.
    fn choose(&mut self, state: &SceneState, patient: u64) -> Result<Raster, EnvError> {
        (self.survey, self.surface) = (None, self.known.of(patient));
        if let Some(surface) = &self.surface {
            return Ok(surface.raster.clone());
        }
        let adult = state.patient.as_ref();
        let adult = adult.ok_or(EnvError::Order("coverage without a patient"))?;
        let survey = OrganScan::new(adult, self.organ, self.settings.n_points)?;
        let raster = survey.raster().clone();
        self.survey = Some((patient, survey));
        Ok(raster)
    }

    /// Draws a start on the skin. `None` if it is outside the skin.
    fn draw_start(
        state: &SceneState,
        raster: &Raster,
        force: f64,
        rng: &mut ChaCha8Rng,
    ) -> Option<Goal> {
        let [low, high] = raster.area;
        let origin = state.model.scene.torso_position;
        let [x, y] = [0, 1].map(|axis| origin[axis] + rng.random_range(low[axis]..=high[axis]));
        let point = state.skin(x, y)?;
        let lateral = state.torso.world_from_rest.rotation * Vector3::x();
        let pose = Pose::with_z_axis(point.position, -point.normal, lateral);
        (point.normal.z > LEAST_COSINE).then_some(Goal {
            force,
            ..Goal::at(pose)
        })
    }

    fn is_covered(&self) -> bool {
        self.map.share() >= self.settings.share
    }
}

impl ProbeTask for Coverage {
    type Terms = CoverageTerms;
    type Costs = ContactCosts;
    type Metrics = (CoverageMetrics, ForceMetrics);

    fn observation_space(&self) -> BoxSpace {
        let mut space = BoxSpace::default();
        space.push("seen_share [1]".to_owned(), 0.0, 1.0);
        for row in 0..=ROWS.len() {
            for column in 0..=COLUMNS.len() {
                space.push(format!("unseen_{row}_{column} [1]"), 0.0, 1.0);
            }
        }
        space.in_frame("probe")
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let raster = self.choose(state, episode.organs)?;
        self.contact.reset(episode.force);
        (self.path, self.outside) = (ultrasound_tasks::Path::default(), 0.0);
        (self.imaged, self.last, self.route) = (None, [0.0; 2], RasterScript::default());
        self.action_change.reset();
        let surface = self.surface.as_ref();
        self.map = CoverageMap::new(surface.map_or(0, |surface| surface.points.len()));
        let missing = ["task.organ", "is not below skin that the arm can reach"];
        let draw = |state: &SceneState| Self::draw_start(state, &raster, episode.force, rng);
        ultrasound_tasks::place(state, episode, None, missing, draw)
    }

    fn before_substep(&mut self, _state: &mut SceneState) {}

    fn after_substep(&mut self, state: &SceneState) {
        self.contact.update(state);
        self.path.follow(state);
    }

    fn imaging(&mut self) -> Option<&mut dyn ImagingTask> {
        Some(self)
    }

    fn observe(&self, _state: &SceneState, observation: &mut [f32]) {
        observation[0] = self.map.share().min(1.0) as f32;
        for (entry, cell) in observation[1..].iter_mut().zip(self.map.cells()) {
            *entry = cell.min(1.0) as f32;
        }
    }

    fn reward(&mut self, _state: &SceneState, action: &[f32]) -> CoverageTerms {
        let (weight, settings) = (&self.settings.reward, &self.settings);
        let [share, path] = [self.map.share(), self.path.length()];
        let is_new = self.is_covered() && self.last[0] < settings.share;
        let reward = CoverageTerms {
            seen: weight.seen * 100.0 * (share - self.last[0]),
            path: -weight.path * 100.0 * (path - self.last[1]),
            covered: weight.covered * f64::from(u8::from(is_new)),
            force_error: -weight.force_error * self.contact.take_error().min(5.0),
            contact_speed: -weight.contact_speed
                * self
                    .contact
                    .contact_speed_penalty(settings.limits.contact_speed),
            smoothness: -weight.smoothness * self.action_change.update(action),
        };
        self.last = [share, path];
        reward
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = &self.settings.limits;
        self.contact.take_costs(limits)
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        let settings = &self.settings;
        if self.is_covered() {
            return Some(EpisodeEnd::Reached("covered"));
        }
        if self.outside > settings.max_distance {
            return Some(too_far("organ", settings.max_distance));
        }
        (state.axial_force() > settings.max_force).then(|| pressed_too_hard(settings.max_force))
    }

    fn judge(&self, judge: Judge) -> Judge {
        let judge = self.contact.judge_force(judge, None);
        let judge = self.contact.judge_limits(judge, &self.settings.limits);
        let seen = Rule::at_least(
            "share of the organ seen",
            self.map.share(),
            self.settings.share,
        );
        judge_rules(judge, &[seen])
    }

    /// Follows the raster from its nearest end.
    fn scripted_action(
        &mut self,
        state: &SceneState,
        _measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        let Some(mode) = &self.script else {
            return false;
        };
        let raster = self.surface.as_ref().map(|surface| &surface.raster);
        let speed = self.route.velocity(state, raster);
        mode.action_of([speed.x, speed.y, 0.0, 0.0, 0.0, 0.0], action);
        true
    }

    fn metrics(&self) -> Self::Metrics {
        let is_done = self.is_covered() && self.contact.is_within(&self.settings.limits);
        let path = self.path.length();
        let own = CoverageMetrics {
            success: f64::from(is_done),
            seen_share: self.map.share(),
            path_mm: 1e3 * path,
            seen_per_path_1_m: self.map.share() / path.max(1e-3),
        };
        (own, self.contact.force_metrics())
    }
}

impl ImagingTask for Coverage {
    fn reference_poses(&self, _state: &SceneState) -> Vec<Isometry3<f64>> {
        let survey = self.survey.as_ref();
        survey.map_or_else(Vec::new, |(_, survey)| survey.raster().columns.concat())
    }

    fn on_reference_frame(&mut self, frame: &FrameAssessment) {
        let Some((patient, mut survey)) = self.survey.take() else {
            return;
        };
        survey.add(frame);
        if survey.is_left() {
            self.survey = Some((patient, survey));
            return;
        }
        let surface = self.known.learn(patient, survey.surface());
        self.map = CoverageMap::new(surface.points.len());
        self.surface = Some(surface);
    }

    fn on_frame(&mut self, state: &SceneState, frame: &FrameAssessment) {
        let pose = state.torso_from_probe();
        let way = self.imaged.replace(pose).map_or(0.0, |before| {
            (pose.inverse() * before).translation.vector.y.abs()
        });
        if let Some(surface) = &self.surface {
            let margin = (0.5 * way).min(MAX_ACROSS);
            self.map.mark(surface, &pose, margin, frame);
            let place = pose.translation.vector;
            let [low, high] = surface.raster.area;
            let beyond = |axis: usize| {
                (low[axis] - place[axis])
                    .max(place[axis] - high[axis])
                    .max(0.0)
            };
            self.outside = beyond(0).hypot(beyond(1));
        }
    }
}
