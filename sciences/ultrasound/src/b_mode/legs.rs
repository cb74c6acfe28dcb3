//! Legs of a ray: each lies within one material and attenuates diffuse echoes.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::acoustics::Acoustics;
use super::front::Front;
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
    /// The last sample of the leg with a known light, or its first one.
    pub(crate) fn last_row(&self) -> usize {
        let last = (self.end as usize).saturating_sub(1) / ROWS * ROWS;
        last.max(self.start as usize)
    }

    /// Whether a sample lies behind the leg.
    pub(crate) fn ends_before(&self, sample: usize) -> bool {
        self.end as usize <= sample
    }

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

/// Loss in bone and gas on the way from an element to a point, one way [Np/m].
const OPAQUE: f32 = 3000.0;
/// Most samples between two gains of a ray.
pub(crate) const ROWS: usize = 8;

/// A ray in parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legs {
    pub(crate) all: Vec<Leg>,
    /// Amplitudes relative to the loss at the mean frequency; each lies within a leg, and they follow each other.
    gains: Vec<Gain>,
    /// What the aperture leaves, for every [`ROWS`]th sample; NaN in bone and gas.
    light: Vec<f32>,
}

/// A gain that changes linearly over samples.
#[derive(Clone, Copy, Debug)]
struct Gain {
    /// First sample, and the sample behind the last.
    start: u32,
    end: u32,
    /// At the first sample, and per sample.
    value: f32,
    slope: f32,
}

impl Gain {
    #[inline(always)]
    fn at(&self, place: f32) -> f32 {
        self.value + self.slope * (place - self.start as f32)
    }
}

impl Legs {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.gains.clear();
        self.light.clear();
    }

    /// Gain at a place [samples].
    pub(crate) fn gain(&self, place: f32) -> f32 {
        let own = self.gains.partition_point(|gain| gain.end as f32 <= place);
        let gain = self.gains.get(own).or(self.gains.last());
        gain.map_or(1.0, |gain| gain.at(place))
    }

    /// Finds the gains; `gain_of` gives them for a sample and the slope of the loss there [Np], and `light` has the two-way amplitude that
    /// the aperture leaves, for every [`ROWS`]th sample.
    pub(crate) fn weigh(
        &mut self,
        media: &Media,
        gain_of: impl Fn(usize, f32) -> f32,
        light: impl Fn(usize) -> f32,
    ) {
        self.take_light(media, light);
        let mut gains = std::mem::take(&mut self.gains);
        for leg in &self.all {
            let [start, end] = [leg.start, leg.end].map(|sample| sample as usize);
            let at = |sample: usize| {
                let share = self.share(media, leg, sample);
                share * gain_of(sample, media.slope(leg, sample))
            };
            let mut value = at(start);
            let first = (start / ROWS + 1) * ROWS;
            let stops = (first..end).step_by(ROWS).chain([end]);
            let mut from = start;
            for stop in stops {
                let next = at(stop);
                gains.push(Gain {
                    start: from as u32,
                    end: stop as u32,
                    value,
                    slope: (next - value) / (stop - from) as f32,
                });
                (value, from) = (next, stop);
            }
        }
        self.gains = gains;
    }

    /// For every [`ROWS`]th sample, what the aperture leaves; NaN in bone and gas.
    fn take_light(&mut self, media: &Media, light: impl Fn(usize) -> f32) {
        self.light.clear();
        for leg in &self.all {
            let is_open = !media.medium(leg).blocks;
            let first = (leg.start as usize).div_ceil(ROWS);
            for row in first..(leg.end as usize).div_ceil(ROWS) {
                self.light.push(if is_open { light(row) } else { f32::NAN });
            }
        }
    }

    /// What the aperture leaves over what the ray itself leaves, at a sample of a leg or at its end.
    pub(crate) fn share(&self, media: &Media, leg: &Leg, sample: usize) -> f32 {
        let (light, own) = if media.medium(leg).blocks {
            (self.light_before(leg.start as usize), leg.front.amplitude)
        } else {
            (self.light_at(sample), media.soft(leg, sample))
        };
        if own > 1e-12 { light / own } else { 0.0 }
    }

    /// Light at a sample, from the rows on both sides that are neither bone nor gas.
    fn light_at(&self, sample: usize) -> f32 {
        let row = sample / ROWS;
        let at = |row: usize| self.light.get(row).copied().unwrap_or(f32::NAN);
        let [before, after] = [at(row), at(row + 1)];
        match (before.is_nan(), after.is_nan()) {
            (false, false) => before + (after - before) * (sample % ROWS) as f32 / ROWS as f32,
            (false, true) => before,
            (true, false) => after,
            (true, true) => self.light_before(sample),
        }
    }

    /// Light of the last row before a sample that is neither bone nor gas.
    fn light_before(&self, sample: usize) -> f32 {
        let rows = &self.light[..(sample / ROWS + 1).min(self.light.len())];
        let open = rows.iter().rev().find(|light| !light.is_nan());
        open.copied().unwrap_or(1.0)
    }

    /// What the ray's materials leave of the amplitude one way, from each [`ROWS`]th sample to the next; the first is 1.
    pub(crate) fn left(&self, media: &Media, step: f32, mut put: impl FnMut(usize, f32)) {
        let (mut row, mut blocked, mut before) = (0, 0usize, 1.0);
        for leg in &self.all {
            let medium = media.medium(leg);
            let mut from = leg.start as usize;
            while row * ROWS < leg.end as usize {
                let at = row * ROWS;
                if medium.blocks {
                    blocked += at - from;
                    from = at;
                }
                let now = if medium.blocks {
                    leg.front.amplitude
                } else {
                    media.loss(leg, at)[0]
                };
                let soft = if before > 1e-30 {
                    (now / before).sqrt()
                } else {
                    0.0
                };
                put(row, soft * (-OPAQUE * step * blocked as f32).exp());
                (before, blocked, row) = (now, 0, row + 1);
            }
            if medium.blocks {
                blocked += (leg.end as usize) - from.max(leg.start as usize);
            }
        }
    }

    /// Multiplies amplitudes of samples from `first` on by the gains.
    #[inline(always)]
    fn apply(&self, first: usize, amplitudes: &mut [f32]) {
        let near = self
            .gains
            .partition_point(|gain| gain.end as usize <= first);
        let last = first + amplitudes.len();
        for gain in &self.gains[near..] {
            let (start, end) = (first.max(gain.start as usize), last.min(gain.end as usize));
            if start >= last {
                break;
            }
            let value = gain.at(start as f32);
            for (i, amplitude) in amplitudes[start - first..end - first]
                .iter_mut()
                .enumerate()
            {
                *amplitude *= value + gain.slope * i as i32 as f32;
            }
        }
    }
}

