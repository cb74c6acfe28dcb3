//! Surfaces through superellipses that are stacked along z.
//!
//! A section is $|x/a|^n + |y/b|^n = 1$ about its centre. With $n = 2$ it is an ellipse, with $n = 4$ a rounded box, with $n = \infty$ a box.

use std::f64::consts::TAU;

use insonate_meshes::TriangleMesh;

/// A section of a loft, parallel to the x-y plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Height z [m].
    pub at: f64,
    /// Centre x, y [m].
    pub center: [f64; 2],
    /// Half widths along x and y [m].
    pub half: [f64; 2],
    /// Exponent n of the superellipse; 2 or more.
    pub exponent: f64,
}

impl Section {
    /// A circle about the z axis at height `at` [m].
    pub fn circle(at: f64, radius: f64) -> Self {
        Self {
            at,
            center: [0.0; 2],
            half: [radius; 2],
            exponent: 2.0,
        }
    }

    /// The point at `angle` [rad] around the section.
    fn point(&self, angle: f64) -> [f64; 3] {
        let (sin, cos) = angle.sin_cos();
        let radius = if self.exponent.is_finite() {
            (cos.abs().powf(self.exponent) + sin.abs().powf(self.exponent))
                .powf(-1.0 / self.exponent)
        } else {
            1.0 / cos.abs().max(sin.abs())
        };
        [
            self.center[0] + self.half[0] * radius * cos,
            self.center[1] + self.half[1] * radius * sin,
            self.at,
        ]
    }
}

/// The surface through `sections`, closed by flat ends. The sections rise in z, and each has `n_around` vertices.
pub fn loft(sections: &[Section], n_around: usize) -> TriangleMesh {
    let ring = |section: &Section| -> Vec<[f64; 3]> {
        let angles = (0..n_around).map(|index| TAU * (index as f64 + 0.5) / n_around as f64);
        angles.map(|angle| section.point(angle)).collect()
    };
    let mut positions: Vec<[f64; 3]> = sections.iter().flat_map(ring).collect();
    let mut triangles = Vec::with_capacity(2 * n_around * sections.len());
    for lower in (0..sections.len().saturating_sub(1)).map(|index| index * n_around) {
        for side in 0..n_around {
            let next = (side + 1) % n_around;
            let (a, b, c, d) = (
                lower + side,
                lower + next,
                lower + n_around + next,
                lower + n_around + side,
            );
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    for (section, first, is_top) in [
        (sections.first(), 0, false),
        (
            sections.last(),
            (sections.len().max(1) - 1) * n_around,
            true,
        ),
    ] {
        let Some(section) = section else { continue };
        let center = positions.len();
        positions.push([section.center[0], section.center[1], section.at]);
        for side in 0..n_around {
            let (a, b) = (first + side, first + (side + 1) % n_around);
            triangles.push(if is_top {
                [center, a, b]
            } else {
                [center, b, a]
            });
        }
    }
    let triangles = triangles.into_iter();
    TriangleMesh {
        positions,
        triangles: triangles
            .map(|triangle: [usize; 3]| triangle.map(|vertex| vertex as u32))
            .collect(),
    }
}
