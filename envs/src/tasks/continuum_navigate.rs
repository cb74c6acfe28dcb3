//! `continuum-navigate`: steer a bronchoscope through a bronchial tree to the end of a target airway.
//!
//! The rod is row c of Table I of Chen et al. 2024 (3.3 mm wide, 470 mm long, the last 70 mm flexible and bent by three cables), stepped by
//! the project's finite elements. The airways are those of [`bronchial_tree`]. MuJoCo only renders.
//!
//! **Actions**, changes per step
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0 | advance | -1 | 1 | `max_advance` (4 mm) |
//! | 1 | rotation of the handle | -1 | 1 | `max_roll` (0.1 rad) |
//! | 2, 3 | pull of the cables along y, z of the tip | -1 | 1 | `max_pull_change` (1.5 N) |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0–8 | points of the centre line 5, 12 and 25 mm ahead, in the tip's frame, x ahead | -∞ | ∞ | cm |
//! | 9, 10 | pull along y, z over `max_pull` | -1 | 1 | 1 |
//! | 11 | maximum contact force | 0 | ∞ | N |
//! | 12 | remaining distance along the centre line | 0 | ∞ | m |
//! | 13 | distance from the centre line | 0 | ∞ | m |
//!
//! The observation does not contain the absolute position of the tip, so that a policy cannot memorise positions.
//!
//! **Rewards**, computed from the state after the step
//!
//! | term | value |
//! |---|---|
//! | `progress` | `progress_weight` · progress along the centre line [cm] |
//! | `deviation` | -`deviation_weight` · distance from the centre line [cm] |
//! | `force` | -`force_weight` · maximum contact force [N] |
//! | `success` | `success_bonus` within `threshold` of the target |
//! | `failure` | -`failure_cost` for a force above `max_force` |
//!
//! **Start**: straight in the trachea, inserted by `start`, the handle rotated by `roll`. **Targets** are ends of segmental bronchi (18, or
//! 36 subsegmental ones): `targets = "all"`, `"seen"` for training, and `"unseen"`, every third one, for tests. Options `target` (the index
//! in the selected targets), `start` and `roll` fix them.
//!
//! **End**: terminated within `threshold` of the target, above `max_force`, or when the rod folds up; truncated after `max_steps`.
//!
//! **Metrics**: `success` is 1 if the target was reached and no force exceeded `max_force`; `distance_m` at the end; `peak_force_n`;
//! `max_penetration_m`, the maximum penetration of a wall by the rod.

use std::sync::Arc;

use insonate_continuum::lumen::{AirwayDepth, CentreLine, TubeNetwork, bronchial_tree};
use insonate_continuum::navigation::{Follower, Scope, ScopeMotion};
use insonate_continuum::{RodConfig, StepSettings, TableRow};
use insonate_settings::{check_interval, check_range, check_ranges};
use insonate_sim::{CompiledScene, Physics};
use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::factory::EnvFactory;
use crate::parameters::{self, Parameter};
use crate::scope_view::{ScopeScene, ScopeView};
use crate::settings;
use crate::{BoxSpace, EnvError, EnvSpec, NamedValues as _, ResetOptions, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "continuum-navigate",
    summary: "steer a bronchoscope through airways to a target bronchus",
    defaults: &|| settings::table(&ContinuumNavigateSettings::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "120_000"),
        ("n_envs", "16"),
        ("n_steps", "256"),
        ("n_minibatches", "16"),
        ("learning_rate", "1e-3"),
        ("discount", "0.97"),
        ("log_std_init", "-0.7"),
    ],
    sac: &[],
};

/// Distances of the observed points ahead on the centre line [m].
const AHEAD: [f64; 3] = [5e-3, 12e-3, 25e-3];

/// Centimetres in a metre.
const CM: f64 = 100.0;

/// Selection of target airways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Targets {
    /// All ends of airways.
    #[default]
    All,
    /// Two thirds of the ends.
    Seen,
    /// The other third.
    Unseen,
}

/// Depth of the airway tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Airways {
    /// To the ends of segmental bronchi.
    #[default]
    Segmental,
    /// One more generation.
    Subsegmental,
}

/// Settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinuumNavigateSettings {
    /// Depth of the airway tree: `segmental` or `subsegmental`.
    pub airways: Airways,
    /// Selection of target ends: `all`, `seen` or `unseen`.
    pub targets: Targets,
    /// Number of elements of the rod.
    pub n_elements: usize,
    /// Steps of the rod per control step.
    pub n_substeps: usize,
    /// Maximum advance per control step [m].
    pub max_advance: f64,
    /// Maximum rotation of the handle per control step [rad].
    pub max_roll: f64,
    /// Maximum change of the pull per control step, along each axis [N].
    pub max_pull_change: f64,
    /// Maximum pull [N].
    pub max_pull: f64,
    /// Coulomb friction coefficient between rod and wall.
    pub friction: f64,
    /// Range of the inserted length at the start [m].
    pub start: [f64; 2],
    /// Range of the rotation of the handle at the start [rad].
    pub roll: [f64; 2],
    /// Distance at which the target counts as reached [m].
    pub threshold: f64,
    /// Contact force that ends the episode [N].
    pub max_force: f64,
    /// Steps after which an episode is truncated.
    pub max_steps: usize,
    /// Weight of the progress [1/cm].
    pub progress_weight: f64,
    /// Weight of the distance from the centre line [1/cm].
    pub deviation_weight: f64,
    /// Weight of the force [1/N].
    pub force_weight: f64,
    /// Reward for reaching the target.
    pub success_bonus: f64,
    /// Penalty for an excessive force.
    pub failure_cost: f64,
}

impl Default for ContinuumNavigateSettings {
    fn default() -> Self {
        Self {
            airways: Airways::Segmental,
            targets: Targets::All,
            n_elements: 47,
            n_substeps: 2,
            max_advance: 4e-3,
            max_roll: 0.1,
            max_pull_change: 1.5,
            max_pull: 15.0,
            friction: 0.0,
            start: [0.05, 0.07],
            roll: [-std::f64::consts::PI, std::f64::consts::PI],
            threshold: 3e-3,
            max_force: 3.0,
            max_steps: 150,
            progress_weight: 1.0,
            deviation_weight: 0.1,
            force_weight: 0.05,
            success_bonus: 10.0,
            failure_cost: 5.0,
        }
    }
}

impl ContinuumNavigateSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_range(
            "n_elements",
            self.n_elements as f64,
            [20.0, 1000.0],
            "elements",
        )?;
        check_range("n_substeps", self.n_substeps as f64, [1.0, 100.0], "")?;
        check_range("max_steps", self.max_steps as f64, [1.0, 1e6], "steps")?;
        check_interval("start", self.start, [0.02, 0.1], "m")?;
        check_interval("roll", self.roll, [-7.0, 7.0], "rad")?;
        Ok(check_ranges(
            "",
            [
                ("max_advance", self.max_advance, [1e-5, 0.02], "m"),
                ("max_roll", self.max_roll, [0.0, 1.0], "rad"),
                ("max_pull_change", self.max_pull_change, [1e-3, 50.0], "N"),
                ("max_pull", self.max_pull, [0.1, 100.0], "N"),
                ("friction", self.friction, [0.0, 2.0], ""),
                ("threshold", self.threshold, [1e-4, 0.05], "s"),
                ("max_force", self.max_force, [1e-3, 1e3], "N"),
                ("progress_weight", self.progress_weight, [0.0, 1e6], ""),
                ("deviation_weight", self.deviation_weight, [0.0, 1e6], ""),
                ("force_weight", self.force_weight, [0.0, 1e6], ""),
                ("success_bonus", self.success_bonus, [0.0, 1e6], ""),
                ("failure_cost", self.failure_cost, [0.0, 1e6], ""),
            ],
        )?)
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ContinuumNavigateSettings =
        settings::parse(&ContinuumNavigateSettings::default(), given)?;
    settings.check()?;
    let all = settings::table(&settings);
    let model = Arc::new(Model::new(settings)?);
    Ok(EnvFactory::new(KIND.name, all, move || {
        Ok(Box::new(ContinuumNavigate::environment(&model)?))
    }))
}

/// Data shared by all environments of a factory.
struct Model {
    settings: ContinuumNavigateSettings,
    airways: Arc<TubeNetwork>,
    lines: Vec<CentreLine>,
    rod: RodConfig,
    scene: ScopeScene,
}

impl Model {
    fn new(settings: ContinuumNavigateSettings) -> Result<Self, EnvError> {
        let airways = bronchial_tree(match settings.airways {
            Airways::Segmental => AirwayDepth::Segmental,
            Airways::Subsegmental => AirwayDepth::Subsegmental,
        })?;
        let ends = airways.ends().into_iter().enumerate();
        let chosen = ends.filter(|(number, _)| match settings.targets {
            Targets::All => true,
            Targets::Seen => number % 3 != 1,
            Targets::Unseen => number % 3 == 1,
        });
        Ok(Self {
            lines: chosen.map(|(_, end)| airways.centre_line(end)).collect(),
            rod: RodConfig::table(TableRow::C, settings.n_elements),
            airways: Arc::new(airways),
            scene: ScopeScene::default(),
            settings,
        })
    }

