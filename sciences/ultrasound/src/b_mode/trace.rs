//! Traces rays through the deformed medium.
//!
//! A ray leaps over regions in which the phantom guarantees one material.

use super::acoustics::Acoustics;
use super::contact::GAP;
use super::echoes::Carrier;
use super::front::Front;
use super::grid::Grid;
use super::path::{Crossing, NextBoundary, Path, RayPrediction, TransmittedFront};
use super::rest_grid::{Column, RestGrid};
use super::scene::View;
use crate::phantom::PointMaterial;

/// The shortest leap, if it is longer than a sample [m]. Thinner layers may be missed; the thinnest layer of the adult is 0.7 mm.
const SHORTEST: f32 = 0.6e-3;
/// Distance behind a known boundary at which the next material is evaluated [samples].
const BEYOND: f32 = 0.01;
/// Precision of the boundaries of labels [samples].
const PART: f32 = 0.1;

/// Extent of the traced slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slice {
    /// The whole beam, for echoes: three rays per line, boundaries within a part of the carrier's period.
    Thick,
    /// The plane only, for labels: the middle rays, boundaries within a part of a sample.
    Thin,
}

/// Data that all rays share.
pub(crate) struct Trace<'a> {
    view: &'a View<'a>,
    grid: &'a Grid,
    rest: &'a RestGrid,
    acoustics: &'a [Acoustics],
    /// Length of the shortest leap [samples].
    shortest: usize,
    /// Precision of a boundary [m].
    precision: f32,
    slice: Slice,
}

/// One of a line's rays.
struct Ray<'a> {
    trace: &'a Trace<'a>,
    line: usize,
    index: usize,
    column: Column<'a>,
    /// Path of the middle ray, if this is an outer ray.
    middle: Option<&'a Path>,
}

/// Material at a point on a ray.
struct Query {
    place: PointMaterial,
    /// Length over which it continues [samples].
    free: f32,
    ends: Extent,
}

/// What is known about the end of this length.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// The material ends there.
    Here,
    /// The material continues beyond it.
    Nowhere,
    /// The material ends there or anywhere behind.
    Somewhere,
}

/// State of a ray that is being traced.
struct Progress<'a> {
    path: &'a mut Path,
    material: u8,
    front: Front,
    /// Last boundary, and the range at which the front is dropped [m].
    passed: f32,
    bottom: f32,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(
        view: &'a View<'a>,
        grid: &'a Grid,
        rest: &'a RestGrid,
        carrier: Carrier,
        acoustics: &'a [Acoustics],
    ) -> Self {
        let shortest = ((SHORTEST / grid.step) as usize).max(1);
        Self {
            view,
            grid,
            rest,
            acoustics,
            shortest,
            // Keeps the error of the carrier's phase below a fortieth of a period.
            precision: (0.05 / carrier.periods).min(0.25 * shortest as f32 * grid.step),
            slice: Slice::Thick,
        }
    }

    /// Sets the slice and the matching precision.
    pub(crate) fn in_slice(self, slice: Slice) -> Self {
        let precision = match slice {
            Slice::Thick => self.precision,
            Slice::Thin => self.precision.max(PART * self.grid.step),
        };
        Self {
            precision,
            slice,
            ..self
        }
    }

    /// Whether only the middle rays are traced.
    pub(crate) fn is_thin(&self) -> bool {
        self.slice == Slice::Thin
    }

    fn of(&self, material: u8) -> &Acoustics {
        &self.acoustics[usize::from(material)]
    }

    /// Moves to a boundary and through it.
    fn cross(&self, mut crossing: Crossing, progress: &mut Progress) {
        let both = [progress.material, crossing.material].map(|material| self.of(material));
        if crossing.range < progress.bottom {
            progress
                .front
                .pass(both[0], crossing.range - progress.passed);
            let strength = progress.front.meet(both, crossing.cosine);
            progress.passed = crossing.range;
            progress.bottom = progress.passed + progress.front.reach(both[1]);
            crossing.passed = TransmittedFront {
                front: progress.front,
                bottom: progress.bottom,
                strength,
            };
        }
        progress.material = crossing.material;
        progress.path.crossings.push(crossing);
    }

    /// Traces a ray of a line until its front is dropped, or to the end for the middle ray, for labels. If the rays on either side meet the
    /// same boundaries, the ray is interpolated; outer rays take the angles of boundaries from the `middle` one.
    pub(crate) fn ray(
        &self,
        [line, index]: [usize; 2],
        between: Option<RayPrediction>,
        middle: Option<&Path>,
        path: &mut Path,
    ) {
        let ray = Ray {
            trace: self,
            line,
            index,
            column: self.rest.column(line, index),
            middle,
        };

        ray.follow(between, path);
    }
}

