//! `tissue-retract`: grasp a lobe of the liver at its edge and lift it to expose the area beneath.
//!
//! The task of LapGym's tissue retraction (Scheikl et al. 2023, JMLR 24/368) on the liver of `tissue-reach`. The policy
//! controls the clamps.
//! An episode has two phases: *approach*, until the clamps close within `threshold` of the target, then *retract*, until the grasped point
//! is at the goal. Clamps that open to `instrument.release_opening` drop the tissue, and the episode returns to the first phase. The solver
//! simulates the grasp: the vertices near the clamps move with them.
//!
//! **Actions**: those of `tissue-reach`, and the clamps
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | x, y, z | -1 | 1 | 0.001 m |
//! | 3 | clamps: below 0 they close, otherwise they open, by `jaw_step` of 30° per step, as in SurRoL (Xu et al. 2021) | -1 | 1 | 1 |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1, 2 | position of the instrument, between the tips of its clamps | workspace | workspace | m |
//! | 3, 4, 5 | target: the point of the tissue to grasp | -∞ | ∞ | m |
//! | 6, 7, 8 | goal | -∞ | ∞ | m |
//! | 9 | opening of the clamps, as a fraction of 30° | 0 | 1 | 1 |
//! | 10 | phase: 0 approach, 1 retract | 0 | 1 | 1 |
//! | next | force of the tissue on the instrument, with `observation.force` | 0 | ∞ | N |
//! | next 3 | yaw, pitch and insertion of the PSM, with `observation.joints` | -∞ | ∞ | rad, rad, m |
//! | next 3 | torques and force of its motors | -∞ | ∞ | N m, N m, N |
//!
//! **Rewards**, computed from the state after the step, with D the diagonal of the workspace
//!
//! | term | value |
//! |---|---|
//! | `distance` | -`distance_weight` / D · distance from instrument to target; in the second phase, from target to goal |
//! | `waiting` | -`waiting_weight` / D · distance from the target at rest to the goal, in the first phase |
//! | `change` | -`change_weight` / D · increase of the remaining distance in the step: from instrument to target (first phase only) plus from target to goal |
//! | `grasp` | `grasp_bonus`, once, at the first grasp |
//! | `success` | `success_bonus`, at the end |
//!
//! All terms except `change` are LapGym's. With them, a millimetre of progress changes the reward of a step by 0.004, while a
//! step costs 0.1 to 0.2, and tissue that is pushed away from the goal costs nothing before the grasp. `change` rewards both, as FF-SRL's
//! reward does. Its sum over an episode is the initial minus the final remaining distance, whatever the path, so it does not change the
//! optimal policy (Ng et al. 1999). `change_weight = 0` is LapGym's reward.
//!
//! **Start**: the organ at rest under gravity, the instrument at `start` relative to the target, open. `start_spread` and `goal_spread`
//! add random offsets to start and goal. Options `start_x` … `start_z`, `goal_x` … `goal_z` (relative to the defaults) fix them.
//!
//! **End**: terminated if the grasped point is within `threshold` of the goal, or if the tissue diverges; truncated after 200 steps.
//!
//! **Metrics**: `success` is 1 if the grasped point reached the goal; `grasped` is 1 if it was held at the end; `distance_m`
//! is the distance from target to goal at the end; `peak_grasp_force_n` is the maximum force of the grasped target on the instrument,
//! averaged over a step;
//! `peak_force_n` as in `tissue-reach`.

