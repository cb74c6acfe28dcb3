//! Points that move with a torso's tissue: where they are at rest, and now.

use nalgebra::Vector3;

use super::TorsoParticles;
use crate::{Physics, Pose};

/// What points of a torso's tissue say about the tissue between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TissueKind {
    /// They lie on the skin (`fast`, `composite`).
    Skin,
    /// They lie throughout the body (`flex`, `mpm`, `xpbd`).
    Solid,
}

/// Points that move with a torso's tissue.
#[derive(Debug, Clone)]
pub struct TissuePoints {
    /// What they say.
    pub kind: TissueKind,
    /// Positions at rest where the torso was compiled, in world [m], shape `[n_points, 3]`.
    pub rest: Vec<[f64; 3]>,
    particles: TorsoParticles,
}

impl TissuePoints {
    /// The points of a scene that has just been reset, its torso moved by `world_from_rest` from where it was compiled; `None` without a
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
            // The solver's own points lie closer than the lattice that MuJoCo draws.
            Some(coupling) => coupling.tissue_positions(),
            None => self.particles.positions(physics),
        }
    }
}
