//! The part of the skin near tools, whose displacements are computed in each step.

use nalgebra::Vector3;

use super::candidates::{Candidates, Reference};
use super::dense::AddProducts;
use super::model::CondensedModel;
use crate::tool::Tool;

/// Marks a vertex that is not in the region.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The vertices of the triangles near tools, which are the rows of the region, and displacements of them by unit forces.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// Triangles near each tool; tools that hold the body have none.
    pub(super) tools: Vec<Candidates>,
    /// Vertices of the skin, in ascending order.
    pub(super) vertices: Vec<usize>,
    /// Row of each vertex of the skin, or [`OUTSIDE`].
    pub(super) rows: Vec<u32>,
    /// Displacements of the rows by unit forces on a vertex of the skin along x, y and z, shape `[3, n_rows, 3]`; empty where they are not
    /// known yet.
    columns: Vec<Box<[f64]>>,
}

impl Region {
    /// The region of references.
    pub(super) fn new(
        model: &CondensedModel,
        tools: &[Tool],
        references: &[Option<Reference>],
    ) -> Self {
        let tools: Vec<Candidates> = tools
            .iter()
            .zip(references)
            .map(|(tool, reference)| {
                reference.as_ref().map_or_else(Candidates::default, |it| {
                    Candidates::new(&model.skin, &tool.shape, it)
                })
            })
            .collect();
        let triangles = tools.iter().flat_map(|tool| &tool.triangles);
        let mut vertices: Vec<usize> = triangles
            .flat_map(|it| model.skin.triangles[it.number as usize].corners)
            .flatten()
            .collect();
        vertices.sort_unstable();
        vertices.dedup();
        let n_skin = model.compliance.n_skin();
        let mut rows = vec![OUTSIDE; n_skin];
        for (row, &vertex) in (0..).zip(&vertices) {
            rows[vertex] = row;
        }
        Self {
            tools,
            vertices,
            rows,
            columns: vec![Box::default(); n_skin],
        }
    }

    /// Displacements of the rows by forces on vertices, times a factor, shape `[n_rows, 3]`.
    pub(super) fn displacements(
        &mut self,
        model: &CondensedModel,
        forces: impl Iterator<Item = (usize, Vector3<f64>)> + Clone,
        factor: f64,
        into: &mut Vec<f64>,
    ) {
        into.clear();
        into.resize(3 * self.vertices.len(), 0.0);
        for (vertex, _) in forces.clone() {
            if self.columns[vertex].is_empty() {
                self.columns[vertex] = columns(model, vertex, &self.vertices);
            }
        }
        AddProducts {
            sum: into,
            products: forces
                .map(|(vertex, force)| (&self.columns[vertex][..], (force * factor).into())),
        }
        .run();
    }

    /// Vertices of the rows with a force, and the forces [N], from values of all rows, shape `[n_rows, 3]`.
    pub(super) fn loaded(&self, forces: &[f64]) -> Vec<(usize, Vector3<f64>)> {
        let rows = self.vertices.iter().zip(forces.chunks_exact(3));
        rows.filter(|(_, force)| force.iter().any(|x| *x != 0.0))
            .map(|(&vertex, force)| (vertex, Vector3::from_column_slice(force)))
            .collect()
    }
}

/// Displacements of rows by unit forces on a vertex of the skin along x, y and z, shape `[3, n_rows, 3]`.
fn columns(model: &CondensedModel, vertex: usize, rows: &[usize]) -> Box<[f64]> {
    let n_skin = model.compliance.n_skin();
    let all = model.compliance.columns(vertex);
    let mut columns = Vec::with_capacity(9 * rows.len());
    for of_axis in all.chunks_exact(3 * n_skin) {
        for &row in rows {
            columns.extend_from_slice(&of_axis[3 * row..3 * row + 3]);
        }
    }
    columns.into_boxed_slice()
}
