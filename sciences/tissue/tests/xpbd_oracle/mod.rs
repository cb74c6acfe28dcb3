//! XPBD in f64, directly from its equations.

mod patches;

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

pub(crate) use patches::{TET_SHARE, cubes, shape_gradients};

type V = Vector3<f64>;

/// A constraint: value and gradients from positions.
pub(crate) enum Law {
    /// Length at rest, compliance, damping time.
    Distance(f64, f64, f64),
    /// Damping.
    Dashpot(f64),
    /// Volume at rest, compliance, damping time.
    Volume(f64, f64, f64),
    /// Gradients that give F, volume, λ, μ.
    Solid(Vec<V>, f64, f64, f64),
}
pub(crate) struct Constraint {
    pub(crate) vertices: Vec<usize>,
    pub(crate) law: Law,
}
pub(crate) enum Sweep {
    GaussSeidel,
    Jacobi,
    Averaged(f64),
}
pub(crate) struct Ball {
    pub(crate) position: V,
    pub(crate) velocity: V,
    pub(crate) radius: f64,
    pub(crate) friction: f64,
}
pub(crate) struct Oracle {
    pub(crate) positions: Vec<V>,
    pub(crate) velocities: Vec<V>,
    pub(crate) inv_masses: Vec<f64>,
    pub(crate) constraints: Vec<Vec<Constraint>>,
    pub(crate) sweep: Sweep,
    pub(crate) iterations: usize,
    pub(crate) gravity: V,
    pub(crate) drag: f64,
    pub(crate) push_speed: f64,
    pub(crate) ball: Ball,
    /// Momentum given to the ball.
    pub(crate) impulse: V,
}

/// Constraints by greedy colours.
pub(crate) fn by_color(constraints: Vec<Constraint>) -> Vec<Constraint> {
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut colored: Vec<(usize, Constraint)> = Vec::new();
    for constraint in constraints {
        let is_free = |color: &usize| {
            let of = |vertex: &usize| taken.contains(&(*vertex, *color));
            !constraint.vertices.iter().any(of)
        };
        let color = (0..).find(is_free).unwrap();
        taken.extend(constraint.vertices.iter().map(|vertex| (*vertex, color)));
        colored.push((color, constraint));
    }
    colored.sort_by_key(|(color, _)| *color);
    colored
        .into_iter()
        .map(|(_, constraint)| constraint)
        .collect()
}

impl Oracle {
    pub(crate) fn substep(&mut self, dt: f64) {
        let before = self.positions.clone();
        for i in 0..self.positions.len() {
            if self.inv_masses[i] > 0.0 {
                self.velocities[i] += self.gravity * dt;
                self.positions[i] += self.velocities[i] * dt;
            }
        }
        let n: usize = self.constraints.iter().map(Vec::len).sum();
        let mut multipliers = vec![Vector2::zeros(); n];
        for _ in 0..self.iterations {
            self.solve(dt, &before, &mut multipliers);
            self.meet(dt, &before);
        }
        for i in 0..self.positions.len() {
            let velocity = (self.positions[i] - before[i]) / dt;
            self.velocities[i] = velocity * (1.0 - self.drag * dt);
        }
    }

    fn solve(&mut self, dt: f64, before: &[V], multipliers: &mut [Vector2<f64>]) {
        let is_split = matches!(self.sweep, Sweep::Jacobi);
        // Patches of eight points have eight shares of a split mass.
        let weight = |it: &Constraint| match it.vertices.len() {
            8 if is_split => 8.0,
            _ => 1.0,
        };
        let mut counts = vec![0.0; self.positions.len()];
        for constraint in self.constraints.iter().flatten() {
            for i in &constraint.vertices {
                counts[*i] += weight(constraint);
            }
        }
        let mut sums = vec![Vector3::zeros(); self.positions.len()];
        for (constraint, multiplier) in self.constraints.iter().flatten().zip(multipliers) {
            let at = &constraint.vertices;
            let x: Vec<_> = at.iter().map(|i| self.positions[*i]).collect();
            let weight = weight(constraint);
            let share = |i: usize| if is_split { counts[i] / weight } else { 1.0 };
            let w: Vec<f64> = at.iter().map(|i| self.inv_masses[*i] * share(*i)).collect();
            let moved: Vec<_> = x.iter().zip(at).map(|(x, i)| x - before[*i]).collect();
            let steps = correct(&constraint.law, &x, &w, &moved, dt, multiplier);
            for (i, step) in at.iter().zip(steps) {
                match self.sweep {
                    Sweep::GaussSeidel => self.positions[*i] += step,
                    Sweep::Jacobi => sums[*i] += step * (weight / counts[*i]),
                    Sweep::Averaged(relaxation) => sums[*i] += step * relaxation / counts[*i],
                }
            }
        }
        for (position, sum) in self.positions.iter_mut().zip(sums) {
            *position += sum;
        }
    }

