//! Frames of the vectors of a log, and the rotation that brings the force into the frame of the position.

/// Frames in which the vectors of a log are given. By default both are unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogFrames {
    /// Frame of position and velocity, such as `base`; `None` if the log does not state it.
    pub motion: Option<String>,
    /// Frame of the force, such as `tool0`; `None` if the log does not state it.
    pub force: Option<String>,
    /// Unit quaternions `[w, x, y, z]` that rotate a vector from the force's frame into the position's frame, shape
    /// `[n, 4]`; one row if the rotation is constant, empty if it was not recorded.
    pub force_to_motion: Vec<[f64; 4]>,
}

/// Frame in which a force vector was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceFrame {
    /// Detected: by the frames' names if the log has both; otherwise, if an orientation was recorded, the frame in
    /// which the force lies along the motion in contact. Without an orientation, the frame of the position is
    /// assumed.
    #[default]
    Auto,
    /// Frame of the position: `base`.
    Motion,
    /// Frame of the tool; the recorded orientation rotates the force: `tool`.
    Tool,
}
