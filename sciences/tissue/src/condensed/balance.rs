//! Forces on vertices of the skin at which the layer's tractions balance the tissue.
//!
//! Unknown are the forces $f$ on the vertices near tools. The tissue gives way by $u = C f$ from where the vertices would relax to, with its
//! compliance $C$ in a step, and the tractions at the displaced sample points, weighted by area and shape functions, must be the same
//! forces: $f = L(C f)$. Newton's method solves it, $(I + K C)\,\delta = L(C f) - f$ with $K = -L'$. The matrix is kept while the residual
//! falls quickly, also from step to step; where a step of the method does not reduce the residual, it is halved.

use nalgebra::{Matrix3, Vector3};

use super::candidates::{Candidates, change, weighted};
use super::dense::{AddSparseProduct, Factors};
use super::layer::{Layer, Response};
use super::model::CondensedModel;
use super::region::{OUTSIDE, Region};
use crate::tool::Tool;

/// Iterations; presses need one to five.
const MOST_ITERATIONS: usize = 60;
/// Halvings of one step.
const MOST_HALVINGS: usize = 8;
/// Residual at which forces are balanced, relative to the largest force.
const TOLERANCE: f64 = 1e-6;
/// The matrix is computed again if a step leaves more than this part of the residual.
const SLOW: f64 = 0.3;
/// The matrix is computed again after this number of iterations with an earlier one.
const PATIENCE: usize = 3;

/// A triangle of the skin with sample points near a tool.
#[derive(Debug, Clone)]
pub(super) struct Triangle {
    pub(super) tool: usize,
    /// Index among the candidates of the tool.
    pub(super) candidate: usize,
    /// Rows of its corners in the region; [`OUTSIDE`]: fixed.
    pub(super) rows: [u32; 3],
    /// Corners in the tool's frame with the vertices where they would relax to [m].
    pub(super) corners: [Vector3<f64>; 3],
    /// Area of each sample point [m²].
    pub(super) area: f64,
    /// Position of the first of its points.
    pub(super) start: usize,
}

/// What a step starts from.
pub(super) struct Balance<'a> {
    pub(super) model: &'a CondensedModel,
    pub(super) layer: Layer,
    /// Displacement of the tissue by a force in this step, relative to its compliance for 1 Pa [1/Pa].
    pub(super) scale: f64,
    /// Tools at the end of the step, and rotations from world into their frames.
    pub(super) tools: &'a [Tool],
    pub(super) into_tools: &'a [Matrix3<f64>],
    pub(super) triangles: &'a [Triangle],
    /// Positions on the tools at which the layer is not sheared, of all sample points of the triangles [m].
    pub(super) anchors: &'a [Vector3<f64>],
}

/// A point in contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touching {
    /// Index of the triangle near a tool, and of the sample point in it.
    pub(super) triangle: usize,
    pub(super) sample: usize,
    /// Position in the tool's frame [m].
    pub(super) position: Vector3<f64>,
    pub(super) response: Response,
}

/// Forces on the rows of a region, and what they do.
#[derive(Debug, Clone, Default)]
pub(super) struct Iterate {
    /// Forces on the tissue [N], shape `[n_rows, 3]`.
    pub(super) forces: Vec<f64>,
    /// Displacements [m], shape `[n_rows, 3]`.
    displacements: Vec<f64>,
    /// Forces of the layer on the rows [N].
    pub(super) tractions: Vec<Vector3<f64>>,
    pub(super) touching: Vec<Touching>,
    /// Forces of the layer less those on the tissue [N].
    residual: Vec<f64>,
    /// Largest entry of the residual.
    size: f64,
    /// Displacements of the rows in a tool's frame [m].
    own: Vec<Vector3<f64>>,
}

/// Derivative of the layer's forces at some forces, from which Newton's matrix is made.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Linearization {
    pub(super) scale: f64,
    /// Vertices of the skin with forces, in ascending order.
    pub(super) vertices: Vec<u32>,
    /// Sample points of the skin in contact, with the derivative of the traction by the position, times −1, in world [Pa/m].
    pub(super) points: Vec<(u32, Matrix3<f64>)>,
}

