//! A world of XPBD as a needle sees it.

use std::sync::Arc;

use insonate_needle::{Compliance, Tissue};
use insonate_tissue::xpbd::Xpbd;
use insonate_tissue::{SoftTissue as _, TissueError};
use nalgebra::{Matrix3, Vector3};

use super::mesh::Mesh;

/// Core radius of a line of points in tetrahedra, over the edge of the cubes that six of them fill: the radius of the rod that moves as such
/// a line does. Calibrated with this crate's test of mesh independence.
const CORE: f64 = 0.25;

/// The same for a force on one point of the surface: the radius of the flat punch that moves as it does. Calibrated with this crate's test
/// of a tip that presses a surface.
const PUNCH_CORE: f64 = 0.48;

/// Depth below the skin at rest up to which a point is one of the surface [m].
const SKIN_DEPTH: f64 = 1e-6;

/// A material point: a tetrahedron, and the weights of its vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetPoint {
    tet: u32,
    weights: [f64; 4],
}

/// What does not change in a world.
#[derive(Debug, PartialEq)]
pub(super) struct Fixed {
    pub(super) mesh: Mesh,
    /// Shear modulus of each tetrahedron [Pa].
    pub(super) shear_moduli: Vec<f64>,
    /// Height of the skin at rest [m].
    pub(super) top: f64,
    /// Depths at which the layers end [m], except the last one.
    pub(super) ends: Vec<f64>,
    /// Shear modulus of each layer [Pa].
    pub(super) layer_moduli: Vec<f64>,
    pub(super) poisson_ratio: f64,
}

/// A world of tetrahedra that a needle enters, in layers below a flat skin. A clone is a saved state.
#[derive(Debug, Clone)]
pub struct NeedleBody {
    world: Xpbd,
    fixed: Arc<Fixed>,
    /// Length of a substep [s].
    substep: f64,
    /// Greatest displacement of a vertex along an axis [m], with a margin for one substep.
    reach: f64,
}

impl NeedleBody {
    pub(super) fn new(world: Xpbd, fixed: Fixed) -> Self {
        let substep = world.longest_substep();
        let mut body = Self {
            world,
            fixed: Arc::new(fixed),
            substep,
            reach: 0.0,
        };
        body.measure();
        body
    }

    /// The world of tetrahedra.
    pub fn world(&self) -> &Xpbd {
        &self.world
    }

    /// Length of a substep [s].
    pub fn substep(&self) -> f64 {
        self.substep
    }

    /// Makes substeps of equal length that add up to an interval [s].
    pub(super) fn divide(&mut self, interval: f64) {
        let longest = self.world.longest_substep();
        self.substep = interval / (interval / longest).ceil().max(1.0);
    }

    /// Vertices of each tetrahedron.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.fixed.mesh.rest.tets
    }

    /// Positions of the vertices at rest [m].
    pub fn rest(&self) -> &[[f64; 3]] {
        &self.fixed.mesh.rest.positions
    }

    /// The material point that was at a place when the body was at rest [m]; `None` outside.
    pub fn embed_at_rest(&self, at: Vector3<f64>) -> Option<TetPoint> {
        let rest = |vertex: usize| Vector3::from(self.fixed.mesh.rest.positions[vertex]);
        let (tet, weights) = self.fixed.mesh.find(at, 0.0, rest)?;
        Some(TetPoint { tet, weights })
    }

    /// Where a point is [m].
    pub fn place(&self, point: &TetPoint) -> Vector3<f64> {
        Tissue::position(self, point)
    }

    /// Where a point was at rest [m].
    pub fn rest_position(&self, point: &TetPoint) -> Vector3<f64> {
        let rest = &self.fixed.mesh.rest.positions;
        self.corners(point)
            .map(|(vertex, weight)| Vector3::from(rest[vertex]) * weight)
            .sum()
    }

    /// Index of the layer at a depth below the skin at rest [m].
    pub fn layer_at_depth(&self, depth: f64) -> usize {
        self.fixed.ends.iter().filter(|end| depth > **end).count()
    }

    /// Depths at which a layer begins and ends [m].
    fn bounds(&self, layer: usize) -> (f64, f64) {
        let ends = &self.fixed.ends;
        let start = layer
            .checked_sub(1)
            .map_or(f64::NEG_INFINITY, |above| ends[above]);
        (start, ends.get(layer).copied().unwrap_or(f64::INFINITY))
    }

    /// Makes one substep, without a needle.
    pub(super) fn step(&mut self) -> Result<(), TissueError> {
        self.world.step(self.substep)?;
        self.measure();
        Ok(())
    }

    /// State from which [`Self::restore`] continues bit-identically.
    pub(super) fn save(&self) -> Vec<u8> {
        self.world.save()
    }

    pub(super) fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        self.world.restore(state)?;
        self.measure();
        Ok(())
    }

    /// Measures how far vertices are from their rest.
    fn measure(&mut self) {
        let rest = self.fixed.mesh.rest.positions.iter().enumerate();
        let moved =
            rest.map(|(vertex, rest)| (self.world.position(vertex) - Vector3::from(*rest)).amax());
        self.reach = moved.fold(0.0, f64::max) + 1e-3;
    }

    /// Vertices of a point's tetrahedron, and their weights.
    fn corners<'a>(&'a self, point: &'a TetPoint) -> impl Iterator<Item = (usize, f64)> + 'a {
        let vertices = self.fixed.mesh.rest.tets[point.tet as usize];
        let vertices = vertices.into_iter().map(|vertex| vertex as usize);
        vertices.zip(point.weights)
    }
}

