//! Tetrahedra at rest, and the edges between them.

use nalgebra::Vector3;

use crate::Material;

/// A tetrahedron at rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tet {
    pub(crate) vertices: [u32; 4],
    /// Volume [m³].
    pub(crate) volume: f64,
    /// Inverse of the matrix of the edges from the first vertex, row-major [1/m].
    pub(crate) inverse_rest: [f64; 9],
    /// Strain above which it tears; infinite: never.
    pub(crate) tear_strain: f64,
    /// Modulus of confined compression (no lateral strain) [Pa]; infinite if it is unknown.
    pub(crate) modulus: f64,
    /// Lamé's constants λ and μ [Pa]; `None` for springs.
    pub(crate) lame: Option<[f64; 2]>,
}

impl Tet {
    /// Square of the stretch above which it tears.
    pub(crate) fn squared_tear_stretch(&self) -> f64 {
        (1.0 + self.tear_strain).powi(2)
    }
}

/// An edge of one or more tetrahedra.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) vertices: [u32; 2],
    /// Length at rest [m].
    pub(super) length: f64,
    /// The tetrahedra around it, in ascending order.
    pub(super) tets: Vec<u32>,
}

/// The tetrahedra of one body.
#[derive(Debug)]
pub(super) struct BodyTets<'a> {
    pub(super) tets: &'a [Tet],
    /// Index of the body's first tetrahedron among those of all bodies.
    pub(super) first: u32,
    /// Vertices of all bodies at rest [m].
    pub(super) rest: &'a [Vector3<f64>],
    /// Material of each tetrahedron; empty: all have `material`.
    pub(super) materials: &'a [Material],
    pub(super) material: &'a Material,
}

impl BodyTets<'_> {
    /// Material of a tetrahedron, by its index in the body.
    pub(super) fn material(&self, tet: usize) -> &Material {
        self.materials.get(tet).unwrap_or(self.material)
    }

    /// Tetrahedra with their indices among those of all bodies, and their materials.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Tet, &Material)> {
        let tets = self.tets.iter().enumerate();
        tets.map(|(i, tet)| (self.first + i as u32, tet, self.material(i)))
    }

    /// Edges in ascending order of their vertices.
    pub(super) fn edges(&self) -> Vec<Edge> {
        let mut sides = Vec::with_capacity(6 * self.tets.len());
        for (number, tet, _) in self.iter() {
            for i in 0..4 {
                for j in i + 1..4 {
                    let [a, b] = [tet.vertices[i], tet.vertices[j]];
                    sides.push(([a.min(b), a.max(b)], number));
                }
            }
        }
        sides.sort_unstable();
        let edges = sides.chunk_by(|a, b| a.0 == b.0);
        let edges = edges.map(|same| {
            let vertices = same[0].0;
            let [a, b] = vertices.map(|vertex| self.rest[vertex as usize]);
            Edge {
                vertices,
                length: (a - b).norm(),
                tets: same.iter().map(|(_, tet)| *tet).collect(),
            }
        });
        edges.collect()
    }

    /// Volume around an edge [m³], and the mean shear modulus there [Pa].
    pub(super) fn around(&self, edge: &Edge) -> (f64, f64) {
        let around = || edge.tets.iter().map(|tet| (tet - self.first) as usize);
        let volume: f64 = around().map(|tet| self.tets[tet].volume).sum();
        // For a single material the mean is exactly that material's modulus.
        if self.materials.is_empty() {
            return (volume, self.material.lame_mu());
        }
        let weighted = around().map(|tet| self.material(tet).lame_mu() * self.tets[tet].volume);
        (volume, weighted.sum::<f64>() / volume)
    }
}
