//! Bodies of particles.

use insonate_settings::check_range;

use super::chunk::Particle;
use super::config::MpmConfig;
use crate::{Material, TissueError};

/// Particles of one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MpmBody {
    /// Material of the particles.
    pub material: Material,
    /// Positions [m], shape `[n, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Initial velocity of all particles [m/s].
    pub velocity: [f64; 3],
    /// Volume of each particle at rest [m³].
    pub particle_volume: f64,
    /// Indices in `positions` of the fixed particles.
    pub fixed: Vec<u32>,
}

impl MpmBody {
    pub(super) fn check(&self) -> Result<(), TissueError> {
        self.material.check()?;
        for (axis, velocity) in ["x", "y", "z"].into_iter().zip(self.velocity) {
            check_range(
                &format!("body.velocity.{axis}"),
                velocity,
                [-1e4, 1e4],
                "m/s",
            )?;
        }
        check_range(
            "body.particle_volume",
            self.particle_volume,
            [1e-18, 1.0],
            "m³",
        )?;
        let n = self.positions.len();
        match self.fixed.iter().find(|number| **number as usize >= n) {
            None => Ok(()),
            Some(number) => Err(TissueError::setting(
                "body.fixed",
                number,
                format!("below {n}"),
            )),
        }
    }

    pub(super) fn particle(
        &self,
        position: &[f64; 3],
        is_fixed: bool,
        config: &MpmConfig,
    ) -> Particle {
        let material = &self.material;
        let mut deformation_grad = [0.0; 9];
        for i in [0, 4, 8] {
            deformation_grad[i] = 1.0;
        }
        let (tear_begins, tear_rate) = match material.tearing {
            Some(tearing) => {
                let (begins, ends) = (tearing.begins.powi(2), tearing.ends.powi(2));
                (begins as f32, (1.0 / (ends - begins)) as f32)
            }
            None => (f32::MAX, 0.0),
        };
        Particle {
            position: std::array::from_fn(|axis| {
                ((position[axis] - config.origin[axis]) / config.cell_width) as f32
            }),
            displacement: [0.0; 3],
            velocity: if is_fixed {
                [0.0; 3]
            } else {
                self.velocity.map(|v| v as f32)
            },
            affine: [0.0; 9],
            deformation_grad,
            mass: (material.density * self.particle_volume) as f32,
            volume: self.particle_volume as f32,
            lame_lambda: material.lame_lambda() as f32,
            lame_mu: material.lame_mu() as f32,
            viscosity: material.viscosity as f32,
            damage: 0.0,
            tear_begins,
            tear_rate,
            slip: [0.0; 3],
        }
    }
}
