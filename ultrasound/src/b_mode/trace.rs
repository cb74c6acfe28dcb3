//! Finds what rays meet in the deformed medium.
//!
//! A ray leaps over what the phantom says is of one material.

use super::acoustics::Acoustics;
use super::contact::GAP;
use super::echoes::Carrier;
use super::front::Front;
use super::grid::Grid;
use super::path::{Ahead, Between, Crossing, Passed, Path};
use super::rest_grid::{Column, RestGrid};
use super::scene::View;
use crate::phantom::Place;

/// The shortest leap, where it is longer than a sample [m]: thinner layers may be missed; the thinnest in the adult is 0.7 mm.
const SHORTEST: f32 = 0.6e-3;
/// So many samples behind a boundary that is known the next material is looked at.
const BEYOND: f32 = 0.01;
/// Of a sample, within which the boundaries of labels are found.
const PART: f32 = 0.1;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slice {
    /// All that the beam passes, to be heard: three rays of each line, boundaries to a part of the carrier's period.
    Thick,
    /// Materials in the plane, to be labelled: the middle rays, boundaries to a part of a sample.
    Thin,
}

/// What all rays share.
pub(crate) struct Trace<'a> {
    view: &'a View<'a>,
    grid: &'a Grid,
    rest: &'a RestGrid,
    acoustics: &'a [Acoustics],
    /// Samples of the shortest leap.
    shortest: usize,
    /// Length within which a boundary is found [m].
    precision: f32,
    slice: Slice,
}

/// One of a line's rays.
struct Ray<'a> {
    trace: &'a Trace<'a>,
    line: usize,
    index: usize,
    column: Column<'a>,
    /// Path of the middle ray, if this is another.
    middle: Option<&'a Path>,
}

/// What is at a place on a ray.
struct Look {
    place: Place,
    /// It goes on for so many samples.
    free: f32,
    ends: End,
}

/// Where what goes on ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Just there.
    Here,
    /// Not there: it goes on beyond.
    Nowhere,
    /// There or anywhere behind.
    Somewhere,
}

