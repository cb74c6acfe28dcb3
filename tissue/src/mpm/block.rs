//! Blocks of particles, and the blocks of nodes around them.

use super::chunk::Chunk;
use super::contact::{Before, Contact};
use super::tile::{self, BLOCK, CORE_LEN, NONE, Nodes, TILE_LEN, Tile};
use super::transfer::{Constants, Outcome, Transfer, transfer};
use crate::elasticity::{ElasticLaw, FixedCorotated, LaneLaw, NeoHookean};
use crate::tool::Wrench;

/// The particles whose first node lies in one block of cells, and what they give to the nodes around.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Block {
    pub(super) momenta: Tile,
    pub(super) chunks: Vec<Chunk>,
    /// The block's place in the domain, in blocks.
    pub(super) at: [usize; 3],
    /// Cores of the 27 blocks around.
    pub(super) near: [u32; 27],
    pub(super) outcome: Outcome,
    /// Impulse of its particles on each tool in the last substep, about the tool's origin [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
    /// Velocity and slip of its chunks before tools pushed them; empty: none was near.
    pub(super) before: Vec<Before>,
}

/// The nodes of one block of cells.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Core {
    pub(super) nodes: Nodes,
    /// The block's place in the domain, in blocks.
    pub(super) at: [usize; 3],
    /// Blocks of particles around, of 27.
    pub(super) near: [u32; 27],
    /// Impulse on each tool in the last substep, about the tool's origin [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
}

impl Block {
    pub(super) fn new(at: [usize; 3]) -> Self {
        Self {
            momenta: [0.0; TILE_LEN],
            chunks: Vec::new(),
            at,
            near: [NONE; 27],
            outcome: Outcome {
                is_astray: false,
                max_speed: 0.0,
                n_runs: 0,
            },
            impulses: Vec::new(),
            before: Vec::new(),
        }
    }
}

impl Block {
    /// Half a substep, or a whole one: moves the particles by the cores' velocities, lets tools push them, and gives their momenta to the
    /// tile.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a substep needs, each another thing"
    )]
    pub(super) fn advance(
        &mut self,
        cores: &[Core],
        law: ElasticLaw,
        tears: bool,
        constants: Constants,
        moves: bool,
        gives: bool,
        contact: Option<Contact<'_>>,
    ) {
        match (law, tears) {
            (ElasticLaw::NeoHookean, false) => {
                self.advance_by::<_, false>(cores, NeoHookean, constants, moves, gives, contact);
            }
            (ElasticLaw::NeoHookean, true) => {
                self.advance_by::<_, true>(cores, NeoHookean, constants, moves, gives, contact);
            }
            (ElasticLaw::FixedCorotated, false) => {
                self.advance_by::<_, false>(
                    cores,
                    FixedCorotated,
                    constants,
                    moves,
                    gives,
                    contact,
                );
            }
            (ElasticLaw::FixedCorotated, true) => {
                self.advance_by::<_, true>(cores, FixedCorotated, constants, moves, gives, contact);
            }
        }
    }

    fn advance_by<E: LaneLaw, const TEARS: bool>(
        &mut self,
        cores: &[Core],
        law: E,
        constants: Constants,
        moves: bool,
        gives: bool,
        contact: Option<Contact<'_>>,
    ) {
        let mut velocities = [0.0; TILE_LEN];
        if moves {
            let near = &self.near;
            tile::gather(&mut velocities, |side| {
                (near[side] != NONE).then(|| &cores[near[side] as usize].nodes)
            });
        }
        if gives {
            self.momenta.fill(0.0);
        }
        self.outcome = transfer(Transfer::<E, TEARS> {
            law,
            constants,
            origin: self.at.map(|at| (at * BLOCK) as f32),
            chunks: &mut self.chunks,
            velocities: moves.then_some(&velocities),
            momenta: gives.then_some(&mut self.momenta),
            contact: contact.and_then(|contact| {
                contact.of_block(self.at, &mut self.impulses, &mut self.before)
            }),
        });
    }
}

impl Core {
    pub(super) fn new(at: [usize; 3]) -> Self {
        Self {
            nodes: [0.0; CORE_LEN],
            at,
            near: [NONE; 27],
            impulses: Vec::new(),
        }
    }
}
