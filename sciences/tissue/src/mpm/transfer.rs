//! Particles to grid and back: MLS-MPM (Hu et al. 2018, doi:10.1145/3197517.3201293, Eq. 16–20) with quadratic B-splines and APIC (Jiang
//! et al. 2015, doi:10.1145/2766996).
//!
//! $$ w_0 = \tfrac12 (\tfrac32 - f)^2, \quad w_1 = \tfrac34 - (f - 1)^2, \quad w_2 = \tfrac12 (f - \tfrac12)^2 $$
//! with $f$ the distance to the first of three nodes in cells. Particle to grid:
//! $$ (m v)_i = \sum_p w_{ip} \big(m_p v_p + Q_p (x_i - x_p)\big), \quad Q_p = m_p C_p - \Delta t \, \tfrac{4}{\Delta x^2} V_p \tau_p. $$
//! Grid to particle: $v_p = \sum w v_i$, $C_p = \tfrac{4}{\Delta x^2} \sum w v_i (x_i - x_p)^T$, $x_p \mathrel{+}= \Delta t v_p$, and
//! $F_p \leftarrow (I + \Delta t \, C_p) F_p$.
//!
//! In the total Lagrangian formulation all of this uses the rest positions, with $C_p = \partial v / \partial X$ and
//! the first Piola–Kirchhoff stress $P = \tau F^{-T}$ instead of $\tau$, and $\Delta t \, v_p$ is added to the
//! displacement.
//!
//! Computations per particle are done for sixteen particles at once. Sums over nodes go particle by particle, twelve
//! numbers at a time: three nodes along z with momentum and mass. Particles are sorted by cell, so the nine rows of
//! nodes of a cell stay in registers until the next cell. An unsorted particle only costs another memory access.

#![expect(
    clippy::needless_range_loop,
    reason = "lanes and rows are counted alike; iterators are not always inlined"
)]
#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::block::Outcome;
use super::chunk::Chunk;
use super::contact::BlockContact;
use super::damage;
use super::hold::BlockHolding;
use super::tile::{LEAD, TILE_LEN, TOUCHED, Tile, WIDTH};
use crate::elasticity::{LEAST_J, LaneLaw, cofactors, determinant};
use crate::lanes::{self, Kernel, Lanes, Row};

/// Start of the nine rows of three nodes relative to the first node, in floats.
const ROWS: [usize; 9] = {
    let mut rows = [0; 9];
    let mut i = 0;
    while i < 9 {
        rows[i] = (i / 3 * WIDTH + i % 3) * WIDTH * 4;
        i += 1;
    }
    rows
};

/// Greatest index of a particle's first node in a tile, along each axis.
const LAST_BASE: f32 = (WIDTH - 3) as f32;

/// Numbers that all particles share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constants {
    /// Δt [s].
    pub(super) dt: f32,
    /// Δx [m].
    pub(super) cell_width: f32,
}

/// Advances the particles of one block by a substep or half of one. `TEARS`: whether any of them can tear. `TOTAL`:
/// whether the formulation is total Lagrangian.
pub(super) struct Transfer<'a, E, const TEARS: bool, const TOTAL: bool> {
    pub(super) law: E,
    pub(super) constants: Constants,
    /// The block's first node, in cells.
    pub(super) origin: [f32; 3],
    pub(super) chunks: &'a mut [Chunk],
    /// Node velocities; `None` to skip the transfer from the grid.
    pub(super) velocities: Option<&'a Tile>,
    /// Node momenta and masses, initially zero; `None` to skip the transfer to the grid.
    pub(super) momenta: Option<&'a mut Tile>,
    /// Contact, applied between the transfers; `None` if no tool is near or contact has been applied.
    pub(super) contact: Option<BlockContact<'a>>,
    /// Held particles; `None` if there are none.
    pub(super) holding: Option<BlockHolding<'a>>,
}

/// Weights of sixteen particles.
struct Weights {
    /// Weights of each of three nodes along x and y.
    plain: [[Row; 3]; 2],
    /// Weights times the offset to the node, in cells.
    moments: [[Row; 3]; 2],
    /// Along z, per particle: three weights, and the distance to the first node.
    along_z: [[f32; 4]; 16],
    /// Index of the first node in the tile.
    bases: [i32; 16],
}

