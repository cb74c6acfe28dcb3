//! Legs of a ray: each lies within one material and attenuates diffuse echoes.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::ops::Range;

use super::acoustics::Acoustics;
use super::front::Front;
use super::grid::{Grid, Rows};
use crate::pack::{LANES, Lanes};

/// A part of a ray within one material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    /// First sample, first sample in the dark, and the sample behind the last.
    start: u32,
    dark: u32,
    end: u32,
    material: u8,
    /// In gas, the amplitude of echoes to and fro in front of its surface, relative to a flat mirror; else 0.
    haze: f32,
    /// Number of the gain at the first sample.
    first_gain: u32,
    /// Front at the first sample.
    front: Front,
}

impl Leg {
    /// The last sample of the leg with a known light, or its first one.
    pub(crate) fn last_row(&self, rows: Rows) -> usize {
        let last = rows.sample(rows.before((self.end as usize).saturating_sub(1)));
        last.max(self.start as usize)
    }

    /// Rows of the leg.
    fn rows(&self, rows: Rows) -> Range<usize> {
        let [first, last] = [self.start, self.end].map(|sample| rows.behind(sample as usize));
        first..last
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
            first_gain: 0,
            haze: 0.0,
            front,
        }
    }

    /// A leg in gas whose surface reflects a share of the pressure.
    pub(crate) fn behind_mirror(self, share: f32) -> Self {
        Self {
            haze: HAZE * share * share,
            ..self
        }
    }
}

/// Loss in bone and gas on the way from an element to a point, one way [Np/m].
const OPAQUE: f32 = 3000.0;

/// Amplitude of what goes to and fro in front of gas, relative to a flat and smooth surface: those in bodies are rough and bent. A choice,
/// −14 dB; shadows of gas hold such echoes, those of stones do not (Sommer & Taylor 1980, Radiology 135:399).
pub(crate) const HAZE: f32 = 0.2;

/// A ray in parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legs {
    pub(crate) all: Vec<Leg>,
    /// What the ray's materials leave of the amplitude one way, from each row to the next; the first is 1.
    pub(crate) left: Vec<f32>,
    /// Amplitude relative to the loss at the mean frequency, for each leg: at its first sample and at the rows down to the dark or to its end.
    gains: Vec<f32>,
    /// What the aperture leaves, for each row; NaN in bone and gas.
    light: Vec<f32>,
}

