//! A replayed episode next to its recording: log, plot and errors.

use insonate_drawing::{
    BLUE_LINE, DrawingError, GREY_LINE, MAX_POINTS, ORANGE_LINE, Panel, Picture, Points,
    StackedPlot, thin,
};
use insonate_experiments::ProbeState;
use insonate_sim::Pose;
use nalgebra::Vector3;
use serde_json::{Value, json};

use super::RecordedTrack;

/// Recorded and simulated state of the probe at a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayRow {
    /// Time of the recording [s].
    pub time: f64,
    /// Recorded pose of the face in the world.
    pub pose: Pose,
    /// Recorded force of the probe on the tissue, in the probe's frame [N].
    pub force: Option<Vector3<f64>>,
    /// Recorded torque about the middle of the face [N·m].
    pub torque: Option<Vector3<f64>>,
    /// The simulation.
    pub simulated: ProbeState,
}

/// A replayed episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// What was repeated: `actions` or `poses`.
    pub by: &'static str,
    /// Rows of recording and simulation.
    pub rows: Vec<ReplayRow>,
    /// Number of rows in the recording; fewer are compared if the simulated episode ended before.
    pub n_recorded: usize,
    /// Columns that were used.
    pub columns: Vec<String>,
    /// What is not compared, and why.
    pub missing: Vec<String>,
    /// Columns compared bit by bit, which a replay by actions repeats exactly.
    pub compared_bits: Vec<String>,
    /// Those of them that differ.
    pub different_bits: Vec<String>,
}

/// Columns of the log, for a vector each.
const VECTORS: [&str; 6] = [
    "position",
    "simulated_position",
    "force",
    "simulated_force",
    "torque",
    "simulated_torque",
];

/// Root mean square and maximum of numbers; `None` without one.
fn rms(numbers: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let (n, sum, max) = numbers.fold((0, 0.0, 0.0_f64), |(n, sum, max), number| {
        (n + 1, sum + number * number, max.max(number.abs()))
    });
    (n > 0).then(|| [(sum / f64::from(n)).sqrt(), max])
}

impl Replay {
    pub(super) fn new(by: &'static str, track: &RecordedTrack, states: &[ProbeState]) -> Self {
        let at =
            |vectors: &Option<Vec<Vector3<f64>>>, row: usize| vectors.as_ref().map(|it| it[row]);
        let pairs = track.time.iter().zip(&track.poses).zip(states).enumerate();
        let rows = pairs.map(|(row, ((time, pose), simulated))| ReplayRow {
            time: *time,
            pose: *pose,
            force: at(&track.force, row),
            torque: at(&track.torque, row),
            simulated: *simulated,
        });
        Self {
            by,
            rows: rows.collect(),
            n_recorded: track.time.len(),
            columns: track.columns.clone(),
            missing: track.missing.clone(),
            compared_bits: Vec::new(),
            different_bits: Vec::new(),
        }
    }

    fn force_errors(&self) -> impl Iterator<Item = Vector3<f64>> {
        let rows = self.rows.iter();
        rows.filter_map(|row| Some(row.simulated.force - row.force?))
    }

    /// Root mean square and maximum difference of the force [N]; `None` if it was not recorded.
    pub fn force_error(&self) -> Option<[f64; 2]> {
        rms(self.force_errors().map(|error| error.norm()))
    }

    /// Root mean square and maximum difference of the position [m].
    pub fn position_error(&self) -> Option<[f64; 2]> {
        let rows = self.rows.iter();
        rms(rows.map(|row| (row.simulated.world_from_probe.position - row.pose.position).norm()))
    }

    /// Root mean square and maximum angle between the orientations [rad].
    pub fn rotation_error(&self) -> Option<[f64; 2]> {
        let rows = self.rows.iter();
        rms(rows.map(|row| {
            row.simulated
                .world_from_probe
                .rotation
                .angle_to(&row.pose.rotation)
        }))
    }

    /// Whether every compared number has the bits of the recording; `None` if no numbers are repeated exactly.
    pub fn is_identical(&self) -> Option<bool> {
        (!self.compared_bits.is_empty())
            .then_some(self.different_bits.is_empty() && self.rows.len() == self.n_recorded)
    }

