//! Tearing: irreversible loss of stiffness by stretch.
//!
//! The greatest principal stretch $s$ makes damage $D = \max_t \operatorname{clamp} \frac{s^2 - b^2}{e^2 - b^2}$ between the stretches $b$ and
//! $e$ of the material; the stress is $(1 - D) \tau$, except for the pressure of compressed tissue, which is kept
//! (isotropic damage, Lemaitre 1985; it is scalar, so torn tissue carries no tension in any direction).

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Matrix3;

use super::chunk::Chunk;
use crate::elasticity::{LEAST_J, determinant, row_product};
use crate::lanes::{self, Lanes};

/// Number of squarings of $B = F F^T$. $B^{16}$ gives its greatest eigenvalue within a hundredth if two eigenvalues are
/// close, and much better otherwise.
const N_SQUARINGS: usize = 4;

/// Updates the damage of sixteen particles and reduces their stress.
#[inline(always)]
pub(super) fn tear<L: Lanes>(l: L, f: &[L::V; 9], chunk: &mut Chunk, tau: &mut [L::V; 6]) {
    let (zero, one) = (l.splat(0.0), l.splat(1.0));
    let stretch_squared = greatest_eigenvalue(
        l,
        [
            row_product(l, f, 0, 0),
            row_product(l, f, 0, 3),
            row_product(l, f, 0, 6),
            row_product(l, f, 3, 3),
            row_product(l, f, 3, 6),
            row_product(l, f, 6, 6),
        ],
    );
    let beyond = l.sub(stretch_squared, l.load(&chunk.tear_begins));
    let new_damage = l.min(l.mul(beyond, l.load(&chunk.tear_rate)), one);
    let damage = l.max(l.load(&chunk.damage), l.max(new_damage, zero));
    l.store(damage, &mut chunk.damage);
    let remaining = l.sub(one, damage);
    // The pressure of compressed tissue, λ ln J, is kept.
    let j = l.max(l.min(determinant(l, f), one), l.splat(0.05));
    let pressure = l.mul(l.load(&chunk.lame_lambda), lanes::ln(l, j));
    let kept = l.mul(damage, pressure);
    for (i, entry) in tau.iter_mut().enumerate() {
        *entry = if i == 0 || i == 3 || i == 5 {
            l.mul_add(remaining, *entry, kept)
        } else {
            l.mul(remaining, *entry)
        };
    }
}

/// Kirchhoff stress of a damaged particle [Pa]: see the module.
pub(crate) fn remaining_stress(
    f: &Matrix3<f64>,
    stress: Matrix3<f64>,
    lambda: f64,
    damage: f64,
) -> Matrix3<f64> {
    let j = f.determinant().clamp(f64::from(LEAST_J), 1.0);
    stress * (1.0 - damage) + Matrix3::identity() * (damage * lambda * j.ln())
}

/// Greatest eigenvalue of symmetric positive matrices with entries xx, xy, xz, yy, yz, zz.
#[inline(always)]
fn greatest_eigenvalue<L: Lanes>(l: L, matrix: [L::V; 6]) -> L::V {
    let mut power = matrix;
    for _ in 0..N_SQUARINGS {
        // Divided by the trace to avoid overflow.
        let trace = l.add(power[0], l.add(power[3], power[5]));
        let scale = l.div(l.splat(1.0), l.max(trace, l.splat(1e-12)));
        let mut a = power;
        for i in 0..6 {
            a[i] = l.mul(power[i], scale);
        }
        let [xx, xy, xz, yy, yz, zz] = a;
        power = [
            l.mul_add(xx, xx, l.mul_add(xy, xy, l.mul(xz, xz))),
            l.mul_add(xx, xy, l.mul_add(xy, yy, l.mul(xz, yz))),
            l.mul_add(xx, xz, l.mul_add(xy, yz, l.mul(xz, zz))),
            l.mul_add(xy, xy, l.mul_add(yy, yy, l.mul(yz, yz))),
            l.mul_add(xy, xz, l.mul_add(yy, yz, l.mul(yz, zz))),
            l.mul_add(xz, xz, l.mul_add(yz, yz, l.mul(zz, zz))),
        ];
    }
    // tr(P B) / tr(P) is the mean of the eigenvalues of B, weighted by those of P.
    let trace = l.add(power[0], l.add(power[3], power[5]));
    let twice = l.splat(2.0);
    let sides = l.mul_add(
        power[1],
        matrix[1],
        l.mul_add(power[2], matrix[2], l.mul(power[4], matrix[4])),
    );
    let diagonal = l.mul_add(
        power[0],
        matrix[0],
        l.mul_add(power[3], matrix[3], l.mul(power[5], matrix[5])),
    );
    l.div(
        l.mul_add(twice, sides, diagonal),
        l.max(trace, l.splat(1e-12)),
    )
}
