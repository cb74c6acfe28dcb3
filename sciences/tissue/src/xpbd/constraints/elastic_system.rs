//! The two equations of a neo-Hookean solid, hydrostatic and deviatoric, solved together:
//!
//! $$ (K A + I) \, \Delta\lambda = -K C - \lambda, \quad A = \nabla C M^{-1} \nabla C^T, \quad K = \tilde\alpha^{-1}. $$

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use crate::lanes::{Lanes, Row};
use crate::xpbd::vector::{self, Vec3};

/// Squared norm of a deformation gradient below which its direction is undefined.
const MIN_SQUARED_NORM: f32 = 1e-12;

/// √(tr FᵀF) of a matrix given by columns, with a lower limit.
#[inline(always)]
pub(super) fn frobenius_norm<L: Lanes>(l: L, f: &[Vec3<L>; 3]) -> L::V {
    let first = l.add(vector::dot(l, f[0], f[0]), vector::dot(l, f[1], f[1]));
    let trace = l.add(first, vector::dot(l, f[2], f[2]));
    l.sqrt(l.max(trace, l.splat(MIN_SQUARED_NORM)))
}

/// Stiffnesses K, constraints C and the matrix A of both equations; h is hydrostatic, d deviatoric.
pub(super) struct ElasticSystem<L: Lanes> {
    pub(super) stiffness: [L::V; 2],
    pub(super) constraint: [L::V; 2],
    pub(super) a_hh: L::V,
    pub(super) a_dd: L::V,
    pub(super) a_hd: L::V,
}

impl<L: Lanes> ElasticSystem<L> {
    /// Δλ of both equations, 0 for torn constraints; adds them to the multipliers, if there are any.
    #[inline(always)]
    pub(super) fn solve(self, l: L, alive: Option<&Row>, multipliers: &mut [Row]) -> [L::V; 2] {
        let (zero, one) = (l.splat(0.0), l.splat(1.0));
        let [k_h, k_d] = self.stiffness;
        let [constraint_h, constraint_d] = self.constraint;
        let mut right_h = l.sub(zero, l.mul(k_h, constraint_h));
        let mut right_d = l.sub(zero, l.mul(k_d, constraint_d));
        if let [lambda_h, lambda_d] = &multipliers {
            right_h = l.sub(right_h, l.load(lambda_h));
            right_d = l.sub(right_d, l.load(lambda_d));
        }
        let m_hh = l.mul_add(k_h, self.a_hh, one);
        let m_dd = l.mul_add(k_d, self.a_dd, one);
        let (m_hd, m_dh) = (l.mul(k_h, self.a_hd), l.mul(k_d, self.a_hd));
        // A is positive semidefinite, so the determinant is at least 1 up to rounding.
        let determinant = l.max(l.neg_mul_add(m_hd, m_dh, l.mul(m_hh, m_dd)), one);
        let mut scale = l.div(one, determinant);
        if let Some(alive) = alive {
            scale = l.mul(scale, l.load(alive));
        }
        let delta_lambda_h = l.mul(l.neg_mul_add(m_hd, right_d, l.mul(m_dd, right_h)), scale);
        let delta_lambda_d = l.mul(l.neg_mul_add(m_dh, right_h, l.mul(m_hh, right_d)), scale);
        if let [lambda_h, lambda_d] = multipliers {
            let sum_h = l.add(l.load(lambda_h), delta_lambda_h);
            let sum_d = l.add(l.load(lambda_d), delta_lambda_d);
            l.store(sum_h, lambda_h);
            l.store(sum_d, lambda_d);
        }
        [delta_lambda_h, delta_lambda_d]
    }
}
