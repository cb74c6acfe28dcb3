//! Equilibrium of a block with a rigid tool, by Newton's method; its equations are solved by conjugate gradients.

use nalgebra::{Matrix3, Vector3};

use super::elements::{self, GAUSS, Law, Point, lame, quadratic};
use super::grid::{Extent, Grid, Resolution};
use crate::soft_block::{POISSON, Tool};

/// Pressure per penetration of the tool, and shear stress per slip [Pa/m].
const PENALTY: f64 = 2e9;
/// Residual of the forces at which they balance, relative to the contact force.
const BALANCED: f64 = 1e-5;

/// A point of integration on the upper face.
struct Spot {
    nodes: [usize; 9],
    shape: [f64; 9],
    rest: Vector3<f64>,
    area: f64,
    /// Place relative to the tool at which the shear stress would be zero.
    anchor: Option<Vector3<f64>>,
    /// Largest shear stress [Pa].
    limit: f64,
}

/// Traction of the tool on the block at a spot [Pa], minus its derivative [Pa/m], and the new anchor.
struct Touch {
    pressure: f64,
    traction: Vector3<f64>,
    stiffness: Matrix3<f64>,
    anchor: Vector3<f64>,
}

/// Gradient of the energy at each node [N], and the contact at each spot.
type Assembled = (Vec<Vector3<f64>>, Vec<Option<Touch>>);

/// A block and its tool.
pub(crate) struct Equilibrium {
    grid: Grid,
    law: Law,
    tool: Tool,
    friction: f64,
    /// Lowest point of the tool [m].
    position: Vector3<f64>,
    top: f64,
    moved: Vec<Vector3<f64>>,
    /// Displacements before the last step of a drag.
    last: Vec<Option<Vector3<f64>>>,
    points: Vec<Vec<Point>>,
    lame: Vec<[f64; 2]>,
    spots: Vec<Spot>,
    /// Pressure per depth, and shear stress per slip, at present [Pa/m].
    penalty: f64,
    /// How often the block is as large as the part that is computed.
    copies: f64,
    force: Vector3<f64>,
    /// Stiffness of each element [N/m], shape `[n_elements, 81, 81]`.
    stiffness: Vec<f64>,
}

impl Equilibrium {
    pub(crate) fn new(
        extent: Extent,
        tool: Tool,
        friction: f64,
        resolution: Resolution,
        law: Law,
        young_modulus: impl Fn(f64) -> f64,
    ) -> Self {
        let grid = Grid::new(extent, tool, resolution);
        let points: Vec<Vec<Point>> = grid
            .elements
            .iter()
            .map(|element| elements::points(&grid, element))
            .collect();
        let middle = |element: &[usize; 27]| grid.points[element[13]].z;
        let lame = grid
            .elements
            .iter()
            .map(|element| lame(young_modulus(middle(element)), POISSON))
            .collect();
        let spots = grid
            .faces
            .iter()
            .flat_map(|face| spots(&grid, face))
            .collect();
        Self {
            law,
            tool,
            friction,
            position: Vector3::z() * extent.height,
            top: extent.height,
            moved: vec![Vector3::zeros(); grid.points.len()],
            last: vec![None; grid.points.len()],
            points,
            lame,
            spots,
            penalty: PENALTY,
            copies: if extent.is_half { 2.0 } else { 4.0 },
            force: Vector3::zeros(),
            stiffness: vec![0.0; 81 * 81 * grid.elements.len()],
            grid,
        }
    }

    /// Force of the block on the tool [N].
    pub(crate) fn force(&self) -> Vector3<f64> {
        self.force
    }

    /// Moves the tool to a displacement along x and z from where it touches the block [m], and finds the equilibrium.
    pub(crate) fn move_tool(&mut self, [along, down]: [f64; 2]) {
        let position = Vector3::new(along, 0.0, self.top + down);
        let way = position - self.position;
        self.position = position;
        let before = self.moved.clone();
        if way.z == 0.0 {
            // In a drag: as in the step before, or sheared with the tool.
            for ((moved, last), point) in
                self.moved.iter_mut().zip(&self.last).zip(&self.grid.points)
            {
                *moved = match last {
                    Some(last) => *moved * 2.0 - last,
                    None => *moved + way * (point.z / self.top),
                };
            }
            self.last = before.into_iter().map(Some).collect();
        } else {
            for (part, tolerance) in [(1e-3, 0.05), (0.03, 0.05), (1.0, 0.01)] {
                self.penalty = part * PENALTY;
                self.balance(tolerance);
            }
        }
        // The limits of friction follow the pressures.
        let mut last = f64::INFINITY;
        for _ in 0..50 {
            let touches = self.balance(BALANCED);
            let force = self.force.norm();
            let is_final = (force - last).abs() < 1e-4 * force;
            last = force;
            for (spot, touch) in self.spots.iter_mut().zip(touches) {
                spot.limit = touch
                    .as_ref()
                    .map_or(0.0, |touch| self.friction * touch.pressure);
                if is_final {
                    spot.anchor = touch
                        .filter(|touch| touch.pressure > 0.0)
                        .map(|touch| touch.anchor);
                }
            }
            if is_final || self.friction == 0.0 {
                return;
            }
        }
        panic!("friction does not settle at {:?}", self.position);
    }

