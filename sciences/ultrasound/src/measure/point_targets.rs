//! Resolution: widths of point targets on the axis.

use insonate_settings::check_range;
use nalgebra::Isometry3;

use super::width::full_width;
use super::{line_distance, reaching};
use crate::b_mode::View;
use crate::beam::Pulse;
use crate::deformation::Rigid;
use crate::phantom::Block;
use crate::transducer::Transducer;
use crate::{BMode, Settings, UltrasoundError};

/// Widths of a point at half of its peak (−6 dB).
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
}

/// Images points in a clear medium, from 61 places across the array; depth, samples, noise and compensation of `settings` are replaced.
///
/// # Errors
/// [`UltrasoundError::Setting`]: settings are invalid, or a depth is outside of 2 mm to 0.3 m.
pub fn point_targets(
    transducer: &Transducer,
    settings: &Settings,
    depths: &[f64],
) -> Result<Vec<PointTarget>, UltrasoundError> {
    depths
        .iter()
        .map(|&depth| point_target(transducer, settings, depth))
        .collect()
}

fn point_target(
    transducer: &Transducer,
    settings: &Settings,
    depth: f64,
) -> Result<PointTarget, UltrasoundError> {
    const N_PLACES: i32 = 30;
    check_range("depth of a point", depth, [0.002, 0.3], "m")?;
    let block = Block::points(&[depth as f32], settings.speed_of_sound as f32);
    let pulse = Pulse::new(transducer).width(settings.speed_of_sound);
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
    let lines = amplitudes(&mut BMode::new(transducer, &settings)?, &block, 0.0)?;
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
    })
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
