//! `tissue-retract`: grasp a lobe of the liver by its edge and lift it, so that what lies beneath can be seen.
//!
//! The task and reward of LapGym's tissue retraction (Scheikl et al. 2023, JMLR 24/368) on the liver of `tissue-reach`. An episode has
//! two phases: *approach*, until the clamps close within `threshold` of the target, then *retract*, until the grasped point is at the goal.
//! Clamps that open again drop the tissue, and the episode is back in its first phase. What is grasped is so by the solver: the
//! vertices near the clamps are carried along.
//!
//! **Actions**: as `tissue-reach`, and the clamps
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | x, y, z | -1 | 1 | 0.001 m |
//! | 3 | opening of the clamps, positive opens | -1 | 1 | `jaw_step` of 30° |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | instrument, between the ends of its clamps | workspace | workspace | m |
//! | 3, 4, 5 | target: the point of the tissue that is to be grasped | -∞ | ∞ | m |
//! | 6, 7, 8 | goal | -∞ | ∞ | m |
//! | 9 | opening of the clamps, of 30° | 0 | 1 | 1 |
//! | 10 | phase: 0 approach, 1 retract | 0 | 1 | 1 |
//! | 11 | force of the tissue on the instrument, with `observation.force` | 0 | ∞ | N |
//!
//! **Rewards**, of the state after the step, with D the diagonal of the workspace
//!
//! | term | value |
//! |---|---|
//! | `distance` | -`distance_weight` / D · the distance from instrument to target, in the second phase from target to goal |
//! | `waiting` | -`waiting_weight` / D · the distance from the target at rest to the goal, in the first phase |
//! | `grasp` | `grasp_bonus`, once, at the first step of the first second phase |
//! | `success` | `success_bonus`, at the end |
//!
//! **Start**: the organ at rest under gravity, the instrument `start` away from the target, open. `start_spread` draws the start from a
//! cube, `goal_spread` the goal. Options `start_x` … `start_z`, `goal_x` … `goal_z` (from the usual ones) fix them.
//!
//! **End**: terminated when the grasped point is within `threshold` of the goal, or when the tissue diverges; truncated after 200 steps.
//!
//! **Figures**: `success` is 1 when the grasped point reached the goal; `grasped` is 1 when it was held at the end; `distance_m` is from
//! target to goal at the end; `peak_force_n` as in `tissue-reach`.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::factory::EnvFactory;
use crate::parameters::Parameter;
use crate::settings::{self, check_range, check_ranges, check_vector};
use crate::surgery::{
    MaterialPoint, SurgeryModel, SurgerySettings, SurgeryState, SurgeryTask, SurgeryTaskSpec,
    factory,
};
use crate::{BoxSpace, EnvError};

/// The registry's entry.
pub const KIND: TaskKind = TaskKind {
    name: "tissue-retract",
    summary: "grasp a lobe of the liver by its edge and lift it to a goal",
    defaults: || settings::table(&SurgerySettings::<TissueRetractSettings>::default()),
    build,
    scripted: &[],
};

/// Settings of the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueRetractSettings {
    /// The target is the vertex of the surface nearest to this place [m].
    pub place: [f64; 3],
    /// From the target to the start [m].
    pub start: [f64; 3],
    /// The start lies so far from there at most, along each axis [m].
    pub start_spread: f64,
    /// From the target at rest to the goal [m].
    pub lift: [f64; 3],
    /// The goal lies so far from there at most, along each axis [m].
    pub goal_spread: f64,
    /// Share of the opening by which an action of 1 changes it.
    pub jaw_step: f64,
    /// Distance within which the target is grasped, and the goal reached [m].
    pub threshold: f64,
    /// Weight of the distance.
    pub distance_weight: f64,
    /// Weight of the distance that remains after grasping.
    pub waiting_weight: f64,
    /// Reward for grasping.
    pub grasp_bonus: f64,
    /// Reward for reaching the goal.
    pub success_bonus: f64,
}