/// How far a ray has come.
struct Way<'a> {
    path: &'a mut Path,
    material: u8,
    front: Front,
    /// Last boundary, and where nothing is left [m].
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
            // The carrier's phase is known to a fortieth of a period then.
            precision: (0.05 / carrier.periods).min(0.25 * shortest as f32 * grid.step),
            slice: Slice::Thick,
        }
    }

    /// The same in another slice.
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

    /// Whether a line's middle ray is all that counts.
    pub(crate) fn is_thin(&self) -> bool {
        self.slice == Slice::Thin
    }

    fn of(&self, material: u8) -> &Acoustics {
        &self.acoustics[usize::from(material)]
    }

    /// Goes on to a boundary and through it.
    fn cross(&self, mut crossing: Crossing, way: &mut Way) {
        let both = [way.material, crossing.material].map(|material| self.of(material));
        if crossing.range < way.bottom {
            way.front.pass(both[0], crossing.range - way.passed);
            let strength = way.front.meet(both, crossing.cosine);
            way.passed = crossing.range;
            way.bottom = way.passed + way.front.reach(both[1]);
            crossing.passed = Passed {
                front: way.front,
                bottom: way.bottom,
                strength,
            };
        }
        way.material = crossing.material;
        way.path.crossings.push(crossing);
    }

    /// Follows a ray of a line as far as anything is left, the middle one to the end, for labels; where rays on either side meet the same,
    /// it lies between them, and outer ones meet boundaries as the `middle` one does.
    pub(crate) fn ray(
        &self,
        [line, index]: [usize; 2],
        between: Option<Between>,
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
    fn place(&self, range: f32) -> Place {
        let (view, grid) = (self.trace.view, self.trace.grid);
        let sample = range / grid.step;
        if let Some((rest, compression)) = self.column.at(sample) {
            let place = view.phantom.place(&rest);
            return Place {
                clearance: place.clearance / compression,
                ..place
            };
        }
        let elevation = grid.elevation(self.index, sample as usize);
        view.place(&grid.point(self.line as f32, range, elevation))
    }

    /// What is at a depth in samples, and how far it goes on.
    fn look(&self, sample: f32) -> Look {
        let step = self.trace.grid.step;
        // A margin for rounding.
        let free = |clearance: f32| 0.98 * clearance / step;
        let Some(straight) = self.column.straight(sample) else {
            let place = self.place(sample * step);
            return Look {
                place,
                free: free(place.clearance),
                ends: End::Somewhere,
            };
        };
        let phantom = self.trace.view.phantom;
        let stretch = phantom.stretch(&straight.start, &straight.way);
        let clearance = stretch.place.clearance / straight.compression;
        let (free, own) = (free(clearance), stretch.share * straight.samples);
        let ends = if free >= own {
            End::Somewhere
        } else if stretch.is_boundary {
            End::Here
        } else if stretch.share >= 1.0 {
            End::Nowhere
        } else {
            End::Somewhere
        };
        Look {
            place: Place {
                clearance,
                ..stretch.place
            },
            free: free.max(own),
            ends,
        }
    }

    fn follow(&self, mut between: Option<Between>, path: &mut Path) {
        let (step, n) = (self.trace.grid.step, self.trace.grid.n_samples as f32);
        // Gel fills what is between the face and the skin.
        let mut sample = GAP / step;
        let (mut last, mut way) = self.start(path);
        // Where a boundary is known to be [m].
        let mut known = None;
        while sample < n {
            let range = sample * step;
            if range >= way.bottom && self.index != 1 {
                break;
            }
            if let Some(between) = &mut between {
                match between.ahead(range, way.material) {
                    Ahead::Crossing(crossing) => {
                        self.trace.cross(crossing, &mut way);
                        sample = sample.max((crossing.range / step).ceil());
                        known = None;
                        continue;
                    }
                    Ahead::Same(end) if end > range + step => {
                        sample = (end / step).floor().min(n);
                        known = None;
                        continue;
                    }
                    Ahead::Same(_) | Ahead::Unknown => {}
                }
            }
            let look = self.look(sample);
            let material = look.place.material;
            if material != way.material {
                let crossing = self.crossing(known, [last, (range, look.place)], &way);
                self.trace.cross(crossing, &mut way);
            }
            last = (range, look.place);
            let end = sample + look.free;
            (sample, known) = match look.ends {
                End::Here => (end + BEYOND, Some(end * step)),
                End::Nowhere => (end, None),
                End::Somewhere => (end.max(sample + self.trace.shortest as f32), None),
            };
        }
    }

    fn start<'b>(&self, path: &'b mut Path) -> ((f32, Place), Way<'b>) {
        let place = self.place(GAP);
        let material = place.material;
        let front = Front::new();
        let bottom = front.reach(self.trace.of(material));
        path.crossings.clear();
        (path.first, path.bottom) = (material, bottom);
        let way = Way {
            path,
            material,
            front,
            passed: 0.0,
            bottom,
        };
        ((GAP, place), way)
    }

    /// The boundary between the last place that was looked at and one of another material, looked for where it is not `known` [m].
    fn crossing(&self, known: Option<f32>, [last, next]: [(f32, Place); 2], way: &Way) -> Crossing {
        let (range, material) = (next.0, next.1.material);
        let mut crossing = Crossing {
            // Labels go on in the shadow: they are the truth, not the picture.
            range: known.unwrap_or(range - 0.5 * self.trace.grid.step),
            material,
            cosine: None,
            passed: Passed::default(),
        };
        if range < way.bottom {
            if known.is_none() {
                crossing.range = self.search([last, next], way.material);
            }
            let both = [way.material, material];
            let [from, to] = both.map(|material| self.trace.of(material));
            let mut front = way.front;
            front.pass(from, crossing.range - way.passed);
            if !self.trace.is_thin() && front.sees([from, to]) {
                crossing.cosine = Some(self.cosine(crossing.range, both));
            }
        }
        crossing
    }

    /// Range of the boundary of a material before a place of another.
    fn search(&self, [last, next]: [(f32, Place); 2], material: u8) -> f32 {
        // Where leaps are longer they are free.
        let shortest = self.trace.shortest as f32 * self.trace.grid.step;
        let before = Place { material, ..next.1 };
        let from = if last.0 < next.0 - 1.01 * shortest {
            ((next.0 - shortest).max(0.0), before)
        } else {
            last
        };
        self.boundary([from, next])
    }

    /// Range between two places at which the material of the first ends, by what is known to be free on either side.
    fn boundary(&self, [from, to]: [(f32, Place); 2]) -> f32 {
        let (material, precision) = (from.1.material, self.trace.precision);
        let [mut free, mut beyond] = [from.1.clearance, to.1.clearance];
        let (mut before, mut behind) = (from.0, to.0);
        // Free ways are as much shorter than true ones on both sides, more or less.
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

    /// Cosine of the angle at which a boundary is met.
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
