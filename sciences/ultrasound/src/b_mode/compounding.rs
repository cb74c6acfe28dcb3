//! Spatial compounding: frames of lines in several directions, averaged where they meet.
//!
//! Lines of a linear array are steered by delays: each direction is traced and scanned on its own, with its own shadows, specular echoes
//! and speckle. The compound is the mean of the amplitudes of all views that reach a place, $\frac{1}{N} \sum_n a_n$; of N independent views,
//! the ratio of mean and standard deviation of speckle grows by √N (Trahey 1986, IEEE TUFFC 33:257).
//! Steered by θ, the aperture looks smaller by cos θ, and the beam is wider by as much.

use insonate_settings::check_range;

use super::grid::Grid;
use super::{BMode, Frame, Settings, View};
use crate::UltrasoundError;
use crate::parallel::Workers;
use crate::transducer::{ArrayKind, Transducer};

/// Directions of spatial compounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compounding {
    /// Number of directions: 3, 5, 7 or 9, evenly spaced, with the unsteered one in the middle.
    pub n_views: usize,
    /// Angle between the outermost directions and the unsteered one [rad], up to 20°.
    pub angle: f64,
}

impl Compounding {
    /// Default of [`Compounding::angle`]: 10° [rad].
    pub const ANGLE: f64 = 0.174_532_925_199_432_95;

    pub(super) fn check_for(&self, transducer: &Transducer) -> Result<(), UltrasoundError> {
        if transducer.kind != ArrayKind::Linear {
            let allowed = "1 for a curved or phased array: lines are steered on linear arrays only";
            return Err(UltrasoundError::setting(
                "views of compounding",
                self.n_views,
                allowed,
            ));
        }
        if ![3, 5, 7, 9].contains(&self.n_views) {
            let allowed = "3, 5, 7 or 9";
            return Err(UltrasoundError::setting(
                "views of compounding",
                self.n_views,
                allowed,
            ));
        }
        let range = [0.01, 20f64.to_radians()];
        Ok(check_range(
            "angle of compounding",
            self.angle,
            range,
            "rad",
        )?)
    }

    /// Angles of the steered views [rad].
    fn steered(self) -> impl Iterator<Item = f64> {
        let half = (self.n_views / 2) as i32;
        let angle = move |n: i32| self.angle * f64::from(n) / f64::from(half);
        (-half..=half).filter(|n| *n != 0).map(angle)
    }
}

/// The steered views of a scanner.
#[derive(Clone, Debug)]
pub(super) struct Compound {
    views: Vec<SteeredView>,
    /// Amplitudes of a view, shape `[n_lines, n_samples]`.
    amplitudes: Vec<f32>,
    /// Sums of amplitudes and numbers of views, same shape.
    sums: Vec<[f32; 2]>,
}

/// A steered view.
#[derive(Clone, Debug)]
struct SteeredView {
    scanner: BMode,
    /// For each sample of the unsteered lines: the shift to the steered line that meets it [lines], and the sample of this line.
    places: Vec<[f32; 2]>,
}

impl Compound {
    /// Steered views next to the lines of a grid.
    pub(super) fn new(
        transducer: &Transducer,
        settings: &Settings,
        grid: &Grid,
    ) -> Result<Option<Self>, UltrasoundError> {
        let Some(compounding) = settings.compounding else {
            return Ok(None);
        };
        let view = |(index, angle): (usize, f64)| {
            let own = Settings {
                compounding: None,
                noise_seed: settings.noise_seed ^ ((index as u64 + 1) << 32),
                ..settings.clone()
            };
            let scanner = BMode::steered(transducer, &own, angle)?;
            let place = |sample: usize| {
                let middle = grid.point(0.0, sample as f32 * grid.step, 0.0);
                let [across, range] = scanner.grid.locate(&middle);
                [across, range / scanner.grid.step]
            };
            let places = (0..grid.n_samples).map(place).collect();
            Ok(SteeredView { scanner, places })
        };
        let views = compounding.steered().enumerate().map(view);
        Ok(Some(Self {
            views: views.collect::<Result<_, UltrasoundError>>()?,
            amplitudes: vec![0.0; grid.n_lines * grid.n_samples],
            sums: vec![[0.0; 2]; grid.n_lines * grid.n_samples],
        }))
    }

    /// Makes frames on the calling thread only.
    pub(super) fn use_own_thread(&mut self) {
        for view in &mut self.views {
            view.scanner.workers = Workers::Own;
        }
    }

    /// Averages a frame with those of the steered views.
    pub(super) fn add_views(
        &mut self,
        view: &View,
        index: u64,
        frame: &mut Frame,
        workers: Workers,
    ) {
        let Self {
            views,
            amplitudes,
            sums,
        } = self;
        for (sum, level) in sums.iter_mut().zip(&frame.envelope) {
            *sum = [amplitude(*level), 1.0];
        }
        let (n_lines, n_samples) = (frame.n_lines, frame.n_samples);
        for steered in views {
            let levels = &steered.scanner.frame(view, index).envelope;
            for (amplitude_of, level) in amplitudes.iter_mut().zip(levels) {
                *amplitude_of = amplitude(*level);
            }
            let (amplitudes, places) = (&*amplitudes, &steered.places);
            workers.for_each_part(
                sums,
                n_samples,
                1,
                || (),
                |(), line, sums| {
                    for (sum, [shift, sample]) in sums.iter_mut().zip(places) {
                        let across = line as f32 + shift;
                        let found = between(amplitudes, [n_lines, n_samples], [across, *sample]);
                        if let Some(found) = found {
                            *sum = [sum[0] + found, sum[1] + 1.0];
                        }
                    }
                },
            );
        }
        for (level, [sum, n]) in frame.envelope.iter_mut().zip(&*sums) {
            *level = 20.0 * (sum / n).log10();
        }
    }
}

fn amplitude(level: f32) -> f32 {
    10f32.powf(0.05 * level)
}

/// Interpolates between four samples; `None` outside of them.
fn between(
    amplitudes: &[f32],
    [n_lines, n_samples]: [usize; 2],
    [across, along]: [f32; 2],
) -> Option<f32> {
    let last = [n_lines, n_samples].map(|n| n as f32 - 1.0);
    if !(0.0..last[0]).contains(&across) || !(0.0..last[1]).contains(&along) {
        return None;
    }
    let at = across as usize * n_samples + along as usize;
    let share = along.fract();
    let on_line = |at: usize| amplitudes[at] + share * (amplitudes[at + 1] - amplitudes[at]);
    let [first, second] = [at, at + n_samples].map(on_line);
    Some(first + across.fract() * (second - first))
}
