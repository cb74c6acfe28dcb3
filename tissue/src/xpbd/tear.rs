//! Tearing: elements whose greatest principal stretch is above a threshold are removed.
//!
//! The greatest eigenvalue of $C = F^T F$ is at most $m + \sqrt{2/3} \, |C - m I|$, m the mean of its diagonal; only elements for which
//! this is too much are looked at closely. An edge goes with the last of its elements, and a vertex with the last of its own: it stays
//! where it is, and nothing touches it any more.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use nalgebra::{Matrix3, Vector3};

use super::groups::TetGroup;
use super::layout::{Layout, Point};
use super::neo_hookean::{deformation_grad, inverse_rest};
use super::topology::Tet;
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// Finds the lanes of groups that may be stretched too far.
pub(super) struct FindStretched<'a, Y: Layout> {
    pub(super) groups: &'a [TetGroup<Y>],
    pub(super) positions: &'a [Point],
    pub(super) alive: &'a [Row],
    /// Row and lanes; `first` is the row of the first group.
    pub(super) found: &'a mut Vec<(u32, u16)>,
    pub(super) first: u32,
}

impl<Y: Layout> Kernel for FindStretched<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let third = l.splat(1.0 / 3.0);
        let two = l.splat(2.0);
        for ((group, alive), row) in self.groups.iter().zip(self.alive).zip(self.first..) {
            let x0 = Y::load(l, self.positions, &group.vertices[0]);
            let p1 = vector::sub(l, Y::load(l, self.positions, &group.vertices[1]), x0);
            let p2 = vector::sub(l, Y::load(l, self.positions, &group.vertices[2]), x0);
            let p3 = vector::sub(l, Y::load(l, self.positions, &group.vertices[3]), x0);
            let f = deformation_grad(l, [p1, p2, p3], &inverse_rest::<Y, L>(l, group));
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
            let most = l.add(mean, l.sqrt(l.mul(square, l.splat(2.0 / 3.0))));
            let stretched = l.less(Y::number(l, &group.tear_stretch), most);
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
