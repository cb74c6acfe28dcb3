//! Log of an experiment with the PSM.

use std::fmt::Write as _;

use insonate_sim::psm::dvrk::{JointVector, coupling};

/// Time between samples [s]. The published logs have the same rate, 200 Hz.
pub(super) const SAMPLE_TIME: f64 = 0.005;

/// One sample; the joints are yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmSample {
    /// Time [s].
    pub time: f64,
    /// Joint positions [rad, m].
    pub q: JointVector,
    /// Joint velocities [rad/s, m/s].
    pub dq: JointVector,
    /// Target joint positions [rad, m].
    pub wanted: JointVector,
    /// Torques of the motors, in motor coordinates [N·m, motor 3: N].
    pub motor_torque: JointVector,
    /// Joint torques on bodies, rotors and spring: the motor torques without friction [N·m, N].
    pub simulated_torque: JointVector,
    /// Joint torques of the identified model for the simulated motion [N·m, N].
    pub model_torque: JointVector,
    /// Force of the surroundings on the instrument in the world [N].
    pub tip_force: [f64; 3],
    /// Force on the instrument in the world, estimated from motor torques [N].
    pub estimated_force: [f64; 3],
}

/// Samples in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PsmRecord {
    /// One sample every 5 ms.
    pub samples: Vec<PsmSample>,
}

impl PsmRecord {
    /// The log as CSV with named columns for `insonate psm identify --coordinates motor`: `q`, `dq`, `tau` in motor coordinates.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from("time");
        for name in ["q", "dq", "tau", "wanted", "simulated", "model"] {
            for index in 1..=7 {
                let _ = write!(csv, ",{name}{index}");
            }
        }
        csv.push_str(",force_x,force_y,force_z,estimated_x,estimated_y,estimated_z\n");
        for sample in &self.samples {
            let _ = write!(csv, "{:.4}", sample.time);
            let vectors = [
                coupling::motor_from_joint(&sample.q),
                coupling::motor_from_joint(&sample.dq),
                sample.motor_torque,
                coupling::motor_from_joint(&sample.wanted),
                sample.simulated_torque,
                sample.model_torque,
            ];
            for value in vectors
                .iter()
                .flatten()
                .chain(&sample.tip_force)
                .chain(&sample.estimated_force)
            {
                let _ = write!(csv, ",{value:.9e}");
            }
            csv.push('\n');
        }
        csv
    }
}
