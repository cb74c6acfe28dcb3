//! Shapes of bodies.

use std::path::{Path, PathBuf};

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use super::shapes;
use crate::TissueError;
use insonate_meshes::TriangleMesh;

/// Number of times that the triangles of an icosahedron are split for an ellipsoid. Its volume is 0.05 %
/// too small.
const ELLIPSOID_SPLITS: u32 = 5;

/// The shape of a body around its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Solid {
    /// A box.
    Cuboid {
        /// Half sizes [m].
        half: [f64; 3],
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes [m].
        half: [f64; 3],
    },
    /// A cylinder along z with 96 sides.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half length [m].
        half_length: f64,
    },
    /// The interior of a closed mesh from a file.
    Mesh {
        /// OBJ, STL or PLY file, relative to the folder of the description.
        file: PathBuf,
        /// Metres per unit of the file.
        #[serde(default = "one")]
        scale: f64,
    },
    /// A human-like trunk in supine position along x, 0.40 × 0.30 × 0.20 m, with its back at z = 0.
    Torso,
    /// A liver-like organ, 0.18 × 0.11 × 0.12 m. The left lobe points to +x, the front to −y and the top to +z.
    Liver,
}

fn one() -> f64 {
    1.0
}

impl Solid {
    /// Closed surface of the solid. `folder` is the folder of mesh files.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for invalid sizes; [`TissueError::File`] for an invalid
    /// mesh.
    pub fn surface(&self, folder: &Path) -> Result<TriangleMesh, TissueError> {
        let check = |field: &str, size: f64| check_range(field, size, [1e-4, 100.0], "m");
        match self {
            Self::Cuboid { half } | Self::Ellipsoid { half } => {
                for (axis, &half) in half.iter().enumerate() {
                    check(&format!("solid.half[{axis}]"), half)?;
                }
            }
            Self::Cylinder {
                radius,
                half_length,
            } => {
                check("solid.radius", *radius)?;
                check("solid.half_length", *half_length)?;
            }
            Self::Mesh { scale, .. } => check_range("solid.scale", *scale, [1e-9, 1e9], "")?,
            Self::Torso | Self::Liver => {}
        }
        Ok(match self {
            Self::Cuboid { half } => TriangleMesh::cuboid(*half),
            Self::Ellipsoid { half } => TriangleMesh::ellipsoid(*half, ELLIPSOID_SPLITS),
            Self::Cylinder {
                radius,
                half_length,
            } => TriangleMesh::cylinder(*radius, *half_length, 96),
            Self::Mesh { file, scale } => {
                let path = folder.join(file);
                let mut mesh = TriangleMesh::read_closed(&path)?;
                mesh.transform(&nalgebra::Isometry3::identity(), *scale);
                mesh.check_closed()
                    .map_err(|fault| TissueError::file(&path, fault))?;
                mesh
            }
            Self::Torso => shapes::torso()?,
            Self::Liver => shapes::liver()?,
        })
    }
}