/// Materials and their attenuation over samples.
pub(crate) struct Media {
    of: Vec<Medium>,
    /// Remaining amplitude after a number of samples, for each material, shape `[materials, n_fades]`.
    fades: Vec<f32>,
    n_fades: usize,
    /// Amplitude of diffuse echoes that vanish in noise.
    vanishing: f32,
}

#[derive(Clone, Copy)]
struct Medium {
    /// Amplitude of diffuse echoes relative to liver.
    echo: f32,
    /// Excess of the shown depth per sample [m].
    deeper: f32,
    /// Slope of the loss over the frequency's relative change, per sample [Np].
    steeper: f32,
    /// Whether it is bone or gas.
    blocks: bool,
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
            steeper: if acoustics.blocks {
                0.0
            } else {
                acoustics.slope * grid.step
            },
            blocks: acoustics.blocks,
        };
        Self {
            fades: fades.collect(),
            of: acoustics.iter().map(medium).collect(),
            n_fades,
            vanishing,
        }
    }

    fn medium(&self, leg: &Leg) -> &Medium {
        &self.of[usize::from(leg.material)]
    }

    fn fades(&self, leg: &Leg) -> &[f32] {
        &self.fades[usize::from(leg.material) * self.n_fades..][..self.n_fades]
    }

    /// Loss at a sample of a leg: amplitude, and slope over the frequency's relative change [Np].
    pub(crate) fn loss(&self, leg: &Leg, sample: usize) -> [f32; 2] {
        let into = sample - leg.start as usize;
        let is_lit = sample < leg.dark as usize;
        let left = if is_lit { self.fades(leg)[into] } else { 0.0 };
        let whole = leg.front.amplitude * leg.front.open;
        [whole * left, self.slope(leg, sample)]
    }

    /// Amplitude at a sample of a leg or behind it, without regard to the end of what is heard.
    fn soft(&self, leg: &Leg, sample: usize) -> f32 {
        let into = sample - leg.start as usize;
        leg.front.amplitude * self.fades(leg)[into]
    }

    /// Slope of the loss over the frequency's relative change, at a sample of a leg or behind it [Np].
    fn slope(&self, leg: &Leg, sample: usize) -> f32 {
        let into = sample - leg.start as usize;
        leg.front.slope + self.medium(leg).steeper * into as f32
    }

    /// The sample from which on a ray's diffuse echoes vanish in noise.
    pub(crate) fn samples_above_noise(&self, legs: &Legs) -> usize {
        let is_heard = |leg: &&Leg, sample: usize| {
            let [amplitude, _] = self.loss(leg, sample);
            let echo = self.medium(leg).echo;
            amplitude * echo * legs.gain(sample as f32) >= self.vanishing
        };
        let heard = |leg: &Leg| {
            let [start, dark] = [leg.start, leg.dark].map(|sample| sample as usize);
            let last = (start..dark)
                .step_by(ROWS)
                .filter(|s| is_heard(&leg, *s))
                .last();
            last.map(|sample| (sample + ROWS).min(dark))
        };
        legs.all.iter().rev().find_map(heard).unwrap_or(0)
    }

    /// Amplitudes of `n` samples of a ray's diffuse echoes from `first` on, and the excess of their shown depth [m]. The end of the last
    /// sample is valid too. A ray without legs is dark. [`LANES`] numbers behind the last are overwritten.
    #[inline(always)]
    pub(crate) fn diffuse(
        &self,
        ray: &Legs,
        [first, n]: [usize; 2],
        amplitudes: &mut [f32],
        delays: &mut [f32],
    ) {
        let legs = &ray.all;
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
        ray.apply(first, &mut amplitudes[..n]);
    }

    /// Writes one vector of lanes of a leg's samples.
    #[inline(always)]
    fn put(&self, leg: &Leg, into: usize, amplitudes: &mut [f32], delays: &mut [f32]) {
        let Medium { echo, deeper, .. } = self.of[usize::from(leg.material)];
        let fades = self.fades(leg)[into..].first_chunk::<LANES>();
        let to = (amplitudes.first_chunk_mut(), delays.first_chunk_mut());
        if let (Some(fades), (Some(amplitudes), Some(delays))) = (fades, to) {
            let strength = leg.front.amplitude * leg.front.open * echo;
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
    pub(crate) fn front(&self, legs: &Legs, sample: usize) -> [f32; 2] {
        let own = |leg: &&Leg| sample < leg.end as usize;
        let Some(leg) = legs.all.iter().find(own) else {
            return [0.0; 2];
        };
        let into = sample - leg.start as usize;
        let offset = leg.front.offset + self.medium(leg).deeper * into as f32;
        let [left, _] = self.loss(leg, sample);
        [left * legs.gain(sample as f32), offset]
    }
}
