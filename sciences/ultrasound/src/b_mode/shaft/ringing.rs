//! Reverberation within a needle: sound that goes to and fro between its walls.
//!
//! A round over a thickness t of a medium with the speed c adds $t\,c_0/c$ to the shown range, with the speed $c_0$ that the scanner assumes.
//! The walls are curved: a paraxial ray through them obeys the matrices of optics, with $n = c_0 / c$ in place of the refractive index
//! (translation by $L/n$, power $(n_2 - n_1)/R$ of a surface, $2n/R$ of a mirror). From source to receiver at the range r, the element B of
//! the product gives the spread: the amplitude relative to a plane mirror is $\sqrt{2r / |B|}$, which is
//! $\sqrt{a/(a+r)}$ for the outer wall of radius a.

use nalgebra::Matrix2;

use super::geometry::{Filling, Shaft};

/// Speed of sound in steel [m/s].
const STEEL: f32 = 5800.0;
/// Speed of sound in water [m/s].
const WATER: f32 = 1480.0;
/// Reflection of pressure from tissue to steel, for impedances of 1.65 and 45 Mrayl.
pub(super) const REFLECTION: f32 = (45.0 - 1.65) / (45.0 + 1.65);
/// Rings below this share of the first echo are left out.
const FAINTEST: f32 = 2e-3;
/// Rounds at most.
const MAX_ROUNDS: usize = 60;

fn pass(length: f32, index: f32) -> Matrix2<f32> {
    Matrix2::new(1.0, length / index, 0.0, 1.0)
}

fn bend(power: f32) -> Matrix2<f32> {
    Matrix2::new(1.0, 0.0, -power, 1.0)
}

/// A layer of the needle in which sound goes to and fro, and what is in front of it.
struct Cavity {
    /// Layers in front: thickness, index, and radius of the surface through which sound enters each.
    front: Vec<[f32; 3]>,
    /// Thickness [m], index, and the radii of its near and far wall [m].
    thickness: f32,
    index: f32,
    walls: [f32; 2],
    /// Pressure that enters and leaves, over both passages.
    through: f32,
    /// Reflection at the far wall, and at the near one from within.
    mirrors: [f32; 2],
}

impl Cavity {
    /// Rounds: shown range behind the echo of the outer wall [m], and amplitude relative to this echo; the first is the echo itself.
    fn rings(&self, radius: f32, range: f32) -> Vec<[f32; 2]> {
        let mut into = pass(range, 1.0);
        let mut index = 1.0;
        let mut out = Matrix2::identity();
        let mut delay = 0.0;
        let layers = self.front.iter().copied();
        let own = [0.0, self.index, self.walls[0]];
        for [thickness, next, surface] in layers.chain([own]) {
            // Matrices act from the right: the first one is the rightmost of the way in and the leftmost of the way out.
            let enter = bend((next - index) / surface);
            into = pass(thickness, next) * enter * into;
            out = out * enter * pass(thickness, next);
            delay += thickness * next;
            index = next;
        }
        let out = pass(range, 1.0) * out;
        let there = pass(self.thickness, self.index);
        let round = there * bend(2.0 * self.index / self.walls[1]) * there;
        let direct = pass(range, 1.0) * bend(-2.0 / radius) * pass(range, 1.0);
        let [far, near] = self.mirrors;
        let mut inside = round;
        let mut amplitude = self.through * far / REFLECTION;
        let mut rings = Vec::new();
        for times in 1..=MAX_ROUNDS {
            let spread = (direct[(0, 1)] / (out * inside * into)[(0, 1)])
                .abs()
                .sqrt();
            let share = amplitude * spread.min(1.0);
            if share.abs() < FAINTEST {
                break;
            }
            rings.push([delay + times as f32 * self.thickness * self.index, share]);
            inside = round * bend(2.0 * self.index / self.walls[0]) * inside;
            amplitude *= near * far;
        }
        rings
    }
}

/// Echoes of a point of a shaft at a range [m]: shown range behind that of the outer wall [m], and amplitude relative to it. The first one is
/// the outer wall. `assumed` is the speed of sound that the scanner assumes [m/s].
pub(super) fn rings(shaft: &Shaft, range: f32, assumed: f32) -> Vec<[f32; 2]> {
    let [outer, inner] = shaft.radii;
    let (steel, water) = (assumed / STEEL, assumed / WATER);
    let passed = 1.0 - REFLECTION * REFLECTION;
    let wall = Cavity {
        front: Vec::new(),
        thickness: outer - inner,
        index: steel,
        walls: [outer, inner],
        through: passed,
        mirrors: [-REFLECTION; 2],
    };
    let cavities = match shaft.filling {
        Filling::Stylet => vec![Cavity {
            thickness: 2.0 * outer,
            walls: [outer; 2],
            ..wall
        }],
        // The inner wall of a tube is convex as seen from its own steel.
        Filling::Air => vec![Cavity {
            walls: [outer, -inner.max(1e-6)],
            mirrors: [-1.0, -REFLECTION],
            ..wall
        }],
        Filling::Water => {
            let lumen = Cavity {
                front: vec![[outer - inner, steel, outer]],
                thickness: 2.0 * inner,
                index: water,
                walls: [inner.max(1e-6); 2],
                through: passed * passed,
                mirrors: [REFLECTION; 2],
            };
            let wall = Cavity {
                walls: [outer, -inner.max(1e-6)],
                ..wall
            };
            vec![wall, lumen]
        }
    };
    let rings = cavities
        .iter()
        .flat_map(|cavity| cavity.rings(outer, range));
    std::iter::once([0.0, 1.0]).chain(rings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformation::Point;

    #[test]
    fn the_first_ring_of_a_solid_shaft_is_that_of_paraxial_optics() {
        let axis = vec![Point::origin(), Point::new(0.1, 0.0, 0.0)];
        let shaft = Shaft::polished(axis, [1.27e-3, 0.838e-3]);
        let rings = rings(&shaft, 0.04, 1540.0);
        // Snell's law by hand, in the angle of a narrow beam: a ray at height y leaves the source at y / r, is refracted at the front,
        // reflected at the back and refracted again; where it meets the source's depth is B times its first angle.
        let (a, r, ratio) = (0.635e-3_f64, 0.04_f64, 1540.0 / 5800.0);
        let angle = 1e-6;
        let mut y = r * angle;
        // At height y the normal of the front is tilted by y / a towards the axis.
        let mut slope = (angle + y / a) / ratio - y / a;
        y += 2.0 * a * slope;
        // That of the back is tilted away from it.
        slope -= 2.0 * y / a;
        y += 2.0 * a * slope;
        slope = (slope - y / a) * ratio + y / a;
        let b = (y + r * slope) / angle;
        let direct = 2.0 * r + 2.0 * r * r / a;
        let passed = 1.0 - f64::from(REFLECTION).powi(2);
        let expected = -passed * (direct / b.abs()).sqrt();
        let [delay, share] = rings[1];
        assert!((delay - 1.27e-3 * 1540.0 / 5800.0).abs() < 1e-7, "{delay}");
        assert!(
            (f64::from(share) / expected - 1.0).abs() < 0.02,
            "{share} {expected}"
        );
    }
}
