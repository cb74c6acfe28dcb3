//! What a user may say about preparation.

/// How to prepare. The defaults are those of the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// Force bias.
    pub bias: ForceBias,
    /// Sense of the force.
    pub sign: ForceSign,
    /// Time window to fit [s]; `None`: from contact to release, or all of a log whose indentation is given.
    /// It bounds the preparation too: bias, contact and noise are those of its samples, and where these hold no free air before
    /// contact, of the samples up to 0.5 s before and after it, or 1 s, 2 s, … until there is some.
    pub window: Option<[f64; 2]>,
    /// Position of the undeformed surface along the axis of the position [m], for logs of position; `None`: found.
    pub surface: Option<f64>,
    /// Outward surface normal, for 3-D logs; `None`: found from the direction of motion and force.
    pub normal: Option<[f64; 3]>,
    /// Frame of a force vector.
    pub force_frame: ForceFrame,
    /// Velocity.
    pub velocity: VelocitySource,
    /// How much later the force was recorded than the position beside it; `None`: not at all, and what speaks against it is told.
    pub force_latency: Option<ForceLatency>,
    /// Standard error of that [s], which enters every interval: a damping moves by stiffness times latency.
    /// `None`: that of the fit of the latency. Where none is fitted, that of two sensors that are read at any time within the same
    /// sample, a sampling interval over √12, or the time over √12 for which the slowest channel is held; and where a spring and a
    /// damper are fitted and no latency is given, at least what the log leaves open, up to 5 ms.
    pub force_latency_error: Option<f64>,
}

/// How much later than the position a force was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceLatency {
    /// By this time [s].
    Known(f64),
    /// Found with the law, as its further parameter: [`crate::calibrate`] and [`crate::calibrate_sites`] do.
    Fitted,
}

/// Force that the sensor shows without contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ForceBias {
    /// Removed if the log has a stretch of free air; otherwise nothing is removed, with a note.
    #[default]
    Auto,
    /// Nothing is removed.
    None,
    /// This is removed [N], after the sign is set.
    Known(f64),
}

/// Frame in which a force vector was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceFrame {
    /// Found: by the frames' names where the log has both, otherwise, where an orientation was recorded, by the frame in which
    /// the force lies along the motion in contact. Without an orientation that of the position is assumed.
    #[default]
    Auto,
    /// That of the position: `base`.
    Motion,
    /// That of the tool, by whose recorded orientation the force is turned: `tool`.
    Tool,
}

/// Sense of the recorded force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceSign {
    /// Found: force must grow with indentation.
    #[default]
    Auto,
    /// Pressing is recorded positive.
    PressingPositive,
    /// Pressing is recorded negative.
    PressingNegative,
}

/// Where the velocity comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocitySource {
    /// The logged one where there is one, otherwise [`Self::Estimated`] with a window chosen by the noise.
    #[default]
    Auto,
    /// Savitzky and Golay 1964: a polynomial of this order over a window of this many samples (odd).
    Estimated {
        /// Window [samples]; 0: chosen by the noise.
        window: usize,
        /// Order of the polynomial.
        order: usize,
    },
}
