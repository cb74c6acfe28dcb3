//! Poses and forces of a recorded episode, taken from its columns by their names.
//!
//! Columns of insonate's own data sets are known. Those of other programs are mapped by the caller, with their frames: a data set does not
//! tell what its numbers mean.

use insonate_datasets::{RecordedColumn, Recording};
use insonate_envs::EnvError;
use insonate_sim::Pose;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Largest deviation of a quaternion's norm from 1.
const NORM_TOLERANCE: f64 = 0.01;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Position [m] and roll, pitch, yaw [rad] about the fixed axes x, y, z.
    PoseRpy,
    /// Position [m] and quaternion wxyz.
    PoseWxyz,
    /// Position [m] and quaternion xyzw.
    PoseXyzw,
    /// Force [N].
    Force,
    /// Force [N] and torque [N·m].
    Wrench,
}

impl Quantity {
    /// Every quantity with its name, and the number of its numbers.
    pub const ALL: [(&'static str, Self, usize); 5] = [
        ("pose-rpy", Self::PoseRpy, 6),
        ("pose-wxyz", Self::PoseWxyz, 7),
        ("pose-xyzw", Self::PoseXyzw, 7),
        ("force", Self::Force, 3),
        ("wrench", Self::Wrench, 6),
    ];

    fn width(self) -> usize {
        Self::ALL[self as usize].2
    }

    fn is_pose(self) -> bool {
        matches!(self, Self::PoseRpy | Self::PoseWxyz | Self::PoseXyzw)
    }

    /// A pose of a row; `None` if its quaternion has not the norm 1.
    fn pose(self, row: &[f64]) -> Option<Pose> {
        let position = Vector3::new(row[0], row[1], row[2]);
        let [w, x, y, z] = match self {
            Self::PoseWxyz => [row[3], row[4], row[5], row[6]],
            Self::PoseXyzw => [row[6], row[3], row[4], row[5]],
            _ => {
                let rotation = UnitQuaternion::from_euler_angles(row[3], row[4], row[5]);
                return Some(Pose { position, rotation });
            }
        };
        let quaternion = Quaternion::new(w, x, y, z);
        let is_unit = (quaternion.norm() - 1.0).abs() <= NORM_TOLERANCE;
        is_unit.then(|| Pose {
            position,
            rotation: UnitQuaternion::from_quaternion(quaternion),
        })
    }
}

/// The frame of recorded numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedFrame {
    /// The world of the scene.
    World,
    /// The robot's base, whose axes are those of the world.
    Base,
    /// The probe.
    Tool,
}

/// What the columns of another program mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnMap {
    /// Columns and their quantities.
    pub columns: Vec<(String, Quantity)>,
    /// Frame of the mapped poses: world or base.
    pub pose_frame: Option<RecordedFrame>,
    /// Frame of the mapped force: base or tool.
    pub force_frame: Option<RecordedFrame>,
    /// Whether the mapped force is that of the probe on the tissue, positive when it presses, and not that on the probe.
    pub force_presses: Option<bool>,
    /// Rows per second of a data set without times [Hz].
    pub rate: Option<f64>,
}

/// Poses and forces of an episode, one entry per row.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTrack {
    /// Row of the recording that the first entry belongs to.
    pub first_row: usize,
    /// Time [s], shape `[n]`.
    pub time: Vec<f64>,
    /// Poses of the probe's face in the world, shape `[n]`.
    pub poses: Vec<Pose>,
    /// Force of the probe on the tissue in the probe's frame [N], shape `[n]`; `None` if it is not recorded.
    pub force: Option<Vec<Vector3<f64>>>,
    /// Torque about the middle of the face [N·m], shape `[n]`.
    pub torque: Option<Vec<Vector3<f64>>>,
    /// Columns that were used.
    pub columns: Vec<String>,
    /// What is not compared, and why.
    pub missing: Vec<String>,
}

/// A column with what it means.
struct Source<'a> {
    column: &'a RecordedColumn,
    quantity: Quantity,
    frame: RecordedFrame,
    /// Whether a row holds the state at the end of its step.
    is_late: bool,
    /// −1 for a force on the probe.
    sign: f64,
}