impl Ray<'_> {
    fn place(&self, range: f32) -> PointMaterial {
        let (view, grid) = (self.trace.view, self.trace.grid);
        let sample = range / grid.step;
        if let Some((rest, compression)) = self.column.at(sample) {
            let place = view.phantom.place(&rest);
            return PointMaterial {
                clearance: place.clearance / compression,
                ..place
            };
        }
        let elevation = grid.elevation(self.index, sample as usize);
        view.place(&grid.point(self.line as f32, range, elevation))
    }

    /// Material at a depth in samples, and the length over which it continues.
    fn look(&self, sample: f32) -> Query {
        let step = self.trace.grid.step;
        // The factor is a margin for rounding.
        let free = |clearance: f32| 0.98 * clearance / step;
        let Some(straight) = self.column.straight(sample) else {
            let place = self.place(sample * step);
            return Query {
                place,
                free: free(place.clearance),
                ends: Extent::Somewhere,
            };
        };
        let phantom = self.trace.view.phantom;
        let stretch = phantom.stretch(&straight.start, &straight.extent);
        let clearance = stretch.place.clearance / straight.compression;
        let (free, own) = (free(clearance), stretch.share * straight.samples);
        let ends = if free >= own {
            Extent::Somewhere
        } else if stretch.is_boundary {
            Extent::Here
        } else if stretch.share >= 1.0 {
            Extent::Nowhere
        } else {
            Extent::Somewhere
        };
        Query {
            place: PointMaterial {
                clearance,
                ..stretch.place
            },
            free: free.max(own),
            ends,
        }
    }

    fn follow(&self, mut between: Option<RayPrediction>, path: &mut Path) {
        let (step, n) = (self.trace.grid.step, self.trace.grid.n_samples as f32);
        // Gel fills the gap between the face and the skin.
        let mut sample = GAP / step;
        let (mut last, mut progress) = self.start(path);
        // Range of a boundary that is already known [m].
        let mut known = None;
        while sample < n {
            let range = sample * step;
            if range >= progress.bottom && self.index != 1 {
                break;
            }
            if let Some(between) = &mut between {
                match between.ahead(range, progress.material) {
                    NextBoundary::Crossing(crossing) => {
                        self.trace.cross(crossing, &mut progress);
                        sample = sample.max((crossing.range / step).ceil());
                        known = None;
                        continue;
                    }
                    NextBoundary::NoneUntil(end) if end > range + step => {
                        sample = (end / step).floor().min(n);
                        known = None;
                        continue;
                    }
                    NextBoundary::NoneUntil(_) | NextBoundary::Unknown => {}
                }
            }
            let look = self.look(sample);
            let material = look.place.material;
            if material != progress.material {
                let crossing = self.crossing(known, [last, (range, look.place)], &progress);
                self.trace.cross(crossing, &mut progress);
            }
            last = (range, look.place);
            let end = sample + look.free;
            (sample, known) = match look.ends {
                Extent::Here => (end + BEYOND, Some(end * step)),
                Extent::Nowhere => (end, None),
                Extent::Somewhere => (end.max(sample + self.trace.shortest as f32), None),
            };
        }
    }

    fn start<'b>(&self, path: &'b mut Path) -> ((f32, PointMaterial), Progress<'b>) {
        let place = self.place(GAP);
        let material = place.material;
        let front = Front::new();
        let bottom = front.reach(self.trace.of(material));
        path.crossings.clear();
        (path.first, path.bottom) = (material, bottom);
        let progress = Progress {
            path,
            material,
            front,
            passed: 0.0,
            bottom,
        };
        ((GAP, place), progress)
    }

    /// The boundary between the last evaluated point and one of another material; searched if it is not `known` [m].
    fn crossing(
        &self,
        known: Option<f32>,
        [last, next]: [(f32, PointMaterial); 2],
        progress: &Progress,
    ) -> Crossing {
        let (range, material) = (next.0, next.1.material);
        let mut crossing = Crossing {
            // Labels are ground truth, so they continue in the shadow.
            range: known.unwrap_or(range - 0.5 * self.trace.grid.step),
            material,
            cosine: None,
            passed: TransmittedFront::default(),
        };
        if range < progress.bottom {
            if known.is_none() {
                crossing.range = self.search([last, next], progress.material);
            }
            let both = [progress.material, material];
            let [from, to] = both.map(|material| self.trace.of(material));
            let mut front = progress.front;
            front.pass(from, crossing.range - progress.passed);
            if !self.trace.is_thin() && front.sees([from, to]) {
                crossing.cosine = Some(self.cosine(crossing.range, both));
            }
        }
        crossing
    }

    /// Range of the boundary between a material and a point of another material.
    fn search(&self, [last, next]: [(f32, PointMaterial); 2], material: u8) -> f32 {
        // Leaps longer than this are free of boundaries.
        let shortest = self.trace.shortest as f32 * self.trace.grid.step;
        let before = PointMaterial { material, ..next.1 };
        let from = if last.0 < next.0 - 1.01 * shortest {
            ((next.0 - shortest).max(0.0), before)
        } else {
            last
        };
        self.boundary([from, next])
    }

    /// Range between two points at which the first material ends, from the clearance on either side.
    fn boundary(&self, [from, to]: [(f32, PointMaterial); 2]) -> f32 {
        let (material, precision) = (from.1.material, self.trace.precision);
        let [mut free, mut beyond] = [from.1.clearance, to.1.clearance];
        let (mut before, mut behind) = (from.0, to.0);
        // Clearances on both sides underestimate the distance by a similar factor.
        let share = |free: f32, beyond: f32| {
            free.max(1e-3 * precision) / (free + beyond).max(2e-3 * precision)
        };
        while behind - before > precision {
            let middle = before + share(free, beyond).clamp(0.25, 0.75) * (behind - before);
            let place = self.place(middle);
            if place.material == material {
                (before, free) = (middle, place.clearance);
            } else {
                (behind, beyond) = (middle, place.clearance);
            }
        }
        before + share(free, beyond).min(1.0) * (behind - before)
    }

    /// Cosine of the angle of incidence at a boundary.
    fn cosine(&self, range: f32, materials: [u8; 2]) -> f32 {
        if let Some(cosine) = self.middle.and_then(|path| path.cosine(materials, range)) {
            return cosine;
        }
        let sample = range / self.trace.grid.step;
        let Some((rest, _)) = self.column.at(sample) else {
            return 1.0;
        };

        let normal = self.trace.view.phantom.normal(&rest);
        let (rest, grid) = (self.trace.rest, self.trace.grid);
        rest.cosine(grid, self.line, sample, &normal)
    }
}
