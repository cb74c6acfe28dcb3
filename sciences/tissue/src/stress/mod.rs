//! Strain and stress of the elements of a body.

mod vtk;

use nalgebra::{Matrix3, Vector3};

use crate::elasticity::LEAST_J;

/// Strain and stress of each tetrahedron, or of each particle.
///
/// The stress is that of the elastic law; viscosity is left out, so it is the whole stress where tissue rests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TissueStress {
    /// Vertices or particles in world [m], shape `[n_points, 3]`.
    pub points: Vec<[f64; 3]>,
    /// Vertices of each tetrahedron, shape `[n_elements, 4]`; empty for particles: element `i` is then point `i`.
    pub tets: Vec<[u32; 4]>,
    /// Volume of each element now [m³].
    pub volumes: Vec<f64>,
    /// Principal strains of each element, the largest first: stretch − 1, or the eigenvalues of the small strain of a linear law.
    pub principal_strains: Vec<[f64; 3]>,
    /// Cauchy stress of each element in world [Pa], tension positive.
    pub stresses: Vec<Matrix3<f64>>,
}

impl TissueStress {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.stresses.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.stresses.is_empty()
    }

    /// Positions of the elements' centres in world [m], shape `[n_elements, 3]`.
    pub fn centers(&self) -> Vec<[f64; 3]> {
        if self.tets.is_empty() {
            return self.points.clone();
        }
        let center = |tet: &[u32; 4]| {
            let corners = tet.map(|vertex| Vector3::from(self.points[vertex as usize]));
            (corners.iter().sum::<Vector3<f64>>() * 0.25).into()
        };
        self.tets.iter().map(center).collect()
    }

    /// Von Mises stress of each element [Pa], shape `[n_elements]`: √(3/2) times the norm of the deviator.
    pub fn von_mises(&self) -> Vec<f64> {
        let of = |stress: &Matrix3<f64>| {
            let deviator = stress - Matrix3::identity() * (stress.trace() / 3.0);
            (1.5_f64).sqrt() * deviator.norm()
        };
        self.stresses.iter().map(of).collect()
    }

    /// Largest principal stress of each element [Pa], shape `[n_elements]`: the greatest tension.
    pub fn greatest_tension(&self) -> Vec<f64> {
        let of = |stress: &Matrix3<f64>| stress.symmetric_eigenvalues().max();
        self.stresses.iter().map(of).collect()
    }

    /// Adds an element by its volume at rest [m³], deformation gradient F and Kirchhoff stress J σ [Pa]. In an inverted element the
    /// volume and the stress are those of a very flat one.
    pub fn add(&mut self, rest_volume: f64, f: &Matrix3<f64>, kirchhoff: Matrix3<f64>) {
        let j = f.determinant().max(f64::from(LEAST_J));
        self.volumes.push(rest_volume * j);
        self.principal_strains.push(stretches(f));
        self.stresses.push(kirchhoff / j);
    }
}

/// Principal stretches − 1 of a deformation gradient, the largest first. The smallest counts as negative in an inverted element.
fn stretches(f: &Matrix3<f64>) -> [f64; 3] {
    let mut squared: [f64; 3] = f.tr_mul(f).symmetric_eigenvalues().into();
    squared.sort_by(|a, b| b.total_cmp(a));
    let mut stretches = squared.map(|square| square.max(0.0).sqrt());
    if f.determinant() < 0.0 {
        stretches[2] = -stretches[2];
    }
    stretches.map(|stretch| stretch - 1.0)
}

/// Deformation gradient of a tetrahedron from its corners at rest and now [m]; `None` if it is flat at rest.
pub(crate) fn gradient(rest: &[Vector3<f64>; 4], now: &[Vector3<f64>; 4]) -> Option<Matrix3<f64>> {
    let edges = |[a, b, c, d]: &[Vector3<f64>; 4]| Matrix3::from_columns(&[b - a, c - a, d - a]);
    Some(edges(now) * edges(rest).try_inverse()?)
}

/// Stress and principal strains of a linear law with Lamé's constants [Pa], from the gradient F of a small deformation.
pub(crate) fn linear(f: &Matrix3<f64>, [lambda, mu]: [f64; 2]) -> ([f64; 3], Matrix3<f64>) {
    let identity = Matrix3::identity();
    let strain = (f + f.transpose()) * 0.5 - identity;
    let mut principal: [f64; 3] = strain.symmetric_eigenvalues().into();
    principal.sort_by(|a, b| b.total_cmp(a));
    let stress = identity * (lambda * strain.trace()) + strain * (2.0 * mu);
    (principal, stress)
}
