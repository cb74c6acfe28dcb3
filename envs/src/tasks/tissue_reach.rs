//! `tissue-reach`: bring the tip of a surgical instrument within 3 mm of a point on soft tissue.
//!
//! The task, reward and PPO settings of FF-SRL (Dall'Alba et al., IROS 2024, arXiv:2503.18616) on a liver of its smallest mesh, 1170
//! tetrahedra, here with XPBD of physical stiffness. The tissue moves when it is touched, and the target with it.
//!
//! **Actions**: displacement of the instrument in a step, in units of `instrument.step` (1 mm); it stays in the workspace
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | x, y, z | -1 | 1 | 0.001 m |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | instrument, between the ends of its clamps | workspace | workspace | m |
//! | 3, 4, 5 | target | -∞ | ∞ | m |
//! | next | force of the tissue on the instrument, with `observation.force` | 0 | ∞ | N |
//! | next 3 | yaw, pitch and insertion of the PSM, with `observation.joints` | -∞ | ∞ | rad, rad, m |
//! | next 3 | what its motors exert there | -∞ | ∞ | N m, N m, N |
//!
//! **Rewards** R = -l - 10 d + 100 s, of the state after the step, lengths in **centimetres**: the paper does not say, but its program
//! counts in them, and only then does a return above 80, the paper's *solved*, mean a short path
//!
//! | term | value |
//! |---|---|
//! | `distance` | -`distance_weight` · l, the distance [cm] |
//! | `change` | -`change_weight` · d, by which it has grown in the step [cm] |
//! | `success` | `success_bonus` · s, 1 within `threshold` of the target, 0 else |
//!
//! **Start**: the organ at rest under gravity, the instrument `start` away from the target. The paper's is always the same, and so is
//! the default. `target = "random"` draws the target from the middles of the triangles on the organ's upper side, `start_spread` the
//! start from a cube. Options `target` (its number), `start_x`, `start_y` and `start_z` (from the usual start) fix them.
//!
//! **End**: terminated within `threshold` of the target, or when the tissue diverges; truncated after 200 steps.
//!
//! **Figures**: `success` is 1 when the target was reached; `solved` is 1 for a return above 80; `distance_m` at the end;
//! `peak_force_n`, the greatest force of the tissue on the instrument, the mean over a step.

use std::sync::Arc;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::factory::EnvFactory;
use crate::parameters::Parameter;
use crate::settings::{self, check_ranges, check_vector};
use crate::surgery::{
    MaterialPoint, SurgeryModel, SurgerySettings, SurgeryState, SurgeryTask, SurgeryTaskSpec,
    factory,
};
use crate::{BoxSpace, EnvError};

/// The registry's entry.
pub const KIND: TaskKind = TaskKind {
    name: "tissue-reach",
    summary: "bring an instrument within 3 mm of a point on soft tissue",
    defaults: || settings::table(&SurgerySettings::<TissueReachSettings>::default()),
    build,
    scripted: &[],
    demonstrated: &[],
};

/// The paper's measure: a return above this counts as solved.
const SOLVED: f64 = 80.0;

/// Centimetres in a metre.
const CM: f64 = 100.0;

/// Which point is to be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetChoice {
    /// Always the one that is nearest to `place`.
    #[default]
    Fixed,
    /// Any on the organ's upper side.
    Random,
}

/// Settings of the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueReachSettings {
    /// Which point: `fixed` or `random`.
    pub target: TargetChoice,
    /// The fixed point is the one nearest to this place [m].
    pub place: [f64; 3],
    /// From the target to the start [m].
    pub start: [f64; 3],
    /// The start lies so far from there at most, along each axis [m].
    pub start_spread: f64,
    /// Distance within which the target counts as reached [m].
    pub threshold: f64,
    /// Weight of the distance [1/cm].
    pub distance_weight: f64,
    /// Weight of its change [1/cm].
    pub change_weight: f64,
    /// Reward for reaching the target.
    pub success_bonus: f64,
}

impl Default for TissueReachSettings {
    fn default() -> Self {
        Self {
            target: TargetChoice::Fixed,
            place: [0.0, -0.02, 0.06],
            start: [0.006, -0.01, 0.022],
            start_spread: 0.0,
            threshold: 0.003,
            distance_weight: 1.0,
            change_weight: 10.0,
            success_bonus: 100.0,
        }
    }
}

