//! Recorded motions: positions, velocities and torques at a fixed rate.
//!
//! A file has either no header and 21 numbers per line in the order q1..q7, dq1..dq7, tau1..tau7, like the dVRK identification logs, or a header that names these columns in any order and may include a time.
//! Commas, semicolons or tabs separate the numbers of a text. `insonate-tables` reads the other formats: NumPy's arrays, Parquet, HDF5, MATLAB's files and spreadsheets.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::columns::Columns;
use super::motion_log::{Coordinates, INSERTION, MotionLog, N_COLUMNS, RATES, column_name};
use super::time;
use super::units::{self, Reading};
use crate::coupling;
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};
use insonate_settings::check_range;
use insonate_tables::{Format, TableError};

/// Longest log [samples]: 500 s at 200 Hz.
const MAX_SAMPLES: usize = 100_000;
/// Largest file [bytes]: enough for the longest log with long numbers.
const MAX_BYTES: u64 = 64 << 20;
/// Default rate of a log without a time column [Hz], as in Wang et al. 2019.
const USUAL_RATE: f64 = 200.0;
/// Allowed ratio of the derivative of a position to the recorded velocity.
const VELOCITY_RATIO: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// What a message calls a sample of a text and of a table.
const LINE: &str = "line";
const ROW: &str = "row";

/// A cell of a log.
#[derive(Clone, Copy)]
enum Cell<'a> {
    Text(&'a str),
    /// NaN: missing.
    Number(f64),
}

impl Cell<'_> {
    /// The finite number in the cell.
    fn value(self) -> Option<f64> {
        let value = match self {
            Self::Text(text) => text.parse().ok()?,
            Self::Number(value) => value,
        };
        value.is_finite().then_some(value)
    }

    /// The contents for a message.
    fn shown(self) -> String {
        match self {
            Self::Text(text) => text.chars().take(40).collect(),
            Self::Number(value) => value.to_string(),
        }
    }
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

    /// Reads a log of 21 columns or with named columns, in the units and at the rate of `reading`; the ending of the file tells its format. The returned log is in rad, m and motor torques.
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
        if Format::of(path).is_some_and(|format| format != Format::Csv) {
            return Self::read_table(name, path, reading);
        }
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
        let mut log = Self::empty(name, reading)?;
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
            log.push_line(first_index + 1, first, separator, &in_order, &mut times)?;
            in_order
        };
        for (index, line) in lines {
            log.push_line(index + 1, line, separator, &columns, &mut times)?;
        }
        log.finish(reading, &columns, LINE, &times)
    }

    /// Reads a file with columns or arrays, such as Parquet, NumPy's or MATLAB's. Rows count from 1.
    fn read_table(name: String, path: &Path, reading: &Reading) -> Result<Self, DvrkError> {
        let mut log = Self::empty(name, reading)?;
        let columns = RefCell::new(Columns::in_order());
        let series = insonate_tables::read_columns(path, &|names| {
            let found = Columns::of_table(names)?;
            let places = found.places();
            *columns.borrow_mut() = found.among(&places);
            Ok(places)
        })
        .map_err(|error| match error {
            TableError::Read { file, source } => DvrkError::Read {
                file,
                reason: source.to_string(),
            },
            TableError::Format {
                file,
                place,
                problem,
            } => DvrkError::Log {
                problem: format!("{}: {problem}", place.trim_start_matches(", ")),
                file,
            },
            other @ TableError::Option { .. } => DvrkError::Log {
                file: log.name.clone(),
                problem: other.to_string(),
            },
        })?;
        let columns = columns.into_inner();
        let mut times = Vec::new();
        let n_rows = series.first().map_or(0, Vec::len);
        (0..n_rows).try_for_each(|row| {
            let cell = |place: usize| Some(Cell::Number(series[place][row]));
            log.push((ROW, row + 1), &columns, &mut times, cell)
        })?;
        log.finish(reading, &columns, ROW, &times)
    }

    /// A log without samples.
    fn empty(name: String, reading: &Reading) -> Result<Self, DvrkError> {
        let rate_hz = reading.rate_hz.unwrap_or(USUAL_RATE);
        check_range(&format!("the rate of {name}"), rate_hz, RATES, "Hz")?;
        Ok(Self {
            name,
            rate_hz,
            coordinates: reading.coordinates,
            q: Vec::new(),
            dq: Vec::new(),
            tau: Vec::new(),
        })
    }

    /// Converts units and coordinates, and checks the log.
    fn finish(
        mut self,
        reading: &Reading,
        columns: &Columns,
        sample: &str,
        times: &[(usize, f64)],
    ) -> Result<Self, DvrkError> {
        reading.convert(&mut self);
        if columns.is_console {
            self.joints_from_console(columns);
        }
        time::apply(&mut self, sample, times, reading.rate_hz)?;
        units::check_positions(&self)?;
        self.check_velocities()?;
        Ok(self)
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

    /// Adds a line of text.
    fn push_line(
        &mut self,
        line: usize,
        text: &str,
        separator: char,
        columns: &Columns,
        times: &mut Vec<(usize, f64)>,
    ) -> Result<(), DvrkError> {
        let cells: Vec<&str> = text.split(separator).map(str::trim).collect();
        if !columns.is_named && cells.len() != N_COLUMNS {
            let problem = format!(
                "has {} columns; it must have {N_COLUMNS} (q1..q7, dq1..dq7, tau1..tau7), or a header that names them",
                cells.len()
            );
            return Err(self.problem(line, "the line", &problem));
        }
        let cell = |place: usize| cells.get(place).copied().map(Cell::Text);
        self.push((LINE, line), columns, times, cell)
    }

    /// Adds a sample, whose place is a line or a row with its number. `cell` gives the cell of a column.
    fn push<'a>(
        &mut self,
        place: (&str, usize),
        columns: &Columns,
        times: &mut Vec<(usize, f64)>,
        cell: impl Fn(usize) -> Option<Cell<'a>>,
    ) -> Result<(), DvrkError> {
        let problem = |what: &str, problem: &str| DvrkError::Log {
            file: self.name.clone(),
            problem: format!("{} {}: {what} {problem}", place.0, place.1),
        };
        if self.n_samples() == MAX_SAMPLES {
            let long = format!("has more than {MAX_SAMPLES} samples; cut it");
            return Err(problem("the file", &long));
        }
        let mut numbers = [0.0; N_COLUMNS];
        for (index, number) in numbers.iter_mut().enumerate() {
            let Some(column) = columns.cells[index] else {
                continue;
            };
            let cell = cell(column).ok_or_else(|| problem(&column_name(index), "is missing"))?;
            *number = cell
                .value()
                .filter(|value| value.abs() < 1e6)
                .ok_or_else(|| {
                    let wrong = format!(
                        "is {:?}; it must be a number between -1e6 and 1e6",
                        cell.shown()
                    );
                    problem(&column_name(index), &wrong)
                })?;
        }
        if let Some(column) = columns.time {
            let number = |column: usize| {
                let cell = cell(column).unwrap_or(Cell::Text(""));
                cell.value().ok_or_else(|| {
                    let wrong = format!(
                        "is {:?}; it must be a number of s, ms, µs or ns, not a date",
                        cell.shown()
                    );
                    problem("column time", &wrong)
                })
            };
            let more = columns.nanoseconds.map_or(Ok(0.0), number)?;
            times.push((place.1, number(column)? + 1e-9 * more));
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

/// Whether a cell is a number; `nan` and `inf` count as numbers.
fn is_number(cell: &str) -> bool {
    cell.trim().parse::<f64>().is_ok()
}
