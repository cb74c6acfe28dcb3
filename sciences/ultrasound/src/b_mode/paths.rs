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

/// Buffers for the paths of a line.
#[derive(Default)]
pub(crate) struct Finder {
    own: Rays,
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

    /// Paths of a coupled line.
    pub(crate) fn find<'a>(
        &'a self,
        trace: &Trace,
        coupled: &[bool],
        line: usize,
        finder: &'a mut Finder,
    ) -> [&'a Path; 3] {
        let (after, last) = (
            self.lines.partition_point(|traced| *traced < line),
            self.lines.len() - 1,
        );
        let [left, own, right] = &mut finder.own;
        let middle = if self.lines[after] == line {
            &self.traced[after][1]
        } else {
            let between = self.between([after - 1, after], 1, coupled, line);
            trace.ray([line, 1], between, None, own);
            own
        };
        if trace.is_thin() {
            return [middle; 3];
        }
        let (before, after) = (
            after / OUTER * OUTER,
            after.next_multiple_of(OUTER).min(last),
        );
        if self.lines[after] == line {
            let [left, _, right] = &self.traced[after];
            return [left, middle, right];
        }
        let before = if before == after {
            before - OUTER
        } else {
            before
        };
        for (ray, path) in [(0, &mut *left), (2, &mut *right)] {
            let between = self.between([before, after], ray, coupled, line);
            trace.ray([line, ray], between, Some(middle), path);
        }
        [left, middle, right]
    }

    /// Prediction of a line's ray from two traced lines, if both are coupled.
    fn between(
        &self,
        sides: [usize; 2],
        ray: usize,
        coupled: &[bool],
        line: usize,
    ) -> Option<RayPrediction<'_>> {
        let [before, after] = sides.map(|number| self.lines[number]);
        let share = (line - before) as f32 / (after - before) as f32;
        let paths = sides.map(|number| &self.traced[number][ray]);
        (coupled[before] && coupled[after]).then(|| RayPrediction::new(paths, share))
    }
}
