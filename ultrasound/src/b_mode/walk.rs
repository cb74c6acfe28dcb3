//! Walks a line through the deformed medium: what is lost, reflected and delayed on the way.
//!
//! Three rays represent the beam across the array: at $0$ and $\pm\sqrt{3}\,\sigma$, with weights 2/3 and 1/6 (Gauss–Hermite).
//! A ray leaps over what the phantom says is of one material.

use super::acoustics::{Acoustics, reflection};
use super::contact::GAP;
use super::echoes::{Carrier, Echoes, GROUP};
use super::grid::Grid;
use super::scene::View;
use crate::phantom::Place;

/// Weights of the three rays.
const WEIGHTS: [f32; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];
/// Below this amplitude a ray ends.
const FAINTEST: f32 = 1e-6;
/// Echo of a plane boundary that reflects all, over the speckle of liver: 40 dB.
/// A mirror would give 59 dB (backscatter of 3.7e-6 f^1.4 /mm/sr, Campbell 1984, at F/2); boundaries in bodies are rough.
const SPECULAR: f32 = 100.0;
/// Angle at which a boundary's echo has fallen to 1/e [rad].
const SPREAD: f32 = 0.35;
/// Share of a boundary's echo that goes to all sides, as it is rough.
const ROUGH: f32 = 0.08;
/// Cosine of the most grazing incidence on average over a beam.
const GRAZING: f32 = 0.3;
/// Reflection at the probe's face, for echoes that go to and fro.
const FACE: f32 = 0.35;
/// Halvings of a sample's length until a boundary is found.
const N_HALVINGS: usize = 7;

/// What a line's rays met.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// For each of three rays and each sample: amplitude of diffuse echoes, and how much deeper than it is it is shown [m].
    pub(crate) rays: [Vec<[f32; 2]>; 3],
    /// For each sample of the middle ray: what is left of the amplitude on the way there and back.
    pub(crate) left: Vec<f32>,
    /// Material of the middle ray for each sample.
    pub(crate) labels: Vec<u8>,
}

/// What all lines share.
pub(crate) struct Walk<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) grid: &'a Grid,
    pub(crate) carrier: Carrier,
    pub(crate) acoustics: &'a [Acoustics],
}

/// Where a ray has come to.
#[derive(Clone, Copy)]
struct Front {
    amplitude: f32,
    /// Shown range less range [m].
    offset: f32,
}

impl Track {
    pub(crate) fn new(grid: &Grid) -> Self {
        let ray = vec![[0.0; 2]; grid.n_samples + 1];
        Self {
            rays: [ray.clone(), ray.clone(), ray],
            left: vec![0.0; grid.n_samples],
            labels: vec![0; grid.n_samples],
        }
    }

    /// Of a line that couples to nothing.
    pub(crate) fn darken(&mut self) {
        self.rays.iter_mut().for_each(|ray| ray.fill([0.0; 2]));
        self.left.fill(0.0);
        self.labels.fill(0);
    }
}

