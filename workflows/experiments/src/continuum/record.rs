//! Log of an insertion, with one sample per step.

use std::fmt::Write as _;

use nalgebra::{Isometry3, Vector3};

/// State after a step; SI units, in the frame of the lumen.
#[derive(Debug, Clone, PartialEq)]
pub struct InsertionSample {
    /// Length of rod beyond the introducer [m].
    pub depth: f64,
    /// Pose of the tip, x along the rod.
    pub tip: Isometry3<f64>,
    /// Positions of the two position sensors [m].
    pub sensors: [Vector3<f64>; 2],
    /// Maximum normal force of the contacts [N].
    pub peak_force: f64,
    /// Sum of the normal forces of the contacts [N].
    pub total_force: f64,
    /// Number of contacts with a force.
    pub n_contacts: usize,
    /// Maximum penetration of the rod into the wall [m].
    pub penetration: f64,
    /// Force of the introducer on the rod along its axis [N].
    pub push: f64,
    /// Tensions of the cables [N].
    pub tensions: [f64; 3],
    /// Violation of the optimality conditions.
    pub kkt_residual: f64,
    /// Wall-clock time of the step [s].
    pub seconds: f64,
    /// Points along the rod [m], for pictures.
    pub points: Vec<Vector3<f64>>,
}

/// Samples of an insertion.
#[derive(Debug, Clone, Default)]
pub struct InsertionRecord {
    /// Samples in order of time.
    pub samples: Vec<InsertionSample>,
}

const HEADER: &str = "step,depth_m,tip_x_m,tip_y_m,tip_z_m,tip_qw,tip_qx,tip_qy,tip_qz,sensor1_x_m,sensor1_y_m,sensor1_z_m,\
sensor2_x_m,sensor2_y_m,sensor2_z_m,peak_contact_force_n,total_contact_force_n,n_contacts,penetration_m,push_n,tension1_n,tension2_n,\
tension3_n,kkt_residual,seconds";

impl InsertionRecord {
    /// The log as CSV, with units in the header.
    pub fn to_csv(&self) -> String {
        let mut csv = format!("{HEADER}\n");
        for (step, sample) in self.samples.iter().enumerate() {
            let turn = sample.tip.rotation;
            let _ = write!(csv, "{step},{:.6}", sample.depth);
            let numbers = sample.tip.translation.vector.iter();
            let numbers = numbers.chain([&turn.w, &turn.i, &turn.j, &turn.k]);
            for number in numbers.chain(sample.sensors.iter().flatten()) {
                let _ = write!(csv, ",{number:.9}");
            }
            let [t1, t2, t3] = sample.tensions;
            let _ = writeln!(
                csv,
                ",{:.6},{:.6},{},{:.3e},{:.6},{t1:.6},{t2:.6},{t3:.6},{:.3e},{:.6}",
                sample.peak_force,
                sample.total_force,
                sample.n_contacts,
                sample.penetration,
                sample.push,
                sample.kkt_residual,
                sample.seconds,
            );
        }
        csv
    }
}
