//! Speckle: echoes of scatterers in tissue.
//!
//! Beam space is divided into blocks of lines and samples, in which the deformation is approximated as affine.
//! The lattice cells of a block are found at rest; their scatterers are moved into the block.
//! Scatterers with a density $\rho$ and the amplitude $a = (\rho \int |h|^2 dV)^{-1/2}$, where $h$ is the response to one of them, give an
//! envelope with a mean square of 1 at any depth.

use super::batch::Batch;
use super::block::Block;
use super::echo_shader::EchoShader;
use super::echoes::{Carrier, Echoes, GROUP};
use super::grid::Grid;
use super::lattice;
use super::legs::Media;
use super::rest_grid::RestGrid;
use super::shading::Shading;
use super::speckle_tables::{LatticeRange, Speckle};
use super::walk::ScanlinePath;

/// Share of a block's depth by which its lines may bend out of a box.
const SAGITTA: f32 = 0.25;
/// Buffers for the speckle of a group of lines.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    shading: Shading,
    batch: Batch,
}

impl Scratch {
    pub(crate) fn new(grid: &Grid) -> Self {
        Self {
            shading: Shading::new(grid),
            batch: Batch::new(),
        }
    }
}

impl Speckle {
    /// Adds the speckle to a group of lines from `first` on; `tracks` holds all lines.
    pub(crate) fn add(
        &self,
        (grid, rest): (&Grid, &RestGrid),
        carrier: Carrier,
        (media, tracks): (&Media, &[ScanlinePath]),
        first: usize,
        Scratch { shading, batch }: &mut Scratch,
        echoes: &mut Echoes,
    ) {
        let lines = [first, (first + GROUP).min(grid.n_lines)];
        let near = &tracks[first..(first + GROUP + 1).min(grid.n_lines)];
        let parts = self.parts_above_noise(near);
        let deepest = parts.iter().map(|part| part.samples[1]).max();
        shading.take(media, near, deepest.unwrap_or(0));
        for part in parts {
            shading.fill(part);
            for window in self.windows(grid, media, part, near) {
                for lines in spans(grid, lines, window) {
                    let block = Block::new(self, (grid, rest), lines, part.samples, window);
                    if let Some(block) = block {
                        let lit = EchoShader::new(grid, carrier, shading, &block, first, echoes);
                        let rows = block.rows(part.level, lattice::origin(self.seed, part.level));
                        batch.accumulate_echoes(&lit, &rows, echoes.values());
                    }
                }
            }
        }
    }

    /// Ranges of a part whose echoes contribute to a sample [m]: the whole part, or the surroundings of each sample.
    fn windows(
        &self,
        grid: &Grid,
        media: &Media,
        part: &LatticeRange,
        lines: &[ScanlinePath],
    ) -> Vec<[f32; 2]> {
        let [start, end] = part.samples;
        let whole = part.ranges(grid);
        let Some(reach) = self.pulse_reach else {
            return vec![whole];
        };
        let about = |sample: usize| {
            // Excess of the shown depth of echoes there.
            let near = sample.saturating_sub(1)..(sample + 2).min(grid.n_samples + 1);
            let rays = lines.iter().flat_map(|track| &track.rays);
            let offsets = rays.flat_map(|legs| {
                let sample = |sample| media.front(legs, sample)[1];
                near.clone().map(sample)
            });
            let (least, most) = offsets.fold((0f32, 0f32), |(least, most), offset| {
                (least.min(offset), most.max(offset))
            });
            let middle = sample as f32 * grid.step;
            [
                (middle - reach - most).max(whole[0]),
                (middle + reach - least).min(whole[1]),
            ]
        };
        let mut windows: Vec<[f32; 2]> = Vec::new();
        for [from, to] in (start..=end.min(grid.n_samples - 1)).map(about) {
            match windows.last_mut() {
                // Windows do not overlap, so that no scatterer contributes twice.
                Some(last) if from < last[1] => last[1] = to.max(last[1]),
                _ if from < to => windows.push([from, to]),
                _ => {}
            }
        }
        windows
    }
}

/// Divides lines into spans so narrow that a box around a span between two ranges [m] fits tightly.
pub(crate) fn spans(
    grid: &Grid,
    [first, last]: [usize; 2],
    [from, to]: [f32; 2],
) -> impl Iterator<Item = [usize; 2]> {
    let most = grid.apex.map_or(last - first, |apex| {
        let half_angle = (2.0 * SAGITTA * (to - from) / (apex + to)).sqrt();
        ((2.0 * half_angle / grid.spacing) as usize).clamp(1, last - first)
    });
    let even = (last - first).div_ceil((last - first).div_ceil(most));
    let starts = (first..last).step_by(even);
    starts.map(move |start| [start, (start + even).min(last)])
}
