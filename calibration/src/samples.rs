//! What models are fitted to: indentation, its velocity and the normal force, inside a window.

/// Samples of a press, ready to be fitted; all vectors have shape `[n]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Name of the log, for messages.
    pub log: String,
    /// Time [s], increasing.
    pub time: Vec<f64>,
    /// Indentation r [m], growing into the tissue, zero at `contact`.
    pub indentation: Vec<f64>,
    /// Its velocity [m/s], growing into the tissue.
    pub velocity: Vec<f64>,
    /// Force of the probe on the tissue along the normal, bias removed [N]; pressing is positive.
    pub force: Vec<f64>,
    /// Standard deviation of the noise in `velocity` [m/s], so that a fit can take out the damping's attenuation; 0 where unknown.
    pub velocity_noise: f64,
    /// Where the surface is.
    pub contact: ContactPoint,
    /// Standard error of the force bias that was removed [N]; 0 where it was given or none.
    pub bias_standard_error: f64,
    /// Standard error of the force's latency that was taken back [s]; 0 where it was given or none.
    pub latency_standard_error: f64,
    /// Longest delay of the force that the interval of the elastic coefficient takes in [s]; 0: none beyond that standard error.
    pub longest_latency: f64,
    /// Typical time between samples [s].
    pub sampling_interval: f64,
    /// Samples over which depth and force were smoothed alike, so that their errors are correlated; 0: they were not.
    pub smoothing: usize,
    /// Standard deviation of the force's noise before that [N]; 0 where it was not smoothed.
    pub force_noise: f64,
    /// First samples of stretches that were prepared each by itself, whose scatter tells the errors; empty: the samples are one.
    pub presses: Vec<usize>,
    /// What one standard error of each thing changes that preparation estimated or assumed: a normal, a frame, a baseline, the tool's weight.
    pub changes: Vec<SampleChange>,
}

/// What one standard error of something that was estimated or assumed changes the samples by.
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
    /// Whether the zero of the indentation is given (by the log, or by the user); otherwise it was estimated.
    pub known: bool,
    /// Standard error of that zero [m]; 0 where it is known, infinite where the log starts in contact.
    pub standard_error: f64,
}

impl ContactPoint {
    /// Given, without error.
    pub const KNOWN: Self = Self {
        known: true,
        standard_error: 0.0,
    };

    /// Unknown: the log starts in contact, and its zero is its least indentation.
    pub const UNKNOWN: Self = Self {
        known: false,
        standard_error: f64::INFINITY,
    };

    /// Whether nothing is known of the surface.
    pub fn is_unknown(&self) -> bool {
        self.standard_error == f64::INFINITY
    }
}

/// Something that preparation chose, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparationChoice {
    /// What: `force bias`, `contact onset`, `surface normal`, `velocity`, `window`, `singular region`, `sign`, `time`.
    pub what: &'static str,
    /// Which value, with its unit.
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

    /// A stretch of them.
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

    /// Those of these indices, which increase.
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

    /// Every so many-th sample, about `n`.
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

    /// The changes with other samples picked.
    pub(crate) fn changed(&self, pick: impl Fn(&[f64]) -> Vec<f64>) -> Vec<SampleChange> {
        let changes = self.changes.iter();
        let changed = changes.map(|change| SampleChange {
            stretch: change.stretch,
            force: pick(&change.force),
        });
        changed.collect()
    }

    /// The samples with a change made.
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
