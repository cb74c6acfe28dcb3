//! The report of an identification of the da Vinci PSM: tables, JSON, plots of torques and parameters, one HTML page.

mod page;
mod parameters_plot;
mod torque_plot;

use std::fmt::Write as _;

use insonate_drawing::Picture;
use insonate_dvrk::identification::{Coordinates, Identification, Method, MotionLog, Payload};
use insonate_dvrk::{DvrkError, JointVector, N_JOINTS, parameter_name};
use serde_json::{Value, json};

use super::{number, shown};
use crate::ReportError;

/// Names of a log's torques with units, for each kind of coordinates.
const TORQUES: [[&str; N_JOINTS]; 2] = [
    [
        "yaw [N m]",
        "pitch [N m]",
        "insertion [N]",
        "roll [N m]",
        "wrist pitch [N m]",
        "jaw a [N m]",
        "jaw b [N m]",
    ],
    [
        "yaw [N m]",
        "pitch [N m]",
        "insertion [N]",
        "roll [N m]",
        "motor 5 [N m]",
        "motor 6 [N m]",
        "motor 7 [N m]",
    ],
];

/// Results of an identification.
#[derive(Clone, Debug)]
pub struct IdentificationReport {
    identification: Identification,
    method: Method,
    coordinates: Coordinates,
    train: Comparison,
    test: Option<Comparison>,
    payload: Option<Payload>,
}

/// A log with its prediction.
#[derive(Clone, Debug)]
struct Comparison {
    log: String,
    rate_hz: f64,
    /// Norm of the error relative to the norm of the torque.
    relative_error: JointVector,
    /// Measured and predicted torques.
    torques: Vec<[JointVector; 2]>,
}

impl Comparison {
    fn of(identification: &Identification, log: &MotionLog) -> Result<Self, DvrkError> {
        Ok(Self {
            log: shown(&log.name),
            rate_hz: log.rate_hz,
            relative_error: identification.relative_error(log)?,
            torques: identification.compare(log)?,
        })
    }
}

impl IdentificationReport {
    /// Evaluates the identified model on both logs.
    ///
    /// # Errors
    /// If a log is too short for the filter or its sample rate is too low.
    pub fn new(
        identification: Identification,
        method: Method,
        train: &MotionLog,
        test: Option<&MotionLog>,
        payload: Option<Payload>,
    ) -> Result<Self, DvrkError> {
        let test = test.map(|log| Comparison::of(&identification, log));
        Ok(Self {
            train: Comparison::of(&identification, train)?,
            test: test.transpose()?,
            method,
            coordinates: train.coordinates,
            identification,
            payload,
        })
    }

    /// The log for the evaluation: the test log, or the training log if there is no test log.
    fn judged(&self) -> &Comparison {
        self.test.as_ref().unwrap_or(&self.train)
    }

