//! Advances one block of particles by half a substep or a whole one.

use super::block::{Block, NodeBlock};
use super::config::Formulation;
use super::contact::ToolContact;
use super::hold::{BlockHolding, Holding};
use super::sort;
use super::tile::{self, BLOCK, NONE, TILE_LEN};
use super::transfer::{Constants, Transfer, transfer};
use crate::elasticity::{ElasticLaw, FixedCorotated, LaneLaw, NeoHookean};

/// Share of particles that may start a new run, and so a new memory access, before the particles are sorted again.
const MAX_RUNS_SHARE: f64 = 0.4;

/// Factor by which sorting must reduce the number of runs to be worthwhile.
const MIN_GAIN: usize = 2;

/// Half a substep, or a whole one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Advance<'a> {
    pub(super) node_blocks: &'a [NodeBlock],
    pub(super) law: ElasticLaw,
    pub(super) formulation: Formulation,
    /// Whether any particle can tear.
    pub(super) tears: bool,
    pub(super) constants: Constants,
    /// Transfer from the grid to the particles; `None` if velocities and positions stay.
    pub(super) g2p: Option<G2p>,
    /// Whether particles scatter their momenta to the tile.
    pub(super) p2g: bool,
    /// Tools that push particles between the two transfers.
    pub(super) contact: Option<ToolContact<'a>>,
    /// Held particles; `None` if there are none.
    pub(super) holding: Option<Holding<'a>>,
}

/// Options of the transfer from the grid to the particles.
#[derive(Debug, Clone, Copy)]
pub(super) struct G2p {
    /// Whether blocks check the order of their particles first.
    pub(super) sorts: bool,
}

impl Block {
    /// Runs the transfers of the block.
    pub(super) fn advance(&mut self, how: Advance<'_>) {
        match how.law {
            ElasticLaw::NeoHookean => self.advance_by(NeoHookean, how),
            ElasticLaw::FixedCorotated => self.advance_by(FixedCorotated, how),
        }
    }

    fn advance_by<E: LaneLaw>(&mut self, law: E, how: Advance<'_>) {
        match (how.tears, how.formulation) {
            (false, Formulation::UpdatedLagrangian) => self.run::<_, false, false>(law, how),
            (false, Formulation::TotalLagrangian) => self.run::<_, false, true>(law, how),
            (true, Formulation::UpdatedLagrangian) => self.run::<_, true, false>(law, how),
            (true, Formulation::TotalLagrangian) => self.run::<_, true, true>(law, how),
        }
    }

    fn run<E: LaneLaw, const TEARS: bool, const TOTAL: bool>(&mut self, law: E, how: Advance<'_>) {
        let mut velocities = [0.0; TILE_LEN];
        if let Some(g2p) = how.g2p {
            if g2p.sorts {
                self.sort_by_cell();
            }
            let near = &self.near;
            tile::gather(&mut velocities, |side| {
                (near[side] != NONE).then(|| &how.node_blocks[near[side] as usize].nodes)
            });
        }
        if how.p2g {
            self.momenta = [0.0; TILE_LEN];
        }
        self.marks = None;
        let displacement = if TOTAL { self.max_displacement() } else { 0.0 };
        let (at, before) = (self.at, &mut self.before);
        let impulses = (&mut self.impulses, &mut self.points);
        let origin = at.map(|at| (at * BLOCK) as f32);
        self.outcome = transfer(Transfer::<E, TEARS, TOTAL> {
            law,
            constants: how.constants,
            origin,
            chunks: &mut self.chunks,
            velocities: how.g2p.is_some().then_some(&velocities),
            momenta: how.p2g.then_some(&mut self.momenta),
            contact: how
                .contact
                .and_then(|contact| contact.of_block(at, displacement, impulses, before)),
            holding: how.holding.map(|all| BlockHolding {
                all,
                origin,
                marks: &mut self.marks,
            }),
        });
    }
}

impl Block {
    /// Sorts the particles by cell if this reduces the number of memory accesses enough.
    fn sort_by_cell(&mut self) {
        let n_runs = self.outcome.n_runs;
        let n_particles: usize = self.chunks.iter().map(|chunk| chunk.n).sum();
        if n_runs as f64 > MAX_RUNS_SHARE * n_particles as f64 {
            sort::sort_by_cell(&mut self.chunks, self.at, n_runs / MIN_GAIN);
        }
    }
}
