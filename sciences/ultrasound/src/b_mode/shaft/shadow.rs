//! The shadow of a needle.
//!
//! A needle in the plane blocks a strip of the beam across the array. A point behind it is seen by the elements whose way to the point does
//! not meet the needle, by what of the beam passes on either side of it, and by the share $1 - R^2$ of the pressure that goes through the
//! steel.

use super::geometry::Shaft;
use super::ringing::REFLECTION;
use crate::b_mode::grid::Grid;
use crate::b_mode::scene::View;
use crate::deformation::Point;

/// Distance of the rows of a shadow [m].
const ROW: f32 = 0.7e-3;
/// Ways from the aperture to a point.
const N_WAYS: usize = 9;
/// Parts of a shaft.
const N_PARTS: usize = 24;

/// The two-way amplitude that needles leave, for each line and row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    n_rows: usize,
    /// Shape `[n_lines, n_rows]`; empty without needles.
    left: Vec<f32>,
}

/// A straight part of a shaft in the probe's frame.
struct Part {
    ends: [Point; 2],
    /// Half the width of the strip that it blocks across the array [m].
    half_width: f32,
}

impl Shadow {
    /// The shadow of all shafts of a view. `f_number` of reception.
    pub(crate) fn of(view: &View, grid: &Grid, f_number: f32) -> Self {
        let parts: Vec<Part> = view
            .shafts()
            .iter()
            .flat_map(|shaft| parts(view, shaft))
            .collect();
        if parts.is_empty() {
            return Self::default();
        }
        let n_rows = (grid.depth() / ROW).ceil() as usize + 1;
        let places = (0..grid.n_lines).flat_map(|line| (0..n_rows).map(move |row| (line, row)));
        let left = places.map(|(line, row)| {
            let range = ROW * row as f32;
            let blocked = blocked(&parts, grid, line as f32, range, f_number);
            (1.0 - REFLECTION * REFLECTION * blocked).powi(2)
        });
        Self {
            left: left.collect(),
            n_rows,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// What is left at a range of a line [m].
    pub(crate) fn at(&self, line: usize, range: f32) -> f32 {
        let place = (range / ROW).clamp(0.0, (self.n_rows - 1) as f32);
        let row = (place as usize).min(self.n_rows - 2);
        let pair = &self.left[line * self.n_rows + row..][..2];
        pair[0] + (place - row as f32) * (pair[1] - pair[0])
    }
}

fn parts(view: &View, shaft: &Shaft) -> Vec<Part> {
    let probe_from_world = view.probe_from_world();
    let every = shaft.axis.len().div_ceil(N_PARTS).max(1);
    let mut nodes: Vec<Point> = shaft
        .axis
        .iter()
        .rev()
        .step_by(every)
        .map(|at| probe_from_world * at)
        .collect();
    if let Some(first) = shaft
        .axis
        .first()
        .filter(|_| !(shaft.axis.len() - 1).is_multiple_of(every))
    {
        nodes.push(probe_from_world * first);
    }
    let pairs = nodes.windows(2).map(|pair| {
        let way = pair[1] - pair[0];
        // A strip that crosses the plane at an angle is wider in it.
        let in_plane = (way.xz().norm() / way.norm().max(1e-9)).max(0.2);
        Part {
            ends: [pair[0], pair[1]],
            half_width: shaft.radii[0] / in_plane,
        }
    });
    pairs.collect()
}

/// Share of the one-way pressure that does not reach a point, over the aperture.
fn blocked(parts: &[Part], grid: &Grid, line: f32, range: f32, f_number: f32) -> f32 {
    let to = grid.point(line, range, 0.0);
    let half = 0.5 * range / f_number;
    let last = grid.n_lines as f32 - 1.0;
    let lines = half / grid.line_distance(0.0).max(1e-6);
    let [low, high] = [line - lines, line + lines].map(|line| line.clamp(0.0, last));
    let shares = (0..N_WAYS).map(|way| {
        let place = (way as f32 + 0.5) / N_WAYS as f32;
        let from = grid.point(low + place * (high - low), 0.0, 0.0);
        let met = parts.iter().filter_map(|part| part.block(grid, from, to));
        met.fold(0.0, f32::max)
    });
    shares.sum::<f32>() / N_WAYS as f32
}

impl Part {
    /// Share of the beam across the array that this part takes from a way; `None` if it does not meet the way in the plane.
    fn block(&self, grid: &Grid, from: Point, to: Point) -> Option<f32> {
        let way = to - from;
        let [start, end] = self.ends;
        let own = end - start;
        let cross = way.x * own.z - way.z * own.x;
        if cross.abs() < 1e-12 {
            return None;
        }
        let to_start = start - from;
        let along_way = (to_start.x * own.z - to_start.z * own.x) / cross;
        let along_part = (to_start.x * way.z - to_start.z * way.x) / cross;
        if !(0.0..1.0).contains(&along_way) || !(0.0..=1.0).contains(&along_part) {
            return None;
        }
        let met = from + way * along_way;
        let y = start.y + own.y * along_part;
        let [_, range] = grid.locate(&met);
        let sample = ((range.max(0.0) / grid.step) as usize).min(grid.n_samples - 1);
        // The one-way beam is wider than the two-way beam by the root of two.
        let sigma = std::f32::consts::SQRT_2 * grid.sigma_elevation[sample];
        let below = |edge: f32| normal((edge - y) / sigma);
        Some(below(self.half_width) - below(-self.half_width))
    }
}

/// Share of a normal distribution below a number of standard deviations, within 2e-4 (Page 1977, doi:10.2307/2346872).
fn normal(x: f32) -> f32 {
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    0.5 * (1.0 + inner.tanh())
}