impl TissueReachSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_vector("task.place", self.place, -1.0, 1.0)?;
        check_vector("task.start", self.start, -1.0, 1.0)?;
        check_ranges(
            "task.",
            &[
                ("start_spread", self.start_spread, 0.0, 0.1),
                ("threshold", self.threshold, 1e-4, 0.1),
                ("distance_weight", self.distance_weight, 0.0, 1e6),
                ("change_weight", self.change_weight, 0.0, 1e6),
                ("success_bonus", self.success_bonus, 0.0, 1e6),
            ],
        )
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

/// The task.
#[derive(Debug, Clone)]
pub struct TissueReach {
    settings: TissueReachSettings,
    /// Points that may be targets, shared by all.
    points: Arc<[MaterialPoint]>,
    /// The number of the fixed one.
    fixed: usize,
    target: MaterialPoint,
    /// From instrument to target [m].
    distance: f64,
    return_: f64,
}

impl TissueReach {
    /// The task in a model.
    ///
    /// # Errors
    /// [`EnvError::Config`] where no point of the organ can be a target.
    pub fn new(settings: TissueReachSettings, model: &SurgeryModel) -> Result<Self, EnvError> {
        let points: Arc<[MaterialPoint]> = model.organ.upper_side().into();
        let fixed = model.organ.nearest(&points, settings.place);
        let fixed = fixed.ok_or_else(|| EnvError::Config {
            field: "organ.fixed_behind".to_owned(),
            problem: "leaves no point of the organ's upper side that moves".to_owned(),
        })?;
        Ok(Self {
            target: points[fixed],
            points,
            fixed,
            distance: f64::NAN,
            return_: 0.0,
            settings,
        })
    }

    fn distance_to(&self, state: &SurgeryState) -> f64 {
        (state.place(&self.target) - state.point()).norm()
    }

    fn is_there(&self) -> bool {
        self.distance < self.settings.threshold
    }
}

impl SurgeryTask for TissueReach {
    fn describe(&self, model: &SurgeryModel) -> SurgeryTaskSpec {
        let last = self.points.len() as f64 - 1.0;
        let target = match self.settings.target {
            TargetChoice::Fixed => {
                Parameter::new("target", "number", self.fixed as f64, self.fixed as f64)
            }
            // The greatest number below, as each draw is rounded down.
            TargetChoice::Random => Parameter::new("target", "number", 0.0, last + 1.0 - 1e-9),
        };
        let spread = self.settings.start_spread;
        let along = |name| Parameter::new(name, "m", -spread, spread).allowing(-0.1, 0.1);
        SurgeryTaskSpec {
            id: KIND.name,
            observation_space: model.places(&["target"]),
            other_actions: BoxSpace::default(),
            reward_terms: vec!["distance", "change", "success"],
            metrics: vec!["success", "solved", "distance_m"],
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
        self.return_ = 0.0;
        Ok(())
    }

    fn openness(&mut self, _state: &SurgeryState, _other: &[f32]) -> f64 {
        BARELY_OPEN
    }

    fn reward(&mut self, state: &SurgeryState, terms: &mut [f64]) {
        let before = self.distance;
        self.distance = self.distance_to(state);
        let settings = &self.settings;
        terms[0] = -settings.distance_weight * self.distance * CM;
        terms[1] = -settings.change_weight * (self.distance - before) * CM;
        terms[2] = settings.success_bonus * f64::from(u8::from(self.is_there()));
        self.return_ += terms.iter().sum::<f64>();
    }

    fn end(&self) -> Option<&'static str> {
        self.is_there().then_some("target reached")
    }

    fn observe(&self, state: &SurgeryState, observation: &mut [f32]) {
        let places = [state.point(), state.place(&self.target)];
        for (to, from) in observation.iter_mut().zip(places.iter().flatten()) {
            *to = *from as f32;
        }
    }

    fn write_metrics(&self, _state: &SurgeryState, metrics: &mut [f64]) {
        let flag = |is: bool| f64::from(u8::from(is));
        metrics[0] = flag(self.is_there());
        metrics[1] = flag(self.return_ > SOLVED);
        metrics[2] = self.distance;
    }

    /// Straight to the target.
    fn scripted_action(&self, state: &SurgeryState, _other: &mut [f32]) -> Vector3<f64> {
        state.place(&self.target) - state.point()
    }

    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2] {
        [Some(state.place(&self.target)), None]
    }
}

/// Opening at which the clamps act as a tip and grasp nothing, as a share of the whole.
const BARELY_OPEN: f64 = 0.12;
