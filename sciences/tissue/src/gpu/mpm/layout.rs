//! Layout of the worlds: offsets of particles, units of fixed-point sums, and the number of node blocks.

use insonate_settings::check_range;

use super::buffers::WORLD_WORDS;
use crate::gpu::{DeviceError, Gpu, GpuError};
use crate::mpm::{Contact, Formulation, MpmBody, MpmConfig};
use crate::{Divergence, ElasticLaw, Material, TissueError};

/// Rows of four numbers per particle: position, F, velocity and C.
const ROWS: usize = 6;
/// Optional row: slip along a tool, and damage.
pub(super) const SLIP_ROW: usize = 6;
/// Row with weights at rest: displacement. The one before is there too.
pub(super) const DISPLACEMENT_ROW: usize = 7;
/// Row of a material's three with the index of its world.
const WORLD_ROW: usize = 1;
/// Nodes along the edge of a block.
pub(super) const BLOCK: usize = 4;
/// Nodes of a block.
pub(super) const BLOCK_NODES: u64 = 64;
/// Capacity of a node, relative to the mass in the fullest cell at the start.
const MOST_CROWDED: f64 = 8.0;
/// Limit of the momentum that a particle may contribute in a substep, over its mass, in cells per substep: as in `tile.wgsl`.
const MOST_GIVEN: f64 = 8.0;
/// Fixed-point units of the capacity of a node in mass. Twice as much still fits.
const MASS_UNITS: f64 = 1_073_741_824.0;
/// Fixed-point units of the capacity of a node in momentum: `MASS_UNITS` times 65536.
const MOMENTUM_UNITS: f64 = 70_368_744_177_664.0;
/// Size of the nodes [bytes] up to which all blocks of all worlds are allocated.
const WHOLE_BYTES: u64 = 1 << 28;
/// Above this size, allocated blocks as a multiple of the blocks that a world needs at the start.
const SPREAD: usize = 4;

/// Share of one world in the buffers.
#[derive(Debug, Clone)]
pub(super) struct WorldLayout {
    /// Its first particle.
    pub(super) first: usize,
    /// Number of its particles.
    pub(super) n: usize,
    /// Mass in its fullest cell at the start [kg].
    fullest: f64,
    /// Sum of all masses [kg].
    pub(super) mass: f64,
    /// Materials of its bodies.
    materials: Vec<Material>,
    /// Hash of how the world was made.
    pub(super) fingerprint: u64,
}

/// What a step of a world needs, and its softness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    /// Length of a substep [s].
    pub(super) dt: f64,
    /// Number of substeps; 0 if the world does not move.
    pub(super) n_substeps: u32,
    pub(super) n_tools: usize,
    /// Factors of Young's moduli and damping times.
    pub(super) softness: [f64; 2],
}

/// All worlds.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) config: MpmConfig,
    pub(super) n_blocks: [usize; 3],
    pub(super) worlds: Vec<WorldLayout>,
    pub(super) n_particles: usize,
    /// Maximum number of node blocks of a world.
    pub(super) quota: usize,
    /// Start position of each particle in cells, and the bits of its material's index.
    pub(super) starts: Vec<[f32; 4]>,
    /// Three rows per material: mass, volume, λ, μ; initial velocity and the bits of its world's index; viscosity,
    /// square of the stretch at which damage begins, damage per square of stretch beyond, edge of a particle [m].
    pub(super) materials: Vec<[f32; 4]>,
    /// Mass of a particle of each material [kg].
    pub(super) masses: Vec<f64>,
    /// Greatest speed along an axis at the start [m/s].
    pub(super) start_speed: f64,
    /// Whether any material can tear.
    pub(super) can_tear: bool,
}

