//! `tissue-reach`: touch a point on soft tissue gently with the tip of a surgical instrument.
//!
//! The task of FF-SRL (Dall'Alba et al., IROS 2024, arXiv:2503.18616) on a liver of its smallest mesh, 1170 tetrahedra, with XPBD of
//! physical stiffness: the tissue and the target move when touched. In the paper, the instrument always starts at the same position, moves
//! to the same point, and need not touch it. Here start and target are random, and the touch must have a force within limits. The paper's
//! task is `target = "fixed"`, `start_spread = 0`, `least_force = 0`, `max_force = 1000`, `force_weight = 0`, `distance_weight = 1`.
//!
//! **Actions**: displacement of the instrument per step, in units of `instrument.step` (1 mm); it stays in the workspace
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | x, y, z | -1 | 1 | 0.001 m |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | position of the instrument, between the tips of its clamps | workspace | workspace | m |
//! | 3, 4, 5 | target | -∞ | ∞ | m |
//! | next | force of the tissue on the instrument, with `observation.force` | 0 | ∞ | N |
//! | next 3 | yaw, pitch and insertion of the PSM, with `observation.joints` | -∞ | ∞ | rad, rad, m |
//! | next 3 | torques and force of its motors | -∞ | ∞ | N m, N m, N |
//!
//! **Rewards** R = -l - 10 d + 100 s, computed from the state after the step, with lengths in **centimetres**. The paper does not give the
//! unit, but its program uses centimetres, and only then does a return above 80, the paper's *solved*, mean a short path. By
//! default l costs nothing: otherwise an untrained policy learns to end the episode early by pressing too hard
//!
//! | term | value |
//! |---|---|
//! | `distance` | -`distance_weight` · l, the distance [cm] |
//! | `change` | -`change_weight` · d, the increase of the distance in the step [cm] |
//! | `success` | `success_bonus` · s: 1 if the target is touched gently, -1 if the force is too large, otherwise 0 |
//! | `force` | -`force_weight` · increase of max(0, F / `max_force` - 1/2), F: the maximum force so far |
//!
//! **Start**: the organ at rest under gravity, the instrument at `start` relative to the target plus a random offset of up to
//! `start_spread` per axis. The target is the centre of a triangle on the organ's upper side; `target = "fixed"` takes the one nearest to
//! `place`. Options `target` (its index), `start_x`, `start_y` and `start_z` (relative to the default start) fix them.
//!
//! **End**: terminated within `threshold` of the target with a force of at least `least_force` on the instrument; with a force above
//! `max_force`; if the tissue diverges. Truncated after 200 steps.
//!
//! **Metrics**: `success` is 1 if the target was touched and no force exceeded `max_force`; `solved` is 1 for a return above 80, the
//! paper's criterion; `distance_m` at the end; `peak_force_n`, the maximum force of the tissue on the instrument, averaged over a
//! step.

use std::sync::Arc;

use insonate_settings::{check_ranges, check_vector};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::parameters::Parameter;
use crate::settings;
use crate::surgery::{
    MaterialPoint, SurgeryModel, SurgerySettings, SurgeryState, SurgeryTask, SurgeryTaskSpec,
    factory,
};
use crate::{BoxSpace, EnvError, NamedValues as _, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "tissue-reach",
    summary: "touch a point on soft tissue gently with an instrument",
    defaults: &|| settings::table(&SurgerySettings::<TissueReachSettings>::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    // Table I of FF-SRL (arXiv:2503.18616) with larger steps. With its settings (500 000 timesteps, 4 epochs, a learning rate of 2.5e-4
    // and a clip of 0.1 that decreases to zero) learning needs ten times as many samples.
    ppo: &[
        ("total_timesteps", "60_000"),
        ("n_envs", "8"),
        ("n_steps", "128"),
        ("discount", "0.97"),
        ("n_minibatches", "4"),
        ("learning_rate", "1e-3"),
        ("hidden_sizes", "[256, 256]"),
        ("activation", "relu"),
    ],
    sac: &[],
};

/// The paper's criterion: a return above this value counts as solved.
const SOLVED: f64 = 80.0;

/// Centimetres in a metre.
const CM: f64 = 100.0;

/// Choice of the target point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetChoice {
    /// The point nearest to `place`.
    Fixed,
    /// A random point on the organ's upper side.
    #[default]
    Random,
}

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueReachSettings {
    /// Choice of the target: `fixed` or `random`.
    pub target: TargetChoice,
    /// The fixed target is the point nearest to this position [m].
    pub place: [f64; 3],
    /// Vector from the target to the start [m].
    pub start: [f64; 3],
    /// Maximum random offset of the start, along each axis [m].
    pub start_spread: f64,
    /// Distance at which the target counts as reached [m].
    pub threshold: f64,
    /// Minimum force of the tissue on the instrument for a touch [N]. 0: no touch is needed.
    pub least_force: f64,
    /// Maximum force of a success [N]. A larger force ends the episode.
    pub max_force: f64,
    /// Weight of the distance [1/cm].
    pub distance_weight: f64,
    /// Weight of its change [1/cm].
    pub change_weight: f64,
    /// Reward for touching the target, and penalty for too large a force.
    pub success_bonus: f64,
    /// Weight of the force above half of its maximum.
    pub force_weight: f64,
}