impl Legs {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.left.clear();
        self.gains.clear();
        self.light.clear();
    }

    /// Gain at a sample of a leg in the light.
    pub(crate) fn gain(&self, media: &Media, leg: &Leg, sample: usize) -> f32 {
        self.gains_from(media.rows, leg, sample).at(sample)
    }

    /// The gains from a sample of a leg up to the next row.
    #[inline(always)]
    fn gains_from(&self, rows: Rows, leg: &Leg, sample: usize) -> Gains {
        let [start, end] = [leg.start, leg.end].map(|sample| sample as usize);
        let row = rows.before(sample);
        let at = leg.first_gain as usize + row - rows.before(start);
        let pair = self.gains.get(at..at + 2);
        let [from, to] = pair.map_or([0.0; 2], |pair| [pair[0], pair[1]]);
        let samples = [start.max(rows.sample(row)), end.min(rows.sample(row + 1))];
        Gains {
            start: from,
            slope: (to - from) / (samples[1] - samples[0]) as i32 as f32,
            samples,
        }
    }

    /// Finds the gains; `gain_of` gives them for a sample and the slope of the loss there [Np], and `light` has the two-way amplitude that
    /// the aperture leaves, for each row.
    pub(crate) fn weigh(
        &mut self,
        media: &Media,
        gain_of: impl Fn(usize, f32) -> f32,
        light: impl Fn(usize) -> f32,
    ) {
        self.take_light(media, light);
        let mut gains = std::mem::take(&mut self.gains);
        gains.clear();
        let rows = media.rows;
        let mut legs = std::mem::take(&mut self.all);
        for index in 0..legs.len() {
            let (in_front, rest) = legs.split_at_mut(index);
            let [leg, ..] = rest else { break };
            leg.first_gain = gains.len() as u32;
            let [start, dark, end] = [leg.start, leg.dark, leg.end].map(|sample| sample as usize);
            let share = self.shares(media, leg);
            let at = |sample: usize| {
                let (amplitude, slope) = if leg.haze > 0.0 {
                    media.mirrored(in_front, leg, sample)
                } else {
                    (1.0, media.slope(leg, sample))
                };
                amplitude * share(sample) * gain_of(sample, slope)
            };
            gains.push(at(start));
            let mut from = start;
            while from < dark {
                from = rows.sample(rows.before(from) + 1).min(end);
                gains.push(at(from));
            }
        }
        (self.gains, self.all) = (gains, legs);
    }

    /// For each row, what the aperture leaves; NaN in bone and gas.
    fn take_light(&mut self, media: &Media, light: impl Fn(usize) -> f32) {
        for leg in &self.all {
            let rows = leg.rows(media.rows);
            if media.medium(leg).blocks {
                self.light.resize(rows.end, f32::NAN);
            } else {
                self.light.extend(rows.map(&light));
            }
        }
    }

    /// What the aperture leaves over what the ray itself leaves, at a sample of a leg or at its end.
    pub(crate) fn share(&self, media: &Media, leg: &Leg, sample: usize) -> f32 {
        self.shares(media, leg)(sample)
    }

    fn shares(&self, media: &Media, leg: &Leg) -> impl Fn(usize) -> f32 {
        let blocks = media.medium(leg).blocks;
        let in_front = if blocks {
            self.light_before(media.rows, leg.start as usize)
        } else {
            0.0
        };
        move |sample| {
            let (light, own) = if blocks {
                (in_front, leg.front.amplitude)
            } else {
                (self.light_at(media.rows, sample), media.soft(leg, sample))
            };
            if own > 1e-12 { light / own } else { 0.0 }
        }
    }

    /// Light at a sample, from the rows on both sides that are neither bone nor gas.
    fn light_at(&self, rows: Rows, sample: usize) -> f32 {
        let row = rows.before(sample);
        let at = |row: usize| self.light.get(row).copied().unwrap_or(f32::NAN);
        let before = at(row);
        let into = sample - rows.sample(row);
        if into == 0 && !before.is_nan() {
            return before;
        }
        let after = at(row + 1);
        match (before.is_nan(), after.is_nan()) {
            (false, false) => before + (after - before) * into as f32 / rows.distance() as f32,
            (false, true) => before,
            (true, false) => after,
            (true, true) => self.light_before(rows, sample),
        }
    }

    /// Light of the last row before a sample that is neither bone nor gas.
    fn light_before(&self, rows: Rows, sample: usize) -> f32 {
        let lights = &self.light[..(rows.before(sample) + 1).min(self.light.len())];
        let open = lights.iter().rev().find(|light| !light.is_nan());
        open.copied().unwrap_or(1.0)
    }

    /// Finds what is left from each row to the next.
    pub(crate) fn find_left(&mut self, media: &Media) {
        // Amplitude at the row before, and the samples of bone and gas since.
        let (mut before, mut blocked) = (1.0, 0);
        for leg in &self.all {
            let medium = media.medium(leg);
            let rows = leg.rows(media.rows);
            let [start, dark, end] = [leg.start, leg.dark, leg.end].map(|sample| sample as usize);
            if rows.is_empty() {
                blocked += if medium.blocks { end - start } else { 0 };
                continue;
            }
            if medium.blocks {
                blocked += media.rows.sample(rows.start) - start;
            }
            let reached = |row: usize| {
                if medium.blocks {
                    leg.front.amplitude
                } else {
                    media.loss(leg, media.rows.sample(row))[0]
                }
            };
            let soft = if before > 1e-30 {
                (reached(rows.start) / before).sqrt()
            } else {
                0.0
            };
            self.left.push(soft * media.opaque(blocked));
            // Within a leg each row leaves the same share.
            let lit = if medium.blocks { end } else { dark };
            let lit = media.rows.behind(lit).clamp(rows.start + 1, rows.end);
            self.left.resize(lit, medium.per_row);
            self.left.resize(rows.end, 0.0);
            before = reached(rows.end - 1);
            blocked = if medium.blocks {
                end - media.rows.sample(rows.end - 1)
            } else {
                0
            };
        }
    }
}

/// Gains that change linearly between two samples of a leg.
#[derive(Clone, Copy)]
struct Gains {
    /// At the first of the samples, and the change per sample.
    start: f32,
    slope: f32,
    samples: [usize; 2],
}

impl Gains {
    const DARK: Self = Self {
        start: 0.0,
        slope: 0.0,
        samples: [0; 2],
    };

    #[inline(always)]
    fn at(self, sample: usize) -> f32 {
        self.start + self.slope * (sample - self.samples[0]) as i32 as f32
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
    /// Distance of samples [m].
    step: f32,
    rows: Rows,
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
    /// What the samples of a row leave of the amplitude one way.
    per_row: f32,
}

impl Media {
    /// `vanishing`: amplitude of diffuse echoes that vanish in noise.
    pub(crate) fn new(grid: &Grid, acoustics: &[Acoustics], vanishing: f32) -> Self {
        // Includes the end of the last sample, and spare lanes behind it.
        let n_fades = grid.n_samples + 1 + LANES;
        let fades = acoustics.iter().flat_map(|acoustics| {
            // What is heard behind the surface of gas has not been in it.
            let loss = if acoustics.is_gas {
                0.0
            } else {
                acoustics.loss
            };
            let fade = (-loss * grid.step).exp();
            std::iter::successors(Some(1.0), move |left| Some(left * fade)).take(n_fades)
        });
        let medium = |acoustics: &Acoustics| Medium {
            echo: acoustics.echo,
            deeper: if acoustics.is_gas {
                0.0
            } else {
                acoustics.stretch * grid.step
            },
            steeper: if acoustics.blocks {
                0.0
            } else {
                acoustics.slope * grid.step
            },
            blocks: acoustics.blocks,
            per_row: if acoustics.blocks {
                opaque(grid.step, grid.rows.distance())
            } else {
                (-0.5 * acoustics.loss * grid.step * grid.rows.distance() as f32).exp()
            },
        };
        Self {
            step: grid.step,
            rows: grid.rows,
            fades: fades.collect(),
            of: acoustics.iter().map(medium).collect(),
            n_fades,
            vanishing,
        }
    }