impl Linearization {
    /// Newton's matrix for the forces on its vertices, factored.
    pub(super) fn factors(&self, model: &CondensedModel) -> Factors {
        let width = 3 * self.vertices.len();
        let n_skin = model.compliance.n_skin();
        let n_samples = model.skin.samples.len() as u32;
        let mut compliance = vec![0.0; width * width];
        for (row, &vertex) in self.vertices.iter().enumerate() {
            let columns = model.compliance.columns(vertex as usize);
            for axis in 0..3 {
                // The compliance is symmetric.
                let start = (3 * row + axis) * width;
                for (column, &other) in self.vertices.iter().enumerate() {
                    let from = 3 * (n_skin * axis + other as usize);
                    compliance[start + 3 * column..start + 3 * column + 3]
                        .copy_from_slice(&columns[from..from + 3]);
                }
            }
        }
        let mut stiffness = vec![0.0; width * width];
        for (sample, matrix) in &self.points {
            let triangle = &model.skin.triangles[(sample / n_samples) as usize];
            let weights = &model.skin.samples[(sample % n_samples) as usize];
            let places = triangle.corners.map(|corner| {
                corner.and_then(|vertex| self.vertices.binary_search(&(vertex as u32)).ok())
            });
            for (a, weight) in places.iter().zip(weights) {
                for (b, other) in places.iter().zip(weights) {
                    let (Some(a), Some(b)) = (a, b) else { continue };
                    let factor = weight * other * triangle.area * self.scale;
                    for i in 0..3 {
                        for j in 0..3 {
                            stiffness[(3 * a + i) * width + 3 * b + j] += factor * matrix[(i, j)];
                        }
                    }
                }
            }
        }
        let mut matrix = vec![0.0; width * width];
        for index in 0..width {
            matrix[index * (width + 1)] = 1.0;
        }
        AddSparseProduct {
            n: width,
            left: &stiffness,
            right: &compliance,
            sum: &mut matrix,
        }
        .run();
        Factors::new(width, matrix)
    }
}

/// Newton's matrix between iterations and steps.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// Its derivative; `None`: none yet.
    pub(super) linearization: Option<Linearization>,
    /// Its factors; `None` after a state was restored.
    pub(super) factors: Option<Factors>,
}

