//! Sixteen particles, entry by entry, as kernels read them.

use crate::lanes::Row;

/// Sixteen particles of one block. Those beyond `n` have no mass and no volume, and stand where the first one stands.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Chunk {
    /// Position in cells from the domain's origin.
    pub(super) position: [Row; 3],
    /// Velocity [m/s].
    pub(super) velocity: [Row; 3],
    /// Affine velocity $C$ [1/s], row-major.
    pub(super) affine: [Row; 9],
    /// Deformation gradient $F$, row-major.
    pub(super) deformation_grad: [Row; 9],
    /// Mass [kg].
    pub(super) mass: Row,
    /// Volume at rest [m³].
    pub(super) volume: Row,
    /// First Lamé parameter [Pa].
    pub(super) lame_lambda: Row,
    /// Shear modulus [Pa].
    pub(super) lame_mu: Row,
    /// Which particle each is.
    pub(super) ids: [u32; 16],
    /// How many there are.
    pub(super) n: usize,
}

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Particle {
    pub(super) position: [f32; 3],
    pub(super) velocity: [f32; 3],
    pub(super) affine: [f32; 9],
    pub(super) deformation_grad: [f32; 9],
    pub(super) mass: f32,
    pub(super) volume: f32,
    pub(super) lame_lambda: f32,
    pub(super) lame_mu: f32,
}

impl Chunk {
    /// A chunk without particles, at a place that its block knows.
    pub(super) fn empty(position: [f32; 3]) -> Self {
        let mut deformation_grad = [[0.0; 16]; 9];
        for i in [0, 4, 8] {
            deformation_grad[i] = [1.0; 16];
        }
        Self {
            position: position.map(|x| [x; 16]),
            velocity: [[0.0; 16]; 3],
            affine: [[0.0; 16]; 9],
            deformation_grad,
            mass: [0.0; 16],
            volume: [0.0; 16],
            lame_lambda: [0.0; 16],
            lame_mu: [0.0; 16],
            ids: [u32::MAX; 16],
            n: 0,
        }
    }

    /// Adds a particle; there must be room.
    pub(super) fn push(&mut self, id: u32, particle: &Particle) {
        let lane = self.n;
        self.n += 1;
        self.ids[lane] = id;
        self.set(lane, particle);
    }

    pub(super) fn get(&self, lane: usize) -> Particle {
        let at = |row: &Row| row[lane];
        Particle {
            position: self.position.each_ref().map(at),
            velocity: self.velocity.each_ref().map(at),
            affine: self.affine.each_ref().map(at),
            deformation_grad: self.deformation_grad.each_ref().map(at),
            mass: self.mass[lane],
            volume: self.volume[lane],
            lame_lambda: self.lame_lambda[lane],
            lame_mu: self.lame_mu[lane],
        }
    }

    pub(super) fn set(&mut self, lane: usize, particle: &Particle) {
        let write = |rows: &mut [Row], values: &[f32]| {
            for (row, value) in rows.iter_mut().zip(values) {
                row[lane] = *value;
            }
        };
        write(&mut self.position, &particle.position);
        write(&mut self.velocity, &particle.velocity);
        write(&mut self.affine, &particle.affine);
        write(&mut self.deformation_grad, &particle.deformation_grad);
        self.mass[lane] = particle.mass;
        self.volume[lane] = particle.volume;
        self.lame_lambda[lane] = particle.lame_lambda;
        self.lame_mu[lane] = particle.lame_mu;
    }
}
