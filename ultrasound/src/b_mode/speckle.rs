//! Diffuse echoes: the scatterers of tissue in the beam, put into lines with the phase of the carrier.
//!
//! Beam space is cut into blocks of lines and samples, in each of which the deformation is taken as affine.
//! The cells of the lattices that lie in a block are found at rest; their scatterers are moved into the block.
//! With $\rho$ scatterers per volume of amplitude $a = (\rho \int |h|^2 dV)^{-1/2}$, of the response $h$ to one of them, the mean square of
//! the envelope is 1 at any depth.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::batch::{Batch, Lit};
use super::block::Block;
use super::echoes::{Carrier, Echoes, GROUP};
use super::grid::Grid;
use super::lattice;
use super::scene::View;
use super::walk::Track;
use crate::beam::FWHM_OVER_SIGMA;

/// Blocks over the depth: within each, widths of the beam change linearly.
const N_BLOCKS: usize = 24;
/// Beyond so many standard deviations across the array scatterers are left out.
pub(crate) const REACH: f32 = 2.0;
/// Lattices in use at a depth: what coarser ones would add is 1/64 of the scatterers.
const N_LEVELS: i32 = 6;
/// What depends on the depth alone, for each sample.
#[derive(Clone, Debug)]
pub(crate) struct Speckle {
    seed: u64,
    /// Level of the densest lattice; its fraction says how much of that one is left out.
    pub(crate) level: Vec<f32>,
    /// Amplitude of a scatterer.
    pub(crate) amplitude: Vec<f32>,
    /// −log₂ of the beam across the array at a distance of 1 m, over its square.
    pub(crate) narrowness: Vec<f32>,
}

impl Speckle {
    /// `beam_energy`: over lines, for each sample; `pulse_energy`: ∫ |p|² dr [m]; `pulse_width`: at half maximum [m].
    pub(crate) fn new(
        grid: &Grid,
        beam_energy: &[f32],
        [pulse_energy, pulse_width]: [f32; 2],
        scatterers_per_cell: f32,
        seed: u64,
    ) -> Self {
        let (mut level, mut amplitude, mut narrowness) = (Vec::new(), Vec::new(), Vec::new());
        for (sample, beam_energy) in beam_energy.iter().enumerate() {
            let (lateral, elevation) = (grid.sigma_lateral[sample], grid.sigma_elevation[sample]);
            let widths = (FWHM_OVER_SIGMA * FWHM_OVER_SIGMA) as f32 * lateral * elevation;
            let wanted = scatterers_per_cell / (widths * pulse_width);
            let densest = (2.0 * lattice::finest_density() / wanted).log2().max(0.0);
            let squares = (0..N_LEVELS).map(|above| {
                let level = densest.floor() + above as f32;
                lattice::finest_density() * (-level).exp2() * weight(level, densest).powi(2)
            });
            let line_distance = grid.line_distance(sample as f32 * grid.step).max(1e-5);
            let beams = beam_energy * line_distance * std::f32::consts::PI.sqrt() * elevation;
            level.push(densest);
            amplitude.push((squares.sum::<f32>() * beams * pulse_energy).sqrt().recip());
            narrowness.push(0.5 * std::f32::consts::LOG2_E / (elevation * elevation));
        }
        Self {
            seed,
            level,
            amplitude,
            narrowness,
        }
    }

    /// Adds the speckle to a group of lines from `first` on.
    pub(crate) fn add(
        &self,
        view: &View,
        grid: &Grid,
        carrier: Carrier,
        tracks: &[Track],
        first: usize,
        echoes: &mut Echoes,
    ) {
        let lines = [first, (first + GROUP).min(grid.n_lines)];
        let length = grid.n_samples.div_ceil(N_BLOCKS);
        let mut batch = Batch::new();
        for start in (0..grid.n_samples).step_by(length) {
            let samples = [start, (start + length).min(grid.n_samples)];
            if is_silent(&tracks[lines[0]..lines[1]], samples) {
                continue;
            }
            let Some(block) = Block::new(self, view, grid, lines, samples) else {
                continue;
            };
            let lit = Lit {
                grid,
                carrier,
                tracks,
                first,
                block: &block,
            };
            self.fill(&block, &lit, &mut batch, echoes);
        }
    }

    fn fill(&self, block: &Block, lit: &Lit, batch: &mut Batch, echoes: &mut Echoes) {
        let finest = block.level.least().floor() as i32;
        for level in finest..finest + N_LEVELS {
            block.for_each_row(level, |row| {
                let seed = lattice::row_seed(self.seed, level, row.across);
                for x in row.cells[0]..=row.cells[1] {
                    if batch.is_full() {
                        batch.put(lit, level, echoes);
                    }
                    batch.push(seed, x, row.across);
                }
            });
            batch.put(lit, level, echoes);
        }
    }
}

/// How much a lattice's scatterers count.
#[inline(always)]
pub(crate) fn weight(level: f32, densest: f32) -> f32 {
    (level + 1.0 - densest).clamp(0.0, 1.0)
}

fn is_silent(tracks: &[Track], [start, end]: [usize; 2]) -> bool {
    let silent = |ray: &Vec<[f32; 2]>| {
        ray[start..end]
            .iter()
            .all(|[amplitude, _]| *amplitude == 0.0)
    };
    tracks.iter().all(|track| track.rays.iter().all(silent))
}
