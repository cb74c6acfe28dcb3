//! Sampling of a body: particles and tetrahedra.

use std::path::Path;

use insonate_settings::check_range;
use nalgebra::Vector3;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Solid, TissueBody};
use crate::TissueError;
use crate::mesh::TetMesh;
use insonate_meshes::{MeshFault, SurfaceTree};

/// Maximum number of lattice points that are tested for particles.
const MAX_POINTS: usize = 100_000_000;

/// A body as particles of equal volume.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleBody {
    /// Positions in the world frame [m], shape `[n, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Volume of a particle [m³]: volume of the solid divided by the number of particles.
    pub particle_volume: f64,
    /// Index of each particle's material in [`TissueBody::materials`].
    pub materials: Vec<u16>,
    /// Whether each particle is fixed.
    pub is_fixed: Vec<bool>,
}

/// A body as tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct TetBody {
    /// Tetrahedra in the world frame.
    pub mesh: TetMesh,
    /// Index of each tetrahedron's material in [`TissueBody::materials`].
    pub materials: Vec<u16>,
    /// Whether each vertex is fixed.
    pub is_fixed: Vec<bool>,
}

impl TissueBody {
    /// Samples particles on a lattice with half a cell width [m] between neighbours, so eight per cell. Each particle
    /// is displaced by a random part of its spacing, scaled by `jitter` (0 to 1).
    ///
    /// # Errors
    /// [`TissueError::Setting`], those of [`Solid::surface`], and [`MeshFault::Empty`] if the solid is too
    /// small for a particle.
    pub fn particles(
        &self,
        cell_width: f64,
        jitter: f64,
        seed: u64,
        folder: &Path,
    ) -> Result<ParticleBody, TissueError> {
        self.check()?;
        check_range("cell_width", cell_width, [1e-5, 10.0], "m")?;
        check_range("jitter", jitter, [0.0, 1.0], "")?;
        let surface = self.solid.surface(folder)?;
        let nearest = SurfaceTree::new(&surface)?;
        let spacing = cell_width / 2.0;
        let [low, high] = surface.bounds().map(Vector3::from);
        let counts: [usize; 3] =
            std::array::from_fn(|a| ((high[a] - low[a]) / spacing).round().max(1.0) as usize);
        let count = counts.iter().fold(1_usize, |n, &m| n.saturating_mul(m));
        if count > MAX_POINTS {
            let fault = MeshFault::TooLarge {
                what: "particles",
                count,
                most: MAX_POINTS,
            };
            return Err(fault.into());
        }
        // As many as fit, centred in the bounds.
        let size = Vector3::from(counts.map(|n| n as f64 * spacing));
        let first = (low + high - size) / 2.0;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut points = Vec::with_capacity(count);
        for index in 0..count {
            let node = [
                index % counts[0],
                index / counts[0] % counts[1],
                index / counts[0] / counts[1],
            ];
            let shift = Vector3::from_fn(|_, _| jitter * (rng.random::<f64>() - 0.5));
            let cell = Vector3::from(node.map(|i| i as f64 + 0.5)) + shift;
            points.push(first + cell * spacing);
        }
        let depths: Vec<f64> = points
            .par_iter()
            .map(|point| -nearest.signed_distance(point))
            .collect();
        let mut particles = ParticleBody {
            positions: Vec::new(),
            particle_volume: 0.0,
            materials: Vec::new(),
            is_fixed: Vec::new(),
        };
        let shift = Vector3::from(self.position);
        for (point, depth) in points
            .into_iter()
            .zip(depths)
            .filter(|(_, depth)| *depth > 0.0)
        {
            particles.positions.push((point + shift).into());
            particles
                .materials
                .push(self.material_at(point.into(), depth));
            particles.is_fixed.push(self.is_fixed(point.into(), depth));
        }
        if particles.positions.is_empty() {
            return Err(MeshFault::Empty.into());
        }
        particles.particle_volume = surface.volume() / particles.positions.len() as f64;
        Ok(particles)
    }

    /// Fills the body with tetrahedra whose edges are close to a length [m]. Each tetrahedron has
    /// the material at its centre.
    ///
    /// # Errors
    /// As [`Solid::surface`], [`TetMesh::cuboid`] and [`TetMesh::from_surface`].
    pub fn tetrahedra(&self, edge: f64, folder: &Path) -> Result<TetBody, TissueError> {
        self.check()?;
        check_range("edge", edge, [1e-6, 1e3], "m")?;
        let surface = self.solid.surface(folder)?;
        let nearest = SurfaceTree::new(&surface)?;
        let mut mesh = match &self.solid {
            Solid::Cuboid { half } => TetMesh::cuboid(*half, edge)?,
            _ => TetMesh::from_surface(&surface, edge)?,
        };
        let depth = |point: &Vector3<f64>| -nearest.signed_distance(point);
        let materials = (0..mesh.tets.len()).map(|tet| {
            let centre = mesh.corners(tet).iter().sum::<Vector3<f64>>() / 4.0;
            self.material_at(centre.into(), depth(&centre))
        });
        let materials = materials.collect();
        let fixed = mesh
            .positions
            .iter()
            .map(|&at| self.is_fixed(at, depth(&at.into()).max(0.0)));
        let is_fixed = fixed.collect();
        for position in &mut mesh.positions {
            *position = [0, 1, 2].map(|a| position[a] + self.position[a]);
        }
        Ok(TetBody {
            mesh,
            materials,
            is_fixed,
        })
    }
}