    /// Equilibrium up to a residual relative to the contact force, with the limits of friction as they are.
    fn balance(&mut self, tolerance: f64) -> Vec<Option<Touch>> {
        let (mut gradient, mut touches) = self.assemble().expect("a state that was accepted");
        for _ in 0..100 {
            let residual = norm(&gradient);
            if residual < tolerance * self.force.norm() / self.copies {
                return touches;
            }
            let step = self.solve(&gradient, &touches);
            let start = self.moved.clone();
            let slope = dot(&gradient, &step);
            let mut length = 1.0;
            // Shorter steps while the energy rises at the end of the step as fast as it fell at its start.
            (gradient, touches) = loop {
                for ((moved, start), step) in self.moved.iter_mut().zip(&start).zip(&step) {
                    *moved = start - step * length;
                }
                match self.assemble() {
                    Some((gradient, touches))
                        if dot(&gradient, &step) > -0.9 * slope || length < 1e-3 =>
                    {
                        break (gradient, touches);
                    }
                    _ => length *= 0.5,
                }
            };
        }
        panic!("no equilibrium at {:?}", self.position);
    }

    /// Gradient of the energy [N] and the contact at each spot; the stiffness of the elements is kept.
    fn assemble(&mut self) -> Option<Assembled> {
        let mut gradient = vec![Vector3::zeros(); self.grid.points.len()];
        self.stiffness.fill(0.0);
        let matrices = self.stiffness.chunks_mut(81 * 81);
        for (index, (element, matrix)) in self.grid.elements.iter().zip(matrices).enumerate() {
            let moved = element.map(|node| self.moved[node]);
            let mut forces = [Vector3::zeros(); 27];
            let points = &self.points[index];
            elements::add(
                self.law,
                self.lame[index],
                points,
                &moved,
                &mut forces,
                matrix,
            )?;
            for (&node, force) in element.iter().zip(forces) {
                gradient[node] += force;
            }
        }
        self.force = Vector3::zeros();
        let mut touches = Vec::with_capacity(self.spots.len());
        for spot in &self.spots {
            let touch = self.touch(spot);
            if let Some(Touch { traction, .. }) = &touch {
                let force = traction * spot.area;
                self.force -= force * self.copies;
                for (&node, shape) in spot.nodes.iter().zip(spot.shape) {
                    gradient[node] -= force * shape;
                }
            }
            touches.push(touch);
        }
        // By symmetry.
        self.force.y = 0.0;
        if self.copies > 3.0 {
            self.force.x = 0.0;
        }
        self.hold(&mut gradient);
        Some((gradient, touches))
    }

    fn hold(&self, values: &mut [Vector3<f64>]) {
        for (value, is_fixed) in values.iter_mut().zip(&self.grid.is_fixed) {
            for axis in 0..3 {
                if is_fixed[axis] {
                    value[axis] = 0.0;
                }
            }
        }
    }

    /// The contact at a spot, if it is inside of the tool.
    fn touch(&self, spot: &Spot) -> Option<Touch> {
        let moved: Vector3<f64> = spot
            .nodes
            .iter()
            .zip(spot.shape)
            .map(|(&node, shape)| self.moved[node] * shape)
            .sum();
        let at = spot.rest + moved - self.position;
        let (depth, normal, bend) = match self.tool {
            Tool::Punch { radius } => {
                // A linear solid's displacements are small: points stay below the face or next to it.
                let level = match self.law {
                    Law::Linear => spot.rest.xy().norm(),
                    Law::NeoHookean => at.xy().norm(),
                };
                let depth = if level < radius { at.z } else { 0.0 };
                (depth, -Vector3::z(), 0.0)
            }
            Tool::Ball { radius } => {
                let from_center = at - Vector3::z() * radius;
                let length = from_center.norm();
                (radius - length, from_center / length, 1.0 / length)
            }
        };
        // Friction acts with its limit until that is updated, so that forces are continuous.
        if depth <= 0.0 && spot.limit == 0.0 {
            return None;
        }
        let pressure = self.penalty * depth.max(0.0);
        let normal_stiffness = if depth > 0.0 { self.penalty } else { 0.0 };
        let across = normal * normal.transpose();
        let along = Matrix3::identity() - across;
        let mut touch = Touch {
            pressure,
            traction: normal * pressure,
            stiffness: across * normal_stiffness - along * (pressure * bend),
            anchor: at,
        };
        if let Some(anchor) = spot.anchor.filter(|_| spot.limit > 0.0) {
            let slip = along * (at - anchor);
            let (length, limit) = (slip.norm(), spot.limit);
            if self.penalty * length <= limit {
                touch.traction -= slip * self.penalty;
                touch.stiffness += along * self.penalty;
                touch.anchor = anchor;
            } else {
                let direction = slip / length;
                touch.traction -= direction * limit;
                touch.stiffness += (along - direction * direction.transpose()) * (limit / length);
                touch.anchor = at - direction * (limit / self.penalty);
            }
        }
        Some(touch)
    }

