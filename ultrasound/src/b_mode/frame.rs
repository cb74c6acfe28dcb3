//! A frame in beam space.

/// A frame in beam space: lines, each of samples from the face down.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Number of lines.
    pub n_lines: usize,
    /// Samples of each line.
    pub n_samples: usize,
    /// Shown distance between samples [m].
    pub step: f64,
    /// Envelope over the speckle of liver [dB], shape `[n_lines, n_samples]`.
    pub envelope: Vec<f32>,
    /// Index of the material on the line, also in shadows, shape `[n_lines, n_samples]`.
    pub labels: Vec<u8>,
    /// Whether each line couples to something, shape `[n_lines]`.
    pub coupled: Vec<bool>,
}

impl Frame {
    pub(super) fn new(n_lines: usize, n_samples: usize, step: f64) -> Self {
        Self {
            n_lines,
            n_samples,
            step,
            envelope: vec![super::receiver::SILENCE; n_lines * n_samples],
            labels: vec![0; n_lines * n_samples],
            coupled: vec![false; n_lines],
        }
    }

    /// Samples of a line [dB].
    pub fn line(&self, line: usize) -> &[f32] {
        &self.envelope[line * self.n_samples..][..self.n_samples]
    }

    /// Share of the lines that couple.
    pub fn contact_share(&self) -> f64 {
        self.coupled.iter().filter(|coupled| **coupled).count() as f64 / self.n_lines as f64
    }
}
