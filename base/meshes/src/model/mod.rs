//! A model of named, coloured surfaces, as files for 3-D viewers: binary glTF and OBJ.

mod gltf;
mod wavefront;

use crate::TriangleMesh;

/// A surface of a model.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name; several parts may share one.
    pub name: String,
    /// The surface [m].
    pub mesh: TriangleMesh,
    /// Red, green, blue as on a screen (sRGB), and opacity; 0 to 1.
    pub color: [f32; 4],
    /// Whether the surface is round at its vertices; if not, its triangles are flat.
    pub is_smooth: bool,
    /// A picture on the surface; the surface is then seen from both sides.
    pub picture: Option<PartPicture>,
}

/// A picture on a surface.
#[derive(Clone, Debug)]
pub struct PartPicture {
    /// Place of each vertex in the picture, shape `[n_vertices, 2]`: from the left and from the top, 0 to 1.
    pub uvs: Vec<[f32; 2]>,
    /// The picture as a PNG file.
    pub png: Vec<u8>,
    /// Name of that file next to an OBJ file.
    pub file: String,
}

/// Vertices of a part as they are drawn.
#[derive(Clone, Debug)]
pub struct Shaded {
    /// Positions [m], shape `[n, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals, shape `[n, 3]`.
    pub normals: Vec<[f64; 3]>,
    /// Vertices of triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Part {
    /// A surface of one colour.
    pub fn new(name: impl Into<String>, mesh: TriangleMesh, color: [f32; 4]) -> Self {
        Self {
            name: name.into(),
            mesh,
            color,
            is_smooth: true,
            picture: None,
        }
    }

    /// Its vertices; each triangle of a flat surface has three of its own.
    pub fn shaded(&self) -> Shaded {
        if self.is_smooth || self.picture.is_some() {
            return Shaded {
                positions: self.mesh.positions.clone(),
                normals: self.mesh.vertex_normals(),
                triangles: self.mesh.triangles.clone(),
            };
        }
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for index in 0..self.mesh.triangles.len() {
            let normal = self.mesh.area_vector(index);
            let normal = normal.try_normalize(1e-300).unwrap_or_default();
            positions.extend(self.mesh.corners(index).map(<[f64; 3]>::from));
            normals.extend([<[f64; 3]>::from(normal); 3]);
        }
        let count = self.mesh.triangles.len() as u32;
        Shaded {
            positions,
            normals,
            triangles: (0..count).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
        }
    }
}
