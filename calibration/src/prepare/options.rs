//! Options of the preparation.

pub use insonate_tables::ForceFrame;

/// Options of the preparation. The defaults are the same as on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// Force bias.
    pub bias: ForceBias,
    /// Sign of the force.
    pub sign: ForceSign,
    /// Time window to fit [s]. `None`: from contact to release, or the whole log if it contains an indentation. Bias,
    /// contact and noise are also estimated from its samples only. If these contain no free air before contact, the
    /// samples up to 0.5 s before and after are added, or 1 s, 2 s, … until there is some.
    pub window: Option<[f64; 2]>,
    /// Position of the undeformed surface along the axis of the position [m], for logs with a position; `None`:
    /// estimated.
    pub surface: Option<f64>,
    /// Outward surface normal, for 3-D logs; `None`: estimated from the direction of motion and force.
    pub normal: Option<[f64; 3]>,
    /// Frame of a force vector.
    pub force_frame: ForceFrame,
    /// Velocity.
    pub velocity: VelocitySource,
    /// Latency of the force relative to the position in the same row. `None`: zero, with a warning if the log
    /// contradicts it.
    pub force_latency: Option<ForceLatency>,
    /// Standard error of the latency [s], which enters every interval: it changes the damping by stiffness times
    /// latency. `None`: the standard error from the fit of the latency. If no latency is fitted, the sampling
    /// interval over √12 (two sensors that are read at any time within the same sample), or the hold time of the
    /// slowest channel over √12. If a spring and a damper are fitted and no latency is given, at least the
    /// uncertainty that the log leaves, up to 5 ms.
    pub force_latency_error: Option<f64>,
}

/// Latency of the force relative to the position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceLatency {
    /// A known latency [s].
    Known(f64),
    /// Fitted as an additional parameter of the law, by [`crate::calibrate`] and [`crate::calibrate_sites`].
    Fitted,
}

/// Force reading without contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ForceBias {
    /// Removed if the log has a segment of free air; otherwise nothing is removed, with a note.
    #[default]
    Auto,
    /// Nothing is removed.
    None,
    /// This value is removed [N], after the sign is set.
    Known(f64),
}

/// Sign of the recorded force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceSign {
    /// Detected: force must grow with indentation.
    #[default]
    Auto,
    /// Pressing is recorded positive.
    PressingPositive,
    /// Pressing is recorded negative.
    PressingNegative,
}

/// Source of the velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocitySource {
    /// The logged velocity if there is one, otherwise [`Self::Estimated`] with a window selected from the noise.
    #[default]
    Auto,
    /// Savitzky and Golay 1964: a polynomial of this order over a window of this many samples (odd).
    Estimated {
        /// Window [samples]; 0: selected from the noise.
        window: usize,
        /// Order of the polynomial.
        order: usize,
    },
}
