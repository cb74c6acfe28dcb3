//! Binding of a point to nearby tetrahedra.

use nalgebra::{Matrix3, Vector3};

/// Vertices that a point follows, with their weights.
pub(super) type Weights = Vec<(u32, f64)>;

/// Number of candidate tetrahedra for a point, by the distance of their centres.
const CANDIDATES: usize = 12;

/// Tetrahedra at rest that points can be bound to.
pub(super) struct Binding {
    tets: Vec<Tet>,
}

struct Tet {
    corners: [u32; 4],
    centre: Vector3<f64>,
    first: Vector3<f64>,
    /// Maps a position relative to the first corner to the weights of the other corners.
    inverse: Matrix3<f64>,
}

impl Binding {
    /// Creates a binding from vertices [m] and tetrahedra. Flat tetrahedra are skipped.
    pub(super) fn new(positions: &[[f64; 3]], tets: &[[u32; 4]]) -> Self {
        let tets = tets.iter().filter_map(|&corners| {
            let at = corners.map(|corner| Vector3::from(positions[corner as usize]));
            let edges = [1, 2, 3].map(|corner| at[corner] - at[0]);
            Some(Tet {
                corners,
                centre: at.iter().sum::<Vector3<f64>>() / 4.0,
                first: at[0],
                inverse: Matrix3::from_columns(&edges).try_inverse()?,
            })
        });
        Self {
            tets: tets.collect(),
        }
    }

    /// Weights, with the sum `carried`, of the vertices of the tetrahedron that contains a point [m] or is nearest: linear inside. Outside,
    /// negative weights are set to zero and the rest is rescaled.
    pub(super) fn weights(&self, at: [f64; 3], carried: f64) -> Weights {
        let at = Vector3::from(at);
        let mut near: Vec<(f64, &Tet)> = self
            .tets
            .iter()
            .map(|tet| ((tet.centre - at).norm_squared(), tet))
            .collect();
        let n = CANDIDATES.min(near.len());
        if n == 0 {
            return Weights::new();
        }
        near.select_nth_unstable_by(n - 1, |a, b| a.0.total_cmp(&b.0));
        let held = near[..n].iter().map(|(_, tet)| (tet.barycentric(&at), tet));
        let least = |weights: &[f64; 4]| weights.iter().copied().fold(f64::INFINITY, f64::min);
        let best = held.max_by(|a, b| least(&a.0).total_cmp(&least(&b.0)));
        let Some((weights, tet)) = best else {
            return Weights::new();
        };
        let positive = weights.map(|weight| weight.max(0.0));
        let scale = carried / positive.iter().sum::<f64>();
        tet.corners
            .into_iter()
            .zip(positive.map(|weight| weight * scale))
            .collect()
    }
}

impl Tet {
    /// Weights of the corners. Their sum is 1.
    fn barycentric(&self, at: &Vector3<f64>) -> [f64; 4] {
        let others = self.inverse * (at - self.first);
        [1.0 - others.sum(), others.x, others.y, others.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tetrahedra on opposite sides of x = 0.
    fn pair() -> Binding {
        let positions = [
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, -1.0],
            [0.0, 1.0, -1.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0],
        ];
        Binding::new(&positions, &[[0, 1, 2, 3], [4, 1, 2, 3]])
    }

    #[test]
    fn a_point_inside_is_the_weighted_mean_of_its_corners() {
        let weights = pair().weights([0.25, 0.0, 0.0], 1.0);
        assert_eq!(weights[0].0, 4);
        assert!((weights[0].1 - 0.25).abs() < 1e-12, "{weights:?}");
        assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_outside_has_no_weight_below_zero_and_a_carried_share() {
        let weights = pair().weights([-3.0, 0.2, 0.0], 0.5);
        assert_eq!(weights[0].0, 0);
        assert!(weights.iter().all(|(_, weight)| *weight >= 0.0));
        assert!((weights.iter().map(|(_, w)| w).sum::<f64>() - 0.5).abs() < 1e-12);
    }
}