impl<E: LaneLaw, const TEARS: bool, const TOTAL: bool> Kernel for Transfer<'_, E, TEARS, TOTAL> {
    type Output = Outcome;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Outcome {
        let Self {
            law,
            constants,
            origin,
            chunks,
            velocities,
            mut momenta,
            mut contact,
            mut holding,
        } = self;
        let mut outcome = Outcome {
            left_tile: false,
            max_speed: 0.0,
            n_runs: 0,
            touched: 0,
        };
        let mut weights = Weights {
            plain: [[[0.0; 16]; 3]; 2],
            moments: [[[0.0; 16]; 3]; 2],
            along_z: [[0.0; 4]; 16],
            bases: [0; 16],
        };
        let mut sums = Sums::new(l);
        let mut astray = l.splat(0.0);
        let mut max_speed = l.splat(0.0);
        for chunk in chunks {
            let mut found = None;
            if let Some(velocities) = velocities {
                // grid => v, C => x, F
                let at = compute_weights(l, chunk, origin, &mut weights);
                // Weights change with the motion in the updated Lagrangian formulation only.
                found = TOTAL.then_some(at);
                g2p(l, &constants, chunk, velocities, &weights);
                max_speed = advect::<L, TOTAL>(l, &constants, chunk, max_speed);
            }
            if let Some(holding) = &mut holding {
                holding.keep(chunk);
            }
            if let Some(momenta) = &mut momenta {
                // F => τ => Q => grid
                let (first_offset, beyond) = match found {
                    Some(found) => found,
                    None => compute_weights(l, chunk, origin, &mut weights),
                };
                astray = l.add(astray, beyond);
                let moments = contact.as_mut().and_then(|contact| contact.apply(l, chunk));
                let terms = p2g_terms::<L, E, TEARS, TOTAL>(
                    l,
                    law,
                    &constants,
                    chunk,
                    first_offset,
                    moments,
                );
                sums.p2g(l, chunk.n, &terms, &weights, momenta);
            }
        }
        if let Some(momenta) = &mut momenta {
            sums.flush(l, momenta);
        }
        let mut row = [0.0; 16];
        l.store(astray, &mut row);
        for far in row {
            outcome.left_tile |= far != 0.0;
        }
        l.store(max_speed, &mut row);
        for speed in row {
            // Propagates NaN.
            if speed.is_nan() || speed > outcome.max_speed {
                outcome.max_speed = speed;
            }
        }
        outcome.n_runs = sums.n_runs;
        outcome.touched = sums.touched;
        outcome
    }
}

/// Computes the weights of a chunk's particles. Returns the offset from the first node along each axis in cells, and a
/// number that is zero if all particles are in their tile.
#[inline(always)]
fn compute_weights<L: Lanes>(
    l: L,
    chunk: &Chunk,
    origin: [f32; 3],
    out: &mut Weights,
) -> ([L::V; 3], L::V) {
    let half = l.splat(0.5);
    let mut node = l.splat(0.0);
    let mut astray = node;
    let mut distances = [node; 3];
    let mut last = [node; 4];
    for axis in 0..3 {
        let in_tile = l.sub(
            l.load(&chunk.position[axis]),
            l.splat(origin[axis] - LEAD as f32),
        );
        let base = l.floor(l.sub(in_tile, half));
        // A particle that is outside its tile or not finite accesses some node in the tile. The result of the step is
        // discarded.
        let within = l.max(l.min(base, l.splat(LAST_BASE)), l.splat(0.0));
        node = l.mul_add(node, l.splat(WIDTH as f32), within);
        let beyond = l.sub(base, within);
        astray = l.mul_add(beyond, beyond, astray);
        let f = l.sub(in_tile, base);
        distances[axis] = f;
        let before = l.sub(l.splat(1.5), f);
        let centered = l.sub(f, l.splat(1.0));
        let after = l.sub(f, half);
        let weights = [
            l.mul(half, l.mul(before, before)),
            l.neg_mul_add(centered, centered, l.splat(0.75)),
            l.mul(half, l.mul(after, after)),
        ];
        if axis < 2 {
            for (i, weight) in weights.into_iter().enumerate() {
                l.store(weight, &mut out.plain[axis][i]);
                let offset = l.sub(l.splat(i as f32), f);
                l.store(l.mul(weight, offset), &mut out.moments[axis][i]);
            }
        } else {
            last = [weights[0], weights[1], weights[2], f];
        }
    }
    l.interleave(last, &mut out.along_z);
    out.bases = l.to_whole(node);
    (distances, astray)
}