impl Balance<'_> {
    /// Solves from the forces of an iterate; `None` if the numbers are not finite. `spare` is memory for another iterate.
    pub(super) fn solve(
        &self,
        region: &mut Region,
        matrix: &mut Matrix,
        iterate: &mut Iterate,
        spare: &mut Iterate,
    ) -> Option<()> {
        self.evaluate(region, iterate);
        let mut n_old = 0;
        for _ in 0..MOST_ITERATIONS {
            if !iterate.size.is_finite() {
                return None;
            }
            let scale = iterate
                .tractions
                .iter()
                .fold(f64::MIN_POSITIVE, |most, f| most.max(f.amax()));
            if iterate.size <= TOLERANCE * scale {
                break;
            }
            let is_known = matrix.linearization.as_ref().is_some_and(|known| {
                let mut vertices = known.vertices.iter();
                n_old < PATIENCE && vertices.all(|&it| region.rows[it as usize] != OUTSIDE)
            });
            if !is_known {
                matrix.linearization = Some(self.linearized(region, iterate));
                matrix.factors = None;
                n_old = 0;
            }
            let step = self.step(region, matrix, iterate);
            self.advance(region, iterate, &step, 1.0, spare);
            if spare.size < SLOW * iterate.size {
                std::mem::swap(iterate, spare);
                n_old += usize::from(is_known);
            } else if is_known {
                // With the matrix here.
                if spare.size < iterate.size {
                    std::mem::swap(iterate, spare);
                }
                matrix.linearization = None;
            } else {
                let mut length = 1.0;
                for _ in 0..MOST_HALVINGS {
                    if spare.size < iterate.size {
                        break;
                    }
                    length *= 0.5;
                    self.advance(region, iterate, &step, length, spare);
                }
                std::mem::swap(iterate, spare);
                matrix.linearization = None;
            }
        }
        Some(())
    }

    /// A step of Newton's method, shape `[n_rows, 3]`.
    fn step(&self, region: &Region, matrix: &mut Matrix, iterate: &Iterate) -> Vec<f64> {
        let mut step = iterate.residual.clone();
        let Some(known) = &matrix.linearization else {
            return step;
        };
        let factors = matrix
            .factors
            .get_or_insert_with(|| known.factors(self.model));
        let row = |vertex: &u32| 3 * region.rows[*vertex as usize] as usize;
        let mut right = Vec::with_capacity(3 * known.vertices.len());
        for row in known.vertices.iter().map(row) {
            right.extend_from_slice(&iterate.residual[row..row + 3]);
        }
        let solution = factors.solve(&right);
        for (row, part) in known.vertices.iter().map(row).zip(solution.chunks_exact(3)) {
            step[row..row + 3].copy_from_slice(part);
        }
        step
    }

    /// The iterate after a part of a step.
    fn advance(
        &self,
        region: &mut Region,
        from: &Iterate,
        step: &[f64],
        length: f64,
        into: &mut Iterate,
    ) {
        into.forces.clear();
        let forces = from.forces.iter().zip(step);
        into.forces
            .extend(forces.map(|(force, step)| force + length * step));
        self.evaluate(region, into);
    }

    /// The layer's tractions for given forces.
    fn evaluate(&self, region: &mut Region, iterate: &mut Iterate) {
        let rows = region.vertices.len();
        let loaded = region.loaded(&iterate.forces);
        let forces = loaded.iter().copied();
        region.displacements(self.model, forces, self.scale, &mut iterate.displacements);
        iterate.touching.clear();
        iterate.tractions.clear();
        iterate.tractions.resize(rows, Vector3::zeros());
        let mut start = 0;
        while let Some(first) = self.triangles.get(start) {
            let n = self.triangles[start..].partition_point(|it| it.tool == first.tool);
            self.touch(first.tool, start..start + n, region, iterate);
            start += n;
        }
        iterate.residual.clear();
        let rows = iterate.tractions.iter().zip(iterate.forces.chunks_exact(3));
        for (traction, force) in rows {
            for (traction, force) in traction.iter().zip(force) {
                iterate.residual.push(traction - force);
            }
        }
        // The sum keeps what is not finite, which a maximum would lose.
        let residual = iterate.residual.iter();
        let finite: f64 = residual.clone().map(|x| 0.0 * x).sum();
        iterate.size = residual.fold(0.0, |most: f64, x| most.max(x.abs())) + finite;
    }

    /// Tractions of the triangles near one tool.
    fn touch(
        &self,
        tool: usize,
        triangles: std::ops::Range<usize>,
        region: &Region,
        iterate: &mut Iterate,
    ) {
        let into_tool = &self.into_tools[tool];
        let candidates: &Candidates = &region.tools[tool];
        let Tool {
            shape, friction, ..
        } = &self.tools[tool];
        let moved = iterate.displacements.chunks_exact(3);
        iterate.own.clear();
        iterate
            .own
            .extend(moved.map(|moved| into_tool * Vector3::from_column_slice(moved)));
        for index in triangles {
            let triangle = &self.triangles[index];
            let mut corners = triangle.corners;
            for (corner, &row) in corners.iter_mut().zip(&triangle.rows) {
                if row != OUTSIDE {
                    *corner += iterate.own[row as usize];
                }
            }
            let known = &candidates.triangles[triangle.candidate].corners;
            let change = change(&corners, known);
            let mut sums = [Vector3::zeros(); 3];
            let mut touches = false;
            let distances = candidates.distances(triangle.candidate, &self.model.skin);
            for (sample, distance) in distances.iter().enumerate() {
                if *distance > change {
                    continue;
                }
                let weights = &self.model.skin.samples[sample];
                let position = weighted(&corners, weights);
                let anchor = &self.anchors[triangle.start + sample];
                let Some(response) = self.layer.response(shape, *friction, &position, anchor)
                else {
                    continue;
                };
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += response.traction * (weight * triangle.area);
                }
                touches = true;
                iterate.touching.push(Touching {
                    triangle: index,
                    sample,
                    position,
                    response,
                });
            }
            if touches {
                for (sum, &row) in sums.iter().zip(&triangle.rows) {
                    if row != OUTSIDE {
                        iterate.tractions[row as usize] += into_tool.tr_mul(sum);
                    }
                }
            }
        }
    }

    fn linearized(&self, region: &Region, iterate: &Iterate) -> Linearization {
        let is_loaded = |row: usize| {
            iterate.tractions[row] != Vector3::zeros()
                || iterate.forces[3 * row..3 * row + 3]
                    .iter()
                    .any(|x| *x != 0.0)
        };
        let rows = region.vertices.iter().enumerate();
        let n_samples = self.model.skin.samples.len() as u32;
        Linearization {
            scale: self.scale,
            vertices: rows
                .filter(|&(row, _)| is_loaded(row))
                .map(|(_, &vertex)| vertex as u32)
                .collect(),
            points: iterate
                .touching
                .iter()
                .map(|touching| {
                    let triangle = &self.triangles[touching.triangle];
                    let candidates = &region.tools[triangle.tool].triangles;
                    let number = candidates[triangle.candidate].number;
                    let turn = &self.into_tools[triangle.tool];
                    let friction = self.tools[triangle.tool].friction;
                    let own = self.layer.stiffness(&touching.response, friction);
                    let sample = number * n_samples + touching.sample as u32;
                    (sample, turn.tr_mul(&(own * turn)))
                })
                .collect(),
        }
    }
}