    /// What a number of samples of bone or gas leaves one way.
    fn opaque(&self, samples: usize) -> f32 {
        if samples == 0 {
            1.0
        } else {
            opaque(self.step, samples)
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

    /// Amplitude of diffuse echoes at the first sample of a leg, without the gain; in gas the gains hold all.
    #[inline(always)]
    fn strength(&self, leg: &Leg) -> f32 {
        if leg.haze > 0.0 {
            1.0
        } else {
            leg.front.amplitude * leg.front.open * self.medium(leg).echo
        }
    }

    /// Diffuse amplitude at a sample behind the surface of gas, and the slope of its loss [Np]: echoes of what lies as far in front of the
    /// surface, by way of the surface there and back. Their path has the length of the straight one.
    fn mirrored(&self, in_front: &[Leg], leg: &Leg, sample: usize) -> (f32, f32) {
        let surface = leg.start as usize;
        let source = (2 * surface).checked_sub(sample.max(surface + 1));
        let origin = source.and_then(|source| {
            let number = in_front.partition_point(|leg| leg.end as usize <= source);
            Some((source, in_front.get(number)?))
        });
        match origin {
            Some((source, origin)) if !self.medium(origin).blocks => {
                let there = self.soft(origin, source);
                let again = leg.front.amplitude / there.max(1e-12);
                let amplitude = leg.haze * leg.front.amplitude * again * self.medium(origin).echo;
                (
                    amplitude,
                    2.0 * leg.front.slope - self.slope(origin, source),
                )
            }
            _ => (0.0, leg.front.slope),
        }
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
        let is_heard = |leg: &Leg, sample: usize| {
            let left = self.strength(leg) * self.fades(leg)[sample - leg.start as usize];
            left * legs.gain(self, leg, sample) >= self.vanishing
        };
        let heard = |leg: &Leg| {
            let [start, dark] = [leg.start, leg.dark].map(|sample| sample as usize);
            let mut samples = (start..dark).step_by(self.rows.distance()).rev();
            let last = samples.find(|sample| is_heard(leg, *sample));
            last.map(|sample| (sample + self.rows.distance()).min(dark))
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
            let lit = to.min(leg.dark as usize);
            let mut sample = from;
            while sample < to {
                let (gains, end) = if sample < lit {
                    let gains = ray.gains_from(self.rows, leg, sample);
                    (gains, gains.samples[1].min(lit))
                } else {
                    (Gains::DARK, to)
                };
                // What follows overwrites surplus lanes.
                for sample in (sample..end).step_by(LANES) {
                    let at = sample - first;
                    let to = (&mut amplitudes[at..], &mut delays[at..]);
                    self.put(leg, sample, gains, to);
                }
                sample = end;
            }
        }
    }

    /// Writes one vector of lanes of a leg from a sample on.
    #[inline(always)]
    fn put(
        &self,
        leg: &Leg,
        sample: usize,
        gains: Gains,
        (amplitudes, delays): (&mut [f32], &mut [f32]),
    ) {
        let Medium { deeper, .. } = self.of[usize::from(leg.material)];
        let into = sample - leg.start as usize;
        let fades = self.fades(leg)[into..].first_chunk::<LANES>();
        let to = (amplitudes.first_chunk_mut(), delays.first_chunk_mut());
        if let (Some(fades), (Some(amplitudes), Some(delays))) = (fades, to) {
            let strength = self.strength(leg);
            let [from, slope] = [gains.at(sample), gains.slope].map(|gain| strength * gain);
            let offset = leg.front.offset + deeper * into as i32 as f32;
            let fades: Lanes = *fades;
            let (mut own, mut late) = ([0.0; LANES], [0.0; LANES]);
            for i in 0..LANES {
                own[i] = (from + slope * i as i32 as f32) * fades[i];
                late[i] = offset + deeper * i as i32 as f32;
            }
            (*amplitudes, *delays) = (own, late);
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
        let gain = if left > 0.0 {
            legs.gain(self, leg, sample)
        } else {
            0.0
        };
        [left * gain, offset]
    }
}

/// What a number of samples of bone or gas leaves one way.
fn opaque(step: f32, samples: usize) -> f32 {
    (-OPAQUE * step * samples as f32).exp()
}
