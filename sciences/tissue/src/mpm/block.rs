//! Blocks of particles, and the blocks of nodes around them.

use super::chunk::{Chunk, ContactState};
use super::hold::Marks;
use super::tile::{NODES_LEN, NONE, Nodes, TILE_LEN, Tile};
use crate::tool::{PointImpulse, Wrench};

/// The particles whose first node lies in one block of cells, and their contributions to the surrounding nodes.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Block {
    pub(super) momenta: Tile,
    pub(super) chunks: Vec<Chunk>,
    /// Index of the block in the domain along each axis.
    pub(super) at: [usize; 3],
    /// Node blocks of the 27 surrounding blocks.
    pub(super) near: [u32; 27],
    pub(super) outcome: Outcome,
    /// Impulse of its particles on each tool in the last substep, about the tool's origin [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
    /// The parts of these impulses, for tools that record them.
    pub(super) points: Vec<PointImpulse>,
    /// Velocity and slip of its chunks before contact; empty if no tool was near.
    pub(super) before: Vec<ContactState>,
    /// Holders of the surrounding nodes; `None` if no particle of the block is held.
    pub(super) marks: Option<Box<Marks>>,
}

/// Result of a transfer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// Whether a particle is outside the nodes of its block's tile.
    pub(super) left_tile: bool,
    /// Greatest speed along an axis [m/s]; NaN if a velocity is NaN.
    pub(super) max_speed: f32,
    /// Number of runs: how often the cell changes from one particle to the next. It shows how well the particles are
    /// sorted.
    pub(super) n_runs: usize,
    /// Parts of the tile in which particles reach nodes: one bit per part, in the order of the surrounding blocks.
    pub(super) touched: u32,
}

/// The nodes of one block of cells.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct NodeBlock {
    pub(super) nodes: Nodes,
    /// Index of the block in the domain along each axis.
    pub(super) at: [usize; 3],
    /// Blocks of particles among the 27 surrounding blocks.
    pub(super) near: [u32; 27],
    /// Nodes that do not move because particles rest in their cells: see [`window`](super::window). One bit per
    /// node.
    pub(super) at_rest: u64,
    /// Impulse on each tool in the last substep, about the tool's origin, followed by the impulse on fixed particles,
    /// about the world's origin [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
    /// The parts of these impulses, for tools that record them.
    pub(super) points: Vec<PointImpulse>,
}

impl Block {
    pub(super) fn new(at: [usize; 3]) -> Self {
        Self {
            momenta: [0.0; TILE_LEN],
            chunks: Vec::new(),
            at,
            near: [NONE; 27],
            outcome: Outcome {
                left_tile: false,
                max_speed: 0.0,
                n_runs: 0,
                touched: 0,
            },
            impulses: Vec::new(),
            points: Vec::new(),
            before: Vec::new(),
            marks: None,
        }
    }
}

impl Block {
    /// Greatest displacement of a particle along an axis from the position where its weights are
    /// taken, in cells.
    pub(super) fn max_displacement(&self) -> f64 {
        let mut most = [0.0f32; 16];
        for row in self.chunks.iter().flat_map(|chunk| &chunk.displacement) {
            for (most, way) in most.iter_mut().zip(row) {
                // This comparison is vectorised; `f32::max` is not.
                *most = if way.abs() > *most { way.abs() } else { *most };
            }
        }
        most.into_iter().fold(0.0, f32::max).into()
    }

    /// Undoes the contact of the last substep, so that it can be repeated after a sort.
    pub(super) fn undo_contact(&mut self) {
        for (chunk, [velocity, slip]) in self.chunks.iter_mut().zip(self.before.drain(..)) {
            (chunk.velocity, chunk.slip) = (velocity, slip);
        }
    }
}

impl NodeBlock {
    pub(super) fn new(at: [usize; 3]) -> Self {
        Self {
            nodes: [0.0; NODES_LEN],
            at,
            near: [NONE; 27],
            at_rest: 0,
            impulses: Vec::new(),
            points: Vec::new(),
        }
    }
}