impl Default for TissueRetractSettings {
    fn default() -> Self {
        Self {
            place: [0.06, -0.03, 0.035],
            start: [0.0, -0.006, 0.02],
            start_spread: 0.003,
            lift: [0.0, 0.0, 0.03],
            goal_spread: 0.0,
            jaw_step: 0.2,
            threshold: 0.003,
            distance_weight: 1.0,
            waiting_weight: 1.2,
            grasp_bonus: 1.0,
            success_bonus: 1.0,
        }
    }
}

impl TissueRetractSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_vector("task.place", self.place, -1.0, 1.0)?;
        check_vector("task.start", self.start, -1.0, 1.0)?;
        check_vector("task.lift", self.lift, -1.0, 1.0)?;
        check_ranges(
            "task.",
            &[
                ("start_spread", self.start_spread, 0.0, 0.1),
                ("goal_spread", self.goal_spread, 0.0, 0.1),
                ("jaw_step", self.jaw_step, 1e-3, 1.0),
                ("threshold", self.threshold, 1e-4, 0.1),
                ("distance_weight", self.distance_weight, 0.0, 1e6),
                ("waiting_weight", self.waiting_weight, 0.0, 1e6),
                ("grasp_bonus", self.grasp_bonus, 0.0, 1e6),
                ("success_bonus", self.success_bonus, 0.0, 1e6),
            ],
        )
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let defaults = SurgerySettings::<TissueRetractSettings>::default();
    let settings: SurgerySettings<TissueRetractSettings> = settings::parse(&defaults, given)?;
    settings.task.check()?;
    factory(KIND.name, &settings, |settings, model| {
        TissueRetract::new(settings.clone(), model)
    })
}

/// The task.
#[derive(Debug, Clone)]
pub struct TissueRetract {
    settings: TissueRetractSettings,
    /// Length of the workspace's diagonal [m].
    diagonal: f64,
    target: MaterialPoint,
    /// Where the target is at rest [m].
    rest: Vector3<f64>,
    goal: Vector3<f64>,
    /// Whether clamps that close in the step at hand grasp the target.
    may_grasp: bool,
    /// Whether the target is held, and for how many steps it has been.
    is_held: bool,
    n_held: usize,
    is_there: bool,
}

impl TissueRetract {
    /// The task in a model.
    ///
    /// # Errors
    /// [`EnvError::Config`] where no point of the organ can be a target.
    pub fn new(settings: TissueRetractSettings, model: &SurgeryModel) -> Result<Self, EnvError> {
        let points = model.organ.surface_vertices();
        let nearest = model.organ.nearest(&points, settings.place);
        let nearest = nearest.ok_or_else(|| EnvError::Config {
            field: "organ.fixed_behind".to_owned(),
            problem: "leaves no vertex of the organ's surface that moves".to_owned(),
        })?;
        let instrument = &model.instrument;
        // Clamps that close so far from the target must have it between them.
        let least = settings.threshold + 0.5 * instrument.clamp_length;
        check_range(
            "instrument.grasp_radius",
            instrument.grasp_radius,
            least,
            0.05,
        )?;
        let target = points[nearest];
        let [low, high] = [instrument.workspace_low, instrument.workspace_high].map(Vector3::from);
        let rest = target.at(model.organ.positions());
        Ok(Self {
            diagonal: (high - low).norm().max(1e-6),
            target,
            goal: rest + Vector3::from(settings.lift),
            rest,
            may_grasp: false,
            is_held: false,
            n_held: 0,
            is_there: false,
            settings,
        })
    }

    fn to_target(&self, state: &SurgeryState) -> Vector3<f64> {
        state.place(&self.target) - state.point()
    }

    fn to_goal(&self, state: &SurgeryState) -> Vector3<f64> {
        self.goal - state.place(&self.target)
    }
}

