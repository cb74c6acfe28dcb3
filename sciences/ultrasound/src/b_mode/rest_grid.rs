//! Rest points of beam space, interpolated between nodes at which the deformation is evaluated.
//!
//! Lines pass many points that are close to each other. Interpolation between nodes some millimetres apart has an error of some
//! micrometres, as long as the strain changes little from node to node.

use super::grid::Grid;
use super::scene::View;
use crate::deformation::{Point, Vector};
use crate::parallel::Workers;

/// Spacing of nodes, in lines and in samples.
const LINES: usize = 4;
const SAMPLES: usize = 8;

/// Largest bend of a straight ray [m], and largest number of nodes that it spans.
const STRAIGHT: f32 = 4e-6;
const LONGEST: usize = 8;

/// Lower limit of the compression: leaps are not lengthened further where rays are stretched.
const LEAST_COMPRESSION: f32 = 0.5;

/// A node of a ray.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Its rest point; NaN outside of the body.
    rest: Vector,
    /// Largest ratio of the ray's length at rest to its length in the world, from this node on.
    compression: f32,
    /// Number of nodes over which the ray is straight, within the accuracy of boundaries.
    straight: u32,
}

/// Nodes over lines, rays and samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestGrid {
    n_rows: usize,
    /// Shape `[lines, 3, n_rows]`.
    nodes: Vec<Node>,
}

/// A ray of a line, interpolated between neighbouring columns of nodes.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    sides: [&'a [Node]; 2],
    /// Share of the distance from one side to the other.
    share: f32,
}

/// Counts for each node the number of nodes over which the ray is straight.
fn straighten(nodes: &mut [Node]) {
    for row in 0..nodes.len() {
        let mut bends = 0.0;
        let mut straight = 1;
        while straight < LONGEST && row + straight + 1 < nodes.len() {
            let [before, here, next] = [0, 1, 2].map(|n| nodes[row + straight - 1 + n].rest);
            bends += (next - here - (here - before)).norm();
            // Upper bound of the deviation from a chord over n nodes, given the sum of the bends; NaN outside of the body.
            let off = 0.25 * (straight + 1) as f32 * bends;
            if off.is_nan() || off > STRAIGHT {
                break;
            }
            straight += 1;
        }
        nodes[row].straight = straight as u32;
    }
}

/// A straight segment of a ray at rest.
pub(crate) struct Straight {
    pub(crate) start: Point,
    pub(crate) extent: Vector,
    /// Length [samples].
    pub(crate) samples: f32,
    /// The compression from the start on.
    pub(crate) compression: f32,
}

impl RestGrid {
    /// Evaluates the deformation at all nodes.
    pub(crate) fn locate(&mut self, view: &View, grid: &Grid, workers: Workers) {
        self.n_rows = grid.n_samples / SAMPLES + 2;
        let n_columns = 3 * ((grid.n_lines - 1) / LINES + 2);
        let nowhere = Node {
            rest: Vector::repeat(f32::NAN),
            compression: 1.0,
            straight: 1,
        };
        let length = SAMPLES as f32 * grid.step;
        self.nodes.resize(n_columns * self.n_rows, nowhere);
        workers.for_each_part(
            &mut self.nodes,
            self.n_rows,
            8,
            Vec::new,
            |points, column, nodes| {
                let (line, ray) = (column / 3 * LINES, column % 3);
                let at = |range: f32, elevation: f32| {
                    view.world(&grid.point(line as f32, range, elevation))
                };
                let start = at(0.0, 0.0);
                let [along, across] = [at(1.0, 0.0), at(0.0, 1.0)].map(|end| end - start);
                points.clear();
                points.extend((0..nodes.len()).map(|row| {
                    let sample = row * SAMPLES;
                    let range = sample as f32 * grid.step;
                    start + range * along + grid.elevation(ray, sample) * across
                }));
                view.deformation.rest_from_worlds(points);
                // Interpolation is linear, so that no segment between nodes, or between two rays, is longer at rest.
                let (mut most, mut below) = (0.0f32, None);
                for (node, point) in nodes.iter_mut().zip(&*points).rev() {
                    let rest = point.coords;
                    // Outside of the body the length at rest is NaN.
                    most = below.map_or(1.0, |below: Vector| {
                        most.max((below - rest).norm() / length)
                    });
                    below = Some(rest);
                    *node = Node {
                        rest,
                        compression: most,
                        straight: 1,
                    };
                }
                straighten(nodes);
            },
        );
    }

