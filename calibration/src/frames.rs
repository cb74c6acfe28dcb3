//! Frames of the vectors of a log, and the rotation that brings the force into the frame of the position.

/// Which frames a log's vectors are given in. The default knows nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogFrames {
    /// Frame of position and velocity, such as `base`; `None`: the log does not say.
    pub motion: Option<String>,
    /// Frame of the force, such as `tool0`; `None`: the log does not say.
    pub force: Option<String>,
    /// Unit quaternions `[w, x, y, z]` that turn a vector from the force's frame into the position's, shape `[n, 4]`;
    /// one row where the rotation is constant, empty where it was not recorded.
    pub force_to_motion: Vec<[f64; 4]>,
}
