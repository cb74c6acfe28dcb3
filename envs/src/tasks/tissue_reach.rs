//! `tissue-reach`: bring the tip of a surgical instrument within 3 mm of a point on soft tissue.
//!
//! The task, reward and PPO settings of FF-SRL (Dall'Alba et al., IROS 2024, arXiv:2503.18616) on a liver of its smallest mesh, 1170
//! tetrahedra, here with XPBD of physical stiffness. The tissue moves when it is touched, and the target with it.
//!
//! **Actions**: the way of the instrument in a step, in shares of `instrument.step` (1 mm); it stays in the workspace
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
//! | 6 | force of the tissue on the instrument, with `observation.force` | 0 | ∞ | N |
//!
//! **Rewards** R = -l - 10 d + 100 s, of the state after the step, lengths in **centimetres**: the paper does not say, but its program
//! counts in them, and only then does a return above 80, by which it calls the task solved, mean a short way
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

use insonate_tissue::TissueError;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{Blueprint, TaskKind};
use crate::parameters::Parameter;
use crate::settings::{self, check_range};
use crate::theatre::{
    Description, Operation, Procedure, Spot, Theatre, TissueEnvironment, TissueSettings,
};
use crate::{BoxSpace, EnvError};

/// The registry's line.
pub const KIND: TaskKind = TaskKind {
    name: "tissue-reach",
    summary: "bring an instrument within 3 mm of a point on soft tissue",
    defaults: || settings::table(&TissueSettings::<ReachSettings>::default()),
    build,
    scripted: &[],
};

/// The paper's measure: a return above this counts as solved.
const SOLVED: f64 = 80.0;

/// Centimetres in a metre.
const CM: f64 = 100.0;

/// Which point is to be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Always the one that is nearest to `place`.
    #[default]
    Fixed,
    /// Any on the organ's upper side.
    Random,
}

/// Settings of the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachSettings {
    /// Which point: `fixed` or `random`.
    pub target: Target,
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

