//! Log of an insertion.

use std::fmt::Write as _;

use nalgebra::Vector3;

/// Means of forces since the sample before, and the state at the end; SI units, in the frame of the block.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedleSample {
    /// Time [s].
    pub time: f64,
    /// Depth of the tip of a straight needle on its way, from the skin at rest [m].
    pub depth: f64,
    /// Force that the base exerts along the needle [N]: the sum of the three parts below.
    pub axial_force: f64,
    /// Force along the needle that the robot's sensor reads [N]; `None` without a robot.
    pub sensor_force: Option<f64>,
    /// Part of the tip while it presses a surface that is not broken [N].
    pub press_force: f64,
    /// Part of the tip while it cuts [N].
    pub cutting_force: f64,
    /// Part of the friction in each layer [N], shape `[n_layers]`.
    pub friction: Vec<f64>,
    /// Lateral force between shaft and tissue [N].
    pub lateral_force: f64,
    /// Length of needle in the tissue [m].
    pub inserted_length: f64,
    /// Position of the tip [m].
    pub tip: Vector3<f64>,
    /// Position of the target, which moves with the tissue [m].
    pub target: Vector3<f64>,
}

/// Samples of an insertion.
#[derive(Debug, Clone, Default)]
pub struct NeedleRecord {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// Samples in order of time.
    pub samples: Vec<NeedleSample>,
}

impl NeedleRecord {
    /// The log as CSV, with units in the header.
    pub fn to_csv(&self) -> String {
        let mut csv = "time_s,depth_m,axial_force_n,press_force_n,cutting_force_n".to_owned();
        for (index, name) in self.layers.iter().enumerate() {
            let _ = write!(csv, ",friction_{}_{name}_n", index + 1);
        }
        let has_sensor = self
            .samples
            .iter()
            .any(|sample| sample.sensor_force.is_some());
        if has_sensor {
            csv.push_str(",sensor_force_n");
        }
        csv.push_str(
            ",lateral_force_n,inserted_length_m,tip_x_m,tip_y_m,tip_z_m,target_x_m,target_y_m,target_z_m\n",
        );
        for sample in &self.samples {
            let _ = write!(
                csv,
                "{:.5},{:.6},{:.6},{:.6},{:.6}",
                sample.time,
                sample.depth,
                sample.axial_force,
                sample.press_force,
                sample.cutting_force
            );
            for friction in &sample.friction {
                let _ = write!(csv, ",{friction:.6}");
            }
            if has_sensor {
                let _ = write!(csv, ",{:.6}", sample.sensor_force.unwrap_or(f64::NAN));
            }
            let _ = write!(
                csv,
                ",{:.6},{:.6}",
                sample.lateral_force, sample.inserted_length
            );
            for x in sample.tip.iter().chain(sample.target.iter()) {
                let _ = write!(csv, ",{x:.7}");
            }
            csv.push('\n');
        }
        csv
    }
}
