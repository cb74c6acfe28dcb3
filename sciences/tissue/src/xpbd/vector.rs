//! Vectors of three lanes.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use crate::lanes::Lanes;

/// Sixteen vectors.
pub(super) type Vec3<L> = [<L as Lanes>::V; 3];

#[inline(always)]
pub(super) fn splat<L: Lanes>(l: L, v: [f32; 3]) -> Vec3<L> {
    [l.splat(v[0]), l.splat(v[1]), l.splat(v[2])]
}

#[inline(always)]
pub(super) fn add<L: Lanes>(l: L, a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [l.add(a[0], b[0]), l.add(a[1], b[1]), l.add(a[2], b[2])]
}

#[inline(always)]
pub(super) fn sub<L: Lanes>(l: L, a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [l.sub(a[0], b[0]), l.sub(a[1], b[1]), l.sub(a[2], b[2])]
}

#[inline(always)]
pub(super) fn scale<L: Lanes>(l: L, a: Vec3<L>, s: L::V) -> Vec3<L> {
    [l.mul(a[0], s), l.mul(a[1], s), l.mul(a[2], s)]
}

/// a s + b.
#[inline(always)]
pub(super) fn mul_add<L: Lanes>(l: L, a: Vec3<L>, s: L::V, b: Vec3<L>) -> Vec3<L> {
    [
        l.mul_add(a[0], s, b[0]),
        l.mul_add(a[1], s, b[1]),
        l.mul_add(a[2], s, b[2]),
    ]
}

#[inline(always)]
pub(super) fn dot<L: Lanes>(l: L, a: Vec3<L>, b: Vec3<L>) -> L::V {
    l.mul_add(a[0], b[0], l.mul_add(a[1], b[1], l.mul(a[2], b[2])))
}

#[inline(always)]
pub(super) fn cross<L: Lanes>(l: L, a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        l.neg_mul_add(a[2], b[1], l.mul(a[1], b[2])),
        l.neg_mul_add(a[0], b[2], l.mul(a[2], b[0])),
        l.neg_mul_add(a[1], b[0], l.mul(a[0], b[1])),
    ]
}

/// −(a + b + c).
#[inline(always)]
pub(super) fn minus_sum<L: Lanes>(l: L, a: Vec3<L>, b: Vec3<L>, c: Vec3<L>) -> Vec3<L> {
    sub(l, splat(l, [0.0; 3]), add(l, add(l, a, b), c))
}
