//! The organ at rest under gravity, and points of its material.

use std::path::Path;

use insonate_tissue::body::{Roi, TissueBody, liver};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::xpbd::{Xpbd, XpbdBatch, XpbdBody, XpbdConfig};
use insonate_tissue::{SoftTissue, TissueError};
use nalgebra::Vector3;

use super::settings::{OrganSettings, SurgerySettings, SurgeryTimeSettings};
use crate::EnvError;

/// Speed limit of all vertices for an organ at rest [m/s].
const AT_REST: f64 = 1e-3;

/// Maximum settling time [s].
const MAX_SETTLING: f64 = 3.0;

/// An organ at rest under gravity.
#[derive(Debug, Clone)]
pub struct Organ {
    config: XpbdConfig,
    body: XpbdBody,
    /// State of a world in which the organ is at rest.
    rest: Vec<u8>,
    /// Positions of the vertices [m].
    positions: Vec<[f64; 3]>,
    /// Whether each vertex is fixed.
    is_fixed: Vec<bool>,
    /// Surface triangles, as vertex indices.
    triangles: Vec<[u32; 3]>,
}

/// A material point: a weighted mean of vertices that moves with the tissue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialPoint {
    vertices: [u32; 3],
    weights: [f64; 3],
}

impl MaterialPoint {
    /// The point at a vertex.
    pub fn vertex(vertex: u32) -> Self {
        Self {
            vertices: [vertex; 3],
            weights: [1.0, 0.0, 0.0],
        }
    }

    /// The centre of a triangle.
    fn middle(vertices: [u32; 3]) -> Self {
        Self {
            vertices,
            weights: [1.0 / 3.0; 3],
        }
    }

    /// Position of the point for these vertex positions [m].
    pub fn at(&self, positions: &[[f64; 3]]) -> Vector3<f64> {
        let terms = self.vertices.iter().zip(self.weights);
        terms
            .map(|(&vertex, weight)| Vector3::from(positions[vertex as usize]) * weight)
            .sum()
    }
}

impl Organ {
    /// Meshes an organ and settles it under gravity.
    ///
    /// # Errors
    /// [`EnvError::Tissue`] if the solver rejects the organ or diverges.
    pub fn new<T>(settings: &SurgerySettings<T>) -> Result<Self, EnvError> {
        let (mesh, is_fixed) = mesh(&settings.organ)?;
        let fixed = (0..is_fixed.len() as u32).filter(|&vertex| is_fixed[vertex as usize]);
        let triangles = mesh.boundary();
        let triangles = triangles
            .surface
            .triangles
            .iter()
            .map(|corners| corners.map(|corner| triangles.vertices[corner as usize]))
            .collect();
        let body = XpbdBody {
            fixed: fixed.collect(),
            mesh,
            material: settings.organ.material(),
            damping_time: settings.organ.damping_time,
            ..XpbdBody::default()
        };
        let config = settings.config();
        let mut world = Xpbd::new(config.clone(), std::slice::from_ref(&body), &[])?;
        settle(&mut world, &settings.time)?;
        Ok(Self {
            positions: world.positions(),
            rest: world.save(),
            config,
            body,
            is_fixed,
            triangles,
        })
    }

    /// Number of tetrahedra.
    pub fn n_tets(&self) -> usize {
        self.body.mesh.tets.len()
    }

    /// Tetrahedra before gravity is applied.
    pub(super) fn mesh(&self) -> &TetMesh {
        &self.body.mesh
    }

    /// State of a world in which the organ is at rest.
    pub(super) fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// Creates worlds with this organ. They must be reset to be at rest.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub(super) fn batch(&self, n_worlds: usize) -> Result<XpbdBatch, TissueError> {
        let bodies = std::slice::from_ref(&self.body);
        XpbdBatch::new(self.config.clone(), bodies, &[], n_worlds)
    }

    /// Positions of the vertices at rest [m], shape `[n_vertices, 3]`.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Surface triangles, as vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Centres of the surface's movable triangles whose normals are within 45° of the vertical, in the order of the mesh.
    pub fn upper_side(&self) -> Vec<MaterialPoint> {
        let looks_up = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| Vector3::from(self.positions[v as usize]));
            let normal = (b - a).cross(&(c - a));
            normal.z > normal.norm() * std::f64::consts::FRAC_1_SQRT_2
        };
        let moves = |corners: &[u32; 3]| corners.iter().all(|&v| !self.is_fixed[v as usize]);
        let triangles = self.triangles.iter();
        triangles
            .filter(|corners| moves(corners) && looks_up(corners))
            .map(|&corners| MaterialPoint::middle(corners))
            .collect()
    }

    /// Movable vertices of the surface, in their order.
    pub fn surface_vertices(&self) -> Vec<MaterialPoint> {
        let mut vertices: Vec<u32> = self.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices.retain(|&vertex| !self.is_fixed[vertex as usize]);
        vertices.into_iter().map(MaterialPoint::vertex).collect()
    }

    /// Index of the point nearest to a position at rest [m]. `None` if there are no points.
    pub fn nearest(&self, points: &[MaterialPoint], to: [f64; 3]) -> Option<usize> {
        let distance =
            |point: &MaterialPoint| (point.at(&self.positions) - Vector3::from(to)).norm();
        (0..points.len()).min_by(|&a, &b| distance(&points[a]).total_cmp(&distance(&points[b])))
    }
}

/// Tetrahedra of a liver, and whether each vertex is fixed.
fn mesh(settings: &OrganSettings) -> Result<(TetMesh, Vec<bool>), EnvError> {
    let body = TissueBody {
        fixed: vec![Roi::HalfSpace {
            point: [0.0, settings.fixed_behind, 0.0],
            normal: [0.0, -1.0, 0.0],
        }],
        ..liver()
    };
    // A procedural solid needs no files.
    let tets = body.tetrahedra(settings.edge, Path::new(""))?;
    Ok((tets.mesh, tets.is_fixed))
}

/// Releases the rest shape and waits until all vertices are at rest.
fn settle(world: &mut Xpbd, time: &SurgeryTimeSettings) -> Result<(), TissueError> {
    let n_steps = (MAX_SETTLING / time.control_timestep).ceil() as usize;
    for _ in 0..n_steps {
        world.step(time.control_timestep)?;
        let speeds = world.velocities();
        let fastest = speeds.iter().map(|v| Vector3::from(*v).norm());
        if fastest.fold(0.0, f64::max) < AT_REST {
            break;
        }
    }
    Ok(())
}
