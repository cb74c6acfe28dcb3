//! Strain imaging: the axial displacement between two frames of complex lines, and its slope (Ophir 1991, Ultrasonic Imaging 13(2)).
//!
//! * [`tracking`]: two frames → displacement of overlapping windows along each line.
//! * [`slope`]: displacement → strain.
//! * [`delayed`]: a complex line between its samples.
//! * [`contrast`]: strain of a target and its background → contrast-to-noise ratio.

mod contrast;
mod delayed;
mod slope;
mod tracking;

pub use contrast::{StrainContrast, strain_contrast};

use insonate_settings::check_range;

use crate::UltrasoundError;
use crate::b_mode::Iq;

/// Windows of strain imaging.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainSettings {
    /// Length of the windows that are tracked [m].
    pub window: f64,
    /// Share by which neighbouring windows overlap.
    pub overlap: f64,
    /// Lines to either side of a line that are tracked with it.
    pub side_lines: usize,
    /// Largest displacement that is searched where nothing is known yet [m].
    pub search: f64,
    /// Length over which the slope of the displacement is fitted [m].
    pub slope: f64,
}

impl StrainSettings {
    /// Eight wavelengths for windows that overlap by 80 %, ten for slopes, at a speed of sound [m/s] and a frequency [Hz].
    pub fn of(speed_of_sound: f64, frequency: f64) -> Self {
        let wavelength = speed_of_sound / frequency;
        Self {
            window: 8.0 * wavelength,
            overlap: 0.8,
            side_lines: 1,
            search: 3.0 * wavelength,
            slope: 10.0 * wavelength,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the field.
    pub fn check(&self) -> Result<(), UltrasoundError> {
        check_range("window", self.window, [1e-4, 0.05], "m")?;
        check_range("overlap", self.overlap, [0.0, 0.95], "")?;
        check_range("side lines", self.side_lines as f64, [0.0, 16.0], "")?;
        check_range("search", self.search, [0.0, 0.02], "m")?;
        Ok(check_range("slope", self.slope, [1e-4, 0.1], "m")?)
    }
}

/// Displacement and strain between two frames, in beam space.
#[derive(Clone, Debug, PartialEq)]
pub struct StrainMap {
    /// Number of lines.
    pub n_lines: usize,
    /// Windows of each line.
    pub n_windows: usize,
    /// Depth of the middle of the first window [m], and between windows [m].
    pub first: f64,
    /// Distance between windows [m].
    pub step: f64,
    /// Displacement away from the probe [m], shape `[n_lines, n_windows]`.
    pub displacement: Vec<f32>,
    /// Correlation of the windows after the displacement, 0 to 1, shape `[n_lines, n_windows]`.
    pub correlation: Vec<f32>,
    /// Strain along the line; compression is positive. Shape `[n_lines, n_windows]`.
    pub strain: Vec<f32>,
}

impl StrainMap {
    /// Tracks the windows of one frame in another one; `speed_of_sound` is that of the scanner [m/s].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a setting is out of range, the frames differ in shape or sampling, or a window or a slope does not fit in a line.
    pub fn between(
        before: &Iq,
        after: &Iq,
        speed_of_sound: f64,
        settings: &StrainSettings,
    ) -> Result<Self, UltrasoundError> {
        settings.check()?;
        let shape = |iq: &Iq| {
            (
                iq.n_lines,
                iq.n_samples,
                iq.sample_rate,
                iq.center_frequency,
            )
        };
        if shape(before) != shape(after) {
            let found = format!("{:?} and {:?}", shape(before), shape(after));
            let allowed = "of the same lines, samples, rate and frequency";
            return Err(UltrasoundError::setting("frames", found, allowed));
        }
        let sample = speed_of_sound / (2.0 * before.sample_rate);
        let length = before.n_samples as f64 * sample;
        check_range("window", settings.window, [4.0 * sample, length], "m")?;
        let rows = tracking::Rows::new(before.n_samples, sample, settings);
        let span = rows.n as f64 * rows.hop as f64 * sample;
        let least = 2.0 * rows.hop as f64 * sample;
        check_range("slope", settings.slope, [least, span], "m")?;
        let tracked = tracking::track(before, after, &rows, settings, sample);
        let half = slope::half_length(settings.slope, rows.hop as f64 * sample);
        let step = rows.hop as f64 * sample;
        let mut map = Self {
            n_lines: before.n_lines,
            n_windows: rows.n,
            first: rows.middle(0) * sample,
            step,
            displacement: Vec::with_capacity(tracked.len()),
            correlation: Vec::with_capacity(tracked.len()),
            strain: Vec::with_capacity(tracked.len()),
        };
        for line in tracked.chunks_exact(rows.n) {
            let shifts: Vec<f64> = line.iter().map(|window| window.delay * sample).collect();
            let fits = slope::fits(&shifts, half);
            map.strain
                .extend(fits.map(|fit| (-fit.slope / step) as f32));
            map.displacement
                .extend(shifts.iter().map(|shift| *shift as f32));
            map.correlation
                .extend(line.iter().map(|window| window.correlation as f32));
        }
        Ok(map)
    }

    /// Strain of a line.
    pub fn line(&self, line: usize) -> &[f32] {
        &self.strain[line * self.n_windows..][..self.n_windows]
    }

    /// Numbers of the map at samples of beam space `[n_lines, n_samples]` that are `sample` [m] apart; NaN above the first and below the last window.
    pub fn at_samples(&self, values: &[f32], n_samples: usize, sample: f64) -> Vec<f32> {
        let of_line = |line: &[f32]| -> Vec<f32> {
            let at = |index: usize| {
                let place = (index as f64 * sample - self.first) / self.step;
                if place < 0.0 || place > (self.n_windows - 1) as f64 {
                    return f32::NAN;
                }
                let before = (place as usize).min(self.n_windows.saturating_sub(2));
                let share = (place - before as f64) as f32;
                let next = line.get(before + 1).copied().unwrap_or(line[before]);
                line[before] + share * (next - line[before])
            };
            (0..n_samples).map(at).collect()
        };
        values
            .chunks_exact(self.n_windows)
            .flat_map(of_line)
            .collect()
    }

    /// A NRRD file (version 4, raw floats): strain, displacement [m] and correlation run fastest, then windows, then lines.
    pub fn to_nrrd(&self) -> Vec<u8> {
        let header = format!(
            "NRRD0004\n# simulated: axial strain (compression is positive), displacement [m] and correlation of windows along ultrasound lines\n\
             type: float\ndimension: 3\nsizes: 3 {} {}\nkinds: vector domain domain\nendian: little\nencoding: raw\n\
             first_depth_m:={}\nstep_m:={}\n\n",
            self.n_windows, self.n_lines, self.first, self.step
        );
        let values = self
            .strain
            .iter()
            .zip(&self.displacement)
            .zip(&self.correlation);
        let values =
            values.flat_map(|((strain, shift), correlation)| [*strain, *shift, *correlation]);
        let bytes = values.flat_map(f32::to_le_bytes);
        header.into_bytes().into_iter().chain(bytes).collect()
    }
}