impl Layout {
    pub(super) fn new(
        gpu: &Gpu,
        config: MpmConfig,
        worlds: &[Vec<MpmBody>],
        n_copies: usize,
    ) -> Result<Self, GpuError> {
        config.check()?;
        let n_blocks = config.cells.map(|cells| cells.div_ceil(BLOCK));
        let mut layout = Self {
            config,
            n_blocks,
            worlds: Vec::new(),
            n_particles: 0,
            quota: 0,
            starts: Vec::new(),
            materials: Vec::new(),
            masses: Vec::new(),
            start_speed: 0.0,
            can_tear: false,
        };
        if layout.config.active_radius != f64::INFINITY {
            return Err(GpuError::Unsupported { what: "a reach" });
        }
        let mut most_blocks = 1;
        for bodies in worlds {
            if bodies.iter().any(|body| !body.fixed.is_empty()) {
                return Err(GpuError::Unsupported {
                    what: "fixed particles",
                });
            }
            most_blocks = most_blocks.max(layout.add(bodies)?);
        }
        let whole: usize = n_blocks.iter().product();
        let n_worlds = (worlds.len() * n_copies) as u64;
        layout.quota = if layout.is_total() {
            // Particles stay in their blocks.
            most_blocks
        } else if n_worlds * whole as u64 * BLOCK_NODES * 48 <= WHOLE_BYTES {
            whole
        } else {
            whole.min(SPREAD * most_blocks + 64)
        };
        let counts = [
            (
                "particles",
                (layout.n_particles * n_copies) as u64 * layout.n_rows() as u64,
            ),
            ("blocks of the domains", n_worlds * whole as u64),
            (
                "numbers at nodes",
                n_worlds * layout.quota as u64 * BLOCK_NODES * 8,
            ),
        ];
        for (what, needed) in counts {
            // Kernels count in 32 bits.
            if needed >= u32::MAX.into() {
                return Err(DeviceError::Limit {
                    what: format!("the number of {what}"),
                    needed,
                    limit: u32::MAX.into(),
                    gpu: gpu.name().to_owned(),
                }
                .into());
            }
        }
        for _ in 1..n_copies {
            layout.repeat(worlds.len());
        }
        Ok(layout)
    }

    /// Adds a copy of the first worlds.
    fn repeat(&mut self, n_worlds: usize) {
        let n_particles = self.worlds[..n_worlds].iter().map(|world| world.n).sum();
        let n_bodies = self.worlds[..n_worlds].iter();
        let n_bodies: usize = n_bodies.map(|world| world.materials.len()).sum();
        let (first_world, first_body) = (self.worlds.len(), self.masses.len());
        let first = self.starts.len();
        for index in 0..n_worlds {
            let mut world = self.worlds[index].clone();
            world.first += first;
            self.worlds.push(world);
        }
        for row in 0..3 * n_bodies {
            let mut row_of_copy = self.materials[row];
            if row % 3 == WORLD_ROW {
                let world = row_of_copy[3].to_bits() + first_world as u32;
                row_of_copy[3] = f32::from_bits(world);
            }
            self.materials.push(row_of_copy);
        }
        self.masses.extend_from_within(..n_bodies);
        for index in 0..n_particles {
            let [x, y, z, body] = self.starts[index];
            let body = f32::from_bits(body.to_bits() + first_body as u32);
            self.starts.push([x, y, z, body]);
        }
        self.n_particles = self.starts.len();
    }

    /// Longest stable substep of a world [s], with factors of its Young's moduli and damping times.
    pub(super) fn stable_substep(&self, world: usize, softness: [f64; 2]) -> f64 {
        let [modulus, damping_time] = softness;
        let materials = self.worlds[world].materials.iter();
        let scaled: Vec<Material> = materials
            .map(|material| Material {
                young_modulus: modulus * material.young_modulus,
                viscosity: modulus * damping_time * material.viscosity,
                ..*material
            })
            .collect();
        self.config.stable_substep(scaled.iter())
    }

