//! Displacements of vertices of the skin at which the layer's tractions balance the tissue.
//!
//! Unknown are the displacements $d$ of the vertices near tools from where these would relax to. The tissue resists with the forces $Y d$,
//! where $Y$ is the inverse of its compliance at these vertices, and the tractions at the displaced sample points, weighted by area and
//! shape functions, must be the same forces: $Y d = L(d)$. Newton's method with the derivative of each point's response solves it. The
//! derivative is kept while the residual falls quickly; where a step does not reduce the residual, it is halved.

use nalgebra::{Matrix3, Vector3};

use super::dense::{Factors, dot};
use super::layer::{Layer, Response};
use crate::tool::Tool;

/// Iterations; presses need two to ten.
const MOST_ITERATIONS: usize = 60;
/// Halvings of one step.
const MOST_HALVINGS: usize = 8;
/// Residual at which forces are balanced, relative to the largest force.
const TOLERANCE: f64 = 1e-7;
/// The derivative is computed again if a step leaves more than this part of the residual.
const SLOW: f64 = 0.3;

/// A sample point near a tool.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) tool: usize,
    /// Number of the sample point on the skin.
    pub(super) sample: u32,
    /// Position with the vertices where they would relax to, in world [m].
    pub(super) relaxed: Vector3<f64>,
    /// Vertices among those of the problem, and their weights.
    pub(super) corners: [(Option<usize>, f64); 3],
    pub(super) area: f64,
    /// Position on the tool, in its frame, at which the layer is not sheared [m].
    pub(super) anchor: Vector3<f64>,
}

/// The problem of one step.
pub(super) struct Balance<'a> {
    pub(super) layer: Layer,
    /// Tools at the end of the step.
    pub(super) tools: &'a [Tool],
    pub(super) points: &'a [Point],
    /// Force per displacement of the vertices in this step [N/m], row by row, shape `[3 n, 3 n]`.
    pub(super) stiffness: &'a [f64],
    /// Number of vertices, n.
    pub(super) n: usize,
}

/// Balanced forces.
pub(super) struct Balanced {
    /// Displacement of each vertex [m], shape `[3 n]`.
    pub(super) displacements: Vec<f64>,
    /// Force of the layer on each vertex [N], shape `[3 n]`.
    pub(super) forces: Vec<f64>,
    /// Position and response of each point in contact, by its index.
    pub(super) touching: Vec<(usize, Vector3<f64>, Response)>,
    /// Forces less those with which the tissue resists [N].
    residual: Vec<f64>,
    /// Largest entry of the residual.
    size: f64,
}

impl Balance<'_> {
    /// Solves from a first guess of the displacements; `None` if the numbers are not finite.
    pub(super) fn solve(&self, guess: Vec<f64>) -> Option<Balanced> {
        let mut state = self.evaluate(guess);
        let mut factors: Option<Factors> = None;
        for _ in 0..MOST_ITERATIONS {
            if !state.size.is_finite() {
                return None;
            }
            let scale = state
                .forces
                .iter()
                .fold(f64::MIN_POSITIVE, |most: f64, f| most.max(f.abs()));
            if state.size <= TOLERANCE * scale {
                break;
            }
            let is_fresh = factors.is_none();
            let known = factors.take().unwrap_or_else(|| self.derivative(&state));
            let mut step = state.residual.clone();
            known.solve(&mut step);
            let next = self.evaluate(moved(&state.displacements, &step, 1.0));
            if next.size < SLOW * state.size {
                (state, factors) = (next, Some(known));
            } else if !is_fresh {
                // With the derivative here.
                if next.size < state.size {
                    state = next;
                }
            } else {
                state = self.shortened(&state, &step, next);
            }
        }
        Some(state)
    }

    /// The state after a part of a step with a smaller residual than before, or after the shortest part.
    fn shortened(&self, state: &Balanced, step: &[f64], whole: Balanced) -> Balanced {
        let mut next = whole;
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            if next.size < state.size {
                break;
            }
            length *= 0.5;
            next = self.evaluate(moved(&state.displacements, step, length));
        }
        next
    }

    /// The layer's tractions for given displacements.
    fn evaluate(&self, displacements: Vec<f64>) -> Balanced {
        let mut touching = Vec::with_capacity(self.points.len());
        let mut forces = vec![0.0; 3 * self.n];
        for (index, point) in self.points.iter().enumerate() {
            let mut position = point.relaxed;
            for &(vertex, weight) in &point.corners {
                if let Some(vertex) = vertex {
                    position +=
                        Vector3::from_column_slice(&displacements[3 * vertex..3 * vertex + 3])
                            * weight;
                }
            }
            let tool = &self.tools[point.tool];
            let Some(response) = self.layer.response(tool, &position, &point.anchor) else {
                continue;
            };
            for &(vertex, weight) in &point.corners {
                if let Some(vertex) = vertex {
                    let force = response.traction * (weight * point.area);
                    for (sum, force) in forces[3 * vertex..3 * vertex + 3].iter_mut().zip(&force) {
                        *sum += force;
                    }
                }
            }
            touching.push((index, position, response));
        }
        let rows = self.stiffness.chunks_exact((3 * self.n).max(1));
        let residual: Vec<f64> = rows
            .zip(&forces)
            .map(|(row, force)| force - dot(row, &displacements))
            .collect();
        // The sum keeps what is not finite, which a maximum would lose.
        let finite: f64 = residual.iter().map(|x| 0.0 * x).sum();
        let size = residual.iter().fold(0.0, |most: f64, x| most.max(x.abs())) + finite;
        Balanced {
            displacements,
            forces,
            touching,
            residual,
            size,
        }
    }

    /// Derivative of the residual by the displacements, times −1, factored.
    fn derivative(&self, state: &Balanced) -> Factors {
        let width = 3 * self.n;
        let mut matrix = self.stiffness.to_vec();
        for (index, _, response) in &state.touching {
            let point = &self.points[*index];
            for &(a, weight) in &point.corners {
                for &(b, other) in &point.corners {
                    let (Some(a), Some(b)) = (a, b) else { continue };
                    let block: Matrix3<f64> = response.stiffness * (weight * other * point.area);
                    for i in 0..3 {
                        let start = (3 * a + i) * width + 3 * b;
                        for j in 0..3 {
                            matrix[start + j] += block[(i, j)];
                        }
                    }
                }
            }
        }
        Factors::new(width, matrix)
    }
}

fn moved(from: &[f64], step: &[f64], length: f64) -> Vec<f64> {
    from.iter()
        .zip(step)
        .map(|(x, step)| x + length * step)
        .collect()
}