impl Default for TissueReachSettings {
    fn default() -> Self {
        Self {
            target: TargetChoice::Random,
            place: [0.0, -0.02, 0.06],
            start: [0.006, -0.01, 0.022],
            start_spread: 0.01,
            threshold: 0.003,
            least_force: 0.01,
            max_force: 1.0,
            distance_weight: 0.0,
            change_weight: 10.0,
            success_bonus: 100.0,
            force_weight: 5.0,
        }
    }
}

impl TissueReachSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_vector("task.place", self.place, [-1.0, 1.0], "m")?;
        check_vector("task.start", self.start, [-1.0, 1.0], "m")?;
        Ok(check_ranges(
            "task.",
            [
                ("start_spread", self.start_spread, [0.0, 0.1], "m"),
                ("threshold", self.threshold, [1e-4, 0.1], "s"),
                ("least_force", self.least_force, [0.0, 10.0], "N"),
                ("max_force", self.max_force, [1e-3, 1e3], "N"),
                ("distance_weight", self.distance_weight, [0.0, 1e6], ""),
                ("change_weight", self.change_weight, [0.0, 1e6], ""),
                ("success_bonus", self.success_bonus, [0.0, 1e6], ""),
                ("force_weight", self.force_weight, [0.0, 1e6], ""),
            ],
        )?)
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let defaults = SurgerySettings::<TissueReachSettings>::default();
    let settings: SurgerySettings<TissueReachSettings> = settings::parse(&defaults, given)?;
    settings.task.check()?;
    factory(KIND.name, &settings, |settings, model| {
        TissueReach::new(settings.clone(), model)
    })
}

named_values! {
    /// Weighted reward terms of a step.
    pub struct TissueReachTerms {
        /// Distance to the target.
        distance,
        /// Change of the distance.
        change,
        /// Target touched, or force too large.
        success,
        /// Increase of the maximum force above half of its limit.
        force,
    }
}

named_values! {
    /// Metrics of an episode.
    pub struct TissueReachMetrics {
        /// 1 if the target was touched gently, otherwise 0.
        success,
        /// 1 if the paper counts the episode as solved, otherwise 0.
        solved,
        /// Distance to the target [m].
        distance_m,
    }
}

/// The task.
#[derive(Debug, Clone)]
pub struct TissueReach {
    settings: TissueReachSettings,
    /// Candidate target points, shared by all environments.
    points: Arc<[MaterialPoint]>,
    /// Index of the fixed target.
    fixed: usize,
    target: MaterialPoint,
    /// Distance from instrument to target [m].
    distance: f64,
    /// Force on the instrument, and its maximum so far [N].
    force: f64,
    peak_force: f64,
    return_: f64,
}

impl TissueReach {
    /// Creates the task for a model.
    ///
    /// # Errors
    /// [`EnvError::Config`] if no point of the organ can be a target.
    pub fn new(settings: TissueReachSettings, model: &SurgeryModel) -> Result<Self, EnvError> {
        let points: Arc<[MaterialPoint]> = model.organ.upper_side().into();
        let fixed = model.organ.nearest(&points, settings.place);
        let fixed = fixed.ok_or_else(|| EnvError::Config {
            field: "organ.fixed_behind".to_owned(),
            problem: "leaves no movable point on the organ's upper side".to_owned(),
        })?;
        Ok(Self {
            target: points[fixed],
            points,
            fixed,
            distance: f64::NAN,
            force: 0.0,
            peak_force: 0.0,
            return_: 0.0,
            settings,
        })
    }

    fn distance_to(&self, state: &SurgeryState) -> f64 {
        (state.place(&self.target) - state.point()).norm()
    }

    fn is_there(&self) -> bool {
        self.distance < self.settings.threshold && self.force >= self.settings.least_force
    }

