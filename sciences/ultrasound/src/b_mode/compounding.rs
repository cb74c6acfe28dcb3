//! Spatial compounding: frames of lines in several directions, averaged where they meet.
//!
//! Lines of a linear array are steered by delays: each direction is traced and scanned on its own, with its own shadows, specular echoes
//! and speckle. The compound is the mean of the amplitudes of all views that reach a place, $\frac{1}{N} \sum_n a_n$; of N independent views,
//! the ratio of mean and standard deviation of speckle grows by √N (Trahey 1986, IEEE TUFFC 33:257).
//! Steered by θ, the aperture looks smaller by cos θ, and the beam is wider by as much. Widths and gain are those of the range from the front
//! through the middle of the array, which at its ends differs from the depth by up to half the array times sin θ; the gain is corrected.

use insonate_settings::check_range;

use super::grid::Grid;
use super::{BMode, Frame, Settings, View};
use crate::UltrasoundError;
use crate::parallel::Workers;
use crate::transducer::{ArrayKind, Transducer};

/// Directions of spatial compounding. Not for views with needles, whose shadows are placed along the unsteered range.
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

    /// Angles of all directions from the normal of the array [rad].
    pub fn angles(self) -> Vec<f64> {
        let half = (self.n_views / 2) as i32;
        let angle = |n: i32| self.angle * f64::from(n) / f64::from(half.max(1));
        (-half..=half).map(angle).collect()
    }
}

/// The steered views of a scanner.
#[derive(Clone, Debug)]
pub(super) struct Compound {
    views: Vec<SteeredView>,
    /// Amplitudes of a view, shape `[n_lines, n_samples]` of its own.
    amplitudes: Vec<f32>,
    /// Sums of amplitudes and numbers of views, shape `[n_lines, n_samples]`.
    sums: Vec<[f32; 2]>,
}

/// A steered view.
#[derive(Clone, Debug)]
struct SteeredView {
    scanner: BMode,
    places: Vec<Place>,
    /// Samples of the received range per line.
    tilt: f32,
    /// Line in the middle.
    middle: f32,
}

/// The places of a steered view that show the places of the unsteered lines at a sample.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Shift to the steered line that meets them [lines].
    shift: f32,
    /// Sample of its range.
    sample: f32,
}

impl SteeredView {
    fn new(
        transducer: &Transducer,
        settings: &Settings,
        grid: &Grid,
        angle: f64,
    ) -> Result<Self, UltrasoundError> {
        // Deep enough to reach the bottom at the end of the array that is behind.
        let behind = 0.5 * transducer.span() * angle.sin().abs();
        let depth = (settings.depth / angle.cos() + behind).min(0.4);
        let step = settings.depth / settings.n_samples as f64;
        let own = Settings {
            compounding: None,
            depth,
            n_samples: ((depth / step).ceil() as usize).min(16384),
            noise_seed: settings.noise_seed ^ angle.to_bits(),
            ..settings.clone()
        };
        let scanner = BMode::steered(transducer, &own, angle)?;
        let steered = &scanner.grid;
        let place = |sample: usize| {
            let [shift, range] = steered.locate(&grid.point(0.0, sample as f32 * grid.step, 0.0));
            Place {
                shift,
                sample: range / steered.step,
            }
        };
        Ok(Self {
            places: (0..grid.n_samples).map(place).collect(),
            tilt: steered.steering.tilt(steered.spacing) / steered.step,
            middle: steered.middle(),
            scanner,
        })
    }

    /// Amplitudes of the last frame.
    fn amplitudes(&self, amplitudes: &mut Vec<f32>) {
        amplitudes.clear();
        let levels = &self.scanner.frame.envelope;
        amplitudes.extend(levels.iter().map(|level| 10f32.powf(0.05 * level)));
    }

    /// Amplitude at a sample of an unsteered line; `None` where the view does not reach.
    fn at(&self, amplitudes: &[f32], line: usize, place: Place) -> Option<f32> {
        let across = line as f32 + place.shift;
        let received = place.sample + (across - self.middle) * self.tilt;
        let size = [self.scanner.grid.n_lines, self.scanner.grid.n_samples];
        let found = between(amplitudes, size, [across, received])?;
        // Received at another range, the echo got another gain.
        let gain = &self.scanner.receiver.gain;
        let gain_at = |sample: f32| gain[(sample as usize).min(gain.len() - 1)];
        Some(found * gain_at(place.sample) / gain_at(received))
    }
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
        let angles = compounding.angles().into_iter();
        let views = angles
            .filter(|angle| *angle != 0.0)
            .map(|angle| SteeredView::new(transducer, settings, grid, angle));
        Ok(Some(Self {
            views: views.collect::<Result<_, UltrasoundError>>()?,
            amplitudes: Vec::new(),
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
            *sum = [10f32.powf(0.05 * level), 1.0];
        }
        for steered in views {
            steered.scanner.frame(view, index);
            steered.amplitudes(amplitudes);
            let (amplitudes, steered) = (&*amplitudes, &*steered);
            workers.for_each_part(
                sums,
                frame.n_samples,
                1,
                || (),
                |(), line, sums| {
                    for (sum, place) in sums.iter_mut().zip(&steered.places) {
                        if let Some(found) = steered.at(amplitudes, line, *place) {
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