/// Columns of insonate's own data sets.
const OWN: [(&str, Quantity, RecordedFrame, bool); 5] = [
    (
        "observation.probe_pose",
        Quantity::PoseWxyz,
        RecordedFrame::World,
        false,
    ),
    (
        "obs/probe_pose",
        Quantity::PoseWxyz,
        RecordedFrame::World,
        false,
    ),
    (
        "observation.probe_wrench",
        Quantity::Wrench,
        RecordedFrame::Tool,
        false,
    ),
    (
        "obs/probe_wrench",
        Quantity::Wrench,
        RecordedFrame::Tool,
        false,
    ),
    (
        "observation.meta.force_torque",
        Quantity::Wrench,
        RecordedFrame::Tool,
        false,
    ),
];

/// Open-H's action, which insonate fills with the pose that is reached.
const OWN_ACTION: (&str, Quantity, RecordedFrame, bool) =
    ("action", Quantity::PoseRpy, RecordedFrame::Base, true);
/// Only folders of Open-H's format have it.
const OPEN_H: &str = "annotation.task_action";

impl RecordedTrack {
    /// Takes poses and forces out of an episode. `base` is the position of the robot's base in the world [m].
    ///
    /// # Errors
    /// [`EnvError::Config`] if no column gives the pose, a mapped column does not exist or has another width, its frame or sense is not
    /// known, the times are not known, or a row is not finite.
    pub fn of(
        recording: &Recording,
        map: &ColumnMap,
        base: Vector3<f64>,
    ) -> Result<Self, EnvError> {
        let pose = source(recording, map, true)?.ok_or_else(|| no_pose(recording))?;
        let force = source(recording, map, false)?;
        let time = time(recording, map)?;
        let mut poses = Vec::with_capacity(recording.n_rows);
        for (row, numbers) in pose.finite_rows()?.into_iter().enumerate() {
            let mut found = pose
                .quantity
                .pose(numbers)
                .ok_or_else(|| pose.invalid(row, "has a quaternion whose norm is not 1"))?;
            if pose.frame == RecordedFrame::Base {
                found.position += base;
            }
            poses.push(found);
        }
        let first_row = usize::from(pose.is_late);
        poses.truncate(recording.n_rows - first_row);
        let mut track = Self {
            first_row,
            time: time[first_row..].to_vec(),
            columns: vec![pose.column.name.clone()],
            poses,
            force: None,
            torque: None,
            missing: Vec::new(),
        };
        match force {
            Some(force) => track.take_force(&force)?,
            None => track.missing.push(
                "force: no column is mapped to force or wrench, so only poses are compared"
                    .to_owned(),
            ),
        }
        Ok(track)
    }

    fn take_force(&mut self, source: &Source<'_>) -> Result<(), EnvError> {
        let rows = source.finite_rows()?;
        let of = |at: usize| -> Vec<Vector3<f64>> {
            let rows = rows[self.first_row..].iter().zip(&self.poses);
            rows.map(|(row, pose)| {
                let vector = source.sign * Vector3::new(row[at], row[at + 1], row[at + 2]);
                match source.frame {
                    RecordedFrame::Tool => vector,
                    RecordedFrame::World | RecordedFrame::Base => pose.rotation.inverse() * vector,
                }
            })
            .collect()
        };
        let (force, torque) = (of(0), (source.quantity == Quantity::Wrench).then(|| of(3)));
        if torque.is_none() {
            self.missing.push("torque: not recorded".to_owned());
        }
        (self.force, self.torque) = (Some(force), torque);
        self.columns.push(source.column.name.clone());
        Ok(())
    }
}

impl<'a> Source<'a> {
    /// The rows, if all numbers are finite.
    fn finite_rows(&self) -> Result<Vec<&'a [f64]>, EnvError> {
        let rows: Vec<&[f64]> = self.column.rows().collect();
        let is_bad = |row: &&[f64]| row.iter().any(|number| !number.is_finite());
        match rows.iter().position(is_bad) {
            Some(row) => Err(self.invalid(row, &format!("is {:?}", rows[row]))),
            None => Ok(rows),
        }
    }

    fn invalid(&self, row: usize, problem: &str) -> EnvError {
        config(
            "columns",
            format!("row {row} of {} {problem}", self.column.name),
        )
    }
}

