//! Oracle for indentation: linear elasticity of a round layer on a table, by axisymmetric finite elements with four
//! nodes.
//!
//! The layer is bonded below, its sides are free, and the indenter is rigid and frictionless. The weak form is the
//! textbook one (Zienkiewicz and Taylor, *The Finite Element Method*, §"Axisymmetric stress analysis"): strains ε =
//! (u_r,r, u_z,z, u_r / r, u_r,z + u_z,r). The set of touching nodes is found by removing nodes in tension and adding
//! nodes that would penetrate.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns are counted alike"
)]

/// A round layer and its material.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer {
    pub(crate) radius: f64,
    pub(crate) depth: f64,
    pub(crate) young_modulus: f64,
    pub(crate) poisson_ratio: f64,
}

/// Elements over the contact's radius. Half as many are used too, because the error at a punch's edge is of first
/// order.
const FINE: usize = 24;
/// Growth factor of the elements outside the contact.
const GROWTH: f64 = 1.15;
/// Penalty stiffness of prescribed displacements, relative to the stiffness there.
const PENALTY: f64 = 1e5;

/// Grid from 0 to `end`, with steps of `fine` up to `near` and growing steps beyond.
fn graded(fine: f64, near: f64, end: f64) -> Vec<f64> {
    let (mut at, mut step, mut places) = (0.0, fine, vec![0.0]);
    while at < end {
        at += step;
        places.push(at);
        if at > near {
            step *= GROWTH;
        }
    }
    // The last steps are stretched to meet the end.
    let scale = (end - near) / (at - near);
    for place in &mut places {
        if *place > near {
            *place = near + (*place - near) * scale;
        }
    }
    places
}

/// A symmetric banded matrix: its lower band row by row, the diagonal last.
struct Band {
    width: usize,
    rows: Vec<f64>,
}

impl Band {
    fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.rows[row * (self.width + 1) + self.width - (row - column)]
    }

    /// Solves by Cholesky's decomposition, in place.
    fn solve(mut self, mut x: Vec<f64>) -> Vec<f64> {
        let (n, width) = (x.len(), self.width);
        let stride = width + 1;
        for row in 0..n {
            let first = row.saturating_sub(width);
            for column in first..=row {
                let from = first.max(column.saturating_sub(width));
                let a = &self.rows[row * stride + width - (row - from)..][..column - from];
                let b = &self.rows[column * stride + width - (column - from)..][..column - from];
                let sum: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let rest = *self.at(row, column) - sum;
                *self.at(row, column) = if row == column {
                    rest.sqrt()
                } else {
                    let diagonal = *self.at(column, column);
                    rest / diagonal
                };
            }
            let mut rest = x[row];
            for column in first..row {
                rest -= *self.at(row, column) * x[column];
            }
            x[row] = rest / *self.at(row, row);
        }
        for row in (0..n).rev() {
            x[row] /= *self.at(row, row);
            for column in row.saturating_sub(width)..row {
                x[column] -= *self.at(row, column) * x[row];
            }
        }
        x
    }
}

impl Layer {
    /// Force [N] on an indenter. `way` is its displacement of the surface at a radius [m]; `touches` is the greatest
    /// radius that may be in contact.
    pub(crate) fn force(&self, touches: f64, way: impl Fn(f64) -> f64) -> f64 {
        let [coarse, fine] = [FINE / 2, FINE].map(|n| self.force_by(touches, &way, n));
        2.0 * fine - coarse
    }

