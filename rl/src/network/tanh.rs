//! The hyperbolic tangent on vectors.
//!
//! $\tanh x \approx x\,P(x^2)/Q(x^2)$ on $|x| \le 8$, both of degree 4: a minimax fit of the relative error by iterated
//! reweighted least squares, 7e-9 before rounding.
//! In `f32` the error is at most 5 units in the last place, and the magnitude is never above 1. NaN stays NaN.

use pulp::Simd;

/// Beyond it, the quotient differs from 1 by a few units in the last place.
const LIMIT: f32 = 8.0;
/// P, lowest power first.
const NUMERATOR: [f32; 5] = [
    1.0,
    0.134_414_18,
    0.003_567_882,
    2.183_028_5e-5,
    1.513_221_7e-8,
];
/// Q, lowest power first.
const DENOMINATOR: [f32; 5] = [
    1.0,
    0.467_747_45,
    0.026_150_463,
    0.000_340_509_02,
    8.484_35e-7,
];

/// tanh of each lane.
#[inline(always)]
pub(crate) fn tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    // If one operand is NaN, the second one is returned.
    let x = simd.min_f32s(simd.splat_f32s(LIMIT), x);
    let x = simd.max_f32s(simd.splat_f32s(-LIMIT), x);
    let square = simd.mul_f32s(x, x);
    let numerator = simd.mul_f32s(x, polynomial(simd, &NUMERATOR, square));
    simd.div_f32s(numerator, polynomial(simd, &DENOMINATOR, square))
}

#[inline(always)]
fn polynomial<S: Simd>(simd: S, coefficients: &[f32; 5], x: S::f32s) -> S::f32s {
    let mut sum = simd.splat_f32s(coefficients[4]);
    for &coefficient in coefficients[..4].iter().rev() {
        sum = simd.mul_add_e_f32s(sum, x, simd.splat_f32s(coefficient));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar, WithSimd};

    struct Each<'a>(&'a mut [f32]);

    impl WithSimd for Each<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (vectors, rest) = S::as_mut_simd_f32s(self.0);
            assert!(rest.is_empty());
            for vector in vectors {
                *vector = tanh(simd, *vector);
            }
        }
    }

    fn check(run: impl Fn(&mut [f32])) {
        let points: Vec<f32> = (0..400_000)
            .map(|i| -10.0 + i as f32 * 5e-5)
            .chain((0..1600).map(|i| 1e-30 * 1.05_f32.powi(i)))
            .collect();
        let mut values = points.clone();
        run(&mut values);
        for (&x, &value) in points.iter().zip(&values) {
            let truth = f64::from(x).tanh();
            let ulp = f64::from((truth as f32).abs().next_up() - (truth as f32).abs());
            let error = (f64::from(value) - truth).abs() / ulp;
            assert!(error <= 6.0, "tanh({x}) = {value}, {error} ulp off");
            assert!(value.abs() <= 1.0, "tanh({x}) = {value}");
        }
    }

    #[test]
    fn tanh_is_within_a_few_units_in_the_last_place() {
        check(|values| Arch::new().dispatch(Each(values)));
        check(|values| Simd::vectorize(Scalar, Each(values)));
    }

    #[test]
    fn tanh_keeps_nan_and_saturates_at_infinity() {
        let mut values = [0.0; 16];
        values[..4].copy_from_slice(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]);
        Arch::new().dispatch(Each(&mut values));
        assert!(values[0].is_nan());
        assert!((values[1] - 1.0).abs() < 3e-7 && (values[2] + 1.0).abs() < 3e-7);
        assert!(values[3] == 0.0 && values[3].is_sign_negative());
    }
}
