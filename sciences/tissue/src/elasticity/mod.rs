//! Elastic laws: Kirchhoff stress as a function of the deformation gradient, one per file.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

mod fixed_corotated;
mod neo_hookean;

pub use fixed_corotated::FixedCorotated;
pub(crate) use neo_hookean::LEAST_J;
pub use neo_hookean::NeoHookean;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::lanes::Lanes;

/// Choice of the elastic law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElasticLaw {
    /// [`NeoHookean`]
    #[default]
    NeoHookean,
    /// [`FixedCorotated`]
    FixedCorotated,
}

impl ElasticLaw {
    /// Kirchhoff stress τ = J σ [Pa].
    pub fn kirchhoff(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> Matrix3<f64> {
        match self {
            Self::NeoHookean => NeoHookean.kirchhoff(f, mu, lambda),
            Self::FixedCorotated => FixedCorotated.kirchhoff(f, mu, lambda),
        }
    }

    /// Energy per volume at rest [J/m³].
    pub fn energy(self, f: &Matrix3<f64>, mu: f64, lambda: f64) -> f64 {
        match self {
            Self::NeoHookean => NeoHookean.energy(f, mu, lambda),
            Self::FixedCorotated => FixedCorotated.energy(f, mu, lambda),
        }
    }
}

/// Stress of sixteen particles at once.
pub(crate) trait LaneLaw: Copy + Send + Sync {
    /// Kirchhoff stress τ = J σ [Pa], entries xx, xy, xz, yy, yz, zz, of a row-major deformation gradient that is not
    /// inverted.
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

/// Cofactors of a row-major matrix.
#[inline(always)]
pub(crate) fn cofactors<L: Lanes>(l: L, f: &[L::V; 9]) -> [L::V; 9] {
    let mut out = *f;
    for i in 0..3 {
        for j in 0..3 {
            let (a, b) = ((i + 1) % 3 * 3, (i + 2) % 3 * 3);
            let (c, d) = ((j + 1) % 3, (j + 2) % 3);
            out[3 * i + j] = l.sub(l.mul(f[a + c], f[b + d]), l.mul(f[a + d], f[b + c]));
        }
    }
    out
}

/// Product of two rows of a row-major matrix. The rows start at `a` and `b`.
#[inline(always)]
pub(crate) fn row_product<L: Lanes>(l: L, f: &[L::V; 9], a: usize, b: usize) -> L::V {
    let rest = l.mul_add(f[a + 1], f[b + 1], l.mul(f[a + 2], f[b + 2]));
    l.mul_add(f[a], f[b], rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{self, Kernel, Row};

    const ALL: [ElasticLaw; 2] = [ElasticLaw::NeoHookean, ElasticLaw::FixedCorotated];

    /// Stress of sixteen identical particles.
    struct Stress<'a, E>(E, &'a Matrix3<f64>, f64, f64);

    impl<E: LaneLaw> Kernel for Stress<'_, E> {
        type Output = Matrix3<f64>;

        #[inline(always)]
        fn run<L: Lanes>(self, l: L) -> Matrix3<f64> {
            let Self(law, f, mu, lambda) = self;
            let mut rows = [l.splat(0.0); 9];
            for i in 0..9 {
                rows[i] = l.splat(f[(i / 3, i % 3)] as f32);
            }
            let [xx, xy, xz, yy, yz, zz] =
                law.kirchhoff(l, &rows, l.splat(mu as f32), l.splat(lambda as f32));
            let read = |v: L::V| {
                let mut row: Row = [0.0; 16];
                l.store(v, &mut row);
                f64::from(row[7])
            };
            let [xx, xy, xz, yy, yz, zz] = [xx, xy, xz, yy, yz, zz].map(read);
            Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        }
    }

    fn deformations() -> Vec<Matrix3<f64>> {
        let some = Matrix3::new(1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.2);
        let turn = nalgebra::Rotation3::from_euler_angles(0.4, -1.1, 2.0).into_inner();
        vec![
            some,
            turn * some,
            turn * Matrix3::from_diagonal(&nalgebra::Vector3::new(2.5, 0.7, 0.4)) * turn,
            turn,
        ]
    }

    #[test]
    fn stress_is_the_derivative_of_the_energy() {
        let (mu, lambda, step) = (7e3, 1.2e4, 1e-6);
        for (law, f) in ALL
            .into_iter()
            .flat_map(|law| deformations().into_iter().map(move |f| (law, f)))
        {
            // τ = P Fᵀ with P = ∂ψ/∂F.
            let first = Matrix3::from_fn(|i, j| {
                let mut energies = [step, -step].map(|step| {
                    let mut f = f;
                    f[(i, j)] += step;
                    law.energy(&f, mu, lambda)
                });
                energies[1] *= -1.0;
                energies.iter().sum::<f64>() / (2.0 * step)
            });
            let got = law.kirchhoff(&f, mu, lambda);
            assert!(
                (got - first * f.transpose()).norm() < 1e-6 * (got.norm() + mu),
                "{law:?} {f}"
            );
        }
    }

    #[test]
    fn lanes_give_the_same_stress() {
        let (mu, lambda) = (7e3, 1.2e4);
        for f in deformations() {
            let found = [
                lanes::run(Stress(NeoHookean, &f, mu, lambda)),
                lanes::run(Stress(FixedCorotated, &f, mu, lambda)),
            ];
            for (law, found) in ALL.into_iter().zip(found) {
                let wanted = law.kirchhoff(&f, mu, lambda);
                // Tolerance: f32 sums of terms with the size of μ |F|².
                let tolerance = 1e-5 * mu * f.norm_squared();
                assert!(
                    (found - wanted).norm() < tolerance,
                    "{law:?} {found} {wanted}"
                );
            }
        }
    }
}
