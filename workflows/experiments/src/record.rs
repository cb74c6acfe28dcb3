//! Log of an experiment, with one sample per step.

use insonate_sim::readings::PressureMap;

use super::StressRecord;

/// State at a physics step; SI units, in the world frame unless noted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time [s].
    pub time: f64,
    /// Phase of the experiment, from 0.
    pub phase: usize,
    /// Face centre [m].
    pub position: [f64; 3],
    /// Rotation of the face, wxyz; only in MCAP logs.
    pub rotation: [f64; 4],
    /// Target position of the face centre [m].
    pub target: [f64; 3],
    /// Velocity of the face centre [m/s].
    pub velocity: [f64; 3],
    /// Force of the probe on the tissue in the sensor frame [N], without weight and bias; z is the probe's axis.
    pub force: [f64; 3],
    /// Torque of the probe on the tissue about the face centre, in the sensor frame [N·m].
    pub torque: [f64; 3],
    /// Force of the tissue on the probe in the world, summed over the contact list [N].
    pub contact_force: [f64; 3],
    /// Whether the probe is in contact.
    pub in_contact: bool,
    /// Depth of the face centre below the resting skin, along its normal [m].
    pub indentation: f64,
    /// Distance from the path, perpendicular to it and along the skin [m].
    pub path_error: f64,
    /// Angle between the probe's axis and its target [rad].
    pub tilt: f64,
    /// Pressure on the face; `None` if it is not measured. It is not in the log.
    pub pressure: Option<Pressure>,
}

/// Pressure on the probe's face ([`PressureMap`](insonate_sim::readings::PressureMap)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressure {
    /// Greatest mean over 1 cm² [Pa].
    pub peak: f64,
    /// Area in contact [m²].
    pub contact_area: f64,
}

/// Joints of the robot, in the order of its model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointRecord {
    /// Names in the scene.
    pub names: Vec<String>,
    /// Positions [rad or m], shape `[n_samples, n_joints]`.
    pub positions: Vec<f64>,
    /// Velocities [rad/s or m/s], shape `[n_samples, n_joints]`.
    pub velocities: Vec<f64>,
}

impl JointRecord {
    /// Positions and velocities at a sample; `None` if they were not recorded.
    pub fn at(&self, sample: usize) -> Option<[&[f64]; 2]> {
        let n = self.names.len();
        let range = sample * n..(sample + 1) * n;
        let positions = self.positions.get(range.clone())?;
        Some([positions, self.velocities.get(range)?])
    }
}

/// Samples of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Names of the phases.
    pub phases: Vec<&'static str>,
    /// Samples in order of time.
    pub samples: Vec<Sample>,
    /// The robot's joints at the samples; only in MCAP logs.
    pub joints: JointRecord,
    /// Deviations from the settings.
    pub notes: Vec<String>,
    /// Pressure on the face when its greatest mean over 1 cm² was greatest; `None` if it is not measured.
    pub greatest_pressure: Option<PressureMap>,
    /// Strain and stress of the tissue at the end of a press; `None` if the torso has none.
    pub stress: Option<StressRecord>,
}

const HEADER: &str = "time_s,phase,position_x_m,position_y_m,position_z_m,target_x_m,target_y_m,target_z_m,\
velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,force_x_n,force_y_n,force_z_n,torque_x_nm,torque_y_nm,torque_z_nm,\
contact_force_x_n,contact_force_y_n,contact_force_z_n,in_contact,indentation_m,path_error_m,tilt_rad";

impl Sample {
    /// The vectors in the order of the log's columns.
    fn vectors(&self) -> [[f64; 3]; 6] {
        [
            self.position,
            self.target,
            self.velocity,
            self.force,
            self.torque,
            self.contact_force,
        ]
    }
}

impl Record {
    /// The log as CSV, with units in the header.
    pub fn to_csv(&self) -> String {
        use std::fmt::Write as _;
        let mut csv = String::with_capacity(self.samples.len() * 200 + HEADER.len());
        csv.push_str(HEADER);
        csv.push('\n');
        for sample in &self.samples {
            let phase = self.phases.get(sample.phase).copied().unwrap_or("");
            let _ = write!(csv, "{:.6},{phase}", sample.time);
            for component in sample.vectors().iter().flatten() {
                let _ = write!(csv, ",{component:.9}");
            }
            let _ = writeln!(
                csv,
                ",{},{:.9},{:.9},{:.9}",
                u8::from(sample.in_contact),
                sample.indentation,
                sample.path_error,
                sample.tilt
            );
        }
        csv
    }

    /// The numbers of the log by the names of [`Self::to_csv`], one column of length `[n_samples]` each; without `phase`.
    pub fn columns(&self) -> Vec<(&'static str, Vec<f64>)> {
        let names: Vec<&str> = HEADER.split(',').filter(|name| *name != "phase").collect();
        let mut columns: Vec<(&str, Vec<f64>)> = names
            .into_iter()
            .map(|name| (name, Vec::with_capacity(self.samples.len())))
            .collect();
        for sample in &self.samples {
            let numbers = std::iter::once(sample.time)
                .chain(sample.vectors().into_iter().flatten())
                .chain([
                    f64::from(u8::from(sample.in_contact)),
                    sample.indentation,
                    sample.path_error,
                    sample.tilt,
                ]);
            for ((_, column), number) in columns.iter_mut().zip(numbers) {
                column.push(number);
            }
        }
        columns
    }

    /// Samples of a phase.
    pub fn of_phase(&self, name: &str) -> impl Iterator<Item = &Sample> {
        let phase = self.phases.iter().position(|phase| *phase == name);
        self.samples
            .iter()
            .filter(move |sample| Some(sample.phase) == phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_as_many_columns_as_its_header_names() {
        let record = Record {
            phases: vec!["approach"],
            samples: vec![Sample::default(); 2],
            ..Record::default()
        };
        let csv = record.to_csv();
        let counts: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [24; 3]);
        let columns = record.columns();
        assert_eq!(columns.len(), 23);
        assert!(columns.iter().all(|(_, column)| column.len() == 2));
        assert!(csv.starts_with("time_s,phase,") && csv.contains(",force_z_n,"));
    }
}
