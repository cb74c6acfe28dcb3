//! Interpolation from points of tissue to the lattice of a torso, by moving least squares, exact for any affine motion (Lancaster and
//! Salkauskas 1981, doi:10.1090/S0025-5718-1981-0616367-1).

use nalgebra::{Matrix4, Vector3, Vector4};

/// For each lattice point, the tissue points around it and their weights.
#[derive(Debug, Clone)]
pub(super) struct MovingLeastSquares {
    weights: Vec<Vec<(u32, f64)>>,
}

impl MovingLeastSquares {
    /// Weights for a lattice at rest and tissue at rest whose points are `spacing` [m] apart.
    pub(super) fn new(lattice: &[[f64; 3]], tissue: &[[f64; 3]], spacing: f64) -> Self {
        let weights = lattice.iter().map(|point| weights(point, tissue, spacing));
        Self {
            weights: weights.collect(),
        }
    }

    /// Values of the tissue, positions or velocities, interpolated at each lattice point.
    pub(super) fn follow<'a>(
        &'a self,
        tissue: &'a [[f64; 3]],
    ) -> impl Iterator<Item = [f64; 3]> + 'a {
        self.weights.iter().map(|weights| {
            let mut point = [0.0; 3];
            for &(index, weight) in weights {
                for axis in 0..3 {
                    point[axis] += weight * tissue[index as usize][axis];
                }
            }
            point
        })
    }
}

fn weights(point: &[f64; 3], tissue: &[[f64; 3]], spacing: f64) -> Vec<(u32, f64)> {
    let distance = |other: &[f64; 3]| (Vector3::from(*other) - Vector3::from(*point)).norm();
    let nearest =
        (0..tissue.len()).min_by(|&a, &b| distance(&tissue[a]).total_cmp(&distance(&tissue[b])));
    let Some(nearest) = nearest else {
        return Vec::new();
    };
    let gap = distance(&tissue[nearest]);
    if gap < 1e-6 * spacing {
        return vec![(nearest as u32, 1.0)];
    }
    let reach = gap + 1.8 * spacing;
    let near: Vec<(u32, f64, Vector4<f64>)> = tissue
        .iter()
        .enumerate()
        .filter_map(|(index, other)| {
            let r = distance(other) / reach;
            let offset = (Vector3::from(*other) - Vector3::from(*point)) / spacing;
            (r < 1.0).then(|| {
                (
                    index as u32,
                    (1.0 - r * r).powi(2),
                    offset.insert_row(0, 1.0),
                )
            })
        })
        .collect();
    let moments: Matrix4<f64> = near
        .iter()
        .map(|(_, weight, p)| p * p.transpose() * *weight)
        .sum();
    // The weight of i: w_i p(x)ᵀ A⁻¹ p(x_i), with p(x) = (1, 0, 0, 0) relative to the point itself.
    match moments.try_inverse() {
        Some(inverse) if moments.determinant().abs() > 1e-9 => {
            let row = inverse.row(0);
            near.iter()
                .map(|(index, weight, p)| (*index, weight * (row * p).x))
                .collect()
        }
        _ => vec![(nearest as u32, 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    #[test]
    fn affine_motion_is_followed_exactly() {
        let tissue: Vec<[f64; 3]> = (0..125)
            .map(|i| [i / 25, i / 5 % 5, i % 5].map(|i| 0.01 * f64::from(i)))
            .collect();
        let lattice = [
            [0.013, 0.021, 0.033],
            [-0.004, 0.02, 0.044],
            [0.02, 0.01, 0.03],
        ];
        let interpolation = MovingLeastSquares::new(&lattice, &tissue, 0.01);
        let change = Matrix3::new(1.1, 0.2, 0.0, -0.3, 0.9, 0.1, 0.0, 0.4, 1.3);
        let moved = |point: &[f64; 3]| -> [f64; 3] {
            (change * Vector3::from(*point) + Vector3::new(0.1, -0.2, 0.3)).into()
        };
        let tissue: Vec<_> = tissue.iter().map(moved).collect();
        let found: Vec<[f64; 3]> = interpolation.follow(&tissue).collect();
        for (found, wanted) in found.iter().flatten().zip(lattice.iter().flat_map(moved)) {
            assert!((found - wanted).abs() < 1e-12);
        }
    }
}
