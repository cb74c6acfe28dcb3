//! The log of an experiment: one sample a step.

/// What is logged at each physics step; SI units, world frame unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time [s].
    pub time: f64,
    /// Phase of the experiment, from 0.
    pub phase: usize,
    /// Face centre [m].
    pub position: [f64; 3],
    /// Rotation of the face, wxyz; in MCAP logs alone.
    pub rotation: [f64; 4],
    /// Where the face centre should be [m].
    pub target: [f64; 3],
    /// Velocity of the face centre [m/s].
    pub velocity: [f64; 3],
    /// Force of the probe on the tissue in the sensor's frame [N], weight and bias removed; z is the probe's axis.
    pub force: [f64; 3],
    /// Torque about the face centre, likewise [N·m].
    pub torque: [f64; 3],
    /// Force of the tissue on the probe in world, summed from the contact list [N].
    pub contact_force: [f64; 3],
    /// Whether the probe touches anything.
    pub in_contact: bool,
    /// Depth of the face centre below the skin at rest, along its normal [m].
    pub indentation: f64,
    /// Distance from the path, across it and along the skin [m].
    pub path_error: f64,
    /// Angle between the probe's axis and its goal [rad].
    pub tilt: f64,
}

/// The samples of one experiment.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Names of the phases.
    pub phases: Vec<&'static str>,
    /// Samples in order of time.
    pub samples: Vec<Sample>,
    /// What went otherwise than asked.
    pub notes: Vec<String>,
}

const HEADER: &str = "time_s,phase,position_x_m,position_y_m,position_z_m,target_x_m,target_y_m,target_z_m,\
velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,force_x_n,force_y_n,force_z_n,torque_x_nm,torque_y_nm,torque_z_nm,\
contact_force_x_n,contact_force_y_n,contact_force_z_n,in_contact,indentation_m,path_error_m,tilt_rad";

impl Record {
    /// The log as CSV, units in the header.
    pub fn to_csv(&self) -> String {
        use std::fmt::Write as _;
        let mut csv = String::with_capacity(self.samples.len() * 200 + HEADER.len());
        csv.push_str(HEADER);
        csv.push('\n');
        for sample in &self.samples {
            let phase = self.phases.get(sample.phase).copied().unwrap_or("");
            let vectors = [
                sample.position,
                sample.target,
                sample.velocity,
                sample.force,
                sample.torque,
                sample.contact_force,
            ];
            let _ = write!(csv, "{:.6},{phase}", sample.time);
            for component in vectors.iter().flatten() {
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

    /// The samples of a phase.
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
        assert!(csv.starts_with("time_s,phase,") && csv.contains(",force_z_n,"));
    }
}
