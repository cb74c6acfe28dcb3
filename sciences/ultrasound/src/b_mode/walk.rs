//! Walks rays along their paths: loss, reflection and delay.
//!
//! Three rays represent the beam across the array: at $0$ and $\pm\sqrt{3}\,\sigma$, with weights 2/3 and 1/6 (Gauss–Hermite).

use super::acoustics::Acoustics;
use super::aperture::{Aperture, Light};
use super::front::{Front, SPECULAR};
use super::grid::Grid;
use super::legs::{Leg, Legs, Media};
use super::path::{Path, TransmittedFront};
use super::paths::{Finder, Paths};
use super::trace::Trace;
use crate::parallel::Workers;

/// Weights of the three rays.
const WEIGHTS: [f32; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];
/// Reflection at the probe's face, for reverberations.
const FACE: f32 = 0.35;
/// Amplitude relative to noise below which echoes are ignored: a hundredth of the noise power.
const UNHEARD: f32 = 0.1;

/// Result of a line's rays; empty if the line is not coupled.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanlinePath {
    /// Legs of each of the three rays.
    pub(crate) rays: [Legs; 3],
    /// The sample from which on diffuse echoes of all rays vanish in noise.
    pub(crate) above_noise: usize,
    /// For each row of the middle ray, what is left, and this times the slope of the loss [Np].
    pub(crate) losses: Vec<[f32; 2]>,
    /// Echoes of boundaries on the whole width of the beam: shown range [m] and amplitude.
    pub(crate) boundaries: Vec<[f32; 2]>,
    /// Boundaries of each ray: the leg in front of it, the shown range [m] and the reflected share of the ray's amplitude.
    met: [Vec<(usize, [f32; 2])>; 3],
}

/// Data that all lines share.
pub(crate) struct PathTracer<'a> {
    grid: &'a Grid,
    acoustics: &'a [Acoustics],
    aperture: &'a Aperture,
    pub(crate) media: Media,
}

impl ScanlinePath {
    fn clear(&mut self) {
        self.rays.iter_mut().for_each(Legs::clear);
        self.losses.clear();
        self.above_noise = 0;
        self.boundaries.clear();
        self.met.iter_mut().for_each(Vec::clear);
    }
}

impl<'a> PathTracer<'a> {
    pub(crate) fn new(
        (grid, aperture): (&'a Grid, &'a Aperture),
        acoustics: &'a [Acoustics],
        noise: f64,
    ) -> Self {
        let vanishing = (UNHEARD * 10f32.powf(0.05 * noise as f32)).max(1e-12);
        Self {
            grid,
            acoustics,
            aperture,
            media: Media::new(grid, acoustics, vanishing),
        }
    }

    /// Walks all coupled lines; writes the materials of the middle rays to `labels`, shape `[n_lines, n_samples]`.
    pub(crate) fn lines(
        &self,
        paths: &Paths,
        trace: &Trace,
        coupled: &[bool],
        (tracks, lights, labels): (&mut [ScanlinePath], &mut [Light; 3], &mut [u8]),
        workers: Workers,
    ) {
        let labels = labels.chunks_exact_mut(self.grid.n_samples);
        let mut lines: Vec<_> = tracks.iter_mut().zip(labels).collect();
        // Lines without contact are seen by elements next to them.
        let traced = vec![coupled.contains(&true); coupled.len()];
        let walk = |finder: &mut Finder,
                    line: usize,
                    (track, labels): &mut (&mut ScanlinePath, &mut [u8])| {
            track.clear();
            labels.fill(0);
            if traced[line] {
                let paths = paths.find(trace, &traced, line, finder);
                if coupled[line] {
                    label(paths[1], self.grid, labels);
                }
                if !trace.is_thin() {
                    for (index, path) in paths.into_iter().enumerate() {
                        self.ray(path, index, track);
                        track.rays[index].find_left(&self.media);
                    }
                }
            }
        };
        workers.for_each(&mut lines, 8, Finder::default, walk);
        if !trace.is_thin() && traced[0] {
            self.light((tracks, lights), coupled, workers);
        }
    }

    /// What the aperture leaves of each ray.
    fn light(
        &self,
        (tracks, lights): (&mut [ScanlinePath], &mut [Light; 3]),
        coupled: &[bool],
        workers: Workers,
    ) {
        let lines = &*tracks;
        workers.for_each(
            lights,
            1,
            || (),
            |(), index, light| {
                let ray = |line: usize| &lines[line].rays[index];
                self.aperture.light(ray, coupled, light);
            },
        );
        let lights = &*lights;
        workers.for_each(
            tracks,
            8,
            || (),
            |(), line, track| {
                for (index, light) in lights.iter().enumerate() {
                    self.weigh(index, track, |row| light.at(row, line));
                }
                for index in 0..3 {
                    self.echoes(index, track);
                    let above_noise = self.media.samples_above_noise(&track.rays[index]);
                    track.above_noise = track.above_noise.max(above_noise);
                }
            },
        );
    }

