//! Rest points of beam space, between nodes at which the deformation is asked.
//!
//! Lines pass over many points that lie close to each other; nodes some millimetres apart give those in between within some micrometres,
//! as long as the strain changes little from node to node.

use super::grid::Grid;
use super::scene::View;
use crate::deformation::{Point, Vector};
use crate::parts::Workers;

/// Lines and samples from node to node.
const LINES: usize = 4;
const SAMPLES: usize = 8;

/// Where rays are stretched more than this, leaps are not longer still.
const LEAST_COMPRESSION: f32 = 0.5;

/// A point at rest; not a number outside of the body.
type Node = Vector;

/// Nodes over lines, rays and samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestGrid {
    n_rows: usize,
    /// Shape `[lines, 3, n_rows]`.
    nodes: Vec<Node>,
}

/// The nodes of a ray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    nodes: Vec<Node>,
    /// For each node the most that distances at rest along the ray exceed those in the world from there on.
    compression: Vec<f32>,
}

impl RestGrid {
    /// Asks the deformation.
    pub(crate) fn locate(&mut self, view: &View, grid: &Grid, workers: Workers) {
        self.n_rows = grid.n_samples / SAMPLES + 2;
        let n_columns = 3 * ((grid.n_lines - 1) / LINES + 2);
        let nowhere = Node::repeat(f32::NAN);
        self.nodes.resize(n_columns * self.n_rows, nowhere);
        workers.for_each_part(
            &mut self.nodes,
            self.n_rows,
            8,
            || (),
            |(), column, nodes| {
                let (line, ray) = (column / 3 * LINES, column % 3);
                for (row, node) in nodes.iter_mut().enumerate() {
                    let sample = row * SAMPLES;
                    let elevation = grid.elevation(ray, sample);
                    let point = grid.point(line as f32, sample as f32 * grid.step, elevation);
                    *node = view.rest(&point).map_or(nowhere, |rest| rest.coords);
                }
            },
        );
    }

    /// Nodes of a ray of a line, between those of its neighbours.
    pub(crate) fn column(&self, grid: &Grid, line: usize, ray: usize, column: &mut Column) {
        let length = SAMPLES as f32 * grid.step;
        let share = (line % LINES) as f32 / LINES as f32;
        let side = |beside: usize| {
            let start = (3 * (line / LINES + beside) + ray) * self.n_rows;
            &self.nodes[start..start + self.n_rows]
        };
        let between = |(left, right): (&Node, &Node)| left + share * (right - left);
        let Column { nodes, compression } = column;
        nodes.clear();
        nodes.extend(side(0).iter().zip(side(1)).map(between));
        compression.resize(nodes.len(), 1.0);
        // What lies between is linear, so that no way along the ray is longer at rest.
        let mut most = 0.0f32;
        for row in (0..nodes.len() - 1).rev() {
            // Outside of the body the longer way is not a number.
            most = most.max((nodes[row + 1] - nodes[row]).norm() / length);
            compression[row] = most;
        }
    }

    /// Cosine of the angle between a ray and a normal at rest [m]; 1 where that is not known.
    ///
    /// Normals are gradients: they turn with the transpose of the rest point's derivative, here along, across lines and across the array.
    pub(crate) fn cosine(&self, grid: &Grid, line: usize, sample: f32, normal: &Vector) -> f32 {
        let row = (sample as usize / SAMPLES + 1).min(self.n_rows - 1);
        let at = |beside: usize, ray: usize, row: usize| {
            self.nodes[(3 * (line / LINES + beside) + ray) * self.n_rows + row]
        };
        let range = (row * SAMPLES) as f32 * grid.step;
        let along = (at(0, 1, row) - at(0, 1, row - 1)) / (SAMPLES as f32 * grid.step);
        let beside = (at(1, 1, row) - at(0, 1, row)) / (LINES as f32 * grid.line_distance(range));
        let width = grid.elevation(2, row * SAMPLES) - grid.elevation(0, row * SAMPLES);
        let across = (at(0, 2, row) - at(0, 0, row)) / width;
        let gradient = Vector::new(along.dot(normal), beside.dot(normal), across.dot(normal));
        let cosine = gradient.x.abs() / gradient.norm();
        if cosine <= 1.0 { cosine } else { 1.0 }
    }
}

impl Column {
    /// Rest point at a depth in samples, and the compression from there on; `None` where that is not known.
    #[inline]
    pub(crate) fn at(&self, sample: f32) -> Option<(Point, f32)> {
        let place = sample / SAMPLES as f32;
        let row = (place as usize).min(self.nodes.len() - 2);
        let [before, after] = [self.nodes[row], self.nodes[row + 1]];
        let rest = before + (place - row as f32) * (after - before);
        let compression = self.compression[row].max(LEAST_COMPRESSION);
        (!rest.x.is_nan()).then_some((Point::from(rest), compression))
    }
}