    /// A ray of a line.
    pub(crate) fn column(&self, line: usize, ray: usize) -> Column<'_> {
        let side = |lateral: usize| {
            let start = (3 * (line / LINES + lateral) + ray) * self.n_rows;
            &self.nodes[start..start + self.n_rows]
        };
        Column {
            sides: [side(0), side(1)],
            share: (line % LINES) as f32 / LINES as f32,
        }
    }

    /// Rest point in the middle of the slice, between lines and samples, and its derivative across the array [1/m]; NaN outside of the body.
    pub(crate) fn slice(&self, grid: &Grid, line: f32, sample: f32) -> [Vector; 2] {
        let last = [self.nodes.len() / (3 * self.n_rows) - 2, self.n_rows - 2];
        let place = [line / LINES as f32, sample / SAMPLES as f32];
        let [column, row] = [0, 1].map(|axis| (place[axis].max(0.0) as usize).min(last[axis]));
        let [u, v] = [place[0] - column as f32, place[1] - row as f32];
        let at = |lateral: usize, ray: usize, row: usize| {
            self.nodes[(3 * (column + lateral) + ray) * self.n_rows + row].rest
        };
        let between = |ray: usize| {
            let across = |row: usize| at(0, ray, row) + u * (at(1, ray, row) - at(0, ray, row));
            across(row) + v * (across(row + 1) - across(row))
        };
        // The distance between rays is interpolated between nodes, as the rays are.
        let width =
            |row: usize| grid.elevation(2, row * SAMPLES) - grid.elevation(0, row * SAMPLES);
        let width = width(row) + v * (width(row + 1) - width(row));
        [between(1), (between(2) - between(0)) / width]
    }

    /// Cosine of the angle between a ray and a normal at rest [m]; 1 if it is unknown.
    ///
    /// Normals are gradients: they transform with the transpose of the rest point's derivative (along lines, across lines, across the array).
    pub(crate) fn cosine(&self, grid: &Grid, line: usize, sample: f32, normal: &Vector) -> f32 {
        let row = (sample as usize / SAMPLES + 1).min(self.n_rows - 1);
        let at = |lateral: usize, ray: usize, row: usize| {
            self.nodes[(3 * (line / LINES + lateral) + ray) * self.n_rows + row].rest
        };
        let range = (row * SAMPLES) as f32 * grid.step;
        let along = (at(0, 1, row) - at(0, 1, row - 1)) / (SAMPLES as f32 * grid.step);
        let lateral = (at(1, 1, row) - at(0, 1, row)) / (LINES as f32 * grid.line_distance(range));
        // Across the line, which is not along the array if it is steered.
        let lateral = lateral - grid.steering.tan * along;
        let width = grid.elevation(2, row * SAMPLES) - grid.elevation(0, row * SAMPLES);
        let across = (at(0, 2, row) - at(0, 0, row)) / width;
        let gradient = Vector::new(along.dot(normal), lateral.dot(normal), across.dot(normal));
        let cosine = gradient.x.abs() / gradient.norm();
        if cosine <= 1.0 { cosine } else { 1.0 }
    }
}

impl Column<'_> {
    /// Rest point at a depth in samples, and the compression from there on; `None` if it is unknown.
    #[inline]
    pub(crate) fn at(&self, sample: f32) -> Option<(Point, f32)> {
        let place = sample / SAMPLES as f32;
        let row = (place as usize).min(self.sides[0].len() - 2);
        let before = self.lateral(row);
        let rest = before + (place - row as f32) * (self.lateral(row + 1) - before);
        (!rest.x.is_nan()).then(|| (Point::from(rest), self.compression(row)))
    }

    /// The straight segment at rest that starts at a depth in samples; it reaches at least the next node.
    #[inline]
    pub(crate) fn straight(&self, sample: f32) -> Option<Straight> {
        // Distance within which a segment starts at a node.
        const NEAR: f32 = 1e-3;
        let place = sample / SAMPLES as f32;
        let row = ((place + NEAR) as usize).min(self.sides[0].len() - 2);
        let before = self.lateral(row);
        let start = before + (place - row as f32) * (self.lateral(row + 1) - before);
        let [left, right] = self.sides;
        let end = row + left[row].straight.min(right[row].straight) as usize;
        (!start.x.is_nan()).then(|| Straight {
            start: Point::from(start),
            extent: self.lateral(end) - start,
            samples: (end as f32 - place) * SAMPLES as f32,
            compression: self.compression(row),
        })
    }

    /// Avoids `array::map`, which is not inlined here and took a tenth of the time of a frame.
    #[inline]
    fn lateral(&self, row: usize) -> Vector {
        let [left, right] = self.sides;
        left[row].rest + self.share * (right[row].rest - left[row].rest)
    }

    #[inline]
    fn compression(&self, row: usize) -> f32 {
        let [left, right] = self.sides;
        let compression = left[row].compression.max(right[row].compression);
        compression.max(LEAST_COMPRESSION)
    }
}
