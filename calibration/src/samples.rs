//! Input of the models: indentation, its velocity and the normal force inside a window.

/// Samples of a press, ready for a fit; all vectors have shape `[n]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Name of the log, for messages.
    pub log: String,
    /// Time [s], increasing.
    pub time: Vec<f64>,
    /// Indentation r [m], growing into the tissue, zero at `contact`.
    pub indentation: Vec<f64>,
    /// Velocity of the indentation [m/s]; positive into the tissue.
    pub velocity: Vec<f64>,
    /// Force of the probe on the tissue along the normal, without bias [N]; pressing is positive.
    pub force: Vec<f64>,
    /// Standard deviation of the noise in `velocity` [m/s], so that a fit can correct the attenuation of the damping;
    /// 0 if unknown.
    pub velocity_noise: f64,
    /// Position of the surface.
    pub contact: ContactPoint,
    /// Standard error of the subtracted force bias [N]; 0 if the bias was given or zero.
    pub bias_standard_error: f64,
    /// Standard error of the corrected latency of the force [s]; 0 if the latency was given or zero.
    pub latency_standard_error: f64,
    /// Longest delay of the force that the interval of the elastic coefficient covers [s]; 0: none beyond that
    /// standard error.
    pub longest_latency: f64,
    /// Typical time between samples [s].
    pub sampling_interval: f64,
    /// Number of samples over which depth and force were smoothed with the same filter, so that their errors are
    /// correlated; 0: not smoothed.
    pub smoothing: usize,
    /// Standard deviation of the force's noise before smoothing [N]; 0 if not smoothed.
    pub force_noise: f64,
    /// First samples of segments that were prepared separately; their scatter gives the errors. Empty: a single
    /// segment.
    pub presses: Vec<usize>,
    /// Change of the samples per standard error of each quantity that preparation estimated or assumed: a normal, a
    /// frame, a baseline, the tool's weight.
    pub changes: Vec<SampleChange>,
}

/// Change of the samples per standard error of an estimated or assumed quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleChange {
    /// Relative change of indentation and velocity.
    pub stretch: f64,
    /// Change of the force [N], shape `[n]`.
    pub force: Vec<f64>,
}

/// The undeformed surface, on the axis along which `indentation` is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Whether the zero of the indentation is given (by the log or by the user); otherwise it was estimated.
    pub known: bool,
    /// Standard error of that zero [m]; 0 if it is known, infinite if the log starts in contact.
    pub standard_error: f64,
}

impl ContactPoint {
    /// Known, without error.
    pub const KNOWN: Self = Self {
        known: true,
        standard_error: 0.0,
    };

    /// Unknown: the log starts in contact, and the zero is the least indentation.
    pub const UNKNOWN: Self = Self {
        known: false,
        standard_error: f64::INFINITY,
    };

    /// Whether the position of the surface is unknown.
    pub fn is_unknown(&self) -> bool {
        self.standard_error == f64::INFINITY
    }
}

/// A choice of the preparation, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparationChoice {
    /// Name: `force bias`, `contact onset`, `surface normal`, `velocity`, `window`, `singular region`, `sign`,
    /// `time`.
    pub what: &'static str,
    /// Value, with its unit.
    pub value: String,
    /// How it was found, in a few words.
    pub how: String,
}

impl Samples {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// A contiguous range of the samples.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Self {
        let pick = |values: &[f64]| values[range.clone()].to_vec();
        Self {
            log: self.log.clone(),
            time: pick(&self.time),
            indentation: pick(&self.indentation),
            velocity: pick(&self.velocity),
            force: pick(&self.force),
            presses: Vec::new(),
            changes: self.changed(pick),
            ..*self
        }
    }

    /// The samples with these increasing indices.
    pub(crate) fn rows(&self, rows: &[usize]) -> Self {
        let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect();
        Self {
            log: self.log.clone(),
            time: pick(&self.time),
            indentation: pick(&self.indentation),
            velocity: pick(&self.velocity),
            force: pick(&self.force),
            presses: Vec::new(),
            changes: self.changed(pick),
            ..*self
        }
    }

    /// Every k-th sample, about `n` in total.
    pub(crate) fn thinned(&self, n: usize) -> Self {
        let stride = self.len().div_ceil(n).max(1);
        let every = |values: &[f64]| values.iter().copied().step_by(stride).collect();
        Self {
            log: self.log.clone(),
            time: every(&self.time),
            indentation: every(&self.indentation),
            velocity: every(&self.velocity),
            force: every(&self.force),
            sampling_interval: self.sampling_interval * stride as f64,
            presses: self
                .presses
                .iter()
                .map(|start| start.div_ceil(stride))
                .collect(),
            changes: self.changed(every),
            ..*self
        }
    }

    /// The changes, restricted to other samples by `pick`.
    pub(crate) fn changed(&self, pick: impl Fn(&[f64]) -> Vec<f64>) -> Vec<SampleChange> {
        let changes = self.changes.iter();
        let changed = changes.map(|change| SampleChange {
            stretch: change.stretch,
            force: pick(&change.force),
        });
        changed.collect()
    }

    /// The samples with a change applied.
    pub(crate) fn with(&self, change: &SampleChange) -> Self {
        let stretched = |values: &[f64]| -> Vec<f64> {
            let stretched = values.iter().map(|value| value * (1.0 + change.stretch));
            stretched.collect()
        };
        Self {
            indentation: stretched(&self.indentation),
            velocity: stretched(&self.velocity),
            force: self
                .force
                .iter()
                .zip(&change.force)
                .map(|(force, change)| force + change)
                .collect(),
            changes: Vec::new(),
            ..self.clone()
        }
    }
}