/// The nine rows of nodes from a first node on. Entries 12 to 15 of each row are not used.
#[inline(always)]
fn rows_at<L: Lanes>(l: L, tile: &Tile, base: usize) -> [L::V; 9] {
    let mut rows = [l.splat(0.0); 9];
    for i in 0..9 {
        let start = base * 4 + ROWS[i];
        rows[i] = l.load(tile[start..start + 16].try_into().expect("sixteen numbers"));
    }
    rows
}

/// Grid to particle: velocity and affine velocity.
#[inline(always)]
fn g2p<L: Lanes>(l: L, constants: &Constants, chunk: &mut Chunk, tile: &Tile, at: &Weights) {
    let zero = l.splat(0.0);
    let steps = l.stretch(&[0.0, 1.0, 2.0, 0.0]);
    let mut sums = [zero; 16];
    let mut found = [[0.0; 16]; 16];
    let mut rows = [zero; 9];
    let mut base = -1;
    for lane in 0..chunk.n {
        if at.bases[lane] != base {
            base = at.bases[lane];
            rows = rows_at(l, tile, base as usize);
        }
        let y = splat_column(l, &at.plain[1], lane);
        let to_y = splat_column(l, &at.moments[1], lane);
        let (mut sum, mut sum_x, mut sum_y) = (zero, zero, zero);
        for i in 0..3 {
            let three = [rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]];
            let (plain, moment) = (dot(l, &y, &three), dot(l, &to_y, &three));
            let x = l.splat(at.plain[0][i][lane]);
            sum = l.mul_add(x, plain, sum);
            sum_x = l.mul_add(l.splat(at.moments[0][i][lane]), plain, sum_x);
            sum_y = l.mul_add(x, moment, sum_y);
        }
        let [first, second, third, f] = at.along_z[lane];
        let z = l.stretch(&[first, second, third, 0.0]);
        let offset = l.sub(steps, l.splat(f));
        let sum = l.mul(sum, z);
        let all = [sum, l.mul(sum_x, z), l.mul(sum_y, z), l.mul(sum, offset)];
        l.store(l.sum_groups(all), &mut found[lane]);
    }
    for lane in 0..16 {
        sums[lane] = l.load(&found[lane]);
    }
    l.transpose(&mut sums);
    let found = sums;
    let scale = l.splat(4.0 / constants.cell_width);
    for i in 0..3 {
        l.store(found[i], &mut chunk.velocity[i]);
        for j in 0..3 {
            let entry = l.mul(scale, found[4 + 4 * j + i]);
            l.store(entry, &mut chunk.affine[3 * i + j]);
        }
    }
}

/// Advects particles and updates F. Returns the greatest speed along an axis of each lane so far, or NaN once a speed
/// was NaN.
#[inline(always)]
fn advect<L: Lanes, const TOTAL: bool>(
    l: L,
    constants: &Constants,
    chunk: &mut Chunk,
    max_speed: L::V,
) -> L::V {
    let mut max_speed = max_speed;
    let in_cells = l.splat(constants.dt / constants.cell_width);
    for axis in 0..3 {
        let velocity = l.load(&chunk.velocity[axis]);
        let place = if TOTAL {
            &mut chunk.displacement[axis]
        } else {
            &mut chunk.position[axis]
        };
        l.store(l.mul_add(velocity, in_cells, l.load(place)), place);
        let speed = l.max(velocity, l.sub(l.splat(0.0), velocity));
        // A comparison with NaN returns the second operand. The sum preserves NaN.
        max_speed = l.add(l.max(max_speed, speed), l.mul(speed, l.splat(0.0)));
    }
    let dt = l.splat(constants.dt);
    let c = load_matrix(l, &chunk.affine);
    let f = load_matrix(l, &chunk.deformation_grad);
    for i in 0..3 {
        for j in 0..3 {
            let change = if TOTAL {
                c[3 * i + j]
            } else {
                product(l, &c, &f, i, j)
            };
            let entry = l.mul_add(dt, change, f[3 * i + j]);
            l.store(entry, &mut chunk.deformation_grad[3 * i + j]);
        }
    }
    max_speed
}

