//! Legs of a ray, each within one material, and what they leave of diffuse echoes.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::acoustics::Acoustics;
use super::front::{FAINTEST, Front};
use super::grid::Grid;
use crate::pack::{LANES, Lanes};

/// A part of a ray within one material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    /// Its first sample, the first that is not lit any more, and the one behind its last.
    start: u32,
    dark: u32,
    end: u32,
    material: u8,
    /// At its first sample.
    front: Front,
}

impl Leg {
    /// From one sample to another; `bottom` is where nothing is left of the front [samples].
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

/// What materials do to a front over samples.
pub(crate) struct Media {
    of: Vec<Medium>,
    /// What each material leaves of the amplitude over so many samples, shape `[materials, n_fades]`.
    fades: Vec<f32>,
    n_fades: usize,
}

#[derive(Clone, Copy)]
struct Medium {
    /// Amplitude of diffuse echoes over liver's.
    echo: f32,
    /// How much deeper an echo is shown, per sample [m].
    deeper: f32,
    /// For so long a front is left that is too faint for its diffuse echoes to be heard [samples].
    faint: f32,
}

impl Media {
    /// `unheard`: amplitude of diffuse echoes that nobody hears.
    pub(crate) fn new(grid: &Grid, acoustics: &[Acoustics], unheard: f32) -> Self {
        // The end of the last sample, and lanes behind it.
        let n_fades = grid.n_samples + 1 + LANES;
        let fades = acoustics.iter().flat_map(|acoustics| {
            let fade = (-acoustics.loss * grid.step).exp();
            std::iter::successors(Some(1.0), move |left| Some(left * fade)).take(n_fades)
        });
        let medium = |acoustics: &Acoustics| Medium {
            echo: acoustics.echo,
            deeper: acoustics.stretch * grid.step,
            faint: (unheard / (acoustics.echo * FAINTEST)).ln()
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

    /// The sample from which on a leg's diffuse echoes are not heard.
    pub(crate) fn heard(&self, leg: &Leg, bottom: f32) -> usize {
        let heard = bottom - self.of[usize::from(leg.material)].faint;
        if heard <= leg.start as f32 {
            return 0;
        }
        (heard as usize + 1).min(leg.dark as usize)
    }

    /// Amplitudes of `n` samples of a ray's diffuse echoes from one on, and how much deeper they are shown [m]; samples up to the end are
    /// known. A ray without legs is dark. [`LANES`] numbers behind the last are overwritten.
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
            // What the lanes write too much the next leg writes anew.
            for sample in (from..to).step_by(LANES) {
                let (into, at) = (sample - leg.start as usize, sample - first);
                self.put(leg, into, &mut amplitudes[at..], &mut delays[at..]);
            }
        }
    }

    /// As many samples of a leg as there are lanes.
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

    /// What is left of the amplitude at a sample of a ray, and how much deeper an echo is shown there [m].
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
