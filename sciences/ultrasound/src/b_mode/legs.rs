//! Legs of a ray: each lies within one material and attenuates diffuse echoes.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::acoustics::Acoustics;
use super::front::{FAINTEST, Front};
use super::grid::Grid;
use crate::pack::{LANES, Lanes};

/// A part of a ray within one material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    /// First sample, first sample in the dark, and the sample behind the last.
    start: u32,
    dark: u32,
    end: u32,
    material: u8,
    /// Front at the first sample.
    front: Front,
}

impl Leg {
    /// A leg from one sample to another; `bottom` is where the front is dropped [samples].
    pub(crate) fn new([start, end]: [usize; 2], material: u8, front: Front, bottom: f32) -> Self {
        Self {
            start: start as u32,
            dark: (bottom as usize).clamp(start, end) as u32,
            end: end as u32,
            material,
            front,
        }
    }
}

/// Materials and their attenuation over samples.
pub(crate) struct Media {
    of: Vec<Medium>,
    /// Remaining amplitude after a number of samples, for each material, shape `[materials, n_fades]`.
    fades: Vec<f32>,
    n_fades: usize,
}

#[derive(Clone, Copy)]
struct Medium {
    /// Amplitude of diffuse echoes relative to liver.
    echo: f32,
    /// Excess of the shown depth per sample [m].
    deeper: f32,
    /// Length between the depth where diffuse echoes vanish in noise and the depth where the front is dropped [samples].
    faint: f32,
}

impl Media {
    /// `vanishing`: amplitude of diffuse echoes that vanish in noise.
    pub(crate) fn new(grid: &Grid, acoustics: &[Acoustics], vanishing: f32) -> Self {
        // Includes the end of the last sample, and spare lanes behind it.
        let n_fades = grid.n_samples + 1 + LANES;
        let fades = acoustics.iter().flat_map(|acoustics| {
            let fade = (-acoustics.loss * grid.step).exp();
            std::iter::successors(Some(1.0), move |left| Some(left * fade)).take(n_fades)
        });
        let medium = |acoustics: &Acoustics| Medium {
            echo: acoustics.echo,
            deeper: acoustics.stretch * grid.step,
            faint: (vanishing / (acoustics.echo * FAINTEST)).ln()
                / (acoustics.loss.max(1e-9) * grid.step),
        };
        Self {
            fades: fades.collect(),
            of: acoustics.iter().map(medium).collect(),
            n_fades,
        }
    }

    fn medium(&self, leg: &Leg) -> &Medium {
        &self.of[usize::from(leg.material)]
    }

    fn fades(&self, leg: &Leg) -> &[f32] {
        &self.fades[usize::from(leg.material) * self.n_fades..][..self.n_fades]
    }

    /// The sample from which on a leg's diffuse echoes vanish in noise.
    pub(crate) fn samples_above_noise(&self, leg: &Leg, bottom: f32) -> usize {
        let above_noise = bottom - self.of[usize::from(leg.material)].faint;
        if above_noise <= leg.start as f32 {
            return 0;
        }
        (above_noise as usize + 1).min(leg.dark as usize)
    }

    /// Amplitudes of `n` samples of a ray's diffuse echoes from `first` on, and the excess of their shown depth [m]. The end of the last
    /// sample is valid too. A ray without legs is dark. [`LANES`] numbers behind the last are overwritten.
    #[inline(always)]
    pub(crate) fn diffuse(
        &self,
        legs: &[Leg],
        [first, n]: [usize; 2],
        amplitudes: &mut [f32],
        delays: &mut [f32],
    ) {
        if legs.is_empty() {
            amplitudes[..n].fill(0.0);
            delays[..n].fill(0.0);
        }
        let last = first + n;
        let near = legs.partition_point(|leg| leg.end as usize <= first);
        for leg in &legs[near..] {
            if leg.start as usize >= last {
                break;
            }
            let (from, to) = (first.max(leg.start as usize), last.min(leg.end as usize));
            // The next leg overwrites surplus lanes.
            for sample in (from..to).step_by(LANES) {
                let (into, at) = (sample - leg.start as usize, sample - first);
                self.put(leg, into, &mut amplitudes[at..], &mut delays[at..]);
            }
        }
    }

    /// Writes one vector of lanes of a leg's samples.
    #[inline(always)]
    fn put(&self, leg: &Leg, into: usize, amplitudes: &mut [f32], delays: &mut [f32]) {
        let Medium { echo, deeper, .. } = self.of[usize::from(leg.material)];
        let fades = self.fades(leg)[into..].first_chunk::<LANES>();
        let to = (amplitudes.first_chunk_mut(), delays.first_chunk_mut());
        if let (Some(fades), (Some(amplitudes), Some(delays))) = (fades, to) {
            let strength = leg.front.amplitude * echo;
            let amplitudes: &mut Lanes = amplitudes;
            let delays: &mut Lanes = delays;
            for i in 0..LANES {
                amplitudes[i] = strength * fades[i];
                delays[i] = leg.front.offset + deeper * (into + i) as i32 as f32;
            }
            let lit = (leg.dark - leg.start) as usize;
            if lit < into + LANES {
                amplitudes[lit.saturating_sub(into)..].fill(0.0);
            }
        }
    }

    /// Remaining amplitude at a sample of a ray, and the excess of the shown depth there [m].
    pub(crate) fn front(&self, legs: &[Leg], sample: usize) -> [f32; 2] {
        let own = |leg: &&Leg| sample < leg.end as usize;
        let Some(leg) = legs.iter().find(own) else {
            return [0.0; 2];
        };
        let into = sample - leg.start as usize;
        let is_lit = sample < leg.dark as usize;
        let left = if is_lit { self.fades(leg)[into] } else { 0.0 };
        let offset = leg.front.offset + self.medium(leg).deeper * into as f32;
        [leg.front.amplitude * left, offset]
    }
}