impl SurgeryTask for TissueRetract {
    fn describe(&self, model: &SurgeryModel) -> SurgeryTaskSpec {
        let observation_space = model
            .places(&["target", "goal"])
            .with("opening [1]", 0.0, 1.0)
            .with("phase [1]", 0.0, 1.0);
        let along =
            |name, spread: f64| Parameter::new(name, "m", -spread, spread).allowing(-0.1, 0.1);
        let (start, goal) = (self.settings.start_spread, self.settings.goal_spread);
        SurgeryTaskSpec {
            id: KIND.name,
            observation_space,
            other_actions: BoxSpace::default().with("jaw [1]", -1.0, 1.0),
            reward_terms: vec!["distance", "waiting", "grasp", "success"],
            metrics: vec!["success", "grasped", "distance_m"],
            parameters: vec![
                along("start_x", start),
                along("start_y", start),
                along("start_z", start),
                along("goal_x", goal),
                along("goal_y", goal),
                along("goal_z", goal),
            ],
        }
    }

    fn reset(&mut self, state: &mut SurgeryState, parameters: &[f64]) -> Result<(), EnvError> {
        let [start, goal] = [0, 3].map(|i| Vector3::from_column_slice(&parameters[i..i + 3]));
        state.reset(self.rest + Vector3::from(self.settings.start) + start, 1.0)?;
        self.goal = self.rest + Vector3::from(self.settings.lift) + goal;
        (self.is_held, self.n_held) = (false, 0);
        (self.may_grasp, self.is_there) = (false, false);
        Ok(())
    }

    fn openness(&mut self, state: &SurgeryState, other: &[f32]) -> f64 {
        // Clamps grasp as they begin to close for good, before they move.
        let is_near = self.to_target(state).norm() < self.settings.threshold;
        self.may_grasp = is_near && !state.is_closed();
        state.openness() + f64::from(other[0]) * self.settings.jaw_step
    }

    fn reward(&mut self, state: &SurgeryState, terms: &mut [f64]) {
        self.is_held = state.is_closed() && (self.is_held || self.may_grasp);
        self.n_held += usize::from(self.is_held);
        let is_first = self.is_held && self.n_held == 1;
        let settings = &self.settings;
        let to_goal = self.to_goal(state).norm();
        let per_metre = 1.0 / self.diagonal;
        let distance = if self.is_held {
            to_goal
        } else {
            self.to_target(state).norm()
        };
        let waiting = if self.is_held {
            0.0
        } else {
            (self.goal - self.rest).norm()
        };
        self.is_there = self.is_held && to_goal < settings.threshold;
        terms[0] = -settings.distance_weight * distance * per_metre;
        terms[1] = -settings.waiting_weight * waiting * per_metre;
        terms[2] = settings.grasp_bonus * f64::from(u8::from(is_first));
        terms[3] = settings.success_bonus * f64::from(u8::from(self.is_there));
    }

    fn end(&self) -> Option<&'static str> {
        self.is_there.then_some("goal reached")
    }

    fn observe(&self, state: &SurgeryState, observation: &mut [f32]) {
        let places = [state.point(), state.place(&self.target), self.goal];
        for (to, from) in observation.iter_mut().zip(places.iter().flatten()) {
            *to = *from as f32;
        }
        observation[9] = state.openness() as f32;
        observation[10] = f32::from(u8::from(self.is_held));
    }

    fn write_metrics(&self, state: &SurgeryState, metrics: &mut [f64]) {
        let flag = |is: bool| f64::from(u8::from(is));
        metrics[0] = flag(self.is_there);
        metrics[1] = flag(self.is_held);
        metrics[2] = self.to_goal(state).norm();
    }

    /// Straight to the target, closes there, and straight to the goal.
    fn scripted_action(&self, state: &SurgeryState, other: &mut [f32]) -> Vector3<f64> {
        let to_target = self.to_target(state);
        if self.is_held {
            other[0] = -1.0;
            return self.to_goal(state);
        }
        // Clamps that have begun to close go on, as long as the target is between them.
        let part = if state.openness() < 1.0 { 1.0 } else { 0.7 };
        let is_near = to_target.norm() < part * self.settings.threshold;
        other[0] = if is_near { -1.0 } else { 1.0 };
        to_target
    }

    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2] {
        [Some(state.place(&self.target)), Some(self.goal)]
    }
}
