//! Constants of a condensed body, shared by all of its worlds.

use insonate_settings::{check_range, check_ranges};

use nalgebra::Vector3;

use super::compliance::Compliance;
use super::elements::stiffness;
use super::skin::Skin;
use crate::TissueError;
use crate::mesh::TetMesh;

/// A solid that is fixed at some of its vertices.
#[derive(Debug, Clone, Default)]
pub struct CondensedBody {
    /// Shape at rest, in world [m].
    pub mesh: TetMesh,
    /// Vertices that do not move.
    pub fixed: Vec<u32>,
    /// Poisson's ratio ν.
    pub poisson_ratio: f64,
    /// Factor of Young's modulus of each tetrahedron, shape `[n_tets]`; empty: 1 for all.
    pub factors: Vec<f64>,
    /// Greatest distance between neighbouring sample points of the skin [m].
    pub sample_spacing: f64,
}

/// A condensed body. Its columns of compliance are computed when a tool first touches their vertices.
#[derive(Debug)]
pub struct CondensedModel {
    pub(super) mesh: TetMesh,
    pub(super) poisson_ratio: f64,
    /// Factor of Young's modulus of each tetrahedron; empty: 1 for all.
    pub(super) factors: Vec<f64>,
    /// Index among the free vertices of each vertex; `None`: fixed.
    pub(super) unknowns: Vec<Option<usize>>,
    pub(super) skin: Skin,
    pub(super) compliance: Compliance,
}

impl CondensedModel {
    /// Factors the stiffness matrix of a body, which takes seconds for ten thousand vertices.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if a number is out of range, a tetrahedron is flat or inverted, or nothing holds a part of the body.
    pub fn new(body: CondensedBody) -> Result<Self, TissueError> {
        let mesh = body.mesh;
        check_range("poisson_ratio", body.poisson_ratio, [0.0, 0.49], "")?;
        check_range("sample_spacing", body.sample_spacing, [1e-4, 1.0], "m")?;
        let given = body.factors.len();
        if given != 0 && given != mesh.tets.len() {
            let number = format!("one for each of {} tetrahedra", mesh.tets.len());
            return Err(TissueError::setting("factors", given, number));
        }
        let rows = body
            .factors
            .iter()
            .map(|&factor| ("factors", factor, [1e-6, 1e6], ""));
        check_ranges("", rows)?;
        let mut is_fixed = vec![false; mesh.positions.len()];
        for &vertex in &body.fixed {
            let Some(is) = is_fixed.get_mut(vertex as usize) else {
                let number = format!("less than {}", mesh.positions.len());
                return Err(TissueError::setting("fixed", vertex, number));
            };
            *is = true;
        }
        let mut n_free = 0;
        let unknowns: Vec<Option<usize>> = is_fixed
            .iter()
            .map(|fixed| {
                (!fixed).then(|| {
                    n_free += 1;
                    n_free - 1
                })
            })
            .collect();
        if mesh.volumes().iter().any(|&volume| volume <= 0.0) {
            return Err(TissueError::setting(
                "mesh",
                "a flat or inverted tetrahedron",
                "of positive volume",
            ));
        }
        let entries =
            stiffness(&mesh, body.poisson_ratio, &body.factors, &unknowns).ok_or_else(|| {
                TissueError::setting("mesh", "a flat tetrahedron", "of positive volume")
            })?;
        let (skin, skin_vertices) = Skin::new(&mesh, &is_fixed, body.sample_spacing);
        let (on_skin, positions) = skin_vertices
            .iter()
            .filter_map(|&vertex| Some((unknowns[vertex]?, Vector3::from(mesh.positions[vertex]))))
            .unzip();
        let compliance =
            Compliance::new(n_free, &entries, on_skin, positions).ok_or_else(|| {
                TissueError::setting(
                    "fixed",
                    body.fixed.len(),
                    "vertices that hold all parts of the body",
                )
            })?;
        Ok(Self {
            mesh,
            poisson_ratio: body.poisson_ratio,
            factors: body.factors,
            unknowns,
            skin,
            compliance,
        })
    }
}
