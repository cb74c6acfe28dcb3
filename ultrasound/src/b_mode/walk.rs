//! Walks rays along their paths: what is lost, reflected and delayed on the way.
//!
//! Three rays represent the beam across the array: at $0$ and $\pm\sqrt{3}\,\sigma$, with weights 2/3 and 1/6 (Gauss–Hermite).

use super::acoustics::Acoustics;
use super::front::{FAINTEST, Front, SPECULAR};
use super::grid::Grid;
use super::path::Path;
use super::paths::{Finder, Paths};
use super::trace::Trace;
use crate::parts::Workers;
use crate::wide::wide;

/// Weights of the three rays.
const WEIGHTS: [f32; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];
/// Reflection at the probe's face, for echoes that go to and fro.
const FACE: f32 = 0.35;
/// Amplitude over the noise's that nobody hears: a hundredth of its power.
const UNHEARD: f32 = 0.1;

/// What a line's rays met.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// For each of three rays.
    pub(crate) rays: [Diffuse; 3],
    /// For each ray the sample from which on diffuse echoes are not heard in the noise.
    pub(crate) heard: [usize; 3],
    /// For each sample of the middle ray: what is left of the amplitude on the way there and back.
    pub(crate) left: Vec<f32>,
    /// Material of the middle ray for each sample.
    pub(crate) labels: Vec<u8>,
    /// Echoes of boundaries on each ray: shown range [m] and amplitude.
    pub(crate) boundaries: [Vec<[f32; 2]>; 3],
}

/// Diffuse echoes of a ray, for each sample and the end.
#[derive(Clone, Debug)]
pub(crate) struct Diffuse {
    pub(crate) amplitude: Vec<f32>,
    /// How much deeper than it is an echo is shown [m].
    pub(crate) delay: Vec<f32>,
}

/// What all lines share.
pub(crate) struct Walk<'a> {
    grid: &'a Grid,
    acoustics: &'a [Acoustics],
    /// What each material leaves of the amplitude over so many samples, shape `[materials, n_samples]`.
    fades: Vec<f32>,
    /// Logarithm of each material's diffuse echoes over what nobody hears in the noise.
    louder: Vec<f32>,
}

impl Track {
    pub(crate) fn new(grid: &Grid) -> Self {
        let zeros = vec![0.0; grid.n_samples + 1];
        let ray = Diffuse {
            amplitude: zeros.clone(),
            delay: zeros,
        };
        Self {
            rays: [ray.clone(), ray.clone(), ray],
            heard: [0; 3],
            left: vec![0.0; grid.n_samples],
            labels: vec![0; grid.n_samples],
            boundaries: [const { Vec::new() }; 3],
        }
    }

