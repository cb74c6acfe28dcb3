//! Recorded motions: positions, velocities and torques at a fixed rate, read from text.
//!
//! A file has either 21 numbers per line and no header, in the order q1..q7, dq1..dq7, tau1..tau7, as the dVRK identification logs have, or a header that names these columns in any order.
//! Numbers are separated by commas, semicolons or tabs.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::filter::derivative;
use crate::coupling;
use crate::error::DvrkError;
use crate::psm::{JointVector, N_JOINTS};

/// Numbers per sample.
const N_COLUMNS: usize = 3 * N_JOINTS;
/// Longest log [samples]: 500 s at 200 Hz.
const MAX_SAMPLES: usize = 100_000;
/// Largest file [bytes]: a full log of long numbers.
const MAX_BYTES: u64 = 64 << 20;
/// Allowed rates [Hz].
const RATES: std::ops::RangeInclusive<f64> = 20.0..=10_000.0;
/// How far a recorded velocity may differ from the derivative of its position.
const VELOCITY_RATIO: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// Names of the three quantities in headers; the first is the one that messages use.
const NAMES: [&[&str]; 3] = [
    &["q", "position"],
    &["dq", "qd", "velocity"],
    &["tau", "torque", "effort"],
];

/// What the numbers of a log count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinates {
    /// Joints of the mechanism: wrist pitch and the angle of each jaw.
    Joint,
    /// Motors 5 to 7, as the dVRK identification logs have.
    Motor,
}

impl Coordinates {
    /// Positions, velocities or accelerations of the joints.
    pub fn joints(self, values: &JointVector) -> JointVector {
        match self {
            Self::Joint => *values,
            Self::Motor => coupling::joint_from_motor(values),
        }
    }

    /// Positions, velocities or accelerations in these coordinates, from the joints'.
    pub fn from_joints(self, joints: &JointVector) -> JointVector {
        match self {
            Self::Joint => *joints,
            Self::Motor => coupling::motor_from_joint(joints),
        }
    }

    /// Torques in these coordinates, from joint torques.
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
    /// Its file or another name, for messages.
    pub name: String,
    /// Samples per second [Hz].
    pub rate_hz: f64,
    /// What the vectors below count.
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
    /// [`DvrkError`] naming file, line and column where a number is missing or none, where the rate is not 20 to 10000 Hz, where the file is longer than 100000 samples, or where velocities are not those of the positions at this rate.
    pub fn read(path: &Path, rate_hz: f64, coordinates: Coordinates) -> Result<Self, DvrkError> {
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
        Self::parse(name, &text, rate_hz, coordinates)
    }

