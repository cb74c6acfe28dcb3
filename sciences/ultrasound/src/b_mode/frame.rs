//! A frame in beam space.

use crate::parallel::Workers;

/// A frame in beam space: lines of samples, from the face down.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Number of lines.
    pub n_lines: usize,
    /// Samples of each line.
    pub n_samples: usize,
    /// Shown distance between samples [m].
    pub step: f64,
    /// Envelope relative to the speckle of liver [dB], shape `[n_lines, n_samples]`.
    pub envelope: Vec<f32>,
    /// Index of the material along the line, also in shadows, shape `[n_lines, n_samples]`.
    pub labels: Vec<u8>,
    /// Whether each line is coupled, shape `[n_lines]`.
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

    /// Copies the envelope from the shape `[n_samples, n_lines]`.
    pub(super) fn take(&mut self, levels: &[f32], workers: Workers) {
        const LINES: usize = 16;
        let (n_lines, n_samples) = (self.n_lines, self.n_samples);
        let length = LINES * n_samples;
        workers.for_each_part(
            &mut self.envelope,
            length,
            1,
            || (),
            |(), part, lines| {
                let n = lines.len() / n_samples;
                for (sample, levels) in levels.chunks_exact(n_lines).enumerate() {
                    let levels = &levels[part * LINES..][..n];
                    for (line, level) in levels.iter().enumerate() {
                        lines[line * n_samples + sample] = *level;
                    }
                }
            },
        );
    }

    /// Samples of a line [dB].
    pub fn line(&self, line: usize) -> &[f32] {
        &self.envelope[line * self.n_samples..][..self.n_samples]
    }

    /// Share of the coupled lines.
    pub fn contact_share(&self) -> f64 {
        self.coupled.iter().filter(|coupled| **coupled).count() as f64 / self.n_lines as f64
    }
}
