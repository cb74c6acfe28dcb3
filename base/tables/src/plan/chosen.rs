//! The numbers of a file that are read, and their roles in the log.

use crate::LogFrames;
use crate::orientation_kind::OrientationKind;
use crate::units::Unit;

/// One number of every row.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    /// Index of the field, from 0.
    pub(crate) field: usize,
    /// Index of the number in the field, from 0.
    pub(crate) element: usize,
    /// Label in messages: `column 5 "force_n"`.
    pub(crate) label: String,
    /// Unit; `None`: a dimensionless number.
    pub(crate) unit: Option<Unit>,
    /// Whether the unit was assumed.
    pub(crate) unit_assumed: bool,
    /// Whether the header gives a mass, which is converted to its weight.
    pub(crate) weighed: bool,
}

/// One number or a vector, as indices into [`Plan::picks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    One(usize),
    Three([usize; 3]),
}

/// Motion of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MotionPlan {
    Indentation(usize),
    Position(Axes),
}

/// Series to read, and their roles in the log.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) picks: Vec<Pick>,
    pub(crate) time: Option<usize>,
    /// Rest of a time in two columns; [`Self::time`] is then in whole seconds.
    pub(crate) time_rest: Option<usize>,
    pub(crate) motion: MotionPlan,
    pub(crate) velocity: Option<Axes>,
    pub(crate) force: Axes,
    /// Other columns named as force, if the user did not select one.
    pub(crate) rivals: Vec<usize>,
    /// Other columns named like the motion, if the user did not select one.
    pub(crate) motion_rivals: Vec<usize>,
    pub(crate) episode: Option<usize>,
    /// Joint positions that give the motion; it is computed from them after they are read.
    pub(crate) joints: Option<Vec<usize>>,
    /// Orientation of the tool, in tables.
    pub(crate) orientation: Option<OrientationPlan>,
    /// Frames, if the reader determines them itself.
    pub(crate) frames: Option<LogFrames>,
    /// Roles of the columns, for the report.
    pub(crate) columns: Vec<String>,
    /// Notes for the report.
    pub(crate) notes: Vec<String>,
}

/// Columns of the orientation: indices into [`Plan::picks`], in the order of the kind.
#[derive(Clone, Debug)]
pub(crate) struct OrientationPlan {
    pub(crate) picks: Vec<usize>,
    pub(crate) kind: OrientationKind,
}
