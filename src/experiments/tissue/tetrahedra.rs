//! The constraint solver, on the CPU.

use anyhow::ensure;
use insonate_tissue::SoftTissue as _;
use insonate_tissue::mesh::TriangleMesh;
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::xpbd::{Holds as _, Xpbd, XpbdBody, XpbdConfig};
use nalgebra::Vector3;

use super::pieces;
use super::plan::MotionPlan;
use super::specimen::Specimen;
use super::world::{Grip, Moving, Skin, Torn, World};
use crate::speed::tissue::Device;

/// What stands for a part that holds: too small to touch anything.
const SPECK: Shape = Shape::Sphere { radius: 1e-6 };

/// Tetrahedra.
pub(super) struct Tetrahedra {
    world: Xpbd,
    spacing: f64,
    n_tets: usize,
    rest: Vec<[f64; 3]>,
    /// Of each part whether it holds already.
    holds: Vec<bool>,
}

impl Tetrahedra {
    /// A world of a specimen.
    ///
    /// # Errors
    /// A body that is no body; the GPU, whose solver has another law.
    pub(super) fn new(
        plan: &MotionPlan,
        specimen: &Specimen,
        body: &XpbdBody,
    ) -> anyhow::Result<Self> {
        ensure!(
            plan.device != Device::Gpu,
            "the constraint solver on the GPU has springs, not the neo-Hookean law, and holds nothing: take --device cpu"
        );
        let config = XpbdConfig {
            gravity: [0.0, 0.0, -plan.gravity],
            n_threads: 1,
            ..XpbdConfig::default()
        };
        Ok(Self {
            n_tets: body.mesh.tets.len(),
            rest: body.mesh.positions.clone(),
            world: Xpbd::new(config, std::slice::from_ref(body), &[])?,
            spacing: specimen.spacing,
            holds: Vec::new(),
        })
    }

    /// Holds the vertices in a part; a vertex stands for what lies within half an edge.
    fn hold(&mut self, index: usize, part: &Tool) -> anyhow::Result<()> {
        let within = |at: &&[f64; 3]| {
            let local = part
                .rotation
                .inverse_transform_vector(&(Vector3::from(**at) - part.position));
            part.shape.surface(&local).distance <= 0.5 * self.spacing
        };
        let positions = self.world.positions();
        let found: Vec<Vector3<f64>> = positions
            .iter()
            .filter(within)
            .map(|at| Vector3::from(*at))
            .collect();
        // One after another, each by its own place.
        let n_held: usize = found
            .iter()
            .map(|at| self.world.grasp(index, *at, 1e-9, 1))
            .sum();
        ensure!(
            n_held > 0,
            "the instrument closes on nothing: take a finer --resolution"
        );
        Ok(())
    }
}

impl World for Tetrahedra {
    fn step(&mut self, parts: &[Moving], time: f64) -> anyhow::Result<Vec<Wrench>> {
        self.holds.resize(parts.len(), false);
        let tool = |part: &Moving| match part.grip {
            Grip::Contact => part.tool.clone(),
            Grip::Waiting | Grip::Holding => Tool {
                shape: SPECK,
                friction: 0.0,
                ..part.tool.clone()
            },
        };
        *self.world.tools_mut() = parts.iter().map(tool).collect();
        for (index, part) in parts.iter().enumerate() {
            if part.grip == Grip::Holding && !self.holds[index] {
                self.hold(index, &part.tool)?;
                self.holds[index] = true;
            }
        }
        self.world.step(time)?;
        Ok((0..parts.len())
            .map(|part| self.world.wrench(part))
            .collect())
    }

    fn device(&self) -> String {
        "cpu".to_owned()
    }

    fn n_threads(&self) -> usize {
        1
    }

    fn n_points(&self) -> usize {
        self.rest.len()
    }

    fn n_elements(&self) -> usize {
        self.n_tets
    }

    fn mass(&self) -> f64 {
        self.world.masses().iter().sum()
    }

    fn momentum(&self) -> anyhow::Result<Vector3<f64>> {
        Ok(self.world.momentum())
    }

    fn other_impulse(&self) -> Vector3<f64> {
        self.world.stopped_impulse()
    }

    fn torn(&self) -> anyhow::Result<Torn> {
        let tets = self.world.tets();
        Ok(Torn {
            n_torn: self.n_tets - tets.len(),
            n_pieces: pieces::of_tetrahedra(&tets, self.rest.len()),
        })
    }

    fn skin(&self) -> anyhow::Result<Skin> {
        let (mesh, vertices) = without_unused(&self.world.surface());
        let rest: Vec<[f64; 3]> = vertices
            .iter()
            .map(|vertex| self.rest[*vertex as usize])
            .collect();
        // Seen from above at rest, 1 being a decimetre.
        let uvs = rest.iter().map(|at| [10.0 * at[0], 10.0 * at[1]]).collect();
        Ok(Skin {
            normals: mesh.vertex_normals(),
            mesh,
            uvs,
        })
    }
}

/// A mesh without vertices of no triangle, and the old numbers of the rest.
fn without_unused(mesh: &TriangleMesh) -> (TriangleMesh, Vec<u32>) {
    let mut new = vec![u32::MAX; mesh.positions.len()];
    let mut old = Vec::new();
    let triangles = mesh.triangles.iter().map(|triangle| {
        triangle.map(|vertex| {
            let slot = &mut new[vertex as usize];
            if *slot == u32::MAX {
                *slot = old.len() as u32;
                old.push(vertex);
            }
            *slot
        })
    });
    let triangles = triangles.collect();
    let positions = old
        .iter()
        .map(|vertex| mesh.positions[*vertex as usize])
        .collect();
    (
        TriangleMesh {
            positions,
            triangles,
        },
        old,
    )
}
