//! A mesh as MJCF holds it.

use insonate_meshes::TriangleMesh;

/// A triangle mesh in the file's own units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::mjcf) struct MeshData {
    /// Positions, flat `[n, 3]`.
    pub(in crate::mjcf) vertices: Vec<f32>,
    /// Normals at the vertices, flat `[n, 3]`, or empty.
    pub(in crate::mjcf) normals: Vec<f32>,
    /// Vertex indices, flat `[m, 3]`; empty for a cloud whose convex hull is meant.
    pub(in crate::mjcf) faces: Vec<u32>,
}

impl MeshData {
    /// In single precision, as MuJoCo keeps meshes.
    pub(super) fn of(mesh: &TriangleMesh, normals: &[[f64; 3]]) -> Self {
        let single = |reals: &[[f64; 3]]| reals.iter().flatten().map(|&real| real as f32).collect();
        Self {
            vertices: single(&mesh.positions),
            normals: single(normals),
            faces: mesh.triangles.iter().flatten().copied().collect(),
        }
    }

    /// Fails unless MuJoCo can use the mesh.
    pub(super) fn checked(self) -> Result<Self, String> {
        let count = self.vertices.len() / 3;
        if count < 4 {
            return Err(format!(
                "the mesh has {count} different vertices; at least 4 are needed"
            ));
        }
        if let Some(bad) = self
            .vertices
            .iter()
            .chain(&self.normals)
            .find(|real| !real.is_finite())
        {
            return Err(format!("the mesh holds the number {bad}"));
        }
        if let Some(bad) = self.faces.iter().find(|&&index| index as usize >= count) {
            return Err(format!("a triangle refers to vertex {bad} of {count}"));
        }
        Ok(self)
    }
}
