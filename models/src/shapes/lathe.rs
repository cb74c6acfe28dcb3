//! Surfaces of revolution about z.

use std::f64::consts::FRAC_PI_2;

use insonate_meshes::TriangleMesh;

use super::{Section, loft};

/// Revolves the profile `[radius, z]` [m] about the z axis. The profile rises in z. Each circle has `n_around` vertices.
pub fn lathe(profile: &[[f64; 2]], n_around: usize) -> TriangleMesh {
    let sections: Vec<Section> = profile
        .iter()
        .map(|&[radius, at]| Section::circle(at, radius))
        .collect();
    loft(&sections, n_around)
}

/// A cylinder about z from `span[0]` to `span[1]` with rounded edges of radius `edge` [m].
pub fn rounded_cylinder(radius: f64, span: [f64; 2], edge: f64, n_around: usize) -> TriangleMesh {
    const N_ARC: usize = 3;
    let arc = |index: usize| (FRAC_PI_2 * index as f64 / N_ARC as f64).sin_cos();
    let rising = (0..=N_ARC)
        .map(arc)
        .map(|(sin, cos)| [radius - edge + edge * sin, span[0] + edge - edge * cos]);
    let falling = (0..=N_ARC)
        .rev()
        .map(arc)
        .map(|(sin, cos)| [radius - edge + edge * sin, span[1] - edge + edge * cos]);
    let profile: Vec<[f64; 2]> = rising.chain(falling).collect();
    lathe(&profile, n_around)
}
