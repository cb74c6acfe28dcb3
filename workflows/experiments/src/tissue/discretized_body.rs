//! A body with one material or layers, as particles or tetrahedra.

use std::path::Path;

use insonate_meshes::TriangleMesh;
use insonate_tissue::Material;
use insonate_tissue::body::{Layer, ParticleBody, Solid, TetBody, TissueBody, liver, slab, torso};
use insonate_tissue::mpm::MpmBody;
use insonate_tissue::xpbd::XpbdBody;
use nalgebra::Vector3;

use super::plan::{MotionPlan, TissueSolver};
use crate::ExperimentError;

/// Half sizes of the strip [m], and the height of its middle above the table [m].
pub(super) const STRIP: ([f64; 3], f64) = ([0.05, 0.02, 0.006], 0.08);

/// Body of a motion.
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
    /// All bodies.
    pub const ALL: [Self; 4] = [Self::Slab, Self::Liver, Self::Torso, Self::Strip];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slab => "slab",
            Self::Liver => "liver",
            Self::Torso => "torso",
            Self::Strip => "strip",
        }
    }

    /// Default material without layers: one material that approximates the layers.
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

    /// Whether the body has optional layers.
    pub(super) fn has_layers(self) -> bool {
        self != Self::Strip
    }

    /// Shape and materials of the body for a plan. It lies on the table at z = 0, except for the strip. No points are fixed, because
    /// supports hold the body.
    fn description(self, plan: &MotionPlan) -> TissueBody {
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
        if !plan.layers {
            body.layers = vec![Layer {
                name: "tissue".to_owned(),
                thickness: f64::INFINITY,
                material: plan.material,
            }];
            body.regions.clear();
        }
        let of_layers = body.layers.iter_mut().map(|layer| &mut layer.material);
        let of_regions = body.regions.iter_mut().map(|region| &mut region.material);
        for material in of_layers.chain(of_regions) {
            material.tearing = plan.motion.tearing;
            material.viscosity = material.lame_mu() * plan.damping_time;
        }
        body.fixed.clear();
        body
    }
}

/// A body ready for a solver.
#[derive(Debug, Clone)]
pub(super) struct DiscretizedBody {
    /// Layers from the surface inwards, then regions.
    pub(super) layers: Vec<DiscretizedLayer>,
    /// Width of a cell, or length of a tetrahedron's edge [m].
    pub(super) spacing: f64,
    /// Surface in the world before cuts.
    pub(super) surface: TriangleMesh,
    pub(super) discretization: Discretization,
}

/// A part with one material.
#[derive(Debug, Clone)]
pub(super) struct DiscretizedLayer {
    pub(super) name: String,
    /// Material with viscosity and tearing.
    pub(super) material: Material,
    /// Number of particles or tetrahedra.
    pub(super) n_elements: usize,
}

/// Points of the body in the world.
#[derive(Debug, Clone)]
pub(super) enum Discretization {
    /// Particles of equal volume, with one body per material.
    Particles(Vec<MpmBody>),
    Tetrahedra(Box<XpbdBody>),
}

impl DiscretizedBody {
    /// Discretizes the body of a plan.
    ///
    /// # Errors
    /// If there are too few points for a body.
    pub(super) fn new(plan: &MotionPlan) -> Result<Self, ExperimentError> {
        let body = plan.body.description(plan);
        let materials = body.materials();
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
        let (discretization, of_elements) = match plan.solver {
            TissueSolver::Mpm => {
                let mut particles = body.particles(spacing, 0.0, 0, here)?;
                cut_particles(&mut particles, is_cut);
                let bodies = particles.mpm_bodies(&materials)?;
                (Discretization::Particles(bodies), particles.materials)
            }
            TissueSolver::Xpbd => {
                let mut tets = body.tetrahedra(spacing, here)?;
                cut_tetrahedra(&mut tets, is_cut);
                let mut made = tets.xpbd_body(&materials, plan.damping_time)?;
                if let [material] = materials[..] {
                    made.material = material;
                    made.tet_materials.clear();
                }
                made.tear_strain = plan
                    .motion
                    .tearing
                    .map(|tearing| 0.5 * (tearing.begins + tearing.ends) - 1.0);
                (Discretization::Tetrahedra(Box::new(made)), tets.materials)
            }
        };
        let count = of_elements.len();
        if count < 50 {
            return Err(ExperimentError::CoarseBody {
                resolution: plan.resolution,
                count,
            });
        }
        let names = body.layers.iter().map(|layer| &layer.name);
        let names = names.chain(body.regions.iter().map(|region| &region.name));
        let layers = names.zip(materials).zip(0..);
        let layers = layers.map(|((name, material), index)| DiscretizedLayer {
            name: name.clone(),
            material,
            n_elements: of_elements.iter().filter(|of| **of == index).count(),
        });
        Ok(Self {
            layers: layers.collect(),
            spacing,
            surface,
            discretization,
        })
    }

    /// Maximum height of the surface within a distance from a vertical line [m].
    pub(super) fn height_at(&self, [x, y]: [f64; 2], within: f64) -> f64 {
        let near = |at: &&[f64; 3]| (at[0] - x).hypot(at[1] - y) <= within;
        let heights = self.surface.positions.iter().filter(near).map(|at| at[2]);
        let [_, high] = self.surface.bounds();
        let found = heights.fold(f64::NEG_INFINITY, f64::max);
        // A box has no vertices in the middle of its top, so use its bounds.
        if found.is_finite() { found } else { high[2] }
    }
}

/// Removes particles in the cut.
fn cut_particles(particles: &mut ParticleBody, is_cut: impl Fn(&[f64; 3]) -> bool) {
    let kept: Vec<bool> = particles.positions.iter().map(|at| !is_cut(at)).collect();
    keep(&mut particles.positions, &kept);
    keep(&mut particles.materials, &kept);
    keep(&mut particles.is_fixed, &kept);
}

/// Keeps the marked elements of a vector.
fn keep<T>(all: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    all.retain(|_| kept.next().is_none_or(|kept| *kept));
}

/// Removes tetrahedra whose centre is in the cut, and vertices that are no longer used.
fn cut_tetrahedra(body: &mut TetBody, is_cut: impl Fn(&[f64; 3]) -> bool) {
    let mesh = &mut body.mesh;
    let centre = |tet: &[u32; 4]| -> [f64; 3] {
        let corners = tet.map(|vertex| Vector3::from(mesh.positions[vertex as usize]));
        (corners.iter().sum::<Vector3<f64>>() / 4.0).into()
    };
    let kept: Vec<bool> = mesh.tets.iter().map(|tet| !is_cut(&centre(tet))).collect();
    keep(&mut mesh.tets, &kept);
    keep(&mut body.materials, &kept);
    let mut new = vec![u32::MAX; mesh.positions.len()];
    let mut old = Vec::new();
    for vertex in mesh.tets.iter_mut().flatten() {
        let slot = &mut new[*vertex as usize];
        if *slot == u32::MAX {
            *slot = old.len() as u32;
            old.push(*vertex as usize);
        }
        *vertex = *slot;
    }
    mesh.positions = old.iter().map(|vertex| mesh.positions[*vertex]).collect();
    body.is_fixed = old.iter().map(|vertex| body.is_fixed[*vertex]).collect();
}
