//! A task with a probe whose formulas a [`BatchTask`] computes for all environments of a vector at once.

use std::sync::{Arc, Mutex};

use insonate_sim::verdict::Judge;
use insonate_sim::{Pose, Twist};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{
    Goal, ProbeEnvironment, ProbeTask, ProbeTaskSettings, SceneSet, SceneState, WrenchMeasurement,
};
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::randomization::EpisodeParameters;
use crate::staged::{Press, consult_script};
use crate::{
    BatchGoal, BatchRow, BatchSeat, BatchTask, BoxSpace, Env, EnvError, NamedValues, settings,
};

/// Names of a batch task's answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchTaskSpec {
    /// Entries of the observation that the task adds.
    pub observation: BoxSpace,
    /// Reward terms.
    pub terms: Vec<&'static str>,
    /// Costs.
    pub costs: Vec<&'static str>,
    /// Metrics after `success`.
    pub metrics: Vec<&'static str>,
}

/// Entries of [`BatchRow::state`] that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateEntry {
    /// Name.
    pub name: &'static str,
    /// Number of numbers.
    pub len: usize,
}

/// The entries of a row's state, in order, without those of the joints, whose number depends on the robot.
///
/// SI units; vectors in the world's frame unless another one is named; quaternions `[w, x, y, z]`.
const ENTRIES: [StateEntry; 22] = [
    entry("time", 1),
    entry("probe_position", 3),
    entry("probe_quaternion", 4),
    entry("probe_velocity", 3),
    entry("probe_angular_velocity", 3),
    entry("force", 3),
    entry("torque", 3),
    entry("normal_force", 1),
    entry("axial_force", 1),
    entry("in_contact", 1),
    entry("measured_force_in_probe", 3),
    entry("measured_torque_in_probe", 3),
    entry("mean_normal_force", 1),
    entry("max_normal_force", 1),
    entry("goal_position", 3),
    entry("goal_quaternion", 4),
    entry("goal_velocity", 3),
    entry("goal_force", 1),
    entry("torso_position", 3),
    entry("torso_quaternion", 4),
    entry("torso_velocity", 3),
    entry("breath", 2),
];

const fn entry(name: &'static str, len: usize) -> StateEntry {
    StateEntry { name, len }
}

/// Creates a factory of environments in these scenes. `make` creates the task that a number of environments share, and gets the entries of
/// the rows' states.
///
/// # Errors
/// Errors of the first environment.
pub fn batch_factory<S>(
    name: &'static str,
    mut settings: ProbeTaskSettings<S>,
    scenes: SceneSet,
    spec: BatchTaskSpec,
    make: impl Fn(usize, &[StateEntry]) -> Result<Box<dyn BatchTask>, EnvError> + Send + Sync + 'static,
) -> Result<EnvFactory, EnvError>
where
    S: Serialize + Send + Sync + 'static,
{
    let scenes = Arc::new(scenes);
    settings.scene = settings.scene.recorded(&scenes.first().scene.robot);
    let table = settings::table(&settings);
    let n_joints = SceneState::new(scenes.first().clone())?
        .placement
        .arm
        .n_joints();
    let mut entries = ENTRIES.to_vec();
    entries.push(entry("joint_position", n_joints));
    entries.push(entry("joint_velocity", n_joints));
    Ok(EnvFactory::in_groups(name, table, move |n_envs| {
        let shared = Arc::new(Mutex::new(make(n_envs, &entries)?));
        let seat = || BatchSeat {
            task: shared.clone(),
            n_rows: n_envs,
            row: BatchRow {
                observation: vec![0.0; spec.observation.len()],
                terms: vec![0.0; spec.terms.len()],
                costs: vec![0.0; spec.costs.len()],
                metrics: vec![0.0; spec.metrics.len()],
                ..BatchRow::default()
            },
        };
        (0..n_envs)
            .map(|_| {
                let task = BatchedTask {
                    seat: seat(),
                    spec: spec.clone(),
                };
                let env = ProbeEnvironment::new(name, &settings, scenes.clone(), task)?;
                Ok(env.boxed() as Box<dyn Env>)
            })
            .collect()
    }))
}

/// The part of a batch task in one environment.
struct BatchedTask {
    seat: BatchSeat,
    spec: BatchTaskSpec,
}

/// Numbers whose names the task gives.
#[derive(Debug, Clone, PartialEq, Default)]
struct Listed(Vec<f64>);

impl NamedValues for Listed {
    const LEN: usize = 0;

    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    fn write(&self, values: &mut [f64]) {
        values.copy_from_slice(&self.0);
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl ProbeTask for BatchedTask {
    type Terms = Listed;
    type Costs = Listed;
    type Metrics = Listed;

    fn observation_space(&self) -> BoxSpace {
        self.spec.observation.clone()
    }

    fn term_names(&self) -> Vec<&'static str> {
        self.spec.terms.clone()
    }

    fn cost_names(&self) -> Vec<&'static str> {
        self.spec.costs.clone()
    }