impl Walk<'_> {
    /// Walks the three rays of a line.
    pub(crate) fn line(&self, line: usize, track: &mut Track, echoes: &mut Echoes) {
        for ray in 0..3 {
            self.ray(line, ray, track, echoes);
        }
    }

    fn elevation(&self, ray: usize, sample: usize) -> f32 {
        let sigma = self.grid.sigma_elevation[sample.min(self.grid.n_samples - 1)];
        (ray as f32 - 1.0) * 3f32.sqrt() * sigma
    }

    fn ray(&self, line: usize, ray: usize, track: &mut Track, echoes: &mut Echoes) {
        let (grid, n) = (self.grid, self.grid.n_samples);
        let point =
            |range: f32, sample: usize| grid.point(line as f32, range, self.elevation(ray, sample));
        let mut front = Front {
            amplitude: 1.0,
            offset: 0.0,
        };
        // Gel fills what is between the face and the skin.
        let start = ((GAP / grid.step).ceil() as usize).min(n);
        let mut material = self.view.place(&point(GAP, 0)).material;
        let mut sample = 0;
        while sample < n {
            let range = sample as f32 * grid.step;
            let place = if sample < start {
                Place {
                    material,
                    clearance: GAP - range,
                }
            } else {
                self.view.place(&point(range, sample))
            };
            if place.material != material {
                let boundary = self.boundary(range, |range| {
                    self.view.place(&point(range, sample)).material == material
                });
                self.pass(material, boundary - range, &mut front);
                let at = point(boundary, sample);
                self.meet(
                    line,
                    ray,
                    boundary,
                    &at,
                    [material, place.material],
                    &mut front,
                    echoes,
                );
                self.pass(place.material, range - boundary, &mut front);
                material = place.material;
            }
            // The rays' slope across the array and a margin for rounding.
            let leap = ((0.9 * place.clearance / grid.step) as usize).min(n);
            let end = (sample + leap.max(1)).min(n);
            if ray == 1 {
                track.labels[sample..end].fill(material);
                self.fill_left(material, front, &mut track.left[sample..end]);
            }
            self.fill(material, &mut front, &mut track.rays[ray][sample..end]);
            sample = end;
            if front.amplitude < FAINTEST {
                break;
            }
        }
        // Labels go on in the shadow: they are the truth, not the picture.
        if ray == 1 {
            self.label(sample, &point, &mut track.labels);
            track.left[sample..].fill(0.0);
        }
        let last = [0.0, front.offset];
        track.rays[ray][sample..].fill(last);
    }

    fn label(
        &self,
        from: usize,
        point: &impl Fn(f32, usize) -> crate::deformation::Point,
        labels: &mut [u8],
    ) {
        let mut sample = from;
        while sample < labels.len() {
            let place = self
                .view
                .place(&point(sample as f32 * self.grid.step, sample));
            let leap = ((0.9 * place.clearance / self.grid.step) as usize).min(labels.len());
            let end = (sample + leap.max(1)).min(labels.len());
            labels[sample..end].fill(place.material);
            sample = end;
        }
    }

    /// Range within the last sample's length at which the material ends.
    fn boundary(&self, range: f32, is_before: impl Fn(f32) -> bool) -> f32 {
        let (mut before, mut behind) = (range - self.grid.step, range);
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (before + behind);
            if is_before(middle) {
                before = middle;
            } else {
                behind = middle;
            }
        }
        0.5 * (before + behind)
    }

    /// Goes a length within a material; back, where it is negative.
    fn pass(&self, material: u8, length: f32, front: &mut Front) {
        let acoustics = &self.acoustics[usize::from(material)];
        front.amplitude *= (-acoustics.loss * length).exp();
        front.offset += acoustics.stretch * length;
    }

    /// Writes samples of one material.
    fn fill(&self, material: u8, front: &mut Front, samples: &mut [[f32; 2]]) {
        let acoustics = &self.acoustics[usize::from(material)];
        let fade = (-acoustics.loss * self.grid.step).exp();
        let deeper = acoustics.stretch * self.grid.step;
        for sample in samples {
            *sample = [front.amplitude * acoustics.echo, front.offset];
            front.amplitude *= fade;
            front.offset += deeper;
        }
    }

    fn fill_left(&self, material: u8, mut front: Front, left: &mut [f32]) {
        let fade = (-self.acoustics[usize::from(material)].loss * self.grid.step).exp();
        for left in left {
            *left = front.amplitude;
            front.amplitude *= fade;
        }
    }

    /// Passes a boundary between two materials.
    #[expect(clippy::too_many_arguments, reason = "where, what and whither")]
    fn meet(
        &self,
        line: usize,
        ray: usize,
        range: f32,
        point: &crate::deformation::Point,
        materials: [u8; 2],
        front: &mut Front,
        echoes: &mut Echoes,
    ) {
        let [from, to] = materials.map(|material| &self.acoustics[usize::from(material)]);
        let grid = self.grid;
        let ahead = grid.point(line as f32, range + grid.step, point.y) - point;
        let cos = self
            .view
            .normal(point)
            .map_or(1.0, |normal| normal.dot(&ahead).abs() / grid.step);
        let cos = cos.min(1.0);
        // Only a part of the beam meets a boundary more grazingly.
        let [reflected, left] = reflection(from, to, cos.max(GRAZING));
        let angle = cos.acos() / SPREAD;
        let directed = (1.0 - ROUGH) * (-angle * angle).exp() + ROUGH * cos;
        let sample = ((range / grid.step) as usize).min(grid.n_samples - 1);
        // Neighbouring lines see the same boundary and add up.
        let alone = grid.sigma_across[sample].max(0.2) * (2.0 * std::f32::consts::PI).sqrt();
        let strength = front.amplitude * reflected * directed;
        let echo = SPECULAR * strength * WEIGHTS[ray] / alone;
        echoes.add(line % GROUP, self.carrier, range + front.offset, echo);
        if strength.abs() > 0.02 {
            // To and fro between boundary and face.
            let mut again = echo;
            for times in 2..6 {
                again *= -FACE * strength.abs();
                echoes.add(
                    line % GROUP,
                    self.carrier,
                    (range + front.offset) * times as f32,
                    again,
                );
            }
        }
        front.amplitude *= left;
        if to.is_gas {
            front.amplitude = 0.0;
        }
    }
}
