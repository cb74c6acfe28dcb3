//! Recorded motions: positions, velocities and torques at a fixed rate, read from text.
//!
//! A file has either no header and 21 numbers per line in the order q1..q7, dq1..dq7, tau1..tau7, like the dVRK identification logs, or a header that names these columns in any order and may include a time.
//! Commas, semicolons or tabs separate the numbers.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::columns::Columns;
use super::time;
use super::units::{self, Reading};
use crate::coupling;
use crate::error::DvrkError;
use crate::psm::{JointVector, N_JOINTS};
use insonate_settings::check_range;

/// Numbers per sample.
pub(super) const N_COLUMNS: usize = 3 * N_JOINTS;
/// Longest log [samples]: 500 s at 200 Hz.
const MAX_SAMPLES: usize = 100_000;
/// Largest file [bytes]: enough for the longest log with long numbers.
const MAX_BYTES: u64 = 64 << 20;
/// Allowed rates [Hz].
pub(super) const RATES: [f64; 2] = [20.0, 10_000.0];
/// Default rate of a log without a time column [Hz], as in Wang et al. 2019.
const USUAL_RATE: f64 = 200.0;
/// Allowed ratio of the derivative of a position to the recorded velocity.
const VELOCITY_RATIO: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// Index of the insertion, the joint in metres.
pub(super) const INSERTION: usize = 2;
/// Names of the three quantities in headers; messages use the first.
pub(super) const NAMES: [&[&str]; 3] = [
    &["q", "position"],
    &["dq", "qd", "velocity"],
    &["tau", "torque", "effort"],
];

/// Coordinates of the numbers in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinates {
    /// Joints of the mechanism: wrist pitch and the angle of each jaw.
    Joint,
    /// Motors 5 to 7 instead of these, like the dVRK identification logs.
    Motor,
}

impl Coordinates {
    /// Converts positions, velocities or accelerations in these coordinates to joints.
    pub fn joints(self, values: &JointVector) -> JointVector {
        match self {
            Self::Joint => *values,
            Self::Motor => coupling::joint_from_motor(values),
        }
    }

    /// Converts positions, velocities or accelerations of the joints to these coordinates.
    pub fn from_joints(self, joints: &JointVector) -> JointVector {
        match self {
            Self::Joint => *joints,
            Self::Motor => coupling::motor_from_joint(joints),
        }
    }

    /// Converts joint torques to these coordinates.
    pub fn torques(self, joint_torque: &JointVector) -> JointVector {
        match self {
            Self::Joint => *joint_torque,
            Self::Motor => coupling::motor_torque_from_joint(joint_torque),
        }
    }
}

/// A recorded motion.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionLog {
    /// Name of the log in messages, such as its file.
    pub name: String,
    /// Sample rate [Hz].
    pub rate_hz: f64,
    /// Coordinates of the vectors below.
    pub coordinates: Coordinates,
    /// Positions [rad, m].
    pub q: Vec<JointVector>,
    /// Velocities [rad/s, m/s].
    pub dq: Vec<JointVector>,
    /// Torques and forces [N m, N].
    pub tau: Vec<JointVector>,
}

impl MotionLog {
    /// Reads a log of 21 columns or with named columns.
    ///
    /// # Errors
    ///
    /// The same as [`MotionLog::read_with`].
    pub fn read(path: &Path, rate_hz: f64, coordinates: Coordinates) -> Result<Self, DvrkError> {
        let reading = Reading {
            rate_hz: Some(rate_hz),
            ..Reading::new(coordinates)
        };
        Self::read_with(path, &reading)
    }