/// The column of the pose or of the force; `None` if none is known.
fn source<'a>(
    recording: &'a Recording,
    map: &ColumnMap,
    of_pose: bool,
) -> Result<Option<Source<'a>>, EnvError> {
    let mut mapped = map.columns.iter().filter(|(_, it)| it.is_pose() == of_pose);
    if let Some((name, quantity)) = mapped.next() {
        if let Some((other, _)) = mapped.next() {
            let what = if of_pose { "pose" } else { "force" };
            return Err(config(
                "columns",
                format!("{name} and {other} are both a {what}: choose one"),
            ));
        }
        return mapped_source(recording, map, name, *quantity).map(Some);
    }
    if recording.own.is_none() {
        return Ok(None);
    }
    let is_open_h = recording.column(OPEN_H).is_some();
    let mut known = OWN.iter().chain(is_open_h.then_some(&OWN_ACTION));
    Ok(known.find_map(|(name, quantity, frame, is_late)| {
        let column = recording.column(name)?;
        (quantity.is_pose() == of_pose && column.width() == quantity.width()).then_some(Source {
            column,
            quantity: *quantity,
            frame: *frame,
            is_late: *is_late,
            sign: 1.0,
        })
    }))
}

fn mapped_source<'a>(
    recording: &'a Recording,
    map: &ColumnMap,
    name: &str,
    quantity: Quantity,
) -> Result<Source<'a>, EnvError> {
    let column = recording.column(name).ok_or_else(|| {
        config(
            "columns",
            format!(
                "there is no column {name}; there are {}",
                columns(recording)
            ),
        )
    })?;
    if column.width() != quantity.width() {
        let (found, wanted) = (column.width(), quantity.width());
        let kind = Quantity::ALL[quantity as usize].0;
        return Err(config(
            "columns",
            format!("{name} has {found} numbers in a row, and a {kind} has {wanted}"),
        ));
    }
    let (frame, sign) = if quantity.is_pose() {
        let frame = map.pose_frame.ok_or_else(|| {
            config(
                "pose-frame",
                format!("is not known for {name}: give world or base"),
            )
        })?;
        (frame, 1.0)
    } else {
        let frame = map.force_frame.ok_or_else(|| {
            config(
                "force-frame",
                format!("is not known for {name}: give base or tool"),
            )
        })?;
        let presses = map.force_presses.ok_or_else(|| {
            config(
                "sign",
                format!("is not known for {name}: give pressing-positive for the force of the probe on the tissue, or pressing-negative"),
            )
        })?;
        (frame, if presses { 1.0 } else { -1.0 })
    };
    Ok(Source {
        column,
        quantity,
        frame,
        is_late: false,
        sign,
    })
}

fn time(recording: &Recording, map: &ColumnMap) -> Result<Vec<f64>, EnvError> {
    match (&recording.time, map.rate) {
        (Some(time), _) => Ok(time.clone()),
        (None, Some(rate)) => {
            insonate_settings::check_range("rate", rate, [1.0, 10_000.0], "Hz")?;
            Ok((0..recording.n_rows).map(|row| row as f64 / rate).collect())
        }
        (None, None) => Err(config(
            "rate",
            "is not in the data set: give the rows per second [Hz]".to_owned(),
        )),
    }
}

fn no_pose(recording: &Recording) -> EnvError {
    let problem = format!(
        "no column is known to be the pose of the probe: name one as pose-rpy=COLUMN, pose-wxyz=COLUMN or pose-xyzw=COLUMN; there are {}",
        columns(recording)
    );
    config("columns", problem)
}

/// The columns with their widths.
fn columns(recording: &Recording) -> String {
    let columns = recording.columns.iter();
    let columns = columns.map(|column| format!("{} ({})", column.name, column.width()));
    columns.collect::<Vec<String>>().join(", ")
}

fn config(field: &str, problem: String) -> EnvError {
    EnvError::Config {
        field: field.to_owned(),
        problem,
    }
}