    fn parameters(&self) -> [Parameter; 3] {
        let last = self.lines.len() as f64 - 1.0;
        let [start, roll] = [self.settings.start, self.settings.roll];
        [
            // The largest value below the limit, as draws are rounded down.
            Parameter::new("target", "number", 0.0, last + 1.0 - 1e-9)
                .allowing(0.0, last)
                .whole(),
            Parameter::new("start", "m", start[0], start[1]).allowing(0.02, 0.1),
            Parameter::new("roll", "rad", roll[0], roll[1]).allowing(-7.0, 7.0),
        ]
    }

    /// A scope in the trachea, its base rotated by `roll`.
    fn scope(
        &self,
        inserted_length: f64,
        world_from_base: UnitQuaternion<f64>,
    ) -> Result<Scope, EnvError> {
        let settings = StepSettings {
            friction: self.settings.friction,
            ..StepSettings::default()
        };
        Ok(Scope::new(
            self.rod.clone(),
            settings,
            self.airways.clone(),
            Isometry3::from_parts(Vector3::zeros().into(), world_from_base),
            inserted_length,
            self.settings.max_pull,
        )?)
    }
}

/// Orientation of the introducer at the start of the trachea: x along it, rotated by an angle [rad].
fn introducer(roll: f64) -> UnitQuaternion<f64> {
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    down * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), roll)
}

named_values! {
    struct Terms { progress, deviation, force, success, failure }
}

named_values! {
    struct Metrics { success, distance_m, peak_force_n, max_penetration_m }
}

/// A scope navigating to a target.
pub struct ContinuumNavigate {
    model: Arc<Model>,
    scope: Scope,
    target: usize,
    motion: ScopeMotion,
    /// Arc length of the tip along the centre line, and its distance from the line [m].
    along: f64,
    aside: f64,
    progress: f64,
    force: f64,
    peak_force: f64,
    max_penetration: f64,
    time: f64,
    view: ScopeView,
}

impl ContinuumNavigate {
    fn environment(model: &Arc<Model>) -> Result<Environment<Self>, EnvError> {
        let settings = &model.settings;
        let unbounded = f32::INFINITY;
        let mut observations = BoxSpace::default();
        for ahead in AHEAD {
            for axis in ["x", "y", "z"] {
                let name = format!("ahead_{:.0}mm_{axis} [cm]", 1e3 * ahead);
                observations.push(name, -unbounded, unbounded);
            }
        }
        let mut observations = observations
            .with("pull_y [1]", -1.001, 1.001)
            .with("pull_z [1]", -1.001, 1.001)
            .in_frame("tip");
        for (name, low, high) in [
            ("force [N]", 0.0, unbounded),
            ("way_left [m]", 0.0, unbounded),
            ("deviation [m]", 0.0, unbounded),
        ] {
            observations.push(name, low, high);
        }
        let mut actions = BoxSpace::default();
        actions.push(format!("advance [{} m]", settings.max_advance), -1.0, 1.0);
        actions.push(format!("roll [{} rad]", settings.max_roll), -1.0, 1.0);
        for axis in ["y", "z"] {
            let name = format!("pull_{axis} [{} N]", settings.max_pull_change);
            actions.push(name, -1.0, 1.0);
        }
        let actions = actions.in_frame("tip");
        let spec = EnvSpec {
            id: KIND.name.to_owned(),
            observation_space: observations,
            action_space: actions,
            reward_terms: Terms::names(),
            costs: Vec::new(),
            observation_groups: Vec::new(),
            metrics: Metrics::names(),
            parameters: parameters::names(&model.parameters()),
            max_episode_steps: Some(settings.max_steps),
            // Quasi-static: the time affects only the speed of videos.
            control_timestep: 0.1,
            // MuJoCo only renders.
            n_substeps: 0,
        };
        let simulation = Self {
            scope: model.scope(settings.start[0], introducer(0.0))?,
            model: model.clone(),
            target: 0,
            motion: ScopeMotion {
                advance: 0.0,
                roll: 0.0,
                pull: Vector2::zeros(),
            },
            along: 0.0,
            aside: 0.0,
            progress: 0.0,
            force: 0.0,
            peak_force: 0.0,
            max_penetration: 0.0,
            time: 0.0,
            view: ScopeView::default(),
        };
        Ok(Environment::of(spec, simulation))
    }

    fn line(&self) -> &CentreLine {
        &self.model.lines[self.target]
    }

    fn target(&self) -> Vector3<f64> {
        self.line().at(f64::INFINITY)
    }

    fn tip(&self) -> Vector3<f64> {
        self.scope.state().world_from_tip().translation.vector
    }

