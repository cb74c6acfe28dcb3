//! Walks a line through the deformed medium: what is lost, reflected and delayed on the way.
//!
//! Three rays represent the beam across the array: at $0$ and $\pm\sqrt{3}\,\sigma$, with weights 2/3 and 1/6 (Gauss–Hermite).
//! Two lines share the outer rays, as the beam is wider than their distance.
//! A ray leaps over what the phantom says is of one material.

use super::acoustics::{Acoustics, reflection};
use super::contact::GAP;
use super::echoes::Carrier;
use super::grid::Grid;
use super::rest_grid::{Column, RestGrid};
use super::scene::View;
use crate::phantom::Place;

/// Lines that share outer rays.
pub(crate) const SHARING: usize = 2;
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
/// Echoes fainter than this over the speckle of liver are not looked at closely.
const UNSEEN: f32 = 0.01;
/// Boundaries of the same materials so near to each other on two rays of a line are the same [m].
const SAME: f32 = 2e-3;

/// What a line's rays met.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// For each of three rays and each sample: amplitude of diffuse echoes, and how much deeper than it is it is shown [m].
    pub(crate) rays: [Vec<[f32; 2]>; 3],
    /// For each sample of the middle ray: what is left of the amplitude on the way there and back.
    pub(crate) left: Vec<f32>,
    /// Material of the middle ray for each sample.
    pub(crate) labels: Vec<u8>,
    /// Echoes of boundaries on each ray: shown range [m] and amplitude.
    pub(crate) boundaries: [Vec<[f32; 2]>; 3],
}

/// What all lines share.
pub(crate) struct Walk<'a> {
    view: &'a View<'a>,
    grid: &'a Grid,
    rest: &'a RestGrid,
    acoustics: &'a [Acoustics],
    /// What each material leaves of the amplitude from sample to sample.
    fades: Vec<f32>,
    /// Halvings of a sample's length until a boundary is found.
    n_halvings: usize,
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
            boundaries: [const { Vec::new() }; 3],
        }
    }

    /// Takes over the outer rays of a line beside it.
    fn take_outer(&mut self, other: &Self) {
        for ray in [0, 2] {
            self.rays[ray].copy_from_slice(&other.rays[ray]);
            self.boundaries[ray].clone_from(&other.boundaries[ray]);
        }
    }

    /// Of a line that couples to nothing.
    pub(crate) fn darken(&mut self) {
        self.rays.iter_mut().for_each(|ray| ray.fill([0.0; 2]));
        self.left.fill(0.0);
        self.labels.fill(0);
        self.boundaries.iter_mut().for_each(Vec::clear);
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        view: &'a View<'a>,
        grid: &'a Grid,
        rest: &'a RestGrid,
        carrier: Carrier,
        acoustics: &'a [Acoustics],
    ) -> Self {
        let fade = |acoustics: &Acoustics| (-acoustics.loss * grid.step).exp();
        // Until the carrier's phase is known to a tenth of a period.
        let periods = grid.step * carrier.periods;
        Self {
            view,
            grid,
            rest,
            acoustics,
            fades: acoustics.iter().map(fade).collect(),
            n_halvings: (5.0 * periods).log2().ceil().clamp(2.0, 10.0) as usize,
        }
    }

    /// Walks the lines from `first` on, which share the outer rays of the first that couples.
    pub(crate) fn lines(&self, first: usize, coupled: &[bool], tracks: &mut [Track]) {
        let mut leader: Option<usize> = None;
        for own in 0..tracks.len() {
            if !coupled[own] {
                tracks[own].darken();
            } else if let Some(leader) = leader {
                let (before, after) = tracks.split_at_mut(own);
                self.line(first + own, &[1], &mut after[0]);
                after[0].take_outer(&before[leader]);
            } else {
                // The middle first: the others meet the same boundaries at the same angles.
                self.line(first + own, &[1, 0, 2], &mut tracks[own]);
                leader = Some(own);
            }
        }
    }

    /// Walks rays of a line.
    fn line(&self, line: usize, rays: &[usize], track: &mut Track) {
        let mut ray = Ray {
            walk: self,
            line,
            index: 1,
            column: Column::default(),
            met: Vec::new(),
        };
        for number in rays {
            ray.index = *number;
            self.rest.column(line, *number, &mut ray.column);
            ray.walk(track);
        }
    }
}

/// One of a line's rays.
struct Ray<'a> {
    walk: &'a Walk<'a>,
    line: usize,
    index: usize,
    column: Column,
    /// Boundaries of the middle ray: materials, range, and cosine of the angle.
    met: Vec<([u8; 2], f32, f32)>,
}

