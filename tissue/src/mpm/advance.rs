//! One block of particles through half a substep, or a whole one.

use super::block::{Block, NodeBlock};
use super::config::Formulation;
use super::contact::ToolContact;
use super::hold::{BlockHolding, Holding};
use super::sort;
use super::tile::{self, BLOCK, NONE, TILE_LEN};
use super::transfer::{Constants, Transfer, transfer};
use crate::elasticity::{ElasticLaw, FixedCorotated, LaneLaw, NeoHookean};

/// Share of the particles that may stand alone, each starting a new visit to memory, before they are sorted again.
const MAX_RUNS_SHARE: f64 = 0.4;

/// How many times fewer of them must stand alone after sorting for it to be worth it.
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
    /// Whether particles take velocities from the grid and move; none: they stay.
    pub(super) g2p: Option<G2p>,
    /// Whether they scatter their momenta to the tile.
    pub(super) p2g: bool,
    /// Tools that push them in between.
    pub(super) contact: Option<ToolContact<'a>>,
    /// What is held; none: nothing is.
    pub(super) holding: Option<Holding<'a>>,
}

/// How the transfer from the grid is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct G2p {
    /// Whether blocks look at the order of their particles before.
    pub(super) sorts: bool,
}

impl Block {
    /// Runs the transfers.
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
        let (at, impulses, before) = (self.at, &mut self.impulses, &mut self.before);
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
    /// Sorts the particles by cells if that makes for far fewer visits to memory.
    fn sort_by_cell(&mut self) {
        let n_runs = self.outcome.n_runs;
        let n_particles: usize = self.chunks.iter().map(|chunk| chunk.n).sum();
        if n_runs as f64 > MAX_RUNS_SHARE * n_particles as f64 {
            sort::sort_by_cell(&mut self.chunks, self.at, n_runs / MIN_GAIN);
        }
    }
}
