//! A frame in beam space.

use super::walk::Track;
use crate::parts::Workers;

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

    /// Takes over the envelope, shape `[n_samples, n_lines]`, and what lines met.
    pub(super) fn take(&mut self, levels: &[f32], tracks: &[Track], workers: Workers) {
        const LINES: usize = 16;
        let (n_lines, n_samples) = (self.n_lines, self.n_samples);
        let envelopes = self.envelope.chunks_mut(LINES * n_samples);
        let labels = self.labels.chunks_mut(LINES * n_samples);
        let mut parts: Vec<_> = envelopes.zip(labels).zip(tracks.chunks(LINES)).collect();
        workers.for_each(
            &mut parts,
            1,
            || (),
            |(), part, ((envelope, labels), tracks)| {
                for (sample, levels) in levels.chunks_exact(n_lines).enumerate() {
                    let levels = &levels[part * LINES..][..tracks.len()];
                    for (line, level) in levels.iter().enumerate() {
                        envelope[line * n_samples + sample] = *level;
                    }
                }
                for (labels, track) in labels.chunks_exact_mut(n_samples).zip(*tracks) {
                    labels.copy_from_slice(&track.labels);
                }
            },
        );
    }

    /// Takes over what lines met.
    pub(super) fn take_labels(&mut self, tracks: &[Track]) {
        let lines = self.labels.chunks_exact_mut(self.n_samples);
        for (labels, track) in lines.zip(tracks) {
            labels.copy_from_slice(&track.labels);
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
