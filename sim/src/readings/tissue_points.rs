//! Points that move with a torso's tissue, at rest and in the current state.

use nalgebra::Vector3;

use super::TorsoParticles;
use crate::{Physics, Pose};

/// Part of the torso that the points cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TissueKind {
    /// The skin (`fast`, `composite`).
    Skin,
    /// The whole body (`flex`, `mpm`, `xpbd`).
    Solid,
}

/// Points that move with a torso's tissue.
#[derive(Debug, Clone)]
pub struct TissuePoints {
    /// Part of the torso that the points cover.
    pub kind: TissueKind,
    /// Positions at rest, with the torso where it was compiled, in world [m], shape `[n_points, 3]`.
    pub rest: Vec<[f64; 3]>,
    particles: TorsoParticles,
}

impl TissuePoints {
    /// The points of a scene that has just been reset, with its torso moved by `world_from_rest` from its compiled pose; `None` without a
    /// torso.
    pub fn at_rest(physics: &Physics, world_from_rest: &Pose) -> Option<Self> {
        let particles = TorsoParticles::of(physics)?;
        let is_solid = matches!(particles, TorsoParticles::FlexVertices(_));
        let kind = match physics.coupling() {
            None if !is_solid => TissueKind::Skin,
            _ => TissueKind::Solid,
        };
        let mut points = Self {
            kind,
            rest: Vec::new(),
            particles,
        };
        let back = world_from_rest.rotation.inverse();
        let unmoved = |point| back * (Vector3::from(point) - world_from_rest.position);
        let positions = points.positions(physics).into_iter();
        points.rest = positions.map(|point| unmoved(point).into()).collect();
        Some(points)
    }

    /// Positions in world [m], shape `[n_points, 3]`.
    pub fn positions(&self, physics: &Physics) -> Vec<[f64; 3]> {
        match physics.coupling() {
            // The solver's own points are closer together than the lattice that MuJoCo draws.
            Some(coupling) => coupling.tissue_positions(),
            None => self.particles.positions(physics),
        }
    }
}