impl Default for ReachSettings {
    fn default() -> Self {
        Self {
            target: Target::Fixed,
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

impl ReachSettings {
    fn check(&self) -> Result<(), EnvError> {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(
                &format!("task.place along {name}"),
                self.place[axis],
                -1.0,
                1.0,
            )?;
            check_range(
                &format!("task.start along {name}"),
                self.start[axis],
                -1.0,
                1.0,
            )?;
        }
        check_range("task.start_spread", self.start_spread, 0.0, 0.1)?;
        check_range("task.threshold", self.threshold, 1e-4, 0.1)?;
        check_range("task.distance_weight", self.distance_weight, 0.0, 1e6)?;
        check_range("task.change_weight", self.change_weight, 0.0, 1e6)?;
        check_range("task.success_bonus", self.success_bonus, 0.0, 1e6)
    }
}

fn build(given: &toml::Table) -> Result<Blueprint, EnvError> {
    let defaults = TissueSettings::<ReachSettings>::default();
    let settings: TissueSettings<ReachSettings> = settings::parse(&defaults, given)?;
    settings.task.check()?;
    let theatre = Arc::new(Theatre::new(&settings)?);
    let reach = Reach::new(settings.task.clone(), &theatre)?;
    let all = settings::table(&settings);
    Ok(Blueprint::new(KIND.name, all, move || {
        Ok(Box::new(TissueEnvironment::new(
            theatre.clone(),
            reach.clone(),
        )?))
    }))
}

/// The procedure.
#[derive(Debug, Clone)]
pub struct Reach {
    settings: ReachSettings,
    /// Points that may be targets, shared by all.
    spots: Arc<[Spot]>,
    /// The number of the fixed one.
    fixed: usize,
    workspace: [[f64; 3]; 2],
    target: Spot,
    /// Distance before the step [m].
    before: f64,
    distance: f64,
}

impl Reach {
    /// The procedure in a theatre.
    ///
    /// # Errors
    /// [`EnvError::Config`] where no point of the organ can be a target.
    pub fn new(settings: ReachSettings, theatre: &Theatre) -> Result<Self, EnvError> {
        let spots: Arc<[Spot]> = theatre.organ.upper_side().into();
        let fixed = theatre.organ.nearest(&spots, settings.place);
        let fixed = fixed.ok_or_else(|| EnvError::Config {
            field: "organ.fixed_behind".to_owned(),
            problem: "leaves no point of the organ's upper side that moves".to_owned(),
        })?;
        let instrument = &theatre.instrument;
        Ok(Self {
            target: spots[fixed],
            spots,
            fixed,
            workspace: [instrument.workspace_low, instrument.workspace_high],
            before: f64::NAN,
            distance: f64::NAN,
            settings,
        })
    }

    fn distance(&self, operation: &Operation) -> f64 {
        (operation.place(&self.target) - operation.point()).norm()
    }
}

impl Procedure for Reach {
    fn describe(&self) -> Description {
        let mut observation_space = BoxSpace::default();
        let [low, high] = self.workspace;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (low, high) = (low[axis] as f32, high[axis] as f32);
            observation_space.push(format!("instrument_{name} [m]"), low, high);
        }
        for name in ["x", "y", "z"] {
            let unbounded = f32::INFINITY;
            observation_space.push(format!("target_{name} [m]"), -unbounded, unbounded);
        }
        let last = self.spots.len() as f64 - 1.0;
        let target = match self.settings.target {
            Target::Fixed => {
                Parameter::new("target", "number", self.fixed as f64, self.fixed as f64)
            }
            // The greatest number below, as each draw is rounded down.
            Target::Random => Parameter::new("target", "number", 0.0, last + 1.0 - 1e-9),
        };
        let spread = self.settings.start_spread;
        let along = |name| Parameter::new(name, "m", -spread, spread).allowing(-0.1, 0.1);
        Description {
            id: KIND.name,
            observation_space,
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

    fn begin(&mut self, operation: &mut Operation, values: &[f64]) -> Result<(), EnvError> {
        self.target = self.spots[values[0] as usize];
        let organ = &operation.theatre().organ;
        let usual = self.target.at(organ.positions()) + Vector3::from(self.settings.start);
        let start = usual + Vector3::new(values[1], values[2], values[3]);
        operation.reset(start, BARELY_OPEN)?;
        self.distance = self.distance(operation);
        self.before = self.distance;
        Ok(())
    }

    fn act(
        &mut self,
        operation: &mut Operation,
        way: Vector3<f64>,
        _other: &[f32],
    ) -> Result<(), TissueError> {
        operation.go(way, BARELY_OPEN)
    }

    fn judge(&mut self, operation: &Operation, terms: &mut [f64]) -> Option<&'static str> {
        self.before = self.distance;
        self.distance = self.distance(operation);
        let is_there = self.distance < self.settings.threshold;
        let settings = &self.settings;
        terms[0] = -settings.distance_weight * self.distance * CM;
        terms[1] = -settings.change_weight * (self.distance - self.before) * CM;
        terms[2] = if is_there {
            settings.success_bonus
        } else {
            0.0
        };
        is_there.then_some("target reached")
    }

    fn observe(&self, operation: &Operation, observation: &mut [f32]) {
        let places = [operation.point(), operation.place(&self.target)];
        for (to, from) in observation.iter_mut().zip(places.iter().flatten()) {
            *to = *from as f32;
        }
    }

    fn write_metrics(&self, _operation: &Operation, return_: f64, metrics: &mut [f64]) {
        let flag = |is: bool| f64::from(u8::from(is));
        metrics[0] = flag(self.distance < self.settings.threshold);
        metrics[1] = flag(return_ > SOLVED);
        metrics[2] = self.distance;
    }

    /// Straight to the target.
    fn script(&self, operation: &Operation, _other: &mut [f32]) -> Vector3<f64> {
        operation.place(&self.target) - operation.point()
    }

    fn marks(&self, operation: &Operation) -> [Option<Vector3<f64>>; 2] {
        [Some(operation.place(&self.target)), None]
    }
}

/// So open are the clamps that they are a tip and yet grasp nothing; a share of all.
const BARELY_OPEN: f64 = 0.12;