    fn is_too_strong(&self) -> bool {
        self.peak_force > self.settings.max_force
    }

    /// Ratio of the maximum force to its limit, minus the free fraction. At least 0.
    fn excess(&self) -> f64 {
        (self.peak_force / self.settings.max_force - FREE_SHARE).max(0.0)
    }
}

impl SurgeryTask for TissueReach {
    type Terms = TissueReachTerms;
    type Metrics = TissueReachMetrics;

    fn describe(&self, model: &SurgeryModel) -> SurgeryTaskSpec {
        let last = self.points.len() as f64 - 1.0;
        let target = match self.settings.target {
            TargetChoice::Fixed => {
                Parameter::new("target", "number", self.fixed as f64, self.fixed as f64)
            }
            // The largest value below the limit, as draws are rounded down.
            TargetChoice::Random => Parameter::new("target", "number", 0.0, last + 1.0 - 1e-9),
        };
        let spread = self.settings.start_spread;
        let along = |name| Parameter::new(name, "m", -spread, spread).allowing(-0.1, 0.1);
        SurgeryTaskSpec {
            id: KIND.name,
            observation_space: model.places(&["target"]),
            other_actions: BoxSpace::default(),
            parameters: vec![
                target.allowing(0.0, last).whole(),
                along("start_x"),
                along("start_y"),
                along("start_z"),
            ],
        }
    }

    fn reset(&mut self, state: &mut SurgeryState, parameters: &[f64]) -> Result<(), EnvError> {
        self.target = self.points[parameters[0] as usize];
        let organ = &state.model().organ;
        let usual = self.target.at(organ.positions()) + Vector3::from(self.settings.start);
        let start = usual + Vector3::new(parameters[1], parameters[2], parameters[3]);
        state.reset(start, BARELY_OPEN)?;
        self.distance = self.distance_to(state);
        (self.force, self.peak_force, self.return_) = (0.0, 0.0, 0.0);
        Ok(())
    }

    fn openness(&mut self, _state: &SurgeryState, _other: &[f32]) -> f64 {
        BARELY_OPEN
    }

    fn reward(&mut self, state: &SurgeryState) -> TissueReachTerms {
        let (before, excess) = (self.distance, self.excess());
        self.distance = self.distance_to(state);
        (self.force, self.peak_force) = (state.force(), state.peak_force());
        let settings = &self.settings;
        // Each step costs, so an early failure must cost more.
        let outcome = match (self.is_too_strong(), self.is_there()) {
            (true, _) => -1.0,
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        let reward = TissueReachTerms {
            distance: -settings.distance_weight * self.distance * CM,
            change: -settings.change_weight * (self.distance - before) * CM,
            success: settings.success_bonus * outcome,
            force: -settings.force_weight * (self.excess() - excess),
        };
        self.return_ += reward.sum();
        reward
    }

    fn end(&self) -> Option<EpisodeEnd> {
        if self.is_too_strong() {
            return Some(EpisodeEnd::Terminated("pressed too hard".into()));
        }
        self.is_there()
            .then_some(EpisodeEnd::Reached("target reached"))
    }

    fn observe(&self, state: &SurgeryState, observation: &mut [f32]) {
        let places = [state.point(), state.place(&self.target)];
        for (to, from) in observation.iter_mut().zip(places.iter().flatten()) {
            *to = *from as f32;
        }
    }

    fn metrics(&self, _state: &SurgeryState) -> TissueReachMetrics {
        TissueReachMetrics {
            success: f64::from(self.is_there() && !self.is_too_strong()),
            solved: f64::from(self.return_ > SOLVED),
            distance_m: self.distance,
        }
    }

    /// Moves straight to the target. If a touch is required, it slows down near the target.
    fn scripted_action(&self, state: &SurgeryState, _other: &mut [f32]) -> Vector3<f64> {
        let way = state.place(&self.target) - state.point();
        if self.settings.least_force == 0.0 {
            return way;
        }
        way * SCRIPTED_SHARE.max(SCRIPTED_LEAST / way.norm()).min(1.0)
    }

    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2] {
        [Some(state.place(&self.target)), None]
    }
}

/// Fraction of the maximum force that costs nothing.
const FREE_SHARE: f64 = 0.5;

/// Fraction of the remaining distance that the script moves per step, and its minimum displacement [m].
const SCRIPTED_SHARE: f64 = 0.1;
const SCRIPTED_LEAST: f64 = 2e-4;

/// Opening, as a fraction, at which the clamps act as a tip and grasp nothing.
const BARELY_OPEN: f64 = 0.12;
