//! The deformation gradient of a tetrahedron, F = [x₁ − x₀, x₂ − x₀, x₃ − x₀] B, with B the inverse of these edges at rest.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::lane_layout::LaneLayout;
use super::vector::{self, Vec3};
use crate::lanes::Lanes;

/// Rows of B [1/m].
#[inline(always)]
pub(super) fn inverse_rest<Y: LaneLayout, L: Lanes>(l: L, b: [&Y::Number; 9]) -> [Vec3<L>; 3] {
    [
        [Y::number(l, b[0]), Y::number(l, b[1]), Y::number(l, b[2])],
        [Y::number(l, b[3]), Y::number(l, b[4]), Y::number(l, b[5])],
        [Y::number(l, b[6]), Y::number(l, b[7]), Y::number(l, b[8])],
    ]
}

/// Columns of F from the edges p and the rows of B.
#[inline(always)]
pub(super) fn deformation_grad<L: Lanes>(l: L, p: [Vec3<L>; 3], b: &[Vec3<L>; 3]) -> [Vec3<L>; 3] {
    [
        times(l, &p, [b[0][0], b[1][0], b[2][0]]),
        times(l, &p, [b[0][1], b[1][1], b[2][1]]),
        times(l, &p, [b[0][2], b[1][2], b[2][2]]),
    ]
}

/// Product of a matrix, given by columns, and a vector.
#[inline(always)]
pub(super) fn times<L: Lanes>(l: L, m: &[Vec3<L>; 3], v: Vec3<L>) -> Vec3<L> {
    let rest = vector::mul_add(l, m[1], v[1], vector::scale(l, m[2], v[2]));
    vector::mul_add(l, m[0], v[0], rest)
}