    fn torque_names(&self) -> &'static [&'static str; N_JOINTS] {
        match self.coordinates {
            Coordinates::Joint => &TORQUES[0],
            Coordinates::Motor => &TORQUES[1],
        }
    }

    fn method_name(&self) -> &'static str {
        match self.method {
            Method::Ols => "ols",
            Method::Wls => "wls",
            Method::Sdp => "sdp",
        }
    }

    /// The result as JSON. `relative_error` is for the test log, or for the training log if there is no test log.
    pub fn json(&self) -> Value {
        let found = &self.identification;
        let base: Vec<Value> = (found.base.names().iter().enumerate())
            .map(|(index, name)| {
                json!({
                    "name": name,
                    "value": found.values[index],
                    "standard_error": found.standard_errors[index],
                })
            })
            .collect();
        let standard: serde_json::Map<String, Value> = (found.psm.parameters().iter().enumerate())
            .map(|(index, value)| (parameter_name(index), json!(value)))
            .collect();
        let payload = self.payload.map(|payload| {
            json!({
                "mass_kg": payload.mass,
                "mass_standard_error_kg": payload.mass_error,
                "mass_ci95_kg": payload.mass_interval(),
                "first_moment_kg_m": payload.first_moment.as_slice(),
                "first_moment_standard_error_kg_m": payload.first_moment_error.as_slice(),
            })
        });
        json!({
            "method": self.method_name(),
            "coordinates": match self.coordinates {
                Coordinates::Joint => "joint",
                Coordinates::Motor => "motor",
            },
            "train": self.train.log,
            "test": self.test.as_ref().map(|test| &test.log),
            "rate_hz": self.train.rate_hz,
            "cutoff_hz": found.filtering.cutoff_hz,
            "regressor_filtered": found.filtering.filter_regressor,
            "relative_error": self.judged().relative_error.as_slice(),
            "relative_error_train": self.train.relative_error.as_slice(),
            "n_base_parameters": found.base.n(),
            "condition_number": found.condition_number,
            "feasible": found.feasible,
            "base_parameters": base,
            "feasible_standard_parameters": standard,
            "payload": payload,
            "notes": self.notes(),
        })
    }

    /// The result as text for a terminal.
    pub fn text(&self) -> String {
        let found = &self.identification;
        let mut text = format!(
            "{} base parameters by {}, condition number {}, {}\n\n{:<20}{:>14}{:>14}\n",
            found.base.n(),
            self.method_name(),
            number(found.condition_number),
            self.feasibility(),
            "relative error",
            "train",
            "test"
        );
        for (joint, name) in self.torque_names().iter().enumerate() {
            let test = self
                .test
                .as_ref()
                .map_or("–".to_owned(), |test| percent(test.relative_error[joint]));
            let train = percent(self.train.relative_error[joint]);
            let _ = writeln!(text, "{name:<20}{train:>14}{test:>14}");
        }
        if let Some(payload) = &self.payload {
            let _ = write!(text, "\n{}", payload_line(payload));
        }
        for note in self.notes() {
            let _ = write!(text, "\nnote: {}", shown(&note));
        }
        text.trim_end().to_owned()
    }

    /// Notes about the logs and the payload.
    fn notes(&self) -> Vec<String> {
        let of_payload = self.payload.as_ref().map(Payload::notes);
        let of_logs = self.identification.notes.iter().cloned();
        of_logs.chain(of_payload.into_iter().flatten()).collect()
    }

    fn feasibility(&self) -> &'static str {
        if self.identification.feasible {
            "bodies that can exist have these parameters"
        } else {
            "no bodies that can exist have these parameters (the method sdp finds the nearest)"
        }
    }

    /// All files with their names.
    ///
    /// # Errors
    /// [`ReportError`].
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        let mut pictures = Vec::new();
        for (name, comparison) in [("test", &self.test), ("train", &Some(self.train.clone()))] {
            if let Some(comparison) = comparison {
                pictures.push(torque_plot::draw(name, comparison, self.torque_names())?);
            }
        }
        pictures.push(parameters_plot::draw(&self.identification)?);
        let json = format!("{}\n", serde_json::to_string_pretty(&self.json())?);
        let mut files = vec![
            ("result.json".to_owned(), json.into_bytes()),
            (
                "report.html".to_owned(),
                page::page(self, &pictures).into_bytes(),
            ),
        ];
        files.extend(pictures.iter().flat_map(Picture::files));
        Ok(files)
    }
}

/// A share in percent; empty for a joint that does not move.
fn percent(share: f64) -> String {
    if share.is_finite() {
        format!("{:.2} %", 100.0 * share)
    } else {
        "–".to_owned()
    }
}

fn payload_line(payload: &Payload) -> String {
    let [low, high] = payload.mass_interval().map(|mass| 1e3 * mass);
    let centre = payload.centre().map_or_else(
        || "no parameter that differs from zero".to_owned(),
        |centre| {
            let [x, y, z] = [centre.x, centre.y, centre.z].map(|along| 1e3 * along);
            format!("centre at {x:.1}, {y:.1}, {z:.1} mm in its frame")
        },
    );
    format!(
        "payload on the carriage: {:.1} g (95 %: {low:.1} to {high:.1} g), {centre}",
        1e3 * payload.mass
    )
}