impl Tissue for NeedleBody {
    type Point = TetPoint;
    // The multipliers of XPBD start from zero in each substep.
    const KEEPS_FORCES: bool = false;

    fn embed(&self, at: Vector3<f64>) -> Option<TetPoint> {
        let position = |vertex: usize| self.world.position(vertex);
        let (tet, weights) = self.fixed.mesh.find(at, self.reach, position)?;
        Some(TetPoint { tet, weights })
    }

    fn position(&self, point: &TetPoint) -> Vector3<f64> {
        self.corners(point)
            .map(|(vertex, weight)| self.world.position(vertex) * weight)
            .sum()
    }

    fn layer(&self, point: &TetPoint) -> usize {
        self.layer_at_depth(self.fixed.top - self.rest_position(point).z)
    }

    /// Displacement by an impulse of one substep: the inertia of the vertices that both points share.
    fn response(&self, moved: &TetPoint, pushed: &TetPoint) -> Matrix3<f64> {
        let inverse_masses = self.world.inverse_masses();
        let shared = self.corners(moved).map(|(vertex, weight)| {
            let others = self.corners(pushed).filter(|(other, _)| *other == vertex);
            let other: f64 = others.map(|(_, weight)| weight).sum();
            weight * other * inverse_masses[vertex]
        });
        Matrix3::from_diagonal_element(shared.sum::<f64>() * self.substep.powi(2))
    }

    /// A thin layer is a part of its tetrahedra only. Around the shaft it has its own modulus, up to where it ends.
    fn near_field(&self, point: &TetPoint, radius: f64) -> Compliance {
        let corners = self.fixed.mesh.rest.corners(point.tet as usize);
        let [a, b, c, d] = corners;
        let edge = (b - a).dot(&(c - a).cross(&(d - a))).cbrt();
        let depth = self.fixed.top - self.rest_position(point).z;
        let layer = self.layer_at_depth(depth);
        let own = self.fixed.layer_moduli[layer];
        let around = self.fixed.shear_moduli[point.tet as usize];
        let (start, end) = self.bounds(layer);
        let room = (end - depth).min(depth - start);
        let shells = |core: f64, room: f64, shell: &dyn Fn(f64, f64, f64) -> Compliance| {
            let room = room.clamp(radius, core.max(radius));
            shell(own, room, radius) + shell(around, core, room)
        };
        let rod = shells(CORE * edge, room, &Compliance::of_rod);
        if depth >= SKIN_DEPTH {
            return rod;
        }
        let poisson_ratio = self.fixed.poisson_ratio;
        let punch = shells(PUNCH_CORE * edge, end - depth, &|modulus, outer, inner| {
            Compliance::of_punch(modulus, poisson_ratio, outer, inner)
        });
        Compliance {
            tip: punch.tip,
            ..rod
        }
    }

    fn push(&mut self, point: &TetPoint, force: Vector3<f64>) {
        let vertices = self.fixed.mesh.rest.tets[point.tet as usize];
        for (vertex, weight) in vertices.into_iter().zip(point.weights) {
            let impulse = force * (weight * self.substep);
            self.world.push(vertex as usize, impulse, self.substep);
        }
    }
}
