//! Particles held by tools or by the world.
//!
//! A held particle marks the 27 nodes that it reaches. A marked node takes the velocity of the holder's rigid motion
//! and ignores tissue, tools and walls. The holder receives the momentum that this takes from the node, so action
//! equals reaction. If several holders mark a node, the world has priority, then the tool with the smallest index.
//!
//! The motion is the rigid motion over the whole substep, $u(x) = v + \tfrac{1}{\Delta t} (R(\omega \Delta t) - I) (x -
//! p)$. It is affine, so APIC transfers it to the particles exactly, and held tissue neither grows nor slips as a tool
//! turns. Positions are rounded to single precision in every substep. Therefore particles held by tools are placed at
//! their positions in the tool's frame, and particles held by the world keep exactly the same bits.
//!
//! Nodes are held in addition to particles: otherwise each held particle would get half of its neighbours' velocity
//! back from the grid and creep out of the grip. Free particles within 1.5 cells share nodes with held ones and are
//! dragged along, so a grip extends that far beyond the held particles.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::chunk::Chunk;
use super::config::MpmConfig;
use super::tile::{BLOCK, LEAD, WIDTH};
use crate::tool::Tool;

/// The world as a holder. Tool `k` is holder `k + 1`; the holder with the smallest number owns a
/// node.
pub(super) const WORLD: u32 = 0;

/// No holder.
pub(super) const FREE: u32 = u32::MAX;

/// Holders of the nodes of a block's tile.
pub(super) type Marks = [u32; WIDTH * WIDTH * WIDTH];

/// Holders of a block's nodes.
pub(super) type NodeMarks = [u32; BLOCK * BLOCK * BLOCK];

/// A held particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    pub(super) particle: u32,
    pub(super) holder: u32,
    /// Position in the tool's frame [m]; unused for the world.
    pub(super) at: Vector3<f64>,
}

/// All held particles.
#[derive(Debug, Clone, Default)]
pub(super) struct Grips {
    held: Vec<Held>,
    /// Index of each particle in the list of held particles, or [`FREE`]; empty if no particle is
    /// held.
    slots: Vec<u32>,
}

impl Grips {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn held(&self) -> &[Held] {
        &self.held
    }

    /// The holder of a particle.
    pub(super) fn of(&self, particle: u32) -> Option<&Held> {
        let slot = *self.slots.get(particle as usize)?;
        self.held.get(slot as usize)
    }

    /// Holds a free particle; `n` is the number of all particles.
    pub(super) fn hold(&mut self, held: Held, n: usize) {
        self.slots.resize(n, FREE);
        self.slots[held.particle as usize] = self.held.len() as u32;
        self.held.push(held);
    }

    /// Releases the particles that meet a condition.
    pub(super) fn release_if(&mut self, condition: impl Fn(&Held) -> bool) {
        if !self.held.iter().any(&condition) {
            return;
        }
        self.held.retain(|held| !condition(held));
        if self.held.is_empty() {
            self.slots.clear();
        }
        self.slots.fill(FREE);
        for (held, slot) in self.held.iter().zip(0..) {
            self.slots[held.particle as usize] = slot;
        }
    }
}

/// Rigid motion of a holder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    origin: Vector3<f64>,
    linear: Vector3<f64>,
    spin: Matrix3<f64>,
}

impl Motion {
    /// Motions of all holders by number, in a substep [s] that begins with the current poses of the tools.
    pub(super) fn of_all(tools: &[Tool], dt: f64) -> Vec<Self> {
        let still = Self {
            origin: Vector3::zeros(),
            linear: Vector3::zeros(),
            spin: Matrix3::zeros(),
        };
        let of = |tool: &Tool| {
            let turn = UnitQuaternion::from_scaled_axis(tool.angular * dt);
            Self {
                origin: tool.position,
                linear: tool.linear,
                spin: (turn.to_rotation_matrix().into_inner() - Matrix3::identity()) / dt,
            }
        };
        std::iter::once(still).chain(tools.iter().map(of)).collect()
    }

    /// Vector from the holder's origin to a point in the world frame [m], and the velocity there
    /// [m/s].
    pub(super) fn at(&self, place: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let arm = place - self.origin;
        (arm, self.linear + self.spin * arm)
    }
}

/// Held particles, as all blocks see them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holding<'a> {
    pub(super) grips: &'a Grips,
    pub(super) config: &'a MpmConfig,
    /// Tools at their poses after the particles have moved.
    pub(super) tools: &'a [Tool],
}

/// Held particles of one block.
#[derive(Debug)]
pub(super) struct BlockHolding<'a> {
    pub(super) all: Holding<'a>,
    /// The block's first node, in cells.
    pub(super) origin: [f32; 3],
    /// Holders of the surrounding nodes; `None` until a held particle is found.
    pub(super) marks: &'a mut Option<Box<Marks>>,
}

impl BlockHolding<'_> {
    /// Places the particles of a chunk that tools hold, and marks the nodes of all held particles.
    pub(super) fn keep(&mut self, chunk: &mut Chunk) {
        for lane in 0..chunk.n {
            if let Some(held) = self.all.grips.of(chunk.ids[lane]) {
                self.keep_one(held, chunk, lane);
            }
        }
    }

    fn keep_one(&mut self, held: &Held, chunk: &mut Chunk, lane: usize) {
        let Holding { config, tools, .. } = self.all;
        let tool = held.holder.checked_sub(1).map(|tool| tool as usize);
        if let Some(tool) = tool.and_then(|tool| tools.get(tool)) {
            let place = tool.position + tool.rotation * held.at;
            for axis in 0..3 {
                let cells = (place[axis] - config.origin[axis]) / config.cell_width;
                chunk.position[axis][lane] = cells as f32;
            }
        }
        let mut base = 0;
        for axis in 0..3 {
            // As in the transfer. If a particle is outside its tile, the step is repeated.
            let in_tile = chunk.position[axis][lane] - (self.origin[axis] - LEAD as f32);
            base = base * WIDTH + ((in_tile - 0.5).floor() as usize).min(WIDTH - 3);
        }
        let marks = self
            .marks
            .get_or_insert_with(|| Box::new([FREE; WIDTH * WIDTH * WIDTH]));
        for node in 0..27 {
            let [x, y, z] = [node / 9, node / 3 % 3, node % 3];
            let mark = &mut marks[base + (x * WIDTH + y) * WIDTH + z];
            *mark = held.holder.min(*mark);
        }
    }
}