    fn ray(&self, path: &Path, index: usize, track: &mut ScanlinePath) {
        let (step, n) = (self.grid.step, self.grid.n_samples);
        let (mut material, mut sample) = (path.first, 0);
        let mut passed = TransmittedFront {
            front: Front::new(),
            bottom: path.bottom,
            strength: 0.0,
        };
        let go = |samples, material, passed: &TransmittedFront, track: &mut ScanlinePath| {
            let bottom = passed.bottom / step;
            let mut leg = Leg::new(samples, material, passed.front, bottom);
            if self.acoustics[usize::from(material)].is_gas && passed.front.amplitude > 0.0 {
                let share = passed.strength.abs() / passed.front.amplitude;
                leg = leg.behind_mirror(share.min(1.0));
            }
            track.rays[index].all.push(leg);
        };
        for crossing in &path.crossings {
            let range = crossing.range;
            let end = ((range / step).ceil() as usize).clamp(sample, n);
            if end > sample {
                go([sample, end], material, &passed, track);
            }
            passed = crossing.passed;
            if crossing.cosine.is_some() {
                let gain = self.grid.faded(range, passed.front.slope).gain;
                let shown = range + passed.front.offset;
                let leg = track.rays[index].all.len().saturating_sub(1);
                track.met[index].push((leg, [shown, gain * passed.strength]));
            }
            let behind = &self.acoustics[usize::from(crossing.material)];
            passed.front.pass(behind, end as f32 * step - range);
            (material, sample) = (crossing.material, end);
        }
        // Includes the end of the last sample.
        go([sample, n + 1], material, &passed, track);
    }

    /// Stores what the losses along a ray do to the pulse.
    fn weigh(&self, index: usize, track: &mut ScanlinePath, light: impl Fn(usize) -> f32) {
        let (grid, media) = (self.grid, &self.media);
        let ScanlinePath { rays, losses, .. } = track;
        let ray = &mut rays[index];
        let gain_of = |sample: usize, slope| grid.gain_at(sample, slope);
        ray.weigh(media, gain_of, light);
        if index != 1 {
            return;
        }
        let mut legs = ray.all.iter().peekable();
        for sample in (0..grid.faded.len()).map(|row| grid.rows.sample(row).min(grid.n_samples)) {
            while legs.next_if(|leg| leg.ends_before(sample)).is_some() {}
            let Some(leg) = legs.peek() else { return };
            let [amplitude, slope] = media.loss(leg, sample);
            let left = if amplitude > 0.0 {
                amplitude * ray.gain(media, leg, sample)
            } else {
                0.0
            };
            losses.push([left, left * slope]);
        }
    }

    /// Adds the echoes of a ray's boundaries.
    fn echoes(&self, index: usize, track: &mut ScanlinePath) {
        let met = std::mem::take(&mut track.met[index]);
        for (leg, [shown, strength]) in &met {
            // In front of the boundary.
            let ray = &track.rays[index];
            let leg = &ray.all[*leg];
            let share = ray.share(&self.media, leg, leg.last_row(self.grid.rows));
            echo(share * strength, *shown, index, track);
        }
        track.met[index] = met;
    }
}

/// Adds the echo of a boundary with a reflected share of the pressure, at its shown range [m].
fn echo(strength: f32, shown: f32, index: usize, track: &mut ScanlinePath) {
    let mut add = |range: f32, echo: f32| track.boundaries.push([range, echo]);
    let echo = SPECULAR * strength * WEIGHTS[index];
    add(shown, echo);
    if strength.abs() > 0.02 {
        // Reverberations between boundary and face.
        let mut again = echo;
        for times in 2..6 {
            again *= -FACE * strength.abs();
            add(shown * times as f32, again);
        }
    }
}

/// Writes the materials along a path.
fn label(path: &Path, grid: &Grid, labels: &mut [u8]) {
    let (mut material, mut sample) = (path.first, 0);
    for crossing in &path.crossings {
        let end = (crossing.range / grid.step).ceil() as usize;
        let end = end.clamp(sample, grid.n_samples);
        labels[sample..end].fill(material);
        (material, sample) = (crossing.material, end);
    }
    labels[sample..].fill(material);
}
