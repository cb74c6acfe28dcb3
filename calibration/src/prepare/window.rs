//! Selects the samples for the fit: inside the tissue, from contact to release, inside the window.

use super::{contact::HALF, noise::running_mean, track::SampleRange};

/// Samples to fit, with statistics of the selection.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Indices of samples to fit, increasing.
    pub(super) kept: Vec<usize>,
    /// Number of presses.
    pub(super) n_presses: usize,
    /// Number of samples deeper than the surface that no longer touched the tissue.
    pub(super) n_released: usize,
    /// Whether every sample is in contact, because the log starts in contact.
    pub(super) is_whole: bool,
}

impl Window {
    /// All samples.
    pub(super) fn whole(n: usize) -> Self {
        Self {
            kept: (0..n).collect(),
            n_presses: 1,
            n_released: 0,
            is_whole: true,
        }
    }

    /// Leaves out `samples` samples at each end of every run inside the log of `n`, where smoothing would mix tissue
    /// with air. Returns `false` and changes nothing if that would remove most of the samples.
    pub(super) fn erode(&mut self, samples: usize, n: usize) -> bool {
        if self.is_whole {
            return true;
        }
        let mut left = Vec::with_capacity(self.kept.len());
        for run in self.kept.chunk_by(|a, b| *b == a + 1) {
            let begin = if run[0] == 0 { 0 } else { samples };
            let is_last = run[run.len() - 1] + 1 == n;
            let end = run.len().saturating_sub(if is_last { 0 } else { samples });
            left.extend_from_slice(run.get(begin..end).unwrap_or(&[]));
        }
        let some = 2 * left.len() > self.kept.len();
        if some {
            self.kept = left;
        }
        some
    }
}

/// Every sample with a positive indentation.
pub(super) fn inside(indentation: &[f64]) -> Window {
    let presses = presses(indentation, 1);
    let kept = presses.iter().flat_map(|press| press.start..press.end);
    Window {
        kept: kept.filter(|&index| indentation[index] > 0.0).collect(),
        n_presses: presses.len(),
        n_released: 0,
        is_whole: false,
    }
}

/// The samples of each press until its force has fallen to the noise.
pub(super) fn until_release(indentation: &[f64], force: &[f64], threshold: f64) -> Window {
    let mut window = Window::default();
    for press in presses(indentation, 2 * HALF + 1) {
        let smooth = running_mean(&force[press.start..press.end], HALF);
        let Some(last) = smooth.iter().rposition(|value| *value > threshold) else {
            continue;
        };
        // The running mean looks ahead by half its window.
        let end = if press.end == force.len() && last + 1 == smooth.len() {
            press.end
        } else {
            press.start + (last + 1).saturating_sub(HALF)
        };
        let deep = |index: &usize| indentation[*index] > 0.0;
        let before = window.kept.len();
        window.kept.extend((press.start..end).filter(deep));
        window.n_released += (end..press.end).filter(deep).count();
        if window.kept.len() > before {
            window.n_presses += 1;
        }
    }
    window
}

/// Samples with a force, if the surface is unknown: the samples of each run that are clear of its ends in the air.
pub(super) fn touching(force: &[f64], threshold: f64) -> Window {
    let n = force.len();
    let smooth = running_mean(force, HALF);
    let above: Vec<f64> = smooth.iter().map(|value| value - threshold).collect();
    let mut window = Window::default();
    for press in presses(&above, 2 * HALF + 1) {
        // The running mean looks ahead and back by half its window.
        let start = if press.start == 0 {
            0
        } else {
            press.start + HALF
        };
        let end = if press.end == n {
            n
        } else {
            press.end.saturating_sub(HALF)
        };
        if end > start + 2 * HALF {
            window.kept.extend(start..end);
            window.n_presses += 1;
        }
    }
    window
}

/// Runs of positive indentation; interruptions shorter than `shortest` samples are noise near the surface.
fn presses(indentation: &[f64], shortest: usize) -> Vec<SampleRange> {
    let mut presses: Vec<SampleRange> = Vec::new();
    for (index, value) in indentation.iter().enumerate() {
        if *value <= 0.0 {
            continue;
        }
        match presses.last_mut() {
            Some(press) if index - press.end < shortest => press.end = index + 1,
            _ => presses.push(SampleRange {
                start: index,
                end: index + 1,
            }),
        }
    }
    presses
}
