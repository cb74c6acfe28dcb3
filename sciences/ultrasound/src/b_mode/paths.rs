//! Paths of all lines. Some lines are traced; a line between two traced lines that meet the same boundaries is interpolated.
//!
//! The beam is wider than the distance of traced lines, so that a structure between them is not resolved by the beam either.

use super::grid::Grid;
use super::path::{Path, RayPrediction};
use super::trace::Trace;
use crate::beam::FWHM_OVER_SIGMA;
use crate::parallel::Workers;

/// Rays of a line.
type Rays = [Path; 3];
/// Upper limit of the spacing of traced lines, for the middle ray.
const MOST: usize = 4;
/// Ratio of the spacings of traced outer and middle rays: outer rays have less weight, and the beam is wider across the array.
const OUTER: usize = 4;

/// Paths of the lines that are traced first.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    /// Traced lines, including the last line.
    lines: Vec<usize>,
    /// Their rays; outer rays only for every [`OUTER`]th and the last.
    traced: Vec<Rays>,
}

/// The paths of neighbouring lines, from a line with traced outer rays to the next one.
#[derive(Default)]
pub(crate) struct Finder {
    first: usize,
    rays: Vec<Rays>,
}

impl Paths {
    pub(crate) fn new(grid: &Grid) -> Self {
        // Near the face beams are narrow, but lines are close to each other.
        let below = grid.sigma_across[grid.n_samples / 8..].iter();
        let width = FWHM_OVER_SIGMA as f32 * below.copied().fold(f32::INFINITY, f32::min);
        let spacing = width.clamp(1.0, MOST as f32) as usize;
        let last = grid.n_lines - 1;
        let lines: Vec<usize> = (0..last).step_by(spacing).chain([last]).collect();
        Self {
            traced: vec![Rays::default(); lines.len()],
            lines,
        }
    }

    /// Traces the first lines that are coupled.
    pub(crate) fn trace(&mut self, trace: &Trace, coupled: &[bool], workers: Workers) {
        let last = self.lines.len() - 1;
        let lines = &self.lines;
        workers.for_each(
            &mut self.traced,
            4,
            || (),
            |(), number, rays| {
                let line = lines[number];
                if !coupled[line] {
                    return;
                }
                // The middle ray first: the outer rays meet the same boundaries at the same angles.
                let [left, middle, right] = rays;
                trace.ray([line, 1], None, None, middle);
                if !trace.is_thin() && (number % OUTER == 0 || number == last) {
                    trace.ray([line, 0], None, Some(middle), left);
                    trace.ray([line, 2], None, Some(middle), right);
                }
            },
        );
    }

    /// Number of lines whose paths are found together.
    pub(crate) fn length(&self) -> usize {
        OUTER * self.lines[1]
    }

    /// Finds the paths of a number of lines: traced ones first, then those halfway between two that are known, and so on.
    pub(crate) fn find<'a>(
        &self,
        trace: &Trace,
        part: usize,
        finder: &'a mut Finder,
    ) -> impl Iterator<Item = [&'a Path; 3]> {
        let last = self.lines.len() - 1;
        let traced = OUTER * part..=(OUTER * (part + 1)).min(last);
        let first = self.lines[*traced.start()];
        let place = |number: usize| self.lines[number] - first;
        finder.first = first;
        let n = place(*traced.end()) + 1;
        finder
            .rays
            .resize_with(n.max(finder.rays.len()), Rays::default);
        for number in traced.clone() {
            finder.rays[place(number)].clone_from(&self.traced[number]);
        }
        for number in traced.clone().skip(1) {
            finder.halve(trace, 1, [number - 1, number].map(place));
        }
        if !trace.is_thin() {
            for index in [0, 2] {
                finder.halve(trace, index, [0, place(*traced.end())]);
            }
        }
        let is_thin = trace.is_thin();
        finder.rays.iter().map(move |[left, middle, right]| {
            if is_thin {
                [middle; 3]
            } else {
                [left, middle, right]
            }
        })
    }
}

impl Finder {
    /// Finds the rays between two known ones.
    fn halve(&mut self, trace: &Trace, index: usize, [before, after]: [usize; 2]) {
        let between = usize::midpoint(before, after);
        if between == before {
            return;
        }
        let mut own = std::mem::take(&mut self.rays[between][index]);
        let share = (between - before) as f32 / (after - before) as f32;
        let sides = [before, after].map(|line| &self.rays[line][index]);
        let prediction = RayPrediction::new(sides, share);
        let middle = (index != 1).then(|| &self.rays[between][1]);
        let ray = [self.first + between, index];
        trace.ray(ray, Some(prediction), middle, &mut own);
        self.rays[between][index] = own;
        self.halve(trace, index, [before, between]);
        self.halve(trace, index, [between, after]);
    }
}