    /// Errors in SI units, and what was compared.
    pub fn to_json(&self) -> Value {
        let part = |pair: Option<[f64; 2]>, at: usize| pair.map(|pair| pair[at]);
        let (position, rotation, force) = (
            self.position_error(),
            self.rotation_error(),
            self.force_error(),
        );
        let axial = rms(self.force_errors().map(|error| error.z));
        let torque = self.rows.iter();
        let torque = torque.filter_map(|row| Some((row.simulated.torque - row.torque?).norm()));
        let torque = rms(torque);
        let peak =
            |of: &dyn Fn(&ReplayRow) -> Option<f64>| part(rms(self.rows.iter().filter_map(of)), 1);
        let time = |row: Option<&ReplayRow>| row.map_or(0.0, |row| row.time);
        json!({
            "by": self.by,
            "rows": self.rows.len(),
            "rows_recorded": self.n_recorded,
            "duration_s": time(self.rows.last()) - time(self.rows.first()),
            "position_rmse_m": part(position, 0),
            "position_error_max_m": part(position, 1),
            "rotation_rmse_rad": part(rotation, 0),
            "rotation_error_max_rad": part(rotation, 1),
            "force_rmse_n": part(force, 0),
            "force_error_max_n": part(force, 1),
            "axial_force_rmse_n": part(axial, 0),
            "torque_rmse_nm": part(torque, 0),
            "force_peak_recorded_n": peak(&|row| Some(row.force?.norm())),
            "force_peak_simulated_n": peak(&|row| Some(row.simulated.force.norm())),
            "columns": self.columns,
            "missing": self.missing,
            "compared_bit_by_bit": self.compared_bits,
            "different": self.different_bits,
            "identical": self.is_identical(),
        })
    }

    /// The log with units in its header; a quantity that was not recorded is empty.
    pub fn to_csv(&self) -> String {
        use std::fmt::Write as _;
        let mut csv = "time_s".to_owned();
        for (name, unit) in VECTORS.iter().zip(["m", "m", "n", "n", "nm", "nm"]) {
            for axis in ["x", "y", "z"] {
                let _ = write!(csv, ",{name}_{axis}_{unit}");
            }
        }
        csv.push_str(",rotation_error_rad\n");
        for row in &self.rows {
            let simulated = &row.simulated;
            let vectors = [
                Some(row.pose.position),
                Some(simulated.world_from_probe.position),
                row.force,
                Some(simulated.force),
                row.torque,
                Some(simulated.torque),
            ];
            let _ = write!(csv, "{:.6}", row.time);
            for vector in vectors {
                match vector {
                    Some(v) => {
                        let _ = write!(csv, ",{:.9},{:.9},{:.9}", v.x, v.y, v.z);
                    }
                    None => csv.push_str(",,,"),
                }
            }
            let angle = simulated
                .world_from_probe
                .rotation
                .angle_to(&row.pose.rotation);
            let _ = writeln!(csv, ",{angle:.9}");
        }
        csv
    }
}

/// Draws the force along the probe's axis, recorded and simulated, and the error of the position.
///
/// # Errors
/// [`DrawingError`].
pub fn replay_plot(title: &str, replay: &Replay) -> Result<Picture, DrawingError> {
    let caption = "Force of the probe on the tissue along its axis and across it, recorded and simulated; distance between the recorded and the \
                   simulated position."
        .to_owned();
    let start = replay.rows.first().map_or(0.0, |row| row.time);
    let curve = |of: &dyn Fn(&ReplayRow) -> Option<f64>| -> Points {
        let rows = replay.rows.iter();
        let points: Vec<(f64, f64)> = rows
            .filter_map(|row| Some((row.time - start, of(row)?)))
            .collect();
        thin(&points, MAX_POINTS)
    };
    let across = |force: Vector3<f64>| force.x.hypot(force.y);
    let both = |of: &dyn Fn(Vector3<f64>) -> f64| {
        let recorded = ("recorded", BLUE_LINE, curve(&|row| row.force.map(of)));
        let simulated = (
            "simulated",
            ORANGE_LINE,
            curve(&|row| Some(of(row.simulated.force))),
        );
        if recorded.2.is_empty() {
            vec![simulated]
        } else {
            vec![recorded, simulated]
        }
    };
    let distance = |row: &ReplayRow| {
        Some(1e3 * (row.simulated.world_from_probe.position - row.pose.position).norm())
    };
    let drawing = StackedPlot {
        title: title.to_owned(),
        end: replay.rows.last().map_or(1.0, |row| row.time - start),
        panels: vec![
            Panel {
                label: "axial force [N]",
                curves: both(&|force| force.z),
            },
            Panel {
                label: "force across [N]",
                curves: both(&across),
            },
            Panel {
                label: "distance [mm]",
                curves: vec![("distance", GREY_LINE, curve(&distance))],
            },
        ],
    };
    Picture::of("replay".to_owned(), caption, &drawing)
}
