//! Displacement of windows between two frames of complex lines.
//!
//! A tissue that moved away by the delay τ turns the line $s_1$ into $s_2(t) = s_1(t - \tau)\, e^{-2\pi i f \tau}$. With a guess $d$ of
//! the delay,
//! $$C(d) = \sum_t \overline{s_1(t)}\, s_2(t + d)\, e^{2\pi i f d}$$
//! over a window has its largest magnitude at $d = \tau$, and the phase 0. The whole sample with the largest normalised magnitude is near
//! enough that the phase is unique; $d \leftarrow d - \arg C(d) / 2\pi f$ then finds the phase 0, whatever the echoes' frequency is
//! (Pesavento 1999, IEEE Transactions on Ultrasonics, Ferroelectrics, and Frequency Control 46(5)).
//!
//! 1. The first window of a line is searched widely, each further one around the one before, and widely again where it does not correlate, as
//!    below the ringing of the face.
//! 2. The displacement of the first pass, smoothed by straight lines, is undone within the windows (companding: Varghese and Ophir
//!    1996, Ultrasound in Medicine and Biology 22(2)), and what is left is found by the phase. A strain thus decorrelates windows far less.

use std::f64::consts::TAU;

use nalgebra::Complex;
use rayon::prelude::*;

use super::{StrainSettings, delayed, slope};
use crate::b_mode::Iq;

/// Steps towards the phase 0.
const N_STEPS: usize = 4;
/// Samples to either side of the window before that further windows are searched.
const NEAR: f64 = 2.0;
/// Normalised correlation below which a window is searched widely.
const LOST: f64 = 0.7;
/// Lines to either side over which the first pass is averaged.
const SMOOTH: usize = 2;

/// The windows of a line.
pub(super) struct Rows {
    /// Samples of a window.
    length: usize,
    /// Samples between windows.
    pub(super) hop: usize,
    /// Number of windows.
    pub(super) n: usize,
}

/// A tracked window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tracked {
    /// Delay [samples].
    pub(super) delay: f64,
    /// Normalised correlation.
    pub(super) correlation: f64,
}

impl Rows {
    pub(super) fn new(n_samples: usize, sample: f64, settings: &StrainSettings) -> Self {
        let length = ((settings.window / sample).round() as usize).clamp(1, n_samples);
        let hop = length as f64 * (1.0 - settings.overlap);
        let hop = (hop.round() as usize).max(1);
        Self {
            length,
            hop,
            n: (n_samples - length) / hop + 1,
        }
    }

    /// Middle of a window [samples].
    pub(super) fn middle(&self, row: usize) -> f64 {
        (row * self.hop) as f64 + 0.5 * (self.length - 1) as f64
    }
}

/// Delays of all windows, shape `[n_lines, n]`.
pub(super) fn track(
    before: &Iq,
    after: &Iq,
    rows: &Rows,
    settings: &StrainSettings,
    sample: f64,
) -> Vec<Tracked> {
    let turn = TAU * before.center_frequency / before.sample_rate;
    let pair = Pair {
        frames: [before, after].map(|iq| iq.values.as_chunks().0),
        n_samples: before.n_samples,
        n_lines: before.n_lines,
        side: settings.side_lines,
        turn,
    };
    let lines = || (0..before.n_lines).into_par_iter();
    let widely = settings.search / sample;
    let first: Vec<Vec<f64>> = lines()
        .map(|line| pair.search(line, rows, widely))
        .collect();
    let half = slope::half_length(settings.slope, rows.hop as f64 * sample);
    let straight = |delays: &Vec<f64>| -> Vec<f64> {
        slope::fits(delays, half).map(|fit| fit.value).collect()
    };
    let straight: Vec<Vec<f64>> = first.iter().map(straight).collect();
    lines()
        .flat_map_iter(|line| {
            let around = line.saturating_sub(SMOOTH)..(line + SMOOTH + 1).min(straight.len());
            let share = 1.0 / around.len() as f64;
            let mut guess = vec![0.0; rows.n];
            for other in &straight[around] {
                guess
                    .iter_mut()
                    .zip(other)
                    .for_each(|(sum, d)| *sum += share * d);
            }
            pair.refine(line, rows, &guess)
        })
        .collect()
}

