//! A mesh in the layout of MJCF.

use insonate_meshes::TriangleMesh;

/// A triangle mesh in the units of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::mjcf) struct MeshData {
    /// Positions, flat `[n, 3]`.
    pub(in crate::mjcf) vertices: Vec<f32>,
    /// Normals at the vertices, flat `[n, 3]`, or empty.
    pub(in crate::mjcf) normals: Vec<f32>,
    /// Vertex indices, flat `[m, 3]`; empty for a point cloud, whose convex hull MuJoCo takes.
    pub(in crate::mjcf) faces: Vec<u32>,
}

impl MeshData {
    /// Converts to single precision, in which MuJoCo stores meshes.
    pub(super) fn of(mesh: &TriangleMesh, normals: &[[f64; 3]]) -> Self {
        let single = |reals: &[[f64; 3]]| reals.iter().flatten().map(|&real| real as f32).collect();
        Self {
            vertices: single(&mesh.positions),
            normals: single(normals),
            faces: mesh.triangles.iter().flatten().copied().collect(),
        }
    }

    /// Returns an error unless MuJoCo can use the mesh.
    pub(super) fn checked(self) -> Result<Self, String> {
        let count = self.vertices.len() / 3;
        if count < 4 {
            return Err(format!(
                "the mesh has {count} different vertices; it must have at least 4"
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
