//! Benchmark scene to compare programs: a block on the floor, pressed by a ball.
//!
//! The block has cells of 2 cm with six tetrahedra each (Kuhn 1960), fixed vertices at the bottom, distance and volume
//! constraints, and averaged Jacobi sweeps. The ball comes down at 0.1 m/s to 0.3 of the height, then slides at 0.05
//! m/s for 3 cm.

use insonate_settings::check_range;
use nalgebra::Vector3;

use super::batch::XpbdBatch;
use super::body::XpbdBody;
use super::config::{Sweep, XpbdConfig};
use super::elasticity::Elasticity;
use super::world::Xpbd;
use crate::mesh::TetMesh;
use crate::tool::{Shape, Tool};
use crate::{Material, TissueError};

/// Width of a cell [m].
const CELL: f64 = 0.02;

/// Radius of the ball [m].
const RADIUS: f64 = 0.04;

/// Cells along x, y, z of the compared sizes.
const SIZES: [(usize, [usize; 3]); 4] = [
    (1170, [13, 5, 3]),
    (2880, [10, 8, 6]),
    (9729, [18, 10, 10]),
    (52359, [26, 21, 17]),
];

/// The scene.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchScene {
    /// The block.
    pub body: XpbdBody,
    /// Settings of the solver.
    pub config: XpbdConfig,
    /// Height of the block [m].
    pub top: f64,
}

impl BenchScene {
    /// Length of a frame [s].
    pub const FRAME: f64 = 1.0 / 60.0;

    /// A scene with a number of tetrahedra and of substeps per frame.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn new(n_tets: usize, n_substeps: u32) -> Result<Self, TissueError> {
        check_range("tets", n_tets as f64, [1.0, 1e7], "tetrahedra")?;
        check_range("substeps", f64::from(n_substeps), [1.0, 1e4], "")?;
        let known = SIZES.iter().find(|(n, _)| *n == n_tets);
        let cells = known.map_or_else(
            || [((n_tets as f64 / 6.0).cbrt().ceil() as usize).max(1); 3],
            |(_, cells)| *cells,
        );
        let mesh = lattice(cells, n_tets);
        let heights = mesh.positions.iter().map(|p| p[2]);
        let top = heights.fold(0.0, f64::max);
        let lowest = mesh.positions.iter().zip(0..);
        let fixed = lowest.filter(|(p, _)| p[2] < 1e-9).map(|(_, i)| i);
        let substep = Self::FRAME / f64::from(n_substeps);
        Ok(Self {
            body: XpbdBody {
                fixed: fixed.collect(),
                mesh,
                material: Material::default(),
                elasticity: Elasticity::Springs {
                    distance_compliance: 1e-6,
                    volume_compliance: 0.0,
                },
                ..XpbdBody::default()
            },
            config: XpbdConfig {
                substep,
                sweep: Sweep::AveragedJacobi { relaxation: 1.6 },
                drag: 0.001 / substep,
                push_speed: f64::INFINITY,
                face_contact: false,
                ..XpbdConfig::default()
            },
            top,
        })
    }

    /// The ball at a frame, then the floor.
    pub fn tools(&self, frame: u32) -> Vec<Tool> {
        let time = f64::from(frame) * Self::FRAME;
        let high = self.top + RADIUS + 0.005;
        let low = self.top + RADIUS - 0.3 * self.top;
        let sliding = time - (high - low) / 0.1;
        let x = (0.05 * sliding).clamp(0.0, 0.03);
        let ball = Tool {
            position: Vector3::new(x, 0.0, (high - 0.1 * time).max(low)),
            ..Tool::new(Shape::Sphere { radius: RADIUS })
        };
        vec![ball, Tool::new(Shape::HalfSpace)]
    }

    /// One world on a number of threads; 0: one per core.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn world(&self, n_threads: usize) -> Result<Xpbd, TissueError> {
        let config = XpbdConfig {
            n_threads,
            ..self.config.clone()
        };
        Xpbd::new(config, std::slice::from_ref(&self.body), &[])
    }

    /// Many worlds on a number of threads; 0: one per core.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn batch(&self, n_worlds: usize, n_threads: usize) -> Result<XpbdBatch, TissueError> {
        let config = XpbdConfig {
            n_threads,
            ..self.config.clone()
        };
        XpbdBatch::new(config, std::slice::from_ref(&self.body), &[], n_worlds)
    }

    /// Advances one world by a frame.
    ///
    /// # Errors
    /// As [`Xpbd::step`].
    pub fn step(&self, world: &mut Xpbd, frame: u32) -> Result<(), TissueError> {
        *world.tools_mut() = self.tools(frame);
        world.step(Self::FRAME)
    }

    /// Advances many worlds by a frame.
    ///
    /// # Errors
    /// The error of the first world that failed.
    pub fn step_batch(&self, batch: &mut XpbdBatch, frame: u32) -> Result<(), TissueError> {
        let tools = self.tools(frame);
        batch.for_each(|_, mut world| world.tools_mut().clone_from(&tools));
        match batch.step(Self::FRAME)?.into_iter().flatten().next() {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}

/// The first tetrahedra of a lattice of cells, centred in x and y.
fn lattice(cells: [usize; 3], n_tets: usize) -> TetMesh {
    let [_, ny, nz] = cells;
    let id = |at: [usize; 3]| (at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2];
    // Paths along the three axes in each order. Odd permutations have the opposite orientation.
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let mut tets = Vec::with_capacity(n_tets + 6);
    for cell in 0..n_tets.div_ceil(6) {
        let first = [cell / (ny * nz), cell / nz % ny, cell % nz];
        for (i, order) in orders.into_iter().enumerate() {
            let mut at = first;
            let mut tet = [id(at); 4];
            for (vertex, axis) in tet[1..].iter_mut().zip(order) {
                at[axis] += 1;
                *vertex = id(at);
            }
            // Odd permutations are numbers 1, 2 and 5.
            if matches!(i, 1 | 2 | 5) {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    tets.truncate(n_tets);
    let mut ids: Vec<usize> = tets.iter().flatten().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let mut number = vec![0; ids.last().map_or(0, |last| last + 1)];
    let mut positions = Vec::with_capacity(ids.len());
    for (new, old) in ids.iter().enumerate() {
        number[*old] = new as u32;
        let at = [
            old / ((ny + 1) * (nz + 1)),
            old / (nz + 1) % (ny + 1),
            old % (nz + 1),
        ];
        positions.push(at.map(|x| x as f64 * CELL));
    }
    for axis in 0..2 {
        let mean = positions.iter().map(|p| p[axis]).sum::<f64>() / positions.len() as f64;
        for position in &mut positions {
            position[axis] -= mean;
        }
    }
    TetMesh {
        positions,
        tets: tets
            .into_iter()
            .map(|tet| tet.map(|old| number[old]))
            .collect(),
    }
}