/// Entry of the product of two row-major matrices.
#[inline(always)]
fn product<L: Lanes>(l: L, a: &[L::V; 9], b: &[L::V; 9], i: usize, j: usize) -> L::V {
    let rest = l.mul_add(a[3 * i + 1], b[3 + j], l.mul(a[3 * i + 2], b[6 + j]));
    l.mul_add(a[3 * i], b[j], rest)
}

#[inline(always)]
fn load_matrix<L: Lanes>(l: L, rows: &[Row; 9]) -> [L::V; 9] {
    let mut loaded = [l.splat(0.0); 9];
    for i in 0..9 {
        loaded[i] = l.load(&rows[i]);
    }
    loaded
}

/// Broadcasts one lane of three rows to all lanes.
#[inline(always)]
fn splat_column<L: Lanes>(l: L, rows: &[Row; 3], lane: usize) -> [L::V; 3] {
    [
        l.splat(rows[0][lane]),
        l.splat(rows[1][lane]),
        l.splat(rows[2][lane]),
    ]
}

#[inline(always)]
fn dot<L: Lanes>(l: L, a: &[L::V; 3], b: &[L::V; 3]) -> L::V {
    l.mul_add(a[2], b[2], l.mul_add(a[1], b[1], l.mul(a[0], b[0])))
}

/// Contribution of each particle to a node at the offset d in cells from the *first* node: `[q₀ + q_x d_x + q_y d_y +
/// q_z d_z, m]`. `moments` are affine velocities from contact. Sixteen numbers per particle: q₀ and mass, q_x, q_y,
/// q_z.
#[inline(always)]
fn p2g_terms<L: Lanes, E: LaneLaw, const TEARS: bool, const TOTAL: bool>(
    l: L,
    law: E,
    constants: &Constants,
    chunk: &mut Chunk,
    first_offset: [L::V; 3],
    moments: Option<&[Row; 9]>,
) -> [Row; 16] {
    let f = load_matrix(l, &chunk.deformation_grad);
    let c = load_matrix(l, &chunk.affine);
    let mass = l.load(&chunk.mass);
    let mut tau = law.kirchhoff(l, &f, l.load(&chunk.lame_mu), l.load(&chunk.lame_lambda));
    if TEARS {
        damage::tear(l, &f, chunk, &mut tau);
    }
    let [xx, xy, xz, yy, yz, zz] = tau;
    let elastic = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    // Q Δx = m Δx C − Δt (4 / Δx) V τ.
    let width = constants.cell_width;
    let inertial = l.mul(mass, l.splat(width));
    let push = l.mul(l.load(&chunk.volume), l.splat(-constants.dt * 4.0 / width));
    let viscosity = l.load(&chunk.viscosity);
    let zero = l.splat(0.0);
    // Entries of F⁻¹, row-major.
    let mut inverse = [zero; 9];
    let mut gradient = c;
    if TOTAL {
        let j = l.max(determinant(l, &f), l.splat(LEAST_J));
        let reciprocal = l.div(l.splat(1.0), j);
        let cofactors = cofactors(l, &f);
        for i in 0..9 {
            inverse[i] = l.mul(cofactors[i % 3 * 3 + i / 3], reciprocal);
        }
        for i in 0..9 {
            gradient[i] = product(l, &c, &inverse, i / 3, i % 3);
        }
    }
    let mut stress = elastic;
    for i in 0..3 {
        for j in 0..3 {
            let rate = l.add(gradient[3 * i + j], gradient[3 * j + i]);
            stress[3 * i + j] = l.mul_add(viscosity, rate, elastic[3 * i + j]);
        }
    }
    let mut q = [zero; 9];
    for i in 0..3 {
        for j in 0..3 {
            let stress = if TOTAL {
                // P = τ F⁻ᵀ
                let [a, b] = [&stress[3 * i..3 * i + 3], &inverse[3 * j..3 * j + 3]];
                l.mul_add(a[0], b[0], l.mul_add(a[1], b[1], l.mul(a[2], b[2])))
            } else {
                stress[3 * i + j]
            };
            q[3 * i + j] = l.mul_add(inertial, c[3 * i + j], l.mul(push, stress));
        }
    }
    if let Some(moments) = moments {
        for i in 0..9 {
            q[i] = l.mul_add(inertial, l.load(&moments[i]), q[i]);
        }
    }
    let mut rows = [zero; 16];
    for i in 0..3 {
        let mut at_first = l.mul(mass, l.load(&chunk.velocity[i]));
        for j in 0..3 {
            at_first = l.neg_mul_add(q[3 * i + j], first_offset[j], at_first);
            rows[4 + 4 * j + i] = q[3 * i + j];
        }
        rows[i] = at_first;
    }
    rows[3] = mass;
    l.transpose(&mut rows);
    let mut terms = [[0.0; 16]; 16];
    for lane in 0..16 {
        l.store(rows[lane], &mut terms[lane]);
    }
    terms
}

