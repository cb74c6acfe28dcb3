//! Sixteen particles as a structure of arrays, in the layout of the kernels.

use crate::lanes::Row;

/// Sixteen particles of one block. Particles from index `n` on have no mass and no volume, and the position of the
/// first one.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Chunk {
    /// Position where weights are taken, in cells from the domain's origin: see
    /// [`Formulation`](super::Formulation).
    pub(super) position: [Row; 3],
    /// Displacement from that position, in cells; zero in the updated Lagrangian formulation.
    pub(super) displacement: [Row; 3],
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
    /// Viscosity [Pa·s].
    pub(super) viscosity: Row,
    /// Damage: lost share of the stiffness, 0 to 1.
    pub(super) damage: Row,
    /// Square of the stretch at which damage begins.
    pub(super) tear_begins: Row,
    /// Damage per square of stretch beyond.
    pub(super) tear_rate: Row,
    /// Displacement of each particle along the tool since it stuck to it [m].
    pub(super) slip: [Row; 3],
    /// Index of each particle.
    pub(super) ids: [u32; 16],
    /// Number of particles.
    pub(super) n: usize,
}

/// Velocity and slip of a chunk's particles, which contact modifies.
pub(super) type ContactState = [[Row; 3]; 2];

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Particle {
    pub(super) position: [f32; 3],
    pub(super) displacement: [f32; 3],
    pub(super) velocity: [f32; 3],
    pub(super) affine: [f32; 9],
    pub(super) deformation_grad: [f32; 9],
    pub(super) mass: f32,
    pub(super) volume: f32,
    pub(super) lame_lambda: f32,
    pub(super) lame_mu: f32,
    pub(super) viscosity: f32,
    pub(super) damage: f32,
    pub(super) tear_begins: f32,
    pub(super) tear_rate: f32,
    pub(super) slip: [f32; 3],
}

/// Numbers per particle.
pub(super) const N_NUMBERS: usize = 38;

impl Particle {
    pub(super) fn to_numbers(self) -> [f32; N_NUMBERS] {
        let mut numbers = [0.0; N_NUMBERS];
        numbers[..3].copy_from_slice(&self.position);
        numbers[3..6].copy_from_slice(&self.velocity);
        numbers[6..15].copy_from_slice(&self.affine);
        numbers[15..24].copy_from_slice(&self.deformation_grad);
        numbers[24..32].copy_from_slice(&[
            self.mass,
            self.volume,
            self.lame_lambda,
            self.lame_mu,
            self.viscosity,
            self.damage,
            self.tear_begins,
            self.tear_rate,
        ]);
        numbers[32..35].copy_from_slice(&self.slip);
        numbers[35..].copy_from_slice(&self.displacement);
        numbers
    }

    pub(super) fn from_numbers(numbers: &[f32; N_NUMBERS]) -> Self {
        Self {
            position: std::array::from_fn(|i| numbers[i]),
            velocity: std::array::from_fn(|i| numbers[3 + i]),
            affine: std::array::from_fn(|i| numbers[6 + i]),
            deformation_grad: std::array::from_fn(|i| numbers[15 + i]),
            mass: numbers[24],
            volume: numbers[25],
            lame_lambda: numbers[26],
            lame_mu: numbers[27],
            viscosity: numbers[28],
            damage: numbers[29],
            tear_begins: numbers[30],
            tear_rate: numbers[31],
            slip: std::array::from_fn(|i| numbers[32 + i]),
            displacement: std::array::from_fn(|i| numbers[35 + i]),
        }
    }
}

impl Chunk {
    /// A chunk without particles, at a position within its block.
    fn empty(position: [f32; 3]) -> Self {
        let mut deformation_grad = [[0.0; 16]; 9];
        for i in [0, 4, 8] {
            deformation_grad[i] = [1.0; 16];
        }
        Self {
            position: position.map(|x| [x; 16]),
            displacement: [[0.0; 16]; 3],
            velocity: [[0.0; 16]; 3],
            affine: [[0.0; 16]; 9],
            deformation_grad,
            mass: [0.0; 16],
            volume: [0.0; 16],
            lame_lambda: [0.0; 16],
            lame_mu: [0.0; 16],
            viscosity: [0.0; 16],
            damage: [0.0; 16],
            tear_begins: [f32::MAX; 16],
            tear_rate: [0.0; 16],
            slip: [[0.0; 16]; 3],
            ids: [u32::MAX; 16],
            n: 0,
        }
    }

    /// Adds a particle. The chunk must not be full.
    fn push(&mut self, id: u32, particle: &Particle) {
        let lane = self.n;
        self.n += 1;
        self.ids[lane] = id;
        self.set(lane, particle);
    }

    /// Adds a particle to the last chunk, or to a new one if the last is full.
    pub(super) fn push_to(chunks: &mut Vec<Self>, id: u32, particle: &Particle) {
        if let Some(last) = chunks.last_mut()
            && last.n < 16
        {
            last.push(id, particle);
        } else {
            let mut chunk = Self::empty(particle.position);
            chunk.push(id, particle);
            chunks.push(chunk);
        }
    }

    pub(super) fn get(&self, lane: usize) -> Particle {
        let at = |row: &Row| row[lane];
        Particle {
            position: self.position.each_ref().map(at),
            displacement: self.displacement.each_ref().map(at),
            velocity: self.velocity.each_ref().map(at),
            affine: self.affine.each_ref().map(at),
            deformation_grad: self.deformation_grad.each_ref().map(at),
            mass: self.mass[lane],
            volume: self.volume[lane],
            lame_lambda: self.lame_lambda[lane],
            lame_mu: self.lame_mu[lane],
            viscosity: self.viscosity[lane],
            damage: self.damage[lane],
            tear_begins: self.tear_begins[lane],
            tear_rate: self.tear_rate[lane],
            slip: self.slip.each_ref().map(at),
        }
    }

    fn set(&mut self, lane: usize, particle: &Particle) {
        let write = |rows: &mut [Row], values: &[f32]| {
            for (row, value) in rows.iter_mut().zip(values) {
                row[lane] = *value;
            }
        };
        write(&mut self.position, &particle.position);
        write(&mut self.displacement, &particle.displacement);
        write(&mut self.velocity, &particle.velocity);
        write(&mut self.affine, &particle.affine);
        write(&mut self.deformation_grad, &particle.deformation_grad);
        write(&mut self.slip, &particle.slip);
        self.mass[lane] = particle.mass;
        self.volume[lane] = particle.volume;
        self.lame_lambda[lane] = particle.lame_lambda;
        self.lame_mu[lane] = particle.lame_mu;
        self.viscosity[lane] = particle.viscosity;
        self.damage[lane] = particle.damage;
        self.tear_begins[lane] = particle.tear_begins;
        self.tear_rate[lane] = particle.tear_rate;
    }
}