    /// Of a line that couples to nothing.
    pub(crate) fn darken(&mut self) {
        for ray in &mut self.rays {
            ray.amplitude.fill(0.0);
            ray.delay.fill(0.0);
        }
        self.heard = [0; 3];
        self.left.fill(0.0);
        self.labels.fill(0);
        self.boundaries.iter_mut().for_each(Vec::clear);
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(grid: &'a Grid, acoustics: &'a [Acoustics], noise: f64) -> Self {
        let fades = acoustics.iter().flat_map(|acoustics| {
            let fade = (-acoustics.loss * grid.step).exp();
            std::iter::successors(Some(1.0), move |left| Some(left * fade)).take(grid.n_samples)
        });
        let unheard = (UNHEARD * 10f32.powf(0.05 * noise as f32)).max(1e-12);
        let louder = acoustics.iter().map(|own| (own.echo / unheard).ln());
        Self {
            grid,
            acoustics,
            fades: fades.collect(),
            louder: louder.collect(),
        }
    }

    /// Walks all lines that couple.
    pub(crate) fn lines(
        &self,
        paths: &Paths,
        trace: &Trace,
        coupled: &[bool],
        tracks: &mut [Track],
        workers: Workers,
    ) {
        workers.for_each(tracks, 8, Finder::default, |finder, line, track| {
            if coupled[line] {
                let paths = paths.find(trace, coupled, line, finder);
                if trace.is_thin() {
                    label(paths[1], self.grid, &mut track.labels);
                } else {
                    self.line(paths, track);
                }
            } else {
                track.darken();
            }
        });
    }

    /// Walks the rays of a line.
    fn line(&self, paths: [&Path; 3], track: &mut Track) {
        for (index, path) in paths.into_iter().enumerate() {
            track.boundaries[index].clear();
            track.heard[index] = 0;
            self.ray(path, index, track);
        }
    }

    fn ray(&self, path: &Path, index: usize, track: &mut Track) {
        let (step, n) = (self.grid.step, self.grid.n_samples);
        let (mut front, mut material, mut sample) = (Front::new(), path.first, 0);
        for crossing in &path.crossings {
            let range = sample as f32 * step;
            let end = ((crossing.range / step).ceil() as usize).clamp(sample, n);
            self.fill(material, front, index, [sample, end], track);
            let both = [material, crossing.material].map(|m| &self.acoustics[usize::from(m)]);
            front.pass(both[0], crossing.range - range);
            let strength = front.meet(both, crossing.cosine);
            if crossing.cosine.is_some() {
                self.echo(strength, crossing.range + front.offset, index, track);
            }
            front.pass(both[1], end as f32 * step - crossing.range);
            (material, sample) = (crossing.material, end);
        }
        self.fill(material, front, index, [sample, n], track);
        let stretch = self.acoustics[usize::from(material)].stretch;
        track.rays[index].delay[n] = front.offset + stretch * (n - sample) as f32 * step;
    }

    /// Writes samples of one material.
    fn fill(
        &self,
        material: u8,
        front: Front,
        index: usize,
        [from, to]: [usize; 2],
        track: &mut Track,
    ) {
        let acoustics = &self.acoustics[usize::from(material)];
        let steps = (acoustics.loss.max(1e-9) * self.grid.step).recip();
        let left = front.amplitude.ln();
        let reach = ((left - FAINTEST.ln()).max(0.0) * steps) as usize;
        let lit = (to - from).min(reach);
        let fades = &self.fades[usize::from(material) * self.grid.n_samples..];
        let deeper = acoustics.stretch * self.grid.step;
        let heard = ((left + self.louder[usize::from(material)]) * steps).ceil() as usize;
        if heard > 0 && lit > 0 {
            track.heard[index] = from + heard.min(lit);
        }
        let Diffuse { amplitude, delay } = &mut track.rays[index];
        let (loud, silent) = amplitude[from..to].split_at_mut(lit);
        silent.fill(0.0);
        wide(
            #[inline(always)]
            || {
                for (amplitude, fade) in loud.iter_mut().zip(fades) {
                    *amplitude = front.amplitude * fade * acoustics.echo;
                }
                for (number, delay) in delay[from..to].iter_mut().enumerate() {
                    *delay = front.offset + deeper * number as i32 as f32;
                }
            },
        );
        if index == 1 {
            track.labels[from..to].fill(material);
            let (left, dark) = track.left[from..to].split_at_mut(lit);
            for (left, fade) in left.iter_mut().zip(fades) {
                *left = front.amplitude * fade;
            }
            dark.fill(0.0);
        }
    }

    /// Adds the echo of a boundary that sends back a share of the pressure, where it is shown [m].
    fn echo(&self, strength: f32, shown: f32, index: usize, track: &mut Track) {
        let boundaries = &mut track.boundaries[index];
        // Neighbouring lines see the same boundary and add up, over the beam's width where the echo is shown.
        let mut add = |range: f32, echo: f32| {
            boundaries.push([range, echo / self.grid.together(range)]);
        };
        let echo = SPECULAR * strength * WEIGHTS[index];
        add(shown, echo);
        if strength.abs() > 0.02 {
            // To and fro between boundary and face.
            let mut again = echo;
            for times in 2..6 {
                again *= -FACE * strength.abs();
                add(shown * times as f32, again);
            }
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
