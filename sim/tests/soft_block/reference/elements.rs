//! Hexahedra with 27 nodes and 27 points of integration (Zienkiewicz and Taylor 2000, *The Finite Element Method*, volume 1, chapter 8).

use nalgebra::{Matrix3, Vector3};

use super::grid::Grid;

/// Law of the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Law {
    /// Hooke's law for small displacements.
    Linear,
    /// Compressible neo-Hookean solid, ψ = μ/2 (I₁ − 3 − 2 ln J) + λ/2 ln² J (Bonet and Wood 2008, Eq. 6.28).
    NeoHookean,
}

/// Abscissae and weights of Gauss' rule with three points.
pub(super) const GAUSS: [(f64, f64); 3] = [
    (-0.774_596_669_241_483_4, 5.0 / 9.0),
    (0.0, 8.0 / 9.0),
    (0.774_596_669_241_483_4, 5.0 / 9.0),
];

/// Quadratic shape functions at −1 ≤ x ≤ 1, and their derivatives.
pub(super) fn quadratic(x: f64) -> ([f64; 3], [f64; 3]) {
    (
        [0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)],
        [x - 0.5, -2.0 * x, x + 0.5],
    )
}

/// A point of integration: gradients of the shape functions [1/m] and the volume that it stands for [m³].
pub(super) struct Point {
    gradients: [Vector3<f64>; 27],
    volume: f64,
}

/// The points of an element.
pub(super) fn points(grid: &Grid, element: &[usize; 27]) -> Vec<Point> {
    let mut points = Vec::with_capacity(27);
    for (x, u) in GAUSS {
        for (y, v) in GAUSS {
            for (z, w) in GAUSS {
                let [(a, by_a), (b, by_b), (c, by_c)] = [x, y, z].map(quadratic);
                let local: [Vector3<f64>; 27] = std::array::from_fn(|node| {
                    let (i, j, k) = (node / 9, node / 3 % 3, node % 3);
                    Vector3::new(
                        by_a[i] * b[j] * c[k],
                        a[i] * by_b[j] * c[k],
                        a[i] * b[j] * by_c[k],
                    )
                });
                let jacobian: Matrix3<f64> = element
                    .iter()
                    .zip(&local)
                    .map(|(&node, local)| grid.points[node] * local.transpose())
                    .sum();
                let inverse = jacobian
                    .try_inverse()
                    .expect("points lie inside of elements")
                    .transpose();
                points.push(Point {
                    gradients: local.map(|local| inverse * local),
                    volume: jacobian.determinant() * u * v * w,
                });
            }
        }
    }
    points
}

/// Lamé's constants [Pa].
pub(super) fn lame(young_modulus: f64, poisson_ratio: f64) -> [f64; 2] {
    let mu = young_modulus / (2.0 * (1.0 + poisson_ratio));
    [mu * 2.0 * poisson_ratio / (1.0 - 2.0 * poisson_ratio), mu]
}

/// Adds the forces of the nodes [N], the gradient of the energy, and the stiffness [N/m], shape `[81, 81]`. `None` if the element is inverted.
pub(super) fn add(
    law: Law,
    [lambda, mu]: [f64; 2],
    points: &[Point],
    moved: &[Vector3<f64>; 27],
    forces: &mut [Vector3<f64>; 27],
    stiffness: &mut [f64],
) -> Option<()> {
    for Point { gradients, volume } in points {
        let h: Matrix3<f64> = moved
            .iter()
            .zip(gradients)
            .map(|(moved, gradient)| moved * gradient.transpose())
            .sum();
        // The stress, and the constants of its derivative μ₁ dF + μ₂ G dFᵀ G + λ (G : dF) G, with G = F⁻ᵀ.
        let (stress, g, other) = match law {
            Law::Linear => {
                let trace = Matrix3::identity() * (lambda * h.trace());
                ((h + h.transpose()) * mu + trace, Matrix3::identity(), mu)
            }
            Law::NeoHookean => {
                let f = Matrix3::identity() + h;
                let determinant = f.determinant();
                if determinant <= 0.0 {
                    return None;
                }
                let (g, log) = (f.try_inverse()?.transpose(), determinant.ln());
                ((f - g) * mu + g * (lambda * log), g, mu - lambda * log)
            }
        };
        let spatial = gradients.map(|gradient| g * gradient);
        for (a, force) in forces.iter_mut().enumerate() {
            *force += stress * gradients[a] * *volume;
            for b in 0..27 {
                let same = mu * gradients[a].dot(&gradients[b]);
                for i in 0..3 {
                    for j in 0..3 {
                        let mut sum = lambda * spatial[a][i] * spatial[b][j]
                            + other * spatial[a][j] * spatial[b][i];
                        if i == j {
                            sum += same;
                        }
                        stiffness[(3 * a + i) * 81 + 3 * b + j] += sum * volume;
                    }
                }
            }
        }
    }
    Some(())
}