/// Sums over the particles of one cell that are not in the tile yet.
struct Sums<L: Lanes> {
    rows: [L::V; 9],
    /// First node of the cell; -1 if there is no cell.
    base: i32,
    n_runs: usize,
    /// Parts of the tile that were modified, one bit each.
    touched: u32,
}

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    fn new(l: L) -> Self {
        Self {
            rows: [l.splat(0.0); 9],
            base: -1,
            n_runs: 0,
            touched: 0,
        }
    }

    /// Particle to grid: adds the contributions of a chunk.
    #[inline(always)]
    fn p2g(&mut self, l: L, n: usize, terms: &[Row; 16], at: &Weights, tile: &mut Tile) {
        let steps = l.stretch(&[0.0, 1.0, 2.0, 0.0]);
        for lane in 0..n {
            if at.bases[lane] != self.base {
                self.flush(l, tile);
                self.base = at.bases[lane];
                self.n_runs += 1;
            }
            let [first, second, third, _] = at.along_z[lane];
            let z = l.stretch(&[first, second, third, 0.0]);
            let row = l.load(&terms[lane]);
            let along_z = l.mul_add(l.repeat_group::<3>(row), steps, l.repeat_group::<0>(row));
            let mut here = l.mul(along_z, z);
            let step_x = l.mul(l.repeat_group::<1>(row), z);
            let step_y = l.mul(l.repeat_group::<2>(row), z);
            for i in 0..3 {
                let x = l.splat(at.plain[0][i][lane]);
                let mut value = l.mul(here, x);
                let step = l.mul(step_y, x);
                for j in 0..3 {
                    let y = l.splat(at.plain[1][j][lane]);
                    self.rows[3 * i + j] = l.mul_add(value, y, self.rows[3 * i + j]);
                    value = l.add(value, step);
                }
                here = l.add(here, step_x);
            }
        }
    }

    /// Adds the sums to the tile.
    #[inline(always)]
    fn flush(&mut self, l: L, tile: &mut Tile) {
        if self.base < 0 {
            return;
        }
        self.touched |= TOUCHED[self.base as usize];
        for i in 0..9 {
            let start = self.base as usize * 4 + ROWS[i];
            let nodes: &mut Row = (&mut tile[start..start + 16])
                .try_into()
                .expect("sixteen numbers");
            l.store(l.add(l.load(nodes), self.rows[i]), nodes);
            self.rows[i] = l.splat(0.0);
        }
        self.base = -1;
    }
}

/// Runs [`Transfer`] on the widest lanes of this machine.
#[inline]
pub(super) fn transfer<E: LaneLaw, const TEARS: bool, const TOTAL: bool>(
    transfer: Transfer<'_, E, TEARS, TOTAL>,
) -> Outcome {
    lanes::run(transfer)
}

const _: () = assert!(
    TILE_LEN
        == (LAST_BASE as usize + 2) * (WIDTH * WIDTH + WIDTH) * 4 + (LAST_BASE as usize) * 4 + 16
);