use insonate_settings::{check_range, check_ranges, check_vector};
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
use crate::{BoxSpace, EnvError, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "tissue-retract",
    summary: "grasp a lobe of the liver at its edge and lift it to a goal",
    defaults: &|| settings::table(&SurgerySettings::<TissueRetractSettings>::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    // As for `tissue-reach`. Clipped updates change the policy only a little, and learning takes many of them: many updates with few
    // samples. Sixteen organs step as fast as eight.
    ppo: &[
        ("total_timesteps", "100_000"),
        ("n_envs", "16"),
        ("n_steps", "32"),
        ("discount", "0.98"),
        ("n_minibatches", "4"),
        ("learning_rate", "1e-3"),
        ("hidden_sizes", "[256, 256]"),
        ("activation", "relu"),
    ],
    sac: &[],
};

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueRetractSettings {
    /// The target is the surface vertex nearest to this position [m].
    pub place: [f64; 3],
    /// Vector from the target to the start [m].
    pub start: [f64; 3],
    /// Maximum random offset of the start, along each axis [m].
    pub start_spread: f64,
    /// Vector from the target at rest to the goal [m].
    pub lift: [f64; 3],
    /// Maximum random offset of the goal, along each axis [m].
    pub goal_spread: f64,
    /// Change of the opening per step, as a fraction.
    pub jaw_step: f64,
    /// Distance at which the target can be grasped and the goal counts as reached [m].
    pub threshold: f64,
    /// Weight of the distance.
    pub distance_weight: f64,
    /// Weight of the remaining distance before the grasp.
    pub waiting_weight: f64,
    /// Weight of the change of the remaining distance.
    pub change_weight: f64,
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
            change_weight: 100.0,
            grasp_bonus: 1.0,
            success_bonus: 1.0,
        }
    }
}

impl TissueRetractSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_vector("task.place", self.place, [-1.0, 1.0], "m")?;
        check_vector("task.start", self.start, [-1.0, 1.0], "m")?;
        check_vector("task.lift", self.lift, [-1.0, 1.0], "m")?;
        Ok(check_ranges(
            "task.",
            [
                ("start_spread", self.start_spread, [0.0, 0.1], "m"),
                ("goal_spread", self.goal_spread, [0.0, 0.1], "m"),
                ("jaw_step", self.jaw_step, [1e-3, 1.0], ""),
                ("threshold", self.threshold, [1e-4, 0.1], "s"),
                ("distance_weight", self.distance_weight, [0.0, 1e6], ""),
                ("waiting_weight", self.waiting_weight, [0.0, 1e6], ""),
                ("change_weight", self.change_weight, [0.0, 1e6], ""),
                ("grasp_bonus", self.grasp_bonus, [0.0, 1e6], ""),
                ("success_bonus", self.success_bonus, [0.0, 1e6], ""),
            ],
        )?)
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

named_values! {
    /// Weighted reward terms of a step.
    pub struct TissueRetractTerms {
        /// Distance to the target, or to the goal if the target is held.
        distance,
        /// Remaining distance before the grasp.
        waiting,
        /// Change of the remaining distance.
        change,
        /// First step of the grasp.
        grasp,
        /// Goal reached.
        success,
    }
}

named_values! {
    /// Metrics of an episode.
    pub struct TissueRetractMetrics {
        /// 1 if the target is at the goal, otherwise 0.
        success,
        /// 1 if the target is held, otherwise 0.
        grasped,
        /// Distance from the target to the goal [m].
        distance_m,
        /// Maximum force of the held tissue [N].
        peak_grasp_force_n,
    }
}

/// The task.
#[derive(Debug, Clone)]
pub struct TissueRetract {
    settings: TissueRetractSettings,
    /// Diagonal of the workspace [m].
    diagonal: f64,
    target: MaterialPoint,
    /// Position of the target at rest [m].
    rest: Vector3<f64>,
    goal: Vector3<f64>,
    /// Whether clamps that close in the current step grasp the target.
    may_grasp: bool,
    /// Whether the target is held, and for how many steps.
    is_held: bool,
    n_held: usize,
    /// Remaining distance to the target and, with it, to the goal [m].
    way: f64,
    /// Maximum force of the held target tissue [N].
    peak_grasp_force: f64,
    is_there: bool,
}

