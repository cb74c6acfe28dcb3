//! Fixed corotated solid (Stomakhin et al. 2012, doi:10.2312/SCA/SCA12/025-032).
//!
//! $$ \psi = \mu \lVert F - R \rVert^2 + \frac{\lambda}{2} (J - 1)^2, \quad
//! \tau = 2 \mu (F - R) F^T + \lambda (J - 1) J \, I, $$
//! with $F = R S$ the polar decomposition.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Matrix3;

use super::{LaneLaw, cofactors, determinant};
use crate::lanes::Lanes;

/// Newton steps towards the rotation. Far from 1 each step halves a stretch; near 1 it squares the error. For stretches
/// from 0.1 to 10 the remaining error is below the precision of f32.
const N_NEWTON: usize = 7;

/// The fixed corotated law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FixedCorotated;

impl FixedCorotated {
    /// Kirchhoff stress [Pa].
    pub fn kirchhoff(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> Matrix3<f64> {
        let j = f.determinant();
        (f - rotation(f)) * f.transpose() * (2.0 * mu)
            + Matrix3::identity() * (lambda * (j - 1.0) * j)
    }

    /// Energy per volume at rest [J/m³].
    pub fn energy(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> f64 {
        let j = f.determinant() - 1.0;
        mu * (f - rotation(f)).norm_squared() + 0.5 * lambda * j * j
    }
}

/// The nearest orthogonal matrix, by polar decomposition.
fn rotation(f: &Matrix3<f64>) -> Matrix3<f64> {
    let svd = f.svd(true, true);
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => u * v_t,
        _ => Matrix3::identity(),
    }
}

impl LaneLaw for FixedCorotated {
    #[inline(always)]
    fn kirchhoff<L: Lanes>(self, l: L, f: &[L::V; 9], mu: L::V, lambda: L::V) -> [L::V; 6] {
        let half = l.splat(0.5);
        let mut r = *f;
        for _ in 0..N_NEWTON {
            // R ← (R + R⁻ᵀ) / 2 (Higham 1986, doi:10.1137/0907079).
            let cofactors = cofactors(l, &r);
            let j = determinant(l, &r);
            // Keep each entry away from zero with its sign: a flat particle has no inverse.
            let size = l.max(l.mul(j, j), l.splat(1e-12));
            let scale = l.mul(half, l.div(j, size));
            for i in 0..9 {
                r[i] = l.mul_add(cofactors[i], scale, l.mul(r[i], half));
            }
        }
        let j = determinant(l, f);
        let pressure = l.mul(lambda, l.mul(l.sub(j, l.splat(1.0)), j));
        let mut strain = [half; 9];
        for i in 0..9 {
            strain[i] = l.sub(f[i], r[i]);
        }
        let double = l.add(mu, mu);
        [
            l.mul_add(double, row_by_row(l, &strain, f, 0, 0), pressure),
            l.mul(double, row_by_row(l, &strain, f, 0, 3)),
            l.mul(double, row_by_row(l, &strain, f, 0, 6)),
            l.mul_add(double, row_by_row(l, &strain, f, 3, 3), pressure),
            l.mul(double, row_by_row(l, &strain, f, 3, 6)),
            l.mul_add(double, row_by_row(l, &strain, f, 6, 6), pressure),
        ]
    }
}

/// Product of the row of the first matrix that starts at `a` and the row of the second matrix that
/// starts at `b`.
#[inline(always)]
fn row_by_row<L: Lanes>(l: L, first: &[L::V; 9], second: &[L::V; 9], a: usize, b: usize) -> L::V {
    let rest = l.mul_add(
        first[a + 1],
        second[b + 1],
        l.mul(first[a + 2], second[b + 2]),
    );
    l.mul_add(first[a], second[b], rest)
}
