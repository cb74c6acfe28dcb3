//! A body of one material, as particles or as tetrahedra.

use std::path::Path;

use anyhow::ensure;
use insonate_tissue::Material;
use insonate_tissue::body::{Layer, Solid, TissueBody, liver, slab, torso};
use insonate_tissue::mesh::{TetMesh, TriangleMesh};
use nalgebra::Vector3;

use super::plan::{MotionPlan, TissueSolver};

/// Half sizes of the strip [m], and the height of its middle above the table [m].
pub(super) const STRIP: ([f64; 3], f64) = ([0.05, 0.02, 0.006], 0.08);

/// A body to work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// A slab of 12 × 12 × 4 cm.
    Slab,
    /// A liver-like organ of 18 × 11 × 12 cm.
    Liver,
    /// A human-like trunk of 40 × 30 × 20 cm on its back.
    Torso,
    /// A strip of 10 × 4 × 1.2 cm.
    Strip,
}

impl BodyKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Slab, Self::Liver, Self::Torso, Self::Strip];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slab => "slab",
            Self::Liver => "liver",
            Self::Torso => "torso",
            Self::Strip => "strip",
        }
    }

    /// What it is made of where nothing else is asked for: one material that stands for its layers.
    pub fn material(self) -> Material {
        let young_modulus = match self {
            Self::Slab => 1.2e4,
            Self::Liver => 1e4,
            Self::Torso | Self::Strip => 2e4,
        };
        Material {
            young_modulus,
            poisson_ratio: 0.45,
            density: 1050.0,
            ..Material::default()
        }
    }

    /// Its shape, lying on the table at z = 0 but for the strip.
    fn description(self, material: Material) -> TissueBody {
        let mut body = match self {
            Self::Slab | Self::Strip => slab(),
            Self::Liver => liver(),
            Self::Torso => torso(),
        };
        match self {
            Self::Slab => body.position[2] = 0.02,
            Self::Liver => body.position[2] = 0.06,
            Self::Torso => {}
            Self::Strip => {
                let (half, height) = STRIP;
                body.solid = Solid::Cuboid { half };
                body.position[2] = height;
            }
        }
        body.layers = vec![Layer {
            name: "tissue".to_owned(),
            thickness: f64::INFINITY,
            material,
        }];
        body.regions.clear();
        body.fixed.clear();
        body
    }
}

/// A body ready for a solver.
#[derive(Debug, Clone)]
pub(super) struct Specimen {
    /// Its material, viscosity included.
    pub(super) material: Material,
    /// Width of a cell, or length of an edge [m].
    pub(super) spacing: f64,
    /// Its surface in world before anything is cut away.
    pub(super) surface: TriangleMesh,
    pub(super) matter: Matter,
}

/// What it consists of, in world.
#[derive(Debug, Clone)]
pub(super) enum Matter {
    Particles {
        positions: Vec<[f64; 3]>,
        /// Of each [m³].
        volume: f64,
    },
    Tetrahedra(TetMesh),
}

impl Specimen {
    /// The body of a plan.
    ///
    /// # Errors
    /// Too few points to be a body.
    pub(super) fn new(plan: &MotionPlan) -> anyhow::Result<Self> {
        let mut material = plan.material;
        material.tearing = plan.motion.tearing;
        material.viscosity = material.lame_mu() * plan.damping_time;
        let body = plan.body.description(material);
        let here = Path::new(".");
        let mut surface = body.solid.surface(here)?;
        let shift = Vector3::from(body.position).into();
        surface.transform(
            &nalgebra::Isometry3::from_parts(shift, nalgebra::UnitQuaternion::identity()),
            1.0,
        );
        let [low, high] = surface.bounds();
        let longest = (0..3)
            .map(|axis| high[axis] - low[axis])
            .fold(0.0, f64::max);
        let spacing = longest / plan.resolution as f64;
        let is_cut = |at: &[f64; 3]| plan.motion.cut.is_some_and(|cut| cut(at));
        let matter = match plan.solver {
            TissueSolver::Mpm => {
                let mut particles = body.particles(spacing, 0.0, 0, here)?;
                particles.positions.retain(|at| !is_cut(at));
                Matter::Particles {
                    positions: particles.positions,
                    volume: particles.particle_volume,
                }
            }
            TissueSolver::Xpbd => {
                let mut mesh = body.tetrahedra(spacing, here)?.mesh;
                cut(&mut mesh, is_cut);
                Matter::Tetrahedra(mesh)
            }
        };
        let count = match &matter {
            Matter::Particles { positions, .. } => positions.len(),
            Matter::Tetrahedra(mesh) => mesh.tets.len(),
        };
        ensure!(
            count >= 50,
            "--resolution {} leaves {count} particles or tetrahedra: take a finer one",
            plan.resolution
        );
        Ok(Self {
            material,
            spacing,
            surface,
            matter,
        })
    }

    /// Greatest height of its surface within a distance from a vertical line [m].
    pub(super) fn height_at(&self, [x, y]: [f64; 2], within: f64) -> f64 {
        let near = |at: &&[f64; 3]| (at[0] - x).hypot(at[1] - y) <= within;
        let heights = self.surface.positions.iter().filter(near).map(|at| at[2]);
        let [_, high] = self.surface.bounds();
        let found = heights.fold(f64::NEG_INFINITY, f64::max);
        // A box has no vertices in the middle of its top.
        if found.is_finite() { found } else { high[2] }
    }
}

/// Takes away tetrahedra whose centre is cut, and vertices that belong to none any more.
fn cut(mesh: &mut TetMesh, is_cut: impl Fn(&[f64; 3]) -> bool) {
    let centre = |tet: &[u32; 4]| -> [f64; 3] {
        let corners = tet.map(|vertex| Vector3::from(mesh.positions[vertex as usize]));
        (corners.iter().sum::<Vector3<f64>>() / 4.0).into()
    };
    let kept: Vec<[u32; 4]> = mesh
        .tets
        .iter()
        .copied()
        .filter(|tet| !is_cut(&centre(tet)))
        .collect();
    let mut new = vec![u32::MAX; mesh.positions.len()];
    let mut positions = Vec::new();
    mesh.tets = kept
        .iter()
        .map(|tet| {
            tet.map(|vertex| {
                let slot = &mut new[vertex as usize];
                if *slot == u32::MAX {
                    *slot = positions.len() as u32;
                    positions.push(mesh.positions[vertex as usize]);
                }
                *slot
            })
        })
        .collect();
    mesh.positions = positions;
}