impl Ray<'_> {
    fn place(&self, range: f32) -> Place {
        let sample = range / self.walk.grid.step;
        if let Some((rest, compression)) = self.column.at(sample) {
            let place = self.walk.view.phantom.place(&rest);
            return Place {
                clearance: place.clearance / compression,
                ..place
            };
        }
        let elevation = self.walk.grid.elevation(self.index, sample as usize);
        let point = self.walk.grid.point(self.line as f32, range, elevation);
        self.walk.view.place(&point)
    }

    /// Goes down to the bottom or to where nothing is left.
    fn walk(&mut self, track: &mut Track) {
        track.boundaries[self.index].clear();
        let (grid, n) = (self.walk.grid, self.walk.grid.n_samples);
        let mut front = Front {
            amplitude: 1.0,
            offset: 0.0,
        };
        // Gel fills what is between the face and the skin.
        let start = ((GAP / grid.step).ceil() as usize).min(n);
        let mut material = self.place(GAP).material;
        let mut sample = 0;
        while sample < n {
            let range = sample as f32 * grid.step;
            let place = if sample < start {
                Place {
                    material,
                    clearance: GAP - range,
                }
            } else {
                self.place(range)
            };
            if place.material != material {
                let boundary = self.boundary(range, material);
                self.walk.pass(material, boundary - range, &mut front);
                let materials = [material, place.material];
                let boundaries = &mut track.boundaries[self.index];
                self.meet(boundary, materials, &mut front, boundaries);
                self.walk.pass(place.material, range - boundary, &mut front);
                material = place.material;
            }
            let end = self.end(sample, place.clearance);
            if self.index == 1 {
                track.labels[sample..end].fill(material);
                self.walk
                    .fill_left(material, front, &mut track.left[sample..end]);
            }
            let samples = &mut track.rays[self.index][sample..end];
            self.walk.fill(material, &mut front, samples);
            sample = end;
            if front.amplitude < FAINTEST {
                break;
            }
        }
        // Labels go on in the shadow: they are the truth, not the picture.
        if self.index == 1 {
            self.label(sample, &mut track.labels);
            track.left[sample..].fill(0.0);
        }
        track.rays[self.index][sample..].fill([0.0, front.offset]);
    }

    /// First sample after one about which nothing changes for a length.
    fn end(&self, sample: usize, clearance: f32) -> usize {
        let (step, n) = (self.walk.grid.step, self.walk.grid.n_samples);
        // The rays' slope across the array and a margin for rounding.
        let leap = ((0.9 * clearance / step) as usize).min(n);
        (sample + leap.max(1)).min(n)
    }

    fn label(&self, from: usize, labels: &mut [u8]) {
        let mut sample = from;
        while sample < labels.len() {
            let place = self.place(sample as f32 * self.walk.grid.step);
            let end = self.end(sample, place.clearance);
            labels[sample..end].fill(place.material);
            sample = end;
        }
    }

    /// Range within the last sample's length at which the material ends.
    fn boundary(&self, range: f32, material: u8) -> f32 {
        let (mut before, mut behind) = (range - self.walk.grid.step, range);
        for _ in 0..self.walk.n_halvings {
            let middle = 0.5 * (before + behind);
            if self.place(middle).material == material {
                before = middle;
            } else {
                behind = middle;
            }
        }
        0.5 * (before + behind)
    }

    /// Cosine of the angle at which a boundary is met.
    fn cosine(&mut self, range: f32, materials: [u8; 2]) -> f32 {
        if self.index != 1 {
            let near = |(known, at, _): &&([u8; 2], f32, f32)| {
                *known == materials && (at - range).abs() < SAME
            };
            if let Some((_, _, cosine)) = self.met.iter().find(near) {
                return *cosine;
            }
        }
        let sample = range / self.walk.grid.step;
        let Some((rest, _)) = self.column.at(sample) else {
            return 1.0;
        };
        let normal = self.walk.view.phantom.normal(&rest);
        let cosine = self
            .walk
            .rest
            .cosine(self.walk.grid, self.line, sample, &normal);
        if self.index == 1 {
            self.met.push((materials, range, cosine));
        }
        cosine
    }

    /// Passes a boundary between two materials.
    fn meet(
        &mut self,
        range: f32,
        materials: [u8; 2],
        front: &mut Front,
        boundaries: &mut Vec<[f32; 2]>,
    ) {
        let walk = self.walk;
        let [from, to] = materials.map(|material| &walk.acoustics[usize::from(material)]);
        let [upright, passed] = reflection(from, to, 1.0);
        if SPECULAR * front.amplitude * upright.abs() < UNSEEN {
            front.amplitude *= passed;
            return;
        }
        let cos = self.cosine(range, materials);
        // Only a part of the beam meets a boundary more grazingly.
        let [reflected, left] = reflection(from, to, cos.max(GRAZING));
        let angle = cos.acos() / SPREAD;
        let directed = (1.0 - ROUGH) * (-angle * angle).exp() + ROUGH * cos;
        let sample = ((range / walk.grid.step) as usize).min(walk.grid.n_samples - 1);
        // Neighbouring lines see the same boundary and add up.
        let alone = walk.grid.sigma_across[sample].max(0.2) * (2.0 * std::f32::consts::PI).sqrt();
        let strength = front.amplitude * reflected * directed;
        let echo = SPECULAR * strength * WEIGHTS[self.index] / alone;
        let shown = range + front.offset;
        boundaries.push([shown, echo]);
        if strength.abs() > 0.02 {
            // To and fro between boundary and face.
            let mut again = echo;
            for times in 2..6 {
                again *= -FACE * strength.abs();
                boundaries.push([shown * times as f32, again]);
            }
        }
        front.amplitude *= left;
        if to.is_gas {
            front.amplitude = 0.0;
        }
    }
}

impl Walk<'_> {
    /// Goes a length within a material; back, where it is negative.
    fn pass(&self, material: u8, length: f32, front: &mut Front) {
        let acoustics = &self.acoustics[usize::from(material)];
        front.amplitude *= (-acoustics.loss * length).exp();
        front.offset += acoustics.stretch * length;
    }

    /// Writes samples of one material.
    fn fill(&self, material: u8, front: &mut Front, samples: &mut [[f32; 2]]) {
        let acoustics = &self.acoustics[usize::from(material)];
        let fade = self.fades[usize::from(material)];
        let deeper = acoustics.stretch * self.grid.step;
        for sample in samples {
            *sample = [front.amplitude * acoustics.echo, front.offset];
            front.amplitude *= fade;
            front.offset += deeper;
        }
    }

    fn fill_left(&self, material: u8, mut front: Front, left: &mut [f32]) {
        let fade = self.fades[usize::from(material)];
        for left in left {
            *left = front.amplitude;
            front.amplitude *= fade;
        }
    }
}
