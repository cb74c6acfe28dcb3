//! Stress of tetrahedra from the energies of their constraints.
//!
//! The stable neo-Hookean law ([`constraints::neo_hookean`](super::constraints)) has the Kirchhoff stress
//! $\tau = \mu F F^T + \lambda' (J - 1 - \mu / \lambda') J \, I$ with $\lambda' = \lambda + \mu$. A tetrahedron has its share of it by
//! its own F, and the rest by the mean F of its patch.

use nalgebra::{Matrix3, Vector3};

use super::elasticity::TET_SHARE;
use super::topology::Topology;
use crate::TissueStress;

/// Strain and stress of the intact tetrahedra at positions of the vertices in world [m], with their moduli times a factor; `None` if a
/// tetrahedron is made of springs.
pub(crate) fn of(
    topology: &Topology,
    points: Vec<[f64; 3]>,
    factor: f64,
    is_intact: impl Fn(usize) -> bool,
) -> Option<TissueStress> {
    let gradients: Vec<Matrix3<f64>> = topology
        .tets
        .iter()
        .map(|tet| {
            let [a, b, c, d] = tet
                .vertices
                .map(|vertex| Vector3::from(points[vertex as usize]));
            let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
            edges * Matrix3::from_row_slice(&tet.inverse_rest)
        })
        .collect();
    let mut means: Vec<Option<Matrix3<f64>>> = vec![None; gradients.len()];
    for patch in &topology.patches {
        let (mut sum, mut volume) = (Matrix3::zeros(), 0.0);
        for &tet in patch {
            sum += gradients[tet as usize] * topology.tets[tet as usize].volume;
            volume += topology.tets[tet as usize].volume;
        }
        for &tet in patch {
            means[tet as usize] = Some(sum / volume);
        }
    }
    let mut all = TissueStress {
        points,
        ..TissueStress::default()
    };
    for (index, tet) in topology.tets.iter().enumerate() {
        if !is_intact(index) {
            continue;
        }
        let lame = tet.lame?.map(|number| factor * number);
        let own = &gradients[index];
        let (f, stress) = match &means[index] {
            None => (*own, kirchhoff(own, lame)),
            Some(mean) => {
                let blend = |own, mean| own * TET_SHARE + mean * (1.0 - TET_SHARE);
                let stress = blend(kirchhoff(own, lame), kirchhoff(mean, lame));
                (blend(*own, *mean), stress)
            }
        };
        all.tets.push(tet.vertices);
        all.add(tet.volume, &f, stress);
    }
    Some(all)
}

/// Kirchhoff stress of the stable neo-Hookean law [Pa].
fn kirchhoff(f: &Matrix3<f64>, [lambda, mu]: [f64; 2]) -> Matrix3<f64> {
    let j = f.determinant();
    let volumetric = (lambda + mu) * (j - 1.0) - mu;
    f * f.transpose() * mu + Matrix3::identity() * (volumetric * j)
}