    /// Reads a log of 21 columns or with named columns, in the units and at the rate of `reading`. The returned log is in rad, m and motor torques.
    ///
    /// A header may omit joints 4 to 7; they are then at rest at zero.
    /// Wrist yaw and jaw opening of the dVRK's topics become the angles of both jaws.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] naming file, line and column if a number is missing or invalid, if the rate is outside 20 to 10000 Hz or differs from the time column, if the file has more than 100000 samples, or if velocities are not the derivatives of the positions at this rate.
    /// [`DvrkError::Log`] if positions are outside the arm's range, naming the likely unit.
    pub fn read_with(path: &Path, reading: &Reading) -> Result<Self, DvrkError> {
        let name = path.display().to_string();
        let unreadable = |source: std::io::Error| DvrkError::Read {
            file: path.display().to_string(),
            reason: source.to_string(),
        };
        let file = File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        let mut limited = file.take(MAX_BYTES + 1);
        limited.read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(DvrkError::Read {
                file: name,
                reason: format!("longer than {MAX_BYTES} bytes"),
            });
        }
        Self::parse_with(name, &text, reading)
    }

    /// Parses a log from text like [`MotionLog::read`]; messages use `name` for the log.
    ///
    /// # Errors
    ///
    /// The same as [`MotionLog::read`].
    pub fn parse(
        name: String,
        text: &str,
        rate_hz: f64,
        coordinates: Coordinates,
    ) -> Result<Self, DvrkError> {
        let reading = Reading {
            rate_hz: Some(rate_hz),
            ..Reading::new(coordinates)
        };
        Self::parse_with(name, text, &reading)
    }

    /// Parses a log from text like [`MotionLog::read_with`]; messages use `name` for the log.
    ///
    /// # Errors
    ///
    /// The same as [`MotionLog::read_with`].
    pub fn parse_with(name: String, text: &str, reading: &Reading) -> Result<Self, DvrkError> {
        let rate_hz = reading.rate_hz.unwrap_or(USUAL_RATE);
        check_range(&format!("the rate of {name}"), rate_hz, RATES, "Hz")?;
        let mut log = Self {
            name,
            rate_hz,
            coordinates: reading.coordinates,
            q: Vec::new(),
            dq: Vec::new(),
            tau: Vec::new(),
        };
        let text = text.trim_start_matches('\u{feff}');
        let numbered = text.lines().enumerate();
        let mut lines = numbered.filter(|(_, line)| !line.trim().is_empty());
        let Some((first_index, first)) = lines.next() else {
            return Err(log.problem(1, "the file", "is empty"));
        };
        let separator = [',', ';', '\t']
            .into_iter()
            .find(|separator| first.contains(*separator))
            .unwrap_or(',');
        let has_header = first
            .split(separator)
            .any(|cell| cell.trim().chars().any(char::is_alphabetic) && !is_number(cell));
        let mut times = Vec::new();
        let columns = if has_header {
            let cells: Vec<&str> = first.split(separator).collect();
            Columns::named(&cells)
                .map_err(|(column, problem)| log.problem(first_index + 1, &column, &problem))?
        } else {
            let in_order = Columns::in_order();
            log.push(
                first_index + 1,
                first,
                separator,
                &in_order,
                false,
                &mut times,
            )?;
            in_order
        };
        for (index, line) in lines {
            log.push(index + 1, line, separator, &columns, has_header, &mut times)?;
        }
        reading.convert(&mut log);
        if columns.is_console {
            log.joints_from_console(&columns);
        }
        time::apply(&mut log, &times, reading.rate_hz)?;
        units::check_positions(&log)?;
        log.check_velocities()?;
        Ok(log)
    }

    /// Number of samples.
    pub fn n_samples(&self) -> usize {
        self.q.len()
    }

    /// Joints at rest: positions stay within 0.01 rad or 0.5 mm, which is less than the play of a gear and far more than encoder noise.
    pub fn joints_at_rest(&self) -> [bool; N_JOINTS] {
        std::array::from_fn(|joint| {
            let positions = self.q.iter().map(|q| q[joint]);
            let (low, high) =
                positions.fold((f64::MAX, f64::MIN), |(l, h), q| (l.min(q), h.max(q)));
            high - low <= if joint == INSERTION { 5e-4 } else { 1e-2 }
        })
    }

    /// Computes both jaws from the wrist yaw and the jaw opening. Without the opening, the jaws and the wrist pitch, which shares their cables, are left out.
    fn joints_from_console(&mut self, columns: &Columns) {
        self.coordinates = Coordinates::Joint;
        if columns.cells[N_JOINTS - 1].is_none() {
            for values in [&mut self.q, &mut self.dq, &mut self.tau] {
                for value in values.iter_mut() {
                    value.fixed_rows_mut::<3>(N_JOINTS - 3).fill(0.0);
                }
            }
            return;
        }
        for value in self.q.iter_mut().chain(&mut self.dq) {
            *value = coupling::joint_from_console(value);
        }
        for tau in &mut self.tau {
            *tau = coupling::joint_torque_from_console(tau);
        }
    }

    fn push(
        &mut self,
        line: usize,
        text: &str,
        separator: char,
        columns: &Columns,
        named: bool,
        times: &mut Vec<(usize, f64)>,
    ) -> Result<(), DvrkError> {
        if self.n_samples() == MAX_SAMPLES {
            let problem = format!("has more than {MAX_SAMPLES} samples; cut it");
            return Err(self.problem(line, "the file", &problem));
        }
        let cells: Vec<&str> = text.split(separator).map(str::trim).collect();
        if !named && cells.len() != N_COLUMNS {
            let problem = format!(
                "has {} columns; it must have {N_COLUMNS} (q1..q7, dq1..dq7, tau1..tau7), or a header that names them",
                cells.len()
            );
            return Err(self.problem(line, "the line", &problem));
        }
        let mut numbers = [0.0; N_COLUMNS];
        for (index, number) in numbers.iter_mut().enumerate() {
            let Some(place) = columns.cells[index] else {
                continue;
            };
            let Some(cell) = cells.get(place) else {
                return Err(self.problem(line, &column_name(index), "is missing"));
            };
            *number = match cell.parse::<f64>() {
                Ok(value) if value.is_finite() && value.abs() < 1e6 => value,
                _ => {
                    let shown: String = cell.chars().take(40).collect();
                    let problem = format!("is {shown:?}; it must be a number between -1e6 and 1e6");
                    return Err(self.problem(line, &column_name(index), &problem));
                }
            };
        }
        if let Some(place) = columns.time {
            let number = |place: usize| {
                let cell = cells.get(place).copied().unwrap_or_default();
                match cell.parse::<f64>() {
                    Ok(value) if value.is_finite() => Ok(value),
                    _ => {
                        let shown: String = cell.chars().take(40).collect();
                        let problem = format!(
                            "is {shown:?}; it must be a number of s, ms, µs or ns, not a date"
                        );
                        Err(self.problem(line, "column time", &problem))
                    }
                }
            };
            let more = columns.nanoseconds.map_or(Ok(0.0), number)?;
            times.push((line, number(place)? + 1e-9 * more));
        }
        let vector =
            |quantity: usize| JointVector::from_fn(|joint, _| numbers[quantity * N_JOINTS + joint]);
        self.q.push(vector(0));
        self.dq.push(vector(1));
        self.tau.push(vector(2));
        Ok(())
    }

    /// Checks that recorded velocities are the derivatives of the positions: this detects a wrong rate or degrees.
    fn check_velocities(&self) -> Result<(), DvrkError> {
        for joint in 0..N_JOINTS {
            let Some(ratio) = units::velocity_ratio(self, joint) else {
                continue;
            };
            if !VELOCITY_RATIO.contains(&ratio) {
                return Err(DvrkError::Log {
                    file: self.name.clone(),
                    problem: format!(
                        "at {1} Hz the speed of q{0} is {ratio:.3} times dq{0}; it must be between {2} and {3} times dq{0}; {4}",
                        joint + 1,
                        self.rate_hz,
                        VELOCITY_RATIO.start(),
                        VELOCITY_RATIO.end(),
                        units::ratio_hint(self, joint, ratio)
                    ),
                });
            }
        }
        Ok(())
    }

    fn problem(&self, line: usize, what: &str, problem: &str) -> DvrkError {
        DvrkError::Log {
            file: self.name.clone(),
            problem: format!("line {line}: {what} {problem}"),
        }
    }
}

pub(super) fn column_name(index: usize) -> String {
    format!(
        "column {}{}",
        NAMES[index / N_JOINTS][0],
        index % N_JOINTS + 1
    )
}

/// Whether a cell is a number; `nan` and `inf` count as numbers.
fn is_number(cell: &str) -> bool {
    cell.trim().parse::<f64>().is_ok()
}