    /// Adds a world; returns the number of blocks of nodes that it needs.
    fn add(&mut self, bodies: &[MpmBody]) -> Result<usize, TissueError> {
        let first = self.starts.len();
        let [low, high] = self.config.bounds();
        let mut fingerprint = Fingerprint::of(&self.config);
        let (mut cells, mut blocks) = (Vec::new(), Vec::new());
        let mut total = 0.0;
        for body in bodies {
            let material = &body.material;
            material.check()?;
            check_range(
                "body.particle_volume",
                body.particle_volume,
                [1e-18, 1.0],
                "m³",
            )?;
            let mass = material.density * body.particle_volume;
            let number = self.masses.len() as u32;
            self.materials.push([
                mass as f32,
                body.particle_volume as f32,
                material.lame_lambda() as f32,
                material.lame_mu() as f32,
            ]);
            let [x, y, z] = body.velocity;
            for speed in body.velocity {
                check_range("body.velocity", speed, [-1e6, 1e6], "m/s")?;
                self.start_speed = self.start_speed.max(speed.abs());
            }
            let world = f32::from_bits(self.worlds.len() as u32);
            self.materials.push([x as f32, y as f32, z as f32, world]);
            let [begins, rate] = tear_words(material);
            let edge = body.particle_volume.cbrt() as f32;
            self.materials
                .push([material.viscosity as f32, begins, rate, edge]);
            self.can_tear |= material.tearing.is_some();
            self.masses.push(mass);
            total += mass * body.positions.len() as f64;
            fingerprint.add(&[mass, body.particle_volume, material.young_modulus]);
            fingerprint.add(&[material.poisson_ratio, body.positions.len() as f64]);
            if let Some(tearing) = material.tearing {
                fingerprint.add(&[tearing.begins, tearing.ends]);
            }
            for position in &body.positions {
                if !(0..3).all(|i| position[i] >= low[i] && position[i] <= high[i]) {
                    return Err(TissueError::Outside {
                        particle: self.starts.len() - first,
                        position: *position,
                        low,
                        high,
                    });
                }
                let at: [f32; 3] = std::array::from_fn(|axis| {
                    ((position[axis] - self.config.origin[axis]) / self.config.cell_width) as f32
                });
                let base = at.map(|x| (x - 0.5).floor().max(0.0) as u32);
                cells.push((base, mass));
                blocks.push(base.map(|x| x / BLOCK as u32));
                self.starts
                    .push([at[0], at[1], at[2], f32::from_bits(number)]);
            }
        }
        cells.sort_unstable_by_key(|(cell, _)| *cell);
        let fullest = cells
            .chunk_by(|a, b| a.0 == b.0)
            .map(|cell| cell.iter().map(|(_, mass)| mass).sum())
            .fold(1e-18, f64::max);
        self.worlds.push(WorldLayout {
            first,
            n: self.starts.len() - first,
            fullest,
            mass: total,
            materials: bodies.iter().map(|body| body.material).collect(),
            fingerprint: fingerprint.0,
        });
        self.n_particles = self.starts.len();
        Ok(self.around(blocks))
    }

    /// Rows of four numbers of a particle.
    pub(super) fn n_rows(&self) -> usize {
        if self.is_total() {
            DISPLACEMENT_ROW + 1
        } else if self.can_tear || self.config.contact == Contact::Particles {
            SLIP_ROW + 1
        } else {
            ROWS
        }
    }

    /// Whether weights are those at rest.
    pub(super) fn is_total(&self) -> bool {
        self.config.formulation == Formulation::TotalLagrangian
    }

    /// Number of blocks within one block of the given blocks.
    fn around(&self, mut blocks: Vec<[u32; 3]>) -> usize {
        blocks.sort_unstable();
        blocks.dedup();
        let mut near: Vec<[u32; 3]> = blocks
            .iter()
            .flat_map(|at| {
                (0..27u32).filter_map(|i| {
                    let side = [i / 9, i / 3 % 3, i % 3];
                    let mut neighbour = [0; 3];
                    for axis in 0..3 {
                        neighbour[axis] = (at[axis] + side[axis]).checked_sub(1)?;
                        if neighbour[axis] as usize >= self.n_blocks[axis] {
                            return None;
                        }
                    }
                    Some(neighbour)
                })
            })
            .collect();
        near.sort_unstable();
        near.dedup();
        near.len()
    }