    /// The same from text; `name` is what messages call it.
    ///
    /// # Errors
    ///
    /// As [`MotionLog::read`].
    pub fn parse(
        name: String,
        text: &str,
        rate_hz: f64,
        coordinates: Coordinates,
    ) -> Result<Self, DvrkError> {
        if !RATES.contains(&rate_hz) {
            return Err(DvrkError::Range {
                name: format!("the rate of {name} [Hz]"),
                value: rate_hz,
                allowed: format!("{} to {}", RATES.start(), RATES.end()),
            });
        }
        let mut log = Self {
            name,
            rate_hz,
            coordinates,
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
        let columns = if has_header {
            log.named_columns(first_index + 1, first, separator)?
        } else {
            let in_order = std::array::from_fn(|column| column);
            log.push(first_index + 1, first, separator, &in_order, false)?;
            in_order
        };
        for (index, line) in lines {
            log.push(index + 1, line, separator, &columns, has_header)?;
        }
        log.check_velocities()?;
        Ok(log)
    }

    /// Number of samples.
    pub fn n_samples(&self) -> usize {
        self.q.len()
    }

    /// Which cell of a line holds which of the 21 numbers.
    fn named_columns(
        &self,
        line: usize,
        header: &str,
        separator: char,
    ) -> Result<[usize; N_COLUMNS], DvrkError> {
        let cells: Vec<String> = header
            .split(separator)
            .map(|cell| {
                cell.trim()
                    .trim_matches('"')
                    .to_lowercase()
                    .replace('_', "")
            })
            .collect();
        let mut columns = [0; N_COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            let (quantity, joint) = (index / N_JOINTS, index % N_JOINTS + 1);
            let wanted = |cell: &String| {
                NAMES[quantity]
                    .iter()
                    .any(|name| *cell == format!("{name}{joint}"))
            };
            let found: Vec<usize> = (0..cells.len()).filter(|i| wanted(&cells[*i])).collect();
            *column = match found[..] {
                [only] => only,
                [] => {
                    let problem = format!(
                        "is missing in the header; it names: {}",
                        cells.join(", ").chars().take(200).collect::<String>()
                    );
                    return Err(self.problem(line, &column_name(index), &problem));
                }
                _ => return Err(self.problem(line, &column_name(index), "is named twice")),
            };
        }
        Ok(columns)
    }

    fn push(
        &mut self,
        line: usize,
        text: &str,
        separator: char,
        columns: &[usize; N_COLUMNS],
        named: bool,
    ) -> Result<(), DvrkError> {
        if self.n_samples() == MAX_SAMPLES {
            let problem = format!("has more than {MAX_SAMPLES} samples; cut it");
            return Err(self.problem(line, "the file", &problem));
        }
        let cells: Vec<&str> = text.split(separator).map(str::trim).collect();
        if !named && cells.len() != N_COLUMNS {
            let problem = format!(
                "has {} columns, allowed: {N_COLUMNS} (q1..q7, dq1..dq7, tau1..tau7), or a header that names them",
                cells.len()
            );
            return Err(self.problem(line, "the line", &problem));
        }
        let mut numbers = [0.0; N_COLUMNS];
        for (index, number) in numbers.iter_mut().enumerate() {
            let Some(cell) = cells.get(columns[index]) else {
                return Err(self.problem(line, &column_name(index), "is missing"));
            };
            *number = match cell.parse::<f64>() {
                Ok(value) if value.is_finite() && value.abs() < 1e6 => value,
                _ => {
                    let shown: String = cell.chars().take(40).collect();
                    let problem = format!("is {shown:?}, allowed: a number below 1e6");
                    return Err(self.problem(line, &column_name(index), &problem));
                }
            };
        }
        let vector =
            |quantity: usize| JointVector::from_fn(|joint, _| numbers[quantity * N_JOINTS + joint]);
        self.q.push(vector(0));
        self.dq.push(vector(1));
        self.tau.push(vector(2));
        Ok(())
    }

    /// Recorded velocities must be those of the positions: a wrong rate or degrees show here.
    fn check_velocities(&self) -> Result<(), DvrkError> {
        for joint in 0..N_JOINTS {
            let positions: Vec<f64> = self.q.iter().map(|q| q[joint]).collect();
            let rates = derivative(&positions, self.rate_hz);
            let (mut cross, mut square) = (0.0, 0.0);
            for (rate, dq) in rates.iter().zip(&self.dq) {
                cross += rate * dq[joint];
                square += dq[joint] * dq[joint];
            }
            // A joint that rests has nothing to compare.
            if square > 1e-6 * self.n_samples() as f64
                && !VELOCITY_RATIO.contains(&(cross / square))
            {
                return Err(DvrkError::Log {
                    file: self.name.clone(),
                    problem: format!(
                        "q{0} changes {1:.3} times as fast at {2} Hz as dq{0} says, allowed: {3} to {4}; is the rate right, and are angles in radians",
                        joint + 1,
                        cross / square,
                        self.rate_hz,
                        VELOCITY_RATIO.start(),
                        VELOCITY_RATIO.end()
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

fn column_name(index: usize) -> String {
    format!(
        "column {}{}",
        NAMES[index / N_JOINTS][0],
        index % N_JOINTS + 1
    )
}

/// Whether a cell is a number, `nan` and `inf` among them.
fn is_number(cell: &str) -> bool {
    cell.trim().parse::<f64>().is_ok()
}
