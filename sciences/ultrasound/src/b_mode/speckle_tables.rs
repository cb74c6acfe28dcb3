//! Tables of speckle: the lattices that each depth requires, and the strengths of their scatterers.

use super::Settings;
use super::beam_filter::NARROWEST;
use super::grid::Grid;
use super::lattice;
use super::walk::ScanlinePath;
use crate::beam::FWHM_OVER_SIGMA;

/// Largest number of samples of a part.
pub(crate) const SAMPLES: usize = 128;
/// A block is at most this fraction (1/20) of the depth, so that the width of the beam is linear within it.
const LONGEST: usize = 20;
/// Ratio of the sample distance to half the length of the pulse, above which the gaps between samples are skipped.
const SPARSE: f32 = 3.0;
/// Number of standard deviations across the array beyond which scatterers are left out, and their share of the power.
pub(crate) const REACH: f32 = 2.3;
const LEFT_OUT: f32 = 0.00114;

/// Tables that depend on the depth only, for each sample.
#[derive(Clone, Debug)]
pub(crate) struct Speckle {
    pub(crate) seed: u64,
    /// −log₂ of the beam across the array at a distance of 1 m, divided by its square.
    pub(crate) narrowness: Vec<f32>,
    /// Sorted by the first sample.
    pub(crate) parts: Vec<LatticeRange>,
    /// Half of the pulse's length, if samples are so far apart that there are gaps between pulses [m].
    pub(crate) pulse_reach: Option<f32>,
}

/// A part of the depth in which a lattice is in use.
#[derive(Clone, Debug)]
pub(crate) struct LatticeRange {
    pub(crate) level: i32,
    /// First sample, and the sample behind the last.
    pub(crate) samples: [usize; 2],
    /// Amplitude of a scatterer between each sample and the next.
    pub(crate) strengths: [f32; SAMPLES],
}

impl LatticeRange {
    /// First and last range [m].
    pub(crate) fn ranges(&self, grid: &Grid) -> [f32; 2] {
        self.samples.map(|sample| sample as f32 * grid.step)
    }
}

impl Speckle {
    /// `beam_energy`: over lines, and `pulse_energy`: ∫ |p|² dr [m], for each sample; `pulse_width`: at half maximum [m]; `pulse_reach`: half
    /// of the whole length [m].
    pub(crate) fn new(
        grid: &Grid,
        [beam_energy, pulse_energy]: [&[f32]; 2],
        [pulse_width, pulse_reach]: [f32; 2],
        settings: &Settings,
    ) -> Self {
        let scatterers_per_cell = settings.scatterers_per_cell as f32;
        // `level`: index of the lattice with the required density; `amplitude`: amplitude of a scatterer of lattice 0.
        let (mut level, mut amplitude, mut narrowness) = (Vec::new(), Vec::new(), Vec::new());
        for (sample, (beam_energy, pulse_energy)) in
            beam_energy.iter().zip(pulse_energy).enumerate()
        {
            let line_distance = grid.line_distance(sample as f32 * grid.step).max(1e-5);
            // Lines that are far apart have at least the narrowest beam.
            let lateral = grid.sigma_lateral[sample].max(NARROWEST * line_distance);
            let elevation = grid.sigma_elevation[sample];
            let widths = (FWHM_OVER_SIGMA * FWHM_OVER_SIGMA) as f32 * lateral * elevation;
            let wanted = scatterers_per_cell / (widths * pulse_width);
            let across = std::f32::consts::PI.sqrt() * elevation * (1.0 - LEFT_OUT);
            let response = beam_energy * line_distance * across * pulse_energy;
            level.push(lattice::of_density(wanted));
            amplitude.push((lattice::finest_density() * response).sqrt().recip());
            narrowness.push(0.5 * std::f32::consts::LOG2_E / (elevation * elevation));
        }
        Self {
            seed: settings.speckle_seed,
            parts: parts(&level, &amplitude),
            narrowness,
            pulse_reach: (SPARSE * pulse_reach < grid.step && grid.steering.is_straight())
                .then_some(pulse_reach),
        }
    }

    /// Parts whose echoes are above the noise in any of the lines.
    pub(crate) fn parts_above_noise(&self, lines: &[ScanlinePath]) -> &[LatticeRange] {
        let above_noise = lines
            .iter()
            .map(|track| track.above_noise)
            .max()
            .unwrap_or(0);
        let n = self
            .parts
            .partition_point(|part| part.samples[0] < above_noise);
        &self.parts[..n]
    }
}

/// Divides the depth into parts by the lattices that samples require, sorted by the first sample.
fn parts(wanted: &[f32], amplitude: &[f32]) -> Vec<LatticeRange> {
    let n = wanted.len();
    let longest = n.div_ceil(LONGEST).min(SAMPLES);
    let mut parts = Vec::new();
    let (low, high) = wanted.iter().fold((f32::MAX, f32::MIN), |(low, high), x| {
        (low.min(*x), high.max(*x))
    });
    for level in lattice::in_use([low, high]) {
        // Between two samples, the required lattice is anywhere between theirs.
        let uses = |sample: usize| {
            let next = wanted[(sample + 1).min(n - 1)];
            lattice::is_in_use(level, [wanted[sample].min(next), wanted[sample].max(next)])
        };
        let mut start = 0;
        while let Some(first) = (start..n).find(|sample| uses(*sample)) {
            let end = (first..n).find(|sample| !uses(*sample)).unwrap_or(n);
            let length = (end - first).div_ceil((end - first).div_ceil(longest));
            parts.extend((first..end).step_by(length).map(|start| {
                let mut strengths = [0.0; SAMPLES];
                for (sample, strength) in (start..(start + length).min(end)).zip(&mut strengths) {
                    let next = (sample + 1).min(n - 1);
                    let between = 0.5 * (wanted[sample] + wanted[next]);
                    let amplitude = 0.5 * (amplitude[sample] + amplitude[next]);
                    let share = lattice::share(level as f32, between);
                    *strength = lattice::strength(level) * amplitude * share;
                }
                LatticeRange {
                    level,
                    samples: [start, (start + length).min(end)],
                    strengths,
                }
            }));
            start = end;
        }
    }
    parts.sort_by_key(|part| part.samples[0]);
    parts
}
