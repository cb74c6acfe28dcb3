//! Log of a motion, with one sample per step.

use std::fmt::Write as _;

use nalgebra::{Isometry3, Vector3};

/// State at the end of a step; SI units, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionSample {
    /// Simulated time [s].
    pub time: f64,
    /// Frame of the tool.
    pub tool: Isometry3<f64>,
    /// Travel of the tool [m], measured from where it touches or holds the body at rest; 0 before.
    pub travel: f64,
    /// Mean force of the tissue on the tool over the step [N].
    pub force: Vector3<f64>,
    /// Mean torque of the tissue on the tool over the step, about the origin of the tool's frame [N·m].
    pub torque: Vector3<f64>,
    /// Mean force of the tissue on all other parts [N].
    pub support_force: Vector3<f64>,
}

/// Samples of a motion.
#[derive(Debug, Clone, Default)]
pub struct MotionRecord {
    /// Samples in order of time.
    pub samples: Vec<MotionSample>,
}

const HEADER: &str = "time_s,travel_m,tool_x_m,tool_y_m,tool_z_m,tool_qw,tool_qx,tool_qy,tool_qz,force_x_n,force_y_n,force_z_n,\
force_norm_n,torque_x_nm,torque_y_nm,torque_z_nm,support_force_x_n,support_force_y_n,support_force_z_n";

impl MotionRecord {
    /// The log as CSV, with units in the header.
    pub fn to_csv(&self) -> String {
        let mut csv = String::with_capacity(240 * (self.samples.len() + 1));
        csv.push_str(HEADER);
        csv.push('\n');
        for sample in &self.samples {
            let turn = sample.tool.rotation;
            let place = sample.tool.translation.vector;
            let _ = write!(csv, "{:.6},{:.9}", sample.time, sample.travel);
            let norm = [sample.force.norm()];
            let numbers = place
                .iter()
                .chain([&turn.w, &turn.i, &turn.j, &turn.k])
                .chain(&sample.force);
            for number in numbers
                .chain(&norm)
                .chain(&sample.torque)
                .chain(&sample.support_force)
            {
                let _ = write!(csv, ",{number:.9}");
            }
            csv.push('\n');
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_as_many_columns_as_its_header_names() {
        let sample = MotionSample {
            time: 0.5,
            tool: Isometry3::translation(1.0, 2.0, 3.0),
            travel: 0.01,
            force: Vector3::new(3.0, 0.0, 4.0),
            torque: Vector3::zeros(),
            support_force: Vector3::zeros(),
        };
        let record = MotionRecord {
            samples: vec![sample; 2],
        };
        let csv = record.to_csv();
        let counts: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [19; 3]);
        let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        assert_eq!(
            (row[4], row[5], row[12]),
            ("3.000000000", "1.000000000", "5.000000000")
        );
    }
}