/// Two frames, `[line, sample]`.
struct Pair<'a> {
    frames: [&'a [[f32; 2]]; 2],
    n_samples: usize,
    n_lines: usize,
    side: usize,
    /// Turn of the carrier in a sample [rad].
    turn: f64,
}

impl Pair<'_> {
    /// The complex correlation of a window and its normalised magnitude, for the delay [samples] of each sample.
    fn correlation(
        &self,
        line: usize,
        window: std::ops::Range<usize>,
        delay: impl Fn(usize) -> f64,
    ) -> (Complex<f64>, f64) {
        let mut sum = Complex::new(0.0, 0.0);
        let mut powers = [0.0; 2];
        let lines = line.saturating_sub(self.side)..(line + self.side + 1).min(self.n_lines);
        let [before, after] = self
            .frames
            .map(|frame| move |line: usize| &frame[line * self.n_samples..][..self.n_samples]);
        for sample in window {
            let shift = delay(sample);
            let carrier = Complex::from_polar(1.0, self.turn * shift);
            for line in lines.clone() {
                let [re, im] = before(line)[sample].map(f64::from);
                let a = Complex::new(re, im);
                let Some(b) = delayed::at(after(line), sample as f64 + shift) else {
                    continue;
                };
                sum += a.conj() * b * carrier;
                powers[0] += a.norm_sqr();
                powers[1] += b.norm_sqr();
            }
        }
        let scale = (powers[0] * powers[1]).sqrt();
        let share = if scale > 0.0 { sum.norm() / scale } else { 0.0 };
        (sum, share)
    }

    /// Delays of a line's windows, without knowledge of them.
    fn search(&self, line: usize, rows: &Rows, widely: f64) -> Vec<f64> {
        let mut known = None;
        let find = |row: usize| {
            let window = row * rows.hop..row * rows.hop + rows.length;
            let best = |middle: f64, reach: f64| {
                let n = reach.round() as i32;
                let steps = (-n..=n).map(|step| {
                    let delay = middle + f64::from(step);
                    (self.correlation(line, window.clone(), |_| delay).1, delay)
                });
                steps.fold(
                    (-1.0, middle),
                    |best, other| {
                        if other.0 > best.0 { other } else { best }
                    },
                )
            };
            let near = known.map_or((-1.0, 0.0), |delay| best(delay, NEAR));
            let (_, whole) = if near.0 < LOST {
                let wide = best(0.0, widely);
                if wide.0 > near.0 { wide } else { near }
            } else {
                near
            };
            let delay = whole + self.phased(line, window.clone(), |_| whole).delay;
            known = Some(delay);
            delay
        };
        (0..rows.n).map(find).collect()
    }

    /// Delays of a line's windows from guesses at their middles.
    fn refine(&self, line: usize, rows: &Rows, guess: &[f64]) -> Vec<Tracked> {
        let between = |sample: usize| {
            let place = (sample as f64 - rows.middle(0)) / rows.hop as f64;
            let last = guess.len().saturating_sub(2);
            let below = (place.max(0.0) as usize).min(last);
            let next = guess.get(below + 1).unwrap_or(&guess[below]);
            guess[below] + (place - below as f64) * (next - guess[below])
        };
        let of_row = |row: usize| {
            let window = row * rows.hop..row * rows.hop + rows.length;
            let left = self.phased(line, window, between);
            Tracked {
                delay: guess[row] + left.delay,
                ..left
            }
        };
        (0..rows.n).map(of_row).collect()
    }

    /// What a window's delay is beyond a guess, by the phase.
    fn phased(
        &self,
        line: usize,
        window: std::ops::Range<usize>,
        guess: impl Fn(usize) -> f64,
    ) -> Tracked {
        let mut found = Tracked::default();
        for _ in 0..N_STEPS {
            let delay = |sample: usize| guess(sample) + found.delay;
            let (sum, share) = self.correlation(line, window.clone(), delay);
            found.correlation = share;
            found.delay -= sum.arg() / self.turn;
        }
        found
    }
}