    fn distance(&self) -> f64 {
        (self.target() - self.tip()).norm()
    }

    fn is_too_strong(&self) -> bool {
        self.peak_force > self.model.settings.max_force
    }

    fn is_there(&self) -> bool {
        self.distance() < self.model.settings.threshold && !self.is_too_strong()
    }
}

impl Simulation for ContinuumNavigate {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        parameters::draw(&self.model.parameters(), options, rng)
    }

    fn reset(&mut self, parameters: &[f64], _rng: ChaCha8Rng) -> Result<(), EnvError> {
        self.view.invalidate();
        self.scope = self.model.scope(parameters[1], introducer(parameters[2]))?;
        self.target = parameters[0] as usize;
        (self.along, self.aside) = self.line().nearest(&self.tip());
        (self.progress, self.force, self.peak_force) = (0.0, 0.0, 0.0);
        (self.max_penetration, self.time) = (0.0, 0.0);
        Ok(())
    }

    fn set_action(&mut self, action: &[f32]) {
        let settings = &self.model.settings;
        let [advance, roll, y, z] = [0, 1, 2, 3].map(|index| f64::from(action[index]));
        self.motion = ScopeMotion {
            advance: advance * settings.max_advance,
            roll: roll * settings.max_roll,
            pull: Vector2::new(y, z) * settings.max_pull_change,
        };
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.view.invalidate();
        let n_substeps = self.model.settings.n_substeps;
        let share = 1.0 / n_substeps as f64;
        let part = ScopeMotion {
            advance: self.motion.advance * share,
            roll: self.motion.roll * share,
            pull: self.motion.pull * share,
        };
        for _ in 0..n_substeps {
            let report = self
                .scope
                .step(&part)
                .map_err(|error| StepFailure::Diverged(error.to_string()))?;
            self.force = report.peak_contact_force();
            self.max_penetration = self.max_penetration.max(report.max_penetration);
            self.peak_force = self.peak_force.max(self.force);
        }
        let before = self.along;
        (self.along, self.aside) = self.line().nearest(&self.tip());
        self.progress = self.along - before;
        self.time += 0.1;
        Ok(())
    }

    fn reward(&mut self, terms: &mut [f64]) {
        let settings = &self.model.settings;
        let reward = Terms {
            progress: settings.progress_weight * self.progress * CM,
            deviation: -settings.deviation_weight * self.aside * CM,
            force: -settings.force_weight * self.force,
            success: settings.success_bonus * f64::from(self.is_there()),
            failure: -settings.failure_cost * f64::from(self.is_too_strong()),
        };
        reward.write(terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        if self.is_too_strong() {
            return Some(EpisodeEnd::Terminated("force too great".into()));
        }
        self.is_there()
            .then_some(EpisodeEnd::Reached("target reached"))
    }

    fn observe(&self, observation: &mut [f32]) {
        let tip = self.scope.state().world_from_tip();
        let line = self.line();
        let ahead = AHEAD.map(|ahead| {
            let point = line.at(self.along + ahead);
            tip.inverse_transform_point(&point.into()).coords * CM
        });
        let pull = self.scope.pull() / self.model.settings.max_pull;
        let numbers = ahead.iter().flatten().copied().chain([
            pull.x,
            pull.y,
            self.force,
            line.length() - self.along,
            self.aside,
        ]);
        for (to, from) in observation.iter_mut().zip(numbers) {
            *to = from as f32;
        }
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let values = Metrics {
            success: f64::from(self.is_there()),
            distance_m: self.distance(),
            peak_force_n: self.peak_force,
            max_penetration_m: self.max_penetration,
        };
        values.write(metrics);
    }

    fn tool_force(&self) -> Option<f64> {
        Some(self.force)
    }

    /// Follows the centre line.
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let settings = &self.model.settings;
        let follower = Follower {
            ahead: 12e-3,
            gain: 4.0,
            max_pull_change: settings.max_pull_change,
            max_advance: settings.max_advance,
        };
        let motion = follower.motion(&self.scope, self.line());
        action[0] = (motion.advance / settings.max_advance) as f32;
        action[1] = 0.0;
        action[2] = (motion.pull.x / settings.max_pull_change) as f32;
        action[3] = (motion.pull.y / settings.max_pull_change) as f32;
        for value in action {
            *value = value.clamp(-1.0, 1.0);
        }
        true
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        let rod = &self.model.rod;
        let scene = self.model.scene.get(
            &self.model.airways,
            rod.length(),
            rod.section_at(0.0).radius,
        )?;
        self.view.show(scene, &self.scope, self.target(), self.time)
    }
}
