//! Echoes of the tissue's grain.
//!
//! Beam space is cut into blocks of lines and samples, in each of which the deformation is taken as affine.
//! The cells of the lattices that lie in a block are found at rest; their scatterers are moved into the block.
//! With $\rho$ scatterers per volume of amplitude $a = (\rho \int |h|^2 dV)^{-1/2}$, of the response $h$ to one of them, the mean square of
//! the envelope is 1 at any depth.

use super::batch::{Batch, Lit};
use super::block::Block;
use super::echoes::{Carrier, Echoes, GROUP};
use super::grid::Grid;
use super::lattice;
use super::scene::View;
use super::shading::{SAMPLES, Shading};
use super::walk::Track;
use crate::beam::FWHM_OVER_SIGMA;

/// Blocks over the depth, at least: within each, widths of the beam change linearly.
const N_BLOCKS: usize = 24;
/// Beyond so many standard deviations across the array scatterers are left out, with this share of the power.
pub(crate) const REACH: f32 = 2.3;
const LEFT_OUT: f32 = 0.00114;

/// What depends on the depth alone, for each sample.
#[derive(Clone, Debug)]
pub(crate) struct Speckle {
    seed: u64,
    /// Lattice that is as dense as is wanted; its fraction: how much denser the next lower one is.
    pub(crate) level: Vec<f32>,
    /// Amplitude of a scatterer of lattice 0.
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
            let line_distance = grid.line_distance(sample as f32 * grid.step).max(1e-5);
            let across = std::f32::consts::PI.sqrt() * elevation * (1.0 - LEFT_OUT);
            let response = beam_energy * line_distance * across * pulse_energy;
            level.push((lattice::finest_density() / wanted).log2().max(0.0));
            amplitude.push((lattice::finest_density() * response).sqrt().recip());
            narrowness.push(0.5 * std::f32::consts::LOG2_E / (elevation * elevation));
        }
        Self {
            seed,
            level,
            amplitude,
            narrowness,
        }
    }

    /// Adds the speckle to a group of lines from `first` on; `tracks` are all lines'.
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
        let length = grid.n_samples.div_ceil(N_BLOCKS).min(SAMPLES);
        let (mut shading, mut batch) = (Shading::new(), Batch::new());
        for start in (0..grid.n_samples).step_by(length) {
            let samples = [start, (start + length).min(grid.n_samples)];
            if !shading.fill(&tracks[first..], samples) {
                continue;
            }
            let Some(block) = Block::new(self, view, grid, lines, samples) else {
                continue;
            };
            for level in lattice::in_use(block.level.ends()) {
                let lit = Lit::new(grid, carrier, &shading, &block, level, echoes);
                let rows = block.rows(level, lattice::origin(self.seed, level));
                batch.put_rows(&lit, &rows, echoes.values());
            }
        }
    }
}