    fn meet(&mut self, dt: f64, before: &[V]) {
        let ball = &self.ball;
        for i in 0..self.positions.len() {
            let arm = self.positions[i] - ball.position;
            let depth = ball.radius - arm.norm();
            if depth <= 0.0 || self.inv_masses[i] == 0.0 {
                continue;
            }
            let normal = arm.normalize();
            let most = dt * (self.push_speed + ball.velocity.dot(&normal).max(0.0));
            let push = depth.min(most);
            let relative = self.positions[i] - before[i] + normal * push - ball.velocity * dt;
            let along = relative - normal * relative.dot(&normal);
            let step = normal * push - along * (ball.friction * push / along.norm()).min(1.0);
            self.positions[i] += step;
            self.impulse -= step / (self.inv_masses[i] * dt);
        }
    }
}

fn correct(
    law: &Law,
    x: &[V],
    w: &[f64],
    moved: &[V],
    dt: f64,
    multiplier: &mut Vector2<f64>,
) -> Vec<V> {
    let mut scalar = |value: f64, g: &[V], [stiffness, compliance, gamma]: [f64; 3]| {
        let rate: f64 = g.iter().zip(moved).map(|(g, d)| g.dot(d)).sum();
        let mass: f64 = g.iter().zip(w).map(|(g, w)| w * g.norm_squared()).sum();
        let constraint = stiffness * value + compliance * multiplier[0] + gamma * rate;
        let delta_lambda = -constraint / ((stiffness + gamma) * mass + compliance);
        multiplier[0] += delta_lambda;
        g.iter()
            .zip(w)
            .map(|(g, w)| g * (w * delta_lambda))
            .collect()
    };
    match law {
        Law::Distance(length, compliance, damping_time) => {
            let n = (x[1] - x[0]).normalize();
            let value = (x[1] - x[0]).norm() - length;
            scalar(
                value,
                &[-n, n],
                [1.0, compliance / dt.powi(2), damping_time / dt],
            )
        }
        Law::Dashpot(damping) => {
            let n = (x[1] - x[0]).normalize();
            scalar(0.0, &[-n, n], [0.0, 1.0, damping * dt])
        }
        Law::Volume(volume, compliance, damping_time) => {
            let (value, g) = volume_of(x);
            let parameters = [1.0, compliance / dt.powi(2), damping_time / dt];
            scalar(value - volume, &g, parameters)
        }
        Law::Solid(gradients, volume, lambda, mu) => {
            let all = || x.iter().zip(gradients);
            let f: Matrix3<f64> = all().map(|(x, g)| x * g.transpose()).sum();
            let cofactor = f.determinant() * f.try_inverse().unwrap().transpose();
            let h: Vec<_> = gradients.iter().map(|g| cofactor * g).collect();
            let d: Vec<_> = gradients.iter().map(|g| f * g / f.norm()).collect();
            let value = Vector2::new(f.determinant() - 1.0 - mu / lambda, f.norm());
            let compliance = Vector2::new(1.0 / (lambda * volume), 1.0 / (mu * volume)) / (dt * dt);
            let mut mass = Matrix2::from_diagonal(&compliance);
            for i in 0..x.len() {
                let [hh, hd, dd] = [h[i].dot(&h[i]), h[i].dot(&d[i]), d[i].dot(&d[i])];
                mass += Matrix2::new(hh, hd, hd, dd) * w[i];
            }
            let right = -value - compliance.component_mul(multiplier);
            let delta_lambda = mass.try_inverse().unwrap() * right;
            *multiplier += delta_lambda;
            let correction = |i: usize| (h[i] * delta_lambda[0] + d[i] * delta_lambda[1]) * w[i];
            (0..x.len()).map(correction).collect()
        }
    }
}

fn volume_of(x: &[V]) -> (f64, [V; 4]) {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let g = [b.cross(&c) / 6.0, c.cross(&a) / 6.0, a.cross(&b) / 6.0];
    (a.dot(&g[0]), [-g[0] - g[1] - g[2], g[0], g[1], g[2]])
}