    /// The stiffness times a displacement [N].
    fn product(&self, touches: &[Option<Touch>], x: &[Vector3<f64>], into: &mut [Vector3<f64>]) {
        into.fill(Vector3::zeros());
        let matrices = self.stiffness.chunks(81 * 81);
        for (element, matrix) in self.grid.elements.iter().zip(matrices) {
            let mut local = [0.0; 81];
            for (part, &node) in local.chunks_mut(3).zip(element) {
                part.copy_from_slice(x[node].as_slice());
            }
            let mut product = [0.0; 81];
            // The matrix is symmetric.
            for (row, &value) in matrix.chunks(81).zip(&local) {
                for (sum, entry) in product.iter_mut().zip(row) {
                    *sum += entry * value;
                }
            }
            for (part, &node) in product.chunks(3).zip(element) {
                into[node] += Vector3::from_column_slice(part);
            }
        }
        for (spot, touch) in self.spots.iter().zip(touches) {
            let Some(touch) = touch else { continue };
            let pairs = spot.nodes.iter().zip(spot.shape);
            let moved: Vector3<f64> = pairs.map(|(&node, shape)| x[node] * shape).sum();
            let force = touch.stiffness * moved * spot.area;
            for (&node, shape) in spot.nodes.iter().zip(spot.shape) {
                into[node] += force * shape;
            }
        }
        self.hold(into);
    }

    /// Inverse diagonal blocks of the stiffness.
    fn preconditioner(&self, touches: &[Option<Touch>]) -> Vec<Matrix3<f64>> {
        let mut blocks = vec![Matrix3::zeros(); self.grid.points.len()];
        let matrices = self.stiffness.chunks(81 * 81);
        for (element, matrix) in self.grid.elements.iter().zip(matrices) {
            for (a, &node) in element.iter().enumerate() {
                blocks[node] += Matrix3::from_fn(|i, j| matrix[(3 * a + i) * 81 + 3 * a + j]);
            }
        }
        for (spot, touch) in self.spots.iter().zip(touches) {
            let Some(touch) = touch else { continue };
            for (&node, shape) in spot.nodes.iter().zip(spot.shape) {
                blocks[node] += touch.stiffness * (spot.area * shape * shape);
            }
        }
        for (block, is_fixed) in blocks.iter_mut().zip(&self.grid.is_fixed) {
            for axis in 0..3 {
                if is_fixed[axis] {
                    let diagonal = block[(axis, axis)];
                    block.row_mut(axis).fill(0.0);
                    block.column_mut(axis).fill(0.0);
                    block[(axis, axis)] = diagonal;
                }
            }
            *block = block.try_inverse().expect("every node has a stiffness");
        }
        blocks
    }

    /// Conjugate gradients, down to a thousandth of the residual.
    fn solve(&self, right: &[Vector3<f64>], touches: &[Option<Touch>]) -> Vec<Vector3<f64>> {
        let inverse = self.preconditioner(touches);
        let apply = |r: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
            r.iter().zip(&inverse).map(|(r, block)| block * r).collect()
        };
        let mut x = vec![Vector3::zeros(); right.len()];
        let mut residual = right.to_vec();
        let mut direction = apply(&residual);
        let mut product = x.clone();
        let mut energy = dot(&residual, &direction);
        let target = 1e-3 * norm(right);
        for _ in 0..20_000 {
            self.product(touches, &direction, &mut product);
            let step = energy / dot(&direction, &product);
            for (((x, r), d), p) in x
                .iter_mut()
                .zip(&mut residual)
                .zip(&direction)
                .zip(&product)
            {
                *x += d * step;
                *r -= p * step;
            }
            if norm(&residual) < target {
                return x;
            }
            let smooth = apply(&residual);
            let next = dot(&residual, &smooth);
            for (d, s) in direction.iter_mut().zip(&smooth) {
                *d = s + *d * (next / energy);
            }
            energy = next;
        }
        panic!("conjugate gradients did not converge");
    }
}

fn spots(grid: &Grid, face: &[usize; 9]) -> Vec<Spot> {
    let mut spots = Vec::with_capacity(9);
    for (x, u) in GAUSS {
        for (y, v) in GAUSS {
            let [(a, by_a), (b, by_b)] = [x, y].map(quadratic);
            let shape: [f64; 9] = std::array::from_fn(|node| a[node / 3] * b[node % 3]);
            let sum = |weight: &dyn Fn(usize) -> f64| -> Vector3<f64> {
                let nodes = face.iter().enumerate();
                nodes
                    .map(|(local, &node)| grid.points[node] * weight(local))
                    .sum()
            };
            let first = sum(&|node| by_a[node / 3] * b[node % 3]);
            let second = sum(&|node| a[node / 3] * by_b[node % 3]);
            spots.push(Spot {
                nodes: *face,
                shape,
                rest: sum(&|node| shape[node]),
                area: first.cross(&second).norm() * u * v,
                anchor: None,
                limit: 0.0,
            });
        }
    }
    spots
}

fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

fn norm(a: &[Vector3<f64>]) -> f64 {
    dot(a, a).sqrt()
}