impl TissueRetract {
    /// Creates the task for a model.
    ///
    /// # Errors
    /// [`EnvError::Config`] if no point of the organ can be a target.
    pub fn new(settings: TissueRetractSettings, model: &SurgeryModel) -> Result<Self, EnvError> {
        let points = model.organ.surface_vertices();
        let nearest = model.organ.nearest(&points, settings.place);
        let nearest = nearest.ok_or_else(|| EnvError::Config {
            field: "organ.fixed_behind".to_owned(),
            problem: "leaves no movable vertex on the organ's surface".to_owned(),
        })?;
        let instrument = &model.instrument;
        // Clamps that close within the threshold must have the target between them.
        let least = settings.threshold + 0.5 * instrument.clamp_length;
        check_range(
            "instrument.grasp_radius",
            instrument.grasp_radius,
            [least, 0.05],
            "m",
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
            way: f64::NAN,
            peak_grasp_force: 0.0,
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

    /// Distance from the instrument to the target, if it is not held, plus from the target to the goal [m].
    fn remaining_distance(&self, state: &SurgeryState) -> f64 {
        let to_target = if self.is_held {
            0.0
        } else {
            self.to_target(state).norm()
        };
        to_target + self.to_goal(state).norm()
    }
}

impl SurgeryTask for TissueRetract {
    type Terms = TissueRetractTerms;
    type Metrics = TissueRetractMetrics;

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
        self.way = self.remaining_distance(state);
        self.peak_grasp_force = 0.0;
        Ok(())
    }

    fn openness(&mut self, state: &SurgeryState, other: &[f32]) -> f64 {
        // Clamps grasp when they begin to close, before they move.
        let is_near = self.to_target(state).norm() < self.settings.threshold;
        self.may_grasp = is_near && !state.holds();
        let way = if other[0] < 0.0 { -1.0 } else { 1.0 };
        state.openness() + way * self.settings.jaw_step
    }

    fn reward(&mut self, state: &SurgeryState) -> TissueRetractTerms {
        self.is_held = state.holds() && (self.is_held || self.may_grasp);
        self.n_held += usize::from(self.is_held);
        if self.is_held {
            self.peak_grasp_force = self.peak_grasp_force.max(state.grasp_force());
        }
        let is_first = self.is_held && self.n_held == 1;
        let before = self.way;
        self.way = self.remaining_distance(state);
        self.is_there = self.is_held && self.way < self.settings.threshold;
        let settings = &self.settings;
        let per_metre = 1.0 / self.diagonal;
        let [distance, waiting] = if self.is_held {
            [self.way, 0.0]
        } else {
            let to_target = self.to_target(state).norm();
            [to_target, (self.goal - self.rest).norm()]
        };
        TissueRetractTerms {
            distance: -settings.distance_weight * distance * per_metre,
            waiting: -settings.waiting_weight * waiting * per_metre,
            change: -settings.change_weight * (self.way - before) * per_metre,
            grasp: settings.grasp_bonus * f64::from(is_first),
            success: settings.success_bonus * f64::from(self.is_there),
        }
    }

    fn end(&self) -> Option<EpisodeEnd> {
        self.is_there.then_some(EpisodeEnd::Reached("goal reached"))
    }

    fn observe(&self, state: &SurgeryState, observation: &mut [f32]) {
        let places = [state.point(), state.place(&self.target), self.goal];
        for (to, from) in observation.iter_mut().zip(places.iter().flatten()) {
            *to = *from as f32;
        }
        observation[9] = state.openness() as f32;
        observation[10] = f32::from(u8::from(self.is_held));
    }

    fn metrics(&self, state: &SurgeryState) -> TissueRetractMetrics {
        TissueRetractMetrics {
            success: f64::from(self.is_there),
            grasped: f64::from(self.is_held),
            distance_m: self.to_goal(state).norm(),
            peak_grasp_force_n: self.peak_grasp_force,
        }
    }

    /// Moves straight to the target, closes the clamps, and moves straight to the goal.
    fn scripted_action(&self, state: &SurgeryState, other: &mut [f32]) -> Vector3<f64> {
        let to_target = self.to_target(state);
        if self.is_held {
            other[0] = -1.0;
            return self.to_goal(state);
        }
        // Clamps that have begun to close continue while the target is between them.
        let part = if state.openness() < 1.0 { 1.0 } else { 0.7 };
        let is_near = to_target.norm() < part * self.settings.threshold;
        other[0] = if is_near { -1.0 } else { 1.0 };
        to_target
    }

    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2] {
        [Some(state.place(&self.target)), Some(self.goal)]
    }
}