    fn metric_names(&self) -> Vec<&'static str> {
        let mut names = vec!["success"];
        names.extend(&self.spec.metrics);
        names
    }

    fn batch(&mut self) -> Option<&mut BatchSeat> {
        Some(&mut self.seat)
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        _rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let row = &mut self.seat.row;
        (row.is_success, row.is_terminated) = (false, false);
        row.terms.fill(0.0);
        row.costs.fill(0.0);
        row.metrics.fill(f64::NAN);
        row.press = Press::default();
        if !set_goal(&row.goal, state) {
            return Err(EnvError::Config {
                field: "place".to_owned(),
                problem: format!("the goal {:?} is not on the skin", row.goal),
            });
        }
        state.place_above(episode)
    }

    fn before_substep(&mut self, state: &mut SceneState) {
        // A goal that leaves the skin stays at its edge.
        set_goal(&self.seat.row.goal, state);
    }

    fn after_substep(&mut self, state: &SceneState) {
        self.seat.row.press.add(state.probe.normal_force);
    }

    fn observe(&self, _state: &SceneState, observation: &mut [f32]) {
        observation.copy_from_slice(&self.seat.row.observation);
    }

    fn reward(&mut self, _state: &SceneState, _action: &[f32]) -> Listed {
        Listed(self.seat.row.terms.clone())
    }

    fn costs(&mut self) -> Listed {
        Listed(self.seat.row.costs.clone())
    }

    fn end(&self, _state: &SceneState) -> Option<EpisodeEnd> {
        let row = &self.seat.row;
        row.is_terminated.then(|| {
            if row.is_success {
                EpisodeEnd::Reached("success")
            } else {
                EpisodeEnd::Terminated("ended by the task without success".into())
            }
        })
    }

    fn judge(&self, judge: Judge) -> Judge {
        if self.seat.row.is_success || !judge.is_clear() {
            return judge;
        }
        judge.reason("the task was not fulfilled at the end of the episode")
    }

    fn metrics(&self) -> Listed {
        let row = &self.seat.row;
        let success = f64::from(u8::from(row.is_success));
        Listed([&[success], row.metrics.as_slice()].concat())
    }

    fn scripted_action(
        &mut self,
        _state: &SceneState,
        _measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        action.fill(0.0);
        // Environments that share a task are asked together, by their vector.
        if self.seat.n_rows > 1 || !consult_script(&mut [&mut self.seat]) {
            return false;
        }
        let script = &self.seat.row.script;
        if script.len() == action.len() {
            action.copy_from_slice(script);
        }
        true
    }
}

/// Sets the goal for the current pose of the torso. Returns `false` if it is not over the skin.
fn set_goal(goal: &BatchGoal, state: &mut SceneState) -> bool {
    match *goal {
        BatchGoal::Fixed {
            position,
            rotation,
            force,
        } => {
            let [w, x, y, z] = rotation;
            let pose = Pose {
                position: position.into(),
                rotation: UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)),
            };
            state.goal = Goal {
                force,
                ..Goal::at(pose)
            };
            true
        }
        BatchGoal::OnSkin {
            place,
            velocity,
            height,
            force,
        } => {
            let [x, y, _] = state.model.scene.torso_position;
            let time = state.physics.time();
            let at = |axis: usize| place[axis] + velocity[axis] * time;
            let Some(skin) = state.skin(x + at(0), y + at(1)) else {
                return false;
            };
            let along =
                state.torso.world_from_rest.rotation * Vector3::new(velocity[0], velocity[1], 0.0);
            // The place stays on the skin, so its velocity is tangential.
            let rise = -along.dot(&skin.normal) / skin.normal.z;
            let along = along + Vector3::z() * rise;
            let speed = along.norm();
            let twist = state.torso.twist;
            state.goal = Goal {
                twist: Twist {
                    linear: twist.linear + along,
                    ..twist
                },
                direction: along.try_normalize(1e-12).unwrap_or_default(),
                speed,
                force,
                ..Goal::at(state.pose_on(&skin, height))
            };
            true
        }
    }
}

impl BatchRow {
    /// Writes the state, with the entries of [`ENTRIES`] and those of the joints.
    pub(super) fn record(
        &mut self,
        state: &SceneState,
        measured: &WrenchMeasurement,
        action: &[f32],
    ) {
        self.action.clear();
        self.action.extend_from_slice(action);
        let (probe, goal) = (&state.probe, &state.goal);
        let torso = state.in_world(&Isometry3::identity());
        let press = std::mem::take(&mut self.press);
        let numbers = &mut self.state;
        numbers.clear();
        numbers.push(state.physics.time());
        push_pose(numbers, &probe.world_from_probe);
        push_all(
            numbers,
            &[
                probe.twist.linear,
                probe.twist.angular,
                probe.force,
                probe.torque,
            ],
        );
        numbers.push(probe.normal_force);
        numbers.push(state.axial_force());
        numbers.push(f64::from(u8::from(probe.in_contact)));
        push_all(numbers, &measured.wrench);
        numbers.push(press.mean(probe.normal_force));
        numbers.push(press.most.unwrap_or(probe.normal_force));
        push_pose(numbers, &goal.world_from_probe);
        push_all(numbers, &[goal.twist.linear]);
        numbers.push(goal.force);
        push_pose(numbers, &torso);
        push_all(numbers, &[state.torso.twist.linear]);
        numbers.extend(state.breath());
        let (qpos, qvel) = (state.physics.qpos(), state.physics.qvel());
        let joints = &state.placement.arm.joints;
        numbers.extend(joints.iter().map(|joint| qpos[joint.qpos]));
        numbers.extend(joints.iter().map(|joint| qvel[joint.dof]));
    }
}

fn push_all(numbers: &mut Vec<f64>, vectors: &[Vector3<f64>]) {
    numbers.extend(vectors.iter().flatten());
}

fn push_pose(numbers: &mut Vec<f64>, pose: &Pose) {
    let rotation = pose.rotation;
    numbers.extend(&pose.position);
    numbers.extend([rotation.w, rotation.i, rotation.j, rotation.k]);
}
