//! Particles held by tools or by the world.
//!
//! A held particle marks the 27 nodes that it reaches. A marked node takes the velocity of the holder's rigid motion, whatever tissue,
//! tools and walls want of it, and the momentum that this takes from the node is the impulse on the holder, so action equals reaction.
//! Of several holders that mark one node it belongs to the world, else to the tool of the smallest number.
//!
//! The motion is that of the whole substep, $u(x) = v + \tfrac{1}{\Delta t} (R(\omega \Delta t) - I) (x - p)$. It is affine, so APIC gives it
//! to the particles as it is, and what is held neither grows nor slips as a tool turns. As positions are rounded to single precision with
//! every substep, particles that tools hold are put where they are in the tool's frame; those that the world holds stand still bit by bit.
//!
//! Why nodes: of particles alone, each would get half of its neighbours' velocity back from the grid, and creep out of the grip.
//! Free particles within 1.5 cells share nodes with held ones and are dragged along: a grip reaches that far beyond what is held.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::chunk::Chunk;
use super::config::MpmConfig;
use super::tile::{BLOCK, LEAD, WIDTH};
use crate::tool::Tool;

/// The world as a holder; tool `k` is number `k + 1`, so that the smallest number has a node.
pub(super) const WORLD: u32 = 0;

/// No holder.
pub(super) const FREE: u32 = u32::MAX;

/// Holders of the nodes around a block.
pub(super) type Marks = [u32; WIDTH * WIDTH * WIDTH];

/// Holders of a block's nodes.
pub(super) type NodeMarks = [u32; BLOCK * BLOCK * BLOCK];

/// A held particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    pub(super) particle: u32,
    pub(super) holder: u32,
    /// Where, in the tool's frame [m]; nothing for the world.
    pub(super) at: Vector3<f64>,
}

/// All held particles.
#[derive(Debug, Clone, Default)]
pub(super) struct Grips {
    held: Vec<Held>,
    /// Of each particle its place among those held, or [`FREE`]; empty: none is held.
    slots: Vec<u32>,
}

impl Grips {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn held(&self) -> &[Held] {
        &self.held
    }

    /// What holds a particle.
    pub(super) fn of(&self, particle: u32) -> Option<&Held> {
        let slot = *self.slots.get(particle as usize)?;
        self.held.get(slot as usize)
    }

    /// Holds one of `n` particles that nothing holds.
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
    /// Of all holders by their numbers, in a substep [s] that begins with the tools where they are.
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

    /// Way from the holder's origin to a place in world [m], and the velocity there [m/s].
    pub(super) fn at(&self, place: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let arm = place - self.origin;
        (arm, self.linear + self.spin * arm)
    }
}

/// Held particles, shared by all blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holding<'a> {
    pub(super) grips: &'a Grips,
    pub(super) config: &'a MpmConfig,
    /// Tools as they stand once particles have moved.
    pub(super) tools: &'a [Tool],
}

/// The same for one block's particles.
#[derive(Debug)]
pub(super) struct BlockHolding<'a> {
    pub(super) all: Holding<'a>,
    /// The block's first node, in cells.
    pub(super) origin: [f32; 3],
    /// Holders of the nodes around; none: no particle of the block is held, so far.
    pub(super) marks: &'a mut Option<Box<Marks>>,
}

impl BlockHolding<'_> {
    /// Puts the particles of a chunk that tools hold where they are held, and marks the nodes of all that are held.
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
            // As in the transfer; if a particle is out of its tile, the step is repeated.
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