    fn force_by(&self, touches: f64, way: impl Fn(f64) -> f64, n: usize) -> f64 {
        let fine = touches / n as f64;
        let r = graded(fine, 1.3 * touches, self.radius);
        let z = graded(fine, 1.3 * touches, self.depth);
        let node = |i: usize, j: usize| 2 * (i * z.len() + j);
        let inner: Vec<usize> = (0..r.len())
            .filter(|&i| r[i] <= touches * (1.0 + 1e-9) && way(r[i]) > 0.0)
            .collect();
        let mut touching = inner.clone();
        for _ in 0..40 {
            let mut matrix = self.matrix(&r, &z);
            let mut hold = |index: usize| {
                let diagonal = matrix.at(index, index);
                let spring = PENALTY * *diagonal;
                *diagonal += spring;
                spring
            };
            let mut load = vec![0.0; 2 * r.len() * z.len()];
            for j in 0..z.len() {
                hold(node(0, j));
            }
            for i in 0..r.len() {
                for k in 0..2 {
                    hold(node(i, z.len() - 1) + k);
                }
            }
            let mut springs = vec![0.0; r.len()];
            for &i in &touching {
                let top = node(i, 0) + 1;
                springs[i] = hold(top);
                load[top] = springs[i] * way(r[i]);
            }
            let moved = matrix.solve(load);
            let push = |i: usize| springs[i] * (way(r[i]) - moved[node(i, 0) + 1]);
            let next: Vec<usize> = inner
                .iter()
                .copied()
                .filter(|&i| {
                    if touching.contains(&i) {
                        push(i) > 0.0
                    } else {
                        moved[node(i, 0) + 1] < way(r[i])
                    }
                })
                .collect();
            if next == touching {
                return touching.iter().map(|&i| push(i)).sum();
            }
            touching = next;
        }
        panic!("the contact was not found");
    }

    /// Stiffness without constraints; z points down from the surface.
    fn matrix(&self, r: &[f64], z: &[f64]) -> Band {
        let nu = self.poisson_ratio;
        let scale = self.young_modulus / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let (same, other, shear) = (
            scale * (1.0 - nu),
            scale * nu,
            scale * (1.0 - 2.0 * nu) / 2.0,
        );
        let width = 2 * z.len() + 3;
        let mut band = Band {
            width,
            rows: vec![0.0; 2 * r.len() * z.len() * (width + 1)],
        };
        let gauss = 1.0 / 3f64.sqrt();
        for i in 0..r.len() - 1 {
            for j in 0..z.len() - 1 {
                let (h_r, h_z) = (r[i + 1] - r[i], z[j + 1] - z[j]);
                let corners = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)];
                for (a, b) in [
                    (-gauss, -gauss),
                    (gauss, -gauss),
                    (-gauss, gauss),
                    (gauss, gauss),
                ] {
                    let radius = r[i] + 0.5 * h_r * (1.0 + a);
                    let volume = std::f64::consts::TAU * radius * 0.25 * h_r * h_z;
                    // Strains of each of eight degrees of freedom.
                    let strains: Vec<[f64; 4]> = (0..8)
                        .map(|k| {
                            let (s, t) =
                                [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)][k / 2];
                            let shape = 0.25 * (1.0 + s * a) * (1.0 + t * b);
                            let by_r = 0.25 * s * (1.0 + t * b) * 2.0 / h_r;
                            let by_z = 0.25 * t * (1.0 + s * a) * 2.0 / h_z;
                            match k % 2 {
                                0 => [by_r, 0.0, shape / radius, by_z],
                                _ => [0.0, by_z, 0.0, by_r],
                            }
                        })
                        .collect();
                    for k in 0..8 {
                        let e = strains[k];
                        let sum = e[0] + e[1] + e[2];
                        let normal = |i: usize| other * sum + (same - other) * e[i];
                        let stress = [normal(0), normal(1), normal(2), shear * e[3]];
                        for l in 0..8 {
                            let [row, column] = [k, l].map(|k| {
                                let (i, j) = corners[k / 2];
                                2 * (i * z.len() + j) + k % 2
                            });
                            if column <= row {
                                let energy: f64 =
                                    stress.iter().zip(&strains[l]).map(|(s, e)| s * e).sum();
                                *band.at(row, column) += energy * volume;
                            }
                        }
                    }
                }
            }
        }
        band
    }
}
