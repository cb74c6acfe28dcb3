//! Tetrahedral meshes.

use nalgebra::Vector3;

use insonate_meshes::TriangleMesh;

/// A tetrahedral mesh. Each tetrahedron (a, b, c, d) has (b − a) · ((c − a) × (d − a)) > 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Vertex indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// Quality of the tetrahedra of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetQuality {
    /// Least angle between two faces of a tetrahedron [rad].
    pub min_dihedral: f64,
    /// Greatest angle between two faces of a tetrahedron [rad].
    pub max_dihedral: f64,
    /// Greatest volume divided by the least volume.
    pub volume_ratio: f64,
    /// Number of tetrahedra with zero or negative volume.
    pub n_inverted: usize,
}

/// The surface of a [`TetMesh`].
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// The triangles that belong to only one tetrahedron, facing outwards.
    pub surface: TriangleMesh,
    /// Index in the volume mesh of each surface vertex, in ascending order.
    pub vertices: Vec<u32>,
}

/// Faces of a tetrahedron, counterclockwise from outside. Each is opposite the corner with its index.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl TetMesh {
    /// Corner positions of a tetrahedron [m].
    ///
    /// # Panics
    /// If the tetrahedron or one of its vertices does not exist.
    pub fn corners(&self, tet: usize) -> [Vector3<f64>; 4] {
        self.tets[tet].map(|vertex| Vector3::from(self.positions[vertex as usize]))
    }

    /// Volume of each tetrahedron [m³], shape `[n_tets]`.
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len())
            .map(|tet| volume(&self.corners(tet)))
            .collect()
    }

    /// Angles and volumes of the mesh.
    pub fn quality(&self) -> TetQuality {
        let mut quality = TetQuality {
            min_dihedral: f64::INFINITY,
            max_dihedral: 0.0,
            volume_ratio: 1.0,
            n_inverted: 0,
        };
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for tet in 0..self.tets.len() {
            let corners = self.corners(tet);
            let volume = volume(&corners);
            quality.n_inverted += usize::from(volume <= 0.0);
            (least, most) = (least.min(volume), most.max(volume));
            for angle in dihedral_angles(&corners) {
                quality.min_dihedral = quality.min_dihedral.min(angle);
                quality.max_dihedral = quality.max_dihedral.max(angle);
            }
        }
        if !self.tets.is_empty() {
            quality.volume_ratio = most / least;
        }
        quality
    }

    /// Surface of the mesh.
    pub fn boundary(&self) -> Boundary {
        let mut faces = Vec::with_capacity(4 * self.tets.len());
        for tet in &self.tets {
            for face in FACES {
                let face = face.map(|corner| tet[corner]);
                let mut sorted = face;
                sorted.sort_unstable();
                faces.push((sorted, face));
            }
        }
        faces.sort_unstable();
        let once = faces
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|uses| uses.len() == 1);
        let mut surface = TriangleMesh {
            positions: self.positions.clone(),
            triangles: once.map(|uses| uses[0].1).collect(),
        };
        let mut is_used = vec![false; self.positions.len()];
        for &vertex in surface.triangles.iter().flatten() {
            is_used[vertex as usize] = true;
        }
        surface.remove_unused_vertices();
        let vertices = (0..is_used.len() as u32).filter(|&v| is_used[v as usize]);
        Boundary {
            surface,
            vertices: vertices.collect(),
        }
    }
}

/// Signed volume of a tetrahedron [m³].
pub(super) fn volume([a, b, c, d]: &[Vector3<f64>; 4]) -> f64 {
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

/// The six angles between the faces of a tetrahedron [rad].
pub(super) fn dihedral_angles(corners: &[Vector3<f64>; 4]) -> [f64; 6] {
    let normals =
        FACES.map(|[a, b, c]| (corners[b] - corners[a]).cross(&(corners[c] - corners[a])));
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    pairs.map(|[i, j]| std::f64::consts::PI - normals[i].angle(&normals[j]))
}
