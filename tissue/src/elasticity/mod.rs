//! Elastic laws: Kirchhoff stress from the deformation gradient; one file each.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

mod neo_hookean;

pub use neo_hookean::NeoHookean;

use crate::lanes::Lanes;

/// Stress of sixteen particles at once.
pub(crate) trait LaneLaw: Copy + Send + Sync {
    /// Kirchhoff stress τ = J σ [Pa], entries xx, xy, xz, yy, yz, zz, of the deformation gradient (row-major), which is not inverted.
    fn kirchhoff<L: Lanes>(self, l: L, f: &[L::V; 9], mu: L::V, lambda: L::V) -> [L::V; 6];
}

/// Determinant of a row-major matrix.
#[inline(always)]
pub(crate) fn determinant<L: Lanes>(l: L, f: &[L::V; 9]) -> L::V {
    let first = l.sub(l.mul(f[4], f[8]), l.mul(f[5], f[7]));
    let second = l.sub(l.mul(f[3], f[8]), l.mul(f[5], f[6]));
    let third = l.sub(l.mul(f[3], f[7]), l.mul(f[4], f[6]));
    let rest = l.neg_mul_add(f[1], second, l.mul(f[2], third));
    l.mul_add(f[0], first, rest)
}

/// Product of two rows of a row-major matrix, which start at `a` and `b`.
#[inline(always)]
pub(crate) fn row_product<L: Lanes>(l: L, f: &[L::V; 9], a: usize, b: usize) -> L::V {
    let rest = l.mul_add(f[a + 1], f[b + 1], l.mul(f[a + 2], f[b + 2]));
    l.mul_add(f[a], f[b], rest)
}