    /// Words that describe a world to kernels.
    pub(super) fn world_words(&self, world: usize, motion: Motion) -> [u32; WORLD_WORDS] {
        let layout = &self.worlds[world];
        let [mass_scale, momentum_scale] = self.scales(world, motion.dt);
        let [modulus, damping_time] = motion.softness;
        let number = |x: f64| (x as f32).to_bits();
        [
            layout.first as u32,
            layout.n as u32,
            motion.n_tools as u32,
            MASS_UNITS as u32,
            number(mass_scale),
            number(momentum_scale),
            number(motion.dt),
            motion.n_substeps,
            number(modulus),
            number(modulus * damping_time),
            0,
            0,
        ]
    }

    /// Fixed-point units per kg and per kg·m/s. They are powers of two, so scaling is exact.
    pub(super) fn scales(&self, world: usize, dt: f64) -> [f64; 2] {
        let most = MOST_CROWDED * self.worlds[world].fullest;
        let scale = |steps: f64, most: f64| (steps / most).log2().floor().exp2();
        [
            scale(MASS_UNITS, most),
            scale(MOMENTUM_UNITS, most * self.p2g_limit(dt)),
        ]
    }

    /// Limit of the momentum that a particle may contribute, over its mass [m/s].
    pub(super) fn p2g_limit(&self, dt: f64) -> f64 {
        MOST_GIVEN * self.config.cell_width / dt
    }

    /// Reason for which a world stopped, from the flags of the kernels.
    pub(super) fn reason(&self, flags: u32, speed: f32, dt: f64) -> Option<Divergence> {
        if flags & (FAST | LEFT | DENSE | FULL) == 0 {
            return None;
        }
        Some(if flags & FAST != 0 && !speed.is_finite() {
            Divergence::NotFinite
        } else if flags & FAST != 0 {
            Divergence::TooFast {
                speed: speed.into(),
                cell_width: self.config.cell_width,
                dt,
            }
        } else if flags & LEFT != 0 {
            Divergence::Left
        } else if flags & DENSE != 0 {
            Divergence::TooDense
        } else {
            Divergence::Scattered {
                n_blocks: self.quota,
            }
        })
    }
}

/// Square of the stretch at which damage begins, and damage per square of stretch beyond.
fn tear_words(material: &Material) -> [f32; 2] {
    match material.tearing {
        Some(tearing) => {
            let (begins, ends) = (tearing.begins.powi(2), tearing.ends.powi(2));
            [begins as f32, (1.0 / (ends - begins)) as f32]
        }
        None => [f32::MAX, 0.0],
    }
}

const FAST: u32 = 1;
const LEFT: u32 = 2;
const DENSE: u32 = 4;
const FULL: u32 = 8;
/// Flag: a particle is out of reach of its block's nodes. The world waits for a sort.
pub(super) const ASTRAY: u32 = 16;

/// A 64-bit FNV-1a hash of numbers.
struct Fingerprint(u64);

impl Fingerprint {
    fn of(config: &MpmConfig) -> Self {
        let mut fingerprint = Self(0xcbf2_9ce4_8422_2325);
        fingerprint.add(&config.origin);
        fingerprint.add(&[config.cell_width]);
        fingerprint.add(&config.cells.map(|n| n as f64));
        let is_corotated = config.law == ElasticLaw::FixedCorotated;
        let meets_particles = config.contact == Contact::Particles;
        fingerprint.add(&[is_corotated, meets_particles].map(|is| f64::from(u8::from(is))));
        if config.formulation == Formulation::TotalLagrangian {
            fingerprint.add(&[1.0]);
        }
        fingerprint
    }

    fn add(&mut self, numbers: &[f64]) {
        for byte in numbers.iter().flat_map(|number| number.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
