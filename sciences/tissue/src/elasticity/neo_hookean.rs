//! Compressible neo-Hookean solid (Simo and Pister 1984; Bonet and Wood 2008, Eq. 6.28).
//!
//! $$ \psi = \frac{\mu}{2} (\operatorname{tr} F F^T - 3) - \mu \ln J + \frac{\lambda}{2} \ln^2 J, \quad
//! \tau = \mu (F F^T - I) + \lambda \ln J \, I. $$

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Matrix3;

use super::{LaneLaw, determinant, row_product};
use crate::lanes::{self, Lanes};

/// Lower bound of J in the stress: the logarithm is undefined for an inverted particle.
pub(crate) const LEAST_J: f32 = 0.05;

/// The compressible neo-Hookean law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NeoHookean;

impl NeoHookean {
    /// Kirchhoff stress [Pa].
    pub fn kirchhoff(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> Matrix3<f64> {
        let log = f.determinant().max(f64::from(LEAST_J)).ln();
        let identity = Matrix3::identity();
        (f * f.transpose() - identity) * mu + identity * (lambda * log)
    }

    /// Energy per volume at rest [J/m³].
    pub fn energy(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> f64 {
        let log = f.determinant().max(f64::from(LEAST_J)).ln();
        0.5 * mu * (f.norm_squared() - 3.0) - mu * log + 0.5 * lambda * log * log
    }
}

impl LaneLaw for NeoHookean {
    #[inline(always)]
    fn kirchhoff<L: Lanes>(self, l: L, f: &[L::V; 9], mu: L::V, lambda: L::V) -> [L::V; 6] {
        let j = l.max(determinant(l, f), l.splat(LEAST_J));
        let pressure = l.sub(l.mul(lambda, lanes::ln(l, j)), mu);
        let diagonal = [
            l.mul_add(mu, row_product(l, f, 0, 0), pressure),
            l.mul_add(mu, row_product(l, f, 3, 3), pressure),
            l.mul_add(mu, row_product(l, f, 6, 6), pressure),
        ];
        let [xx, yy, zz] = diagonal;
        let xy = l.mul(mu, row_product(l, f, 0, 3));
        let xz = l.mul(mu, row_product(l, f, 0, 6));
        let yz = l.mul(mu, row_product(l, f, 3, 6));
        [xx, xy, xz, yy, yz, zz]
    }
}
