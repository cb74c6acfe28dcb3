//! Needles in the picture.
//!
//! A shaft is a line of points of steel, closer to each other than the carrier's wavelength. Their echoes add up with the phase of the
//! carrier, so that the shaft is a mirror: it is bright where it is perpendicular to the beam, and its echo falls with the angle as
//! $e^{-(2 k \sigma \tan\alpha)^2 / 2}$ for a beam of standard deviation σ (the transform of a Gaussian). Roughness adds echoes of random
//! amplitude, which do not depend on the angle.
//!
//! A cylinder of radius a returns $\sqrt{a / (a + r)}$ of what a plane mirror returns at the range r.

mod geometry;
mod ringing;
mod shadow;

use super::echoes::Carrier;
use super::fading::Fading;
use super::front::MIRROR;
use super::grid::Grid;
use super::lattice;
use super::points::Located;
use super::scene::View;
use crate::deformation::{Point, Vector};

pub use geometry::{Filling, Shaft};
pub(crate) use shadow::Shadow;

/// Points of a shaft per wavelength of the carrier, two-way.
const POINTS_PER_WAVE: f32 = 8.0;
/// Number of standard deviations across the array beyond which a point is not visible.
const REACH: f32 = 3.0;
/// Echo of the edges of the tip, which goes to all sides, relative to the shaft across the beam: −14 dB, a choice.
const TIP: f32 = 0.2;

/// The scanner's part of the echoes of a shaft.
pub(crate) struct ShaftEchoes<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) fading: &'a Fading,
    pub(crate) carrier: Carrier,
    /// Speed of sound that the scanner assumes [m/s].
    pub(crate) speed_of_sound: f32,
    /// Standard deviation of the pulse along the line [m].
    pub(crate) pulse: f32,
}

impl ShaftEchoes<'_> {
    /// Adds the echoes of all shafts of a view.
    pub(crate) fn locate(&self, view: &View, located: &mut Vec<Located>) {
        for shaft in view.shafts() {
            self.locate_one(view, shaft, located);
        }
    }

    fn locate_one(&self, view: &View, shaft: &Shaft, located: &mut Vec<Located>) {
        let spacing = 1.0 / (POINTS_PER_WAVE * self.carrier.periods);
        let [radius, _] = shaft.radii;
        let cone = radius / shaft.tip_angle.tan();
        let roughness = 10_f32.powf(0.05 * shaft.roughness);
        let probe_from_world = view.probe_from_world();
        let Some(tip) = shaft.axis.last() else { return };
        let [_, range] = self.grid.locate(&(probe_from_world * tip));
        let rings = ringing::rings(shaft, range.max(1e-3), self.speed_of_sound);
        let mut number = 0;
        shaft.places(&probe_from_world, spacing, |from_tip, axis, along| {
            number += 1;
            // The side of the shaft that faces the probe; the cone of the tip begins on the axis.
            let lift = radius * (from_tip / cone).min(1.0);
            let at = self.facing(axis, along, lift);
            let Some(seen) = self.see(&at, radius) else {
                return;
            };
            let width = self.width(&seen, along);
            let mirror = seen.amplitude * spacing / width;
            let random = gaussian(shaft.seed, number);
            // Sums of random amplitudes grow with the root of the number of points in a cell of the picture.
            let rough = roughness * (2_f32.sqrt() * width / spacing).sqrt() * random;
            let edge = if number == 1 {
                TIP * width / spacing
            } else {
                0.0
            };
            for (index, [delay, share]) in rings.iter().enumerate() {
                // The edges of the tip ring no less, but sound within the shaft does not know its roughness.
                let amplitude = if index == 0 {
                    1.0 + rough + edge
                } else {
                    *share
                };
                located.push(Located {
                    across: seen.across,
                    range: seen.range + delay,
                    amplitude: mirror * amplitude,
                });
            }
        });
    }

    /// A place on the axis, moved towards the probe by a length across the shaft [m].
    fn facing(&self, axis: Point, along: Vector, lift: f32) -> Point {
        let [across, _] = self.grid.locate(&axis);
        let to_probe = self.grid.point(across, 0.0, axis.y) - axis;
        let side = to_probe - along * to_probe.dot(&along);
        side.try_normalize(1e-6)
            .map_or(axis, |side| axis + side * lift)
    }

    /// A point as a scatterer with the echo of a cylinder across the whole beam; `None` if it is out of sight.
    fn see(&self, at: &Point, radius: f32) -> Option<Located> {
        let grid = self.grid;
        let [across, range] = grid.locate(at);
        let is_inside =
            across > -1.0 && across < grid.n_lines as f32 && range > 0.0 && range < grid.depth();
        let sample = (range.max(0.0) / grid.step) as usize;
        let sigma = grid.sigma_elevation[sample.min(grid.n_samples - 1)];
        if !is_inside || at.y.abs() >= REACH * sigma {
            return None;
        }
        let cylinder = (radius / (radius + range)).sqrt();
        let elevation = (-0.5 * (at.y / sigma).powi(2)).exp();
        Some(Located {
            across,
            range,
            amplitude: MIRROR * ringing::REFLECTION * cylinder * elevation,
        })
    }

    /// Integral of the beam and the pulse along a direction through a point [m].
    fn width(&self, at: &Located, along: Vector) -> f32 {
        let sample = ((at.range / self.grid.step) as usize).min(self.grid.n_samples - 1);
        let line = self.grid.point(at.across, 1.0, 0.0) - self.grid.point(at.across, 0.0, 0.0);
        let lateral = self.fading.widenings[sample] * self.grid.sigma_lateral[sample];
        let axial = along.dot(&line);
        let shares = [
            axial / self.pulse,
            along.y / self.grid.sigma_elevation[sample],
            along.dot(&Vector::y().cross(&line)) / lateral,
        ];
        let sum: f32 = shares.iter().map(|share| share * share).sum();
        (2.0 * std::f32::consts::PI / sum.max(1e-12)).sqrt()
    }
}

/// A number with mean 0 and variance 1 for a point of a shaft (Box and Muller 1958).
fn gaussian(seed: u64, number: i32) -> f32 {
    let uniform = |n: i32| {
        let bits = lattice::random(seed, [number, n, 2]);
        (bits as f32 + 0.5) / 4_294_967_296.0
    };
    let radius = (-2.0 * uniform(0).min(0.999_999_9).ln()).sqrt();
    radius * (2.0 * std::f32::consts::PI * uniform(1)).cos()
}
