//! Rows of an episode: numbers of Open-H's features from those of a demonstration.

use super::super::table::{Column, Table, floats};
use super::{
    ACQUISITION, ACTION, CAMERA_POSE, DONE, FORCE, INSTRUCTION, PROBE, PROBE_POSE, REWARD, STATE,
    SUCCESS, TASK_ACTION, TASK_OBSERVATION,
};
use crate::{DatasetInfo, Demonstration, RigInfo};

/// Indices of the signals that the features are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources {
    joints: usize,
    wrench: usize,
    pose: usize,
}

impl Sources {
    /// `None` if the demonstrations lack a signal.
    pub(super) fn of(info: &DatasetInfo) -> Option<Self> {
        let find = |name: &str| info.signals.iter().position(|signal| signal.name == name);
        Some(Self {
            joints: find("joint_position")?,
            wrench: find("probe_wrench")?,
            pose: find("probe_pose")?,
        })
    }

    /// Number of joints.
    pub(super) fn n_joints(self, info: &DatasetInfo) -> usize {
        info.signals[self.joints].entries.len()
    }
}

/// A numeric feature of an episode: name, numbers row by row, and numbers in a row.
pub(super) type Numbers = (&'static str, Vec<f32>, usize);

/// Numeric features of an episode, except for counters.
pub(super) fn numbers(
    info: &DatasetInfo,
    rig: &RigInfo,
    sources: Sources,
    demonstration: &Demonstration,
) -> Vec<Numbers> {
    let n = demonstration.len();
    let rows = |index: usize| {
        let width = info.signals[index].entries.len();
        &demonstration.signals[index][..n * width]
    };
    let reached = demonstration.signals[sources.pose][7..].chunks_exact(7);
    let actions = reached.flat_map(|pose| action(pose, rig.base_position));
    let [n_obs, n_actions] = [&info.observation_names, &info.action_names].map(Vec::len);
    let constant = |values: &[f64]| -> Vec<f32> {
        let row = values.iter().map(|value| *value as f32);
        std::iter::repeat_n(row, n).flatten().collect()
    };
    let mut numbers = vec![
        (STATE, rows(sources.joints).to_vec(), sources.n_joints(info)),
        (ACTION, actions.collect(), 6),
        (FORCE, rows(sources.wrench).to_vec(), 6),
        (ACQUISITION, constant(&rig.acquisition), 6),
        (PROBE_POSE, constant(&rig.flange_from_probe), 7),
        (
            TASK_OBSERVATION,
            demonstration.observations[..n * n_obs].to_vec(),
            n_obs,
        ),
        (TASK_ACTION, demonstration.actions.clone(), n_actions),
        (REWARD, demonstration.rewards.clone(), 1),
    ];
    if let Some(pose) = &rig.base_from_camera {
        numbers.push((CAMERA_POSE, constant(pose), 7));
    }
    numbers
}

/// Position [m] and angles roll, pitch, yaw [rad] about fixed axes x, y, z in the robot's base, of a pose in the world with a
/// quaternion wxyz.
fn action(pose: &[f32], base: [f64; 3]) -> [f32; 6] {
    let [w, x, y, z] = [3, 4, 5, 6].map(|at| f64::from(pose[at]));
    let roll = (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y));
    let pitch = (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin();
    let yaw = (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
    let [px, py, pz] = [0, 1, 2].map(|axis| f64::from(pose[axis]) - base[axis]);
    [px, py, pz, roll, pitch, yaw].map(|number| number as f32)
}

/// The rows of an episode without its videos, from its index, that of its first row, and that of its task.
pub(super) fn table(
    numbers: &[Numbers],
    info: &DatasetInfo,
    rig: &RigInfo,
    demonstration: &Demonstration,
    [episode, first, task]: [usize; 3],
) -> Table {
    let n = demonstration.len();
    let instruction = demonstration.instruction(info).to_owned();
    let ints = |first: usize| Column::Int((first..first + n).map(|i| i as i64).collect());
    let last = |value: bool| Column::Bool((1..=n).map(|step| value && step == n).collect());
    let time = |step| (step as f64 * info.control_timestep) as f32;
    let mut table: Table = numbers
        .iter()
        .map(|(name, values, width)| ((*name).to_owned(), floats(values.clone(), *width)))
        .collect();
    let rest = [
        (PROBE, Column::Text(vec![rig.probe_type.clone(); n])),
        (INSTRUCTION, Column::Text(vec![instruction; n])),
        (DONE, last(true)),
        (SUCCESS, last(demonstration.is_success == Some(true))),
        ("timestamp", Column::Float((0..n).map(time).collect())),
        ("frame_index", ints(0)),
        ("episode_index", Column::Int(vec![episode as i64; n])),
        ("index", ints(first)),
        ("task_index", Column::Int(vec![task as i64; n])),
    ];
    table.extend(rest.map(|(name, column)| (name.to_owned(), column)));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_turns_about_one_axis() {
        let quarter = std::f32::consts::FRAC_1_SQRT_2;
        let half_pi = std::f32::consts::FRAC_PI_2;
        for axis in 0..3 {
            let mut pose = [1.0, 2.0, 3.0, quarter, 0.0, 0.0, 0.0];
            pose[4 + axis] = quarter;
            let found = action(&pose, [0.5, 0.0, 1.0]);
            let mut expected = [0.5, 2.0, 2.0, 0.0, 0.0, 0.0];
            expected[3 + axis] = half_pi;
            // The angle of pitch is the arc sine of 1, which doubles digits.
            let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-3;
            assert!(found.iter().zip(&expected).all(near), "{found:?}");
        }
    }
}
