//! Resolution and loss: widths, levels and frequencies of point targets on the axis.

use insonate_settings::check_range;
use nalgebra::{Complex, Isometry3};

use super::width::full_width;
use super::{line_distance, reaching};
use crate::b_mode::{Iq, View};
use crate::deformation::Rigid;
use crate::phantom::Block;
use crate::transducer::Transducer;
use crate::{BMode, Settings, UltrasoundError};

/// Widths of a point at half of its peak (−6 dB), and what attenuation leaves of its echo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTarget {
    /// Depth [m].
    pub depth: f64,
    /// Along the array [m].
    pub lateral: f64,
    /// Along the scanline [m].
    pub axial: f64,
    /// Across the array [m].
    pub elevation: f64,
    /// Energy of its echo along the scanline, relative to a medium without loss [dB]; speckle fades by as much.
    pub level: f64,
    /// Mean frequency of its echo, weighted by the amplitude of the spectrum above a twentieth of its maximum [Hz].
    pub frequency: f64,
}

/// Images points in a medium with an attenuation [dB/(cm MHz)], from 61 places across the array; depth, samples, noise and compensation of
/// `settings` are replaced.
///
/// # Errors
/// [`UltrasoundError::Setting`]: settings are invalid, or a depth is outside of 2 mm to 0.3 m.
pub fn point_targets(
    transducer: &Transducer,
    settings: &Settings,
    depths: &[f64],
    attenuation: f64,
) -> Result<Vec<PointTarget>, UltrasoundError> {
    depths
        .iter()
        .map(|&depth| point_target(transducer, settings, depth, attenuation))
        .collect()
}

fn point_target(
    transducer: &Transducer,
    settings: &Settings,
    depth: f64,
    attenuation: f64,
) -> Result<PointTarget, UltrasoundError> {
    const N_PLACES: i32 = 30;
    check_range("depth of a point", depth, [0.002, 0.3], "m")?;
    check_range("alpha", attenuation, [0.0, 3.0], "dB/(cm MHz)")?;
    let block = |attenuation: f64| {
        let speed = settings.speed_of_sound as f32;
        Block::points(&[depth as f32], speed, attenuation as f32)
    };
    let (block, clear) = (block(attenuation), block(0.0));
    let pulse = settings
        .pulse(&settings.tuned(transducer))
        .width(settings.speed_of_sound);
    let settings = Settings {
        n_samples: (8.0 * 1.2 * depth / pulse).round() as usize,
        // An odd number, so that one line meets the points.
        n_lines: settings.n_lines | 1,
        noise: f64::NEG_INFINITY,
        compensation: 0.0,
        ..reaching(settings, depth)
    };
    let [spacing, step] = [
        line_distance(transducer, settings.n_lines, depth),
        settings.depth / settings.n_samples as f64,
    ];
    let sample = (depth / step).round() as usize;
    let mut b_mode = BMode::new(transducer, &settings)?;
    let near = (depth - 6.0 * pulse, depth + 6.0 * pulse);
    let [first, last] =
        [near.0.max(0.5 * depth), near.1.min(1.15 * depth)].map(|z| (z / step) as usize);
    let power = |lines: &[Vec<f64>]| -> f64 {
        let line = lines[settings.n_lines / 2][first..last].iter();
        line.map(|amplitude| amplitude * amplitude).sum()
    };
    let whole = power(&amplitudes(&mut b_mode, &clear, 0.0)?);
    let lines = amplitudes(&mut b_mode, &block, 0.0)?;
    let level = 10.0 * (power(&lines) / whole).log10();
    let frequency = mean_frequency(&b_mode.iq(), [first, last]);
    let middle = settings.n_lines / 2;
    let across: Vec<f64> = lines.iter().map(|line| line[sample]).collect();

    // A few lines suffice for places across the array; the beam is at most as wide as the aperture or its spread.
    let few = Settings {
        n_lines: 9,
        ..settings
    };
    let mut b_mode = BMode::new(transducer, &few)?;
    let place = transducer.elevation_aperture.max(0.15 * depth) / f64::from(N_PLACES);
    let peaks: Result<Vec<f64>, UltrasoundError> = (-N_PLACES..=N_PLACES)
        .map(|n| Ok(amplitudes(&mut b_mode, &block, f64::from(n) * place)?[4][sample]))
        .collect();
    Ok(PointTarget {
        depth,
        lateral: spacing * full_width(&across, middle),
        axial: step * full_width(&lines[middle], sample),
        elevation: place * full_width(&peaks?, N_PLACES as usize),
        level,
        frequency,
    })
}

/// Mean frequency of samples of the middle line [Hz], weighted by the amplitude of the spectrum above a twentieth of its maximum.
fn mean_frequency(iq: &Iq, [first, last]: [usize; 2]) -> f64 {
    const N: i32 = 120;
    let line = &iq.values[2 * (iq.n_lines / 2) * iq.n_samples..][2 * first..2 * last];
    let at = |frequency: f64| {
        let turn = |(n, pair): (usize, &[f32])| {
            let time = n as f64 / iq.sample_rate;
            let value = Complex::new(f64::from(pair[0]), f64::from(pair[1]));
            value * Complex::cis(-std::f64::consts::TAU * (frequency - iq.center_frequency) * time)
        };
        line.chunks_exact(2)
            .enumerate()
            .map(turn)
            .sum::<Complex<f64>>()
            .norm()
    };
    let frequencies = (1..2 * N).map(|n| iq.center_frequency * f64::from(n) / f64::from(N));
    let spectrum: Vec<[f64; 2]> = frequencies.map(|f| [f, at(f)]).collect();
    let most = spectrum.iter().fold(0.0, |most: f64, [_, a]| most.max(*a));
    let strong = spectrum.iter().filter(|[_, a]| *a > 0.05 * most);
    let (moment, sum) = strong.fold((0.0, 0.0), |(m, s), [f, a]| (m + f * a, s + a));
    moment / sum
}

/// Amplitudes of lines, from a place across the array [m].
fn amplitudes(
    b_mode: &mut BMode,
    block: &Block,
    elevation: f64,
) -> Result<Vec<Vec<f64>>, UltrasoundError> {
    let pose = Isometry3::translation(0.0, elevation, 0.0);
    let rigid = Rigid::default();
    let frame = b_mode.frame(&View::new(block, &rigid, &pose)?, 0);
    let lines = (0..frame.n_lines).map(|line| {
        let levels = frame.line(line).iter();
        levels
            .map(|level| 10f64.powf(0.05 * f64::from(*level)))
            .collect()
    });
    Ok(lines.collect())
}
