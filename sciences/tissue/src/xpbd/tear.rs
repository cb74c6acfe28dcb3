//! Tearing: elements whose greatest principal stretch exceeds a threshold are removed.
//!
//! The greatest eigenvalue of $C = F^T F$ is at most $m + \sqrt{2/3} \, |C - m I|$ with the mean m of its diagonal.
//! Eigenvalues are computed only if this bound exceeds the threshold. A constraint is removed when all of its elements
//! are torn. A vertex whose elements are all torn is detached: it keeps its position, and tools ignore it.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::{Matrix3, Vector3};

use super::deformation::{deformation_grad, inverse_rest};
use super::lane_layout::{LaneLayout, LaneSet};
use super::pack::Packer;
use super::tet::Tet;
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// A tetrahedron in each lane.
#[derive(Debug)]
pub(super) struct TearGroup<Y: LaneLayout> {
    vertices: [Y::Vertex; 4],
    inverse_rest: [Y::Number; 9],
    /// Square of the stretch above which it tears.
    squared_stretch: Y::Number,
}

impl<Y: LaneLayout> TearGroup<Y> {
    pub(super) fn pack(packer: &Packer<'_, Tet>) -> Self {
        Self {
            vertices: [0, 1, 2, 3].map(|k| packer.point::<Y>(|tet| tet.vertices[k])),
            inverse_rest: std::array::from_fn(|k| packer.number::<Y>(|tet| tet.inverse_rest[k])),
            squared_stretch: packer.number::<Y>(Tet::squared_tear_stretch),
        }
    }
}

/// Finds the elements whose stretch may exceed the threshold.
pub(super) struct FindStretched<'a, Y: LaneLayout> {
    pub(super) groups: &'a [TearGroup<Y>],
    pub(super) positions: &'a [Y::Points],
    pub(super) alive: &'a [Row],
    pub(super) found: &'a mut Vec<LaneSet>,
}

impl<Y: LaneLayout> Kernel for FindStretched<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let third = l.splat(1.0 / 3.0);
        let two = l.splat(2.0);
        for ((group, alive), row) in self.groups.iter().zip(self.alive).zip(0..) {
            let x0 = Y::load(l, self.positions, &group.vertices[0]);
            let p1 = vector::sub(l, Y::load(l, self.positions, &group.vertices[1]), x0);
            let p2 = vector::sub(l, Y::load(l, self.positions, &group.vertices[2]), x0);
            let p3 = vector::sub(l, Y::load(l, self.positions, &group.vertices[3]), x0);
            let b = inverse_rest::<Y, L>(l, group.inverse_rest.each_ref());
            let f = deformation_grad(l, [p1, p2, p3], &b);
            let xx = vector::dot(l, f[0], f[0]);
            let yy = vector::dot(l, f[1], f[1]);
            let zz = vector::dot(l, f[2], f[2]);
            let off = [
                vector::dot(l, f[0], f[1]),
                vector::dot(l, f[0], f[2]),
                vector::dot(l, f[1], f[2]),
            ];
            let mean = l.mul(l.add(xx, l.add(yy, zz)), third);
            let diagonal = [l.sub(xx, mean), l.sub(yy, mean), l.sub(zz, mean)];
            let square = l.mul_add(
                two,
                vector::dot(l, off, off),
                vector::dot(l, diagonal, diagonal),
            );
            let bound = l.add(mean, l.sqrt(l.mul(square, l.splat(2.0 / 3.0))));
            let stretched = l.less(Y::number(l, &group.squared_stretch), bound);
            let lanes = stretched & l.less(l.splat(0.5), l.load(alive));
            if lanes != 0 {
                self.found.push((row, lanes));
            }
        }
    }
}

/// Whether an element with these corners is torn.
pub(super) fn is_torn(tet: &Tet, corners: [Vector3<f64>; 4]) -> bool {
    let [a, b, c, d] = corners;
    let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
    let f = edges * Matrix3::from_row_slice(&tet.inverse_rest);
    if !f.iter().all(|x| x.is_finite()) {
        return false;
    }
    let greatest = (f.transpose() * f).symmetric_eigenvalues().max();
    greatest.max(0.0).sqrt() - 1.0 > tet.tear_strain
}
