//! Activation functions, computed with their derivatives in one pass.

use pulp::{Simd, WithSimd};
use serde::{Deserialize, Serialize};

use super::tanh::tanh;

/// Activation of the hidden layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Hyperbolic tangent.
    #[default]
    Tanh,
    /// max(x, 0).
    Relu,
    /// x for positive x, exp(x) − 1 otherwise (Clevert 2016).
    Elu,
    /// x / (1 + exp(−x)) (Elfwing 2018).
    Silu,
}

impl Activation {
    /// All activations.
    pub const ALL: [Self; 4] = [Self::Tanh, Self::Relu, Self::Elu, Self::Silu];

    /// Value and derivative at each lane.
    #[inline(always)]
    fn evaluate<S: Simd>(self, simd: S, x: S::f32s) -> (S::f32s, S::f32s) {
        let (zero, half, one) = (
            simd.splat_f32s(0.0),
            simd.splat_f32s(0.5),
            simd.splat_f32s(1.0),
        );
        match self {
            Self::Tanh => {
                let y = tanh(simd, x);
                (y, simd.negate_mul_add_e_f32s(y, y, one))
            }
            Self::Relu => {
                let positive = simd.less_than_f32s(zero, x);
                (
                    // If x is NaN, the second operand, NaN, is returned.
                    simd.max_f32s(zero, x),
                    simd.select_f32s(positive, one, zero),
                )
            }
            Self::Elu => {
                // exp(x) − 1 = 2t / (1 − t) with t = tanh(x/2), without cancellation near zero.
                let positive = simd.less_than_f32s(zero, x);
                let t = tanh(simd, simd.mul_f32s(x, half));
                let below = simd.div_f32s(simd.add_f32s(t, t), simd.sub_f32s(one, t));
                (
                    simd.select_f32s(positive, x, below),
                    simd.select_f32s(positive, one, simd.add_f32s(below, one)),
                )
            }
            Self::Silu => {
                // The logistic function is (1 + tanh(x/2)) / 2.
                let t = tanh(simd, simd.mul_f32s(x, half));
                let logistic = simd.mul_add_e_f32s(half, t, half);
                let y = simd.mul_f32s(x, logistic);
                let complement = simd.sub_f32s(one, logistic);
                (y, simd.mul_add_e_f32s(y, complement, logistic))
            }
        }
    }
}

/// Replaces values by their activations and writes the derivatives.
pub(crate) struct Activate<'a> {
    pub(crate) activation: Activation,
    /// Values, padded to whole cache lines.
    pub(crate) values: &'a mut [f32],
    /// As long as `values`.
    pub(crate) slopes: &'a mut [f32],
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (values, _) = S::as_mut_simd_f32s(self.values);
        let (slopes, _) = S::as_mut_simd_f32s(self.slopes);
        match self.activation {
            Activation::Tanh => activate_each(simd, Activation::Tanh, values, slopes),
            Activation::Relu => activate_each(simd, Activation::Relu, values, slopes),
            Activation::Elu => activate_each(simd, Activation::Elu, values, slopes),
            Activation::Silu => activate_each(simd, Activation::Silu, values, slopes),
        }
    }
}

#[inline(always)]
fn activate_each<S: Simd>(
    simd: S,
    activation: Activation,
    values: &mut [S::f32s],
    slopes: &mut [S::f32s],
) {
    for (value, slope) in values.iter_mut().zip(slopes) {
        (*value, *slope) = activation.evaluate(simd, *value);
    }
}

/// Multiplies gradients by the derivatives of the activations.
pub(crate) struct Multiply<'a> {
    pub(crate) gradients: &'a mut [f32],
    /// As long as `gradients`.
    pub(crate) slopes: &'a [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (gradients, _) = S::as_mut_simd_f32s(self.gradients);
        let (slopes, _) = S::as_simd_f32s(self.slopes);
        for (gradient, slope) in gradients.iter_mut().zip(slopes) {
            *gradient = simd.mul_f32s(*gradient, *slope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(activation: Activation, x: f64) -> (f64, f64) {
        match activation {
            Activation::Tanh => (x.tanh(), 1.0 - x.tanh().powi(2)),
            Activation::Relu => (x.max(0.0), f64::from(x > 0.0)),
            Activation::Elu if x > 0.0 => (x, 1.0),
            Activation::Elu => (x.exp_m1(), x.exp()),
            Activation::Silu => {
                let logistic = 1.0 / (1.0 + (-x).exp());
                (x * logistic, logistic * (1.0 + x * (1.0 - logistic)))
            }
        }
    }

    #[test]
    fn activations_and_their_slopes_are_right() {
        for activation in Activation::ALL {
            let points: Vec<f32> = (-800..800).map(|i| i as f32 / 50.0).collect();
            let (mut values, mut slopes) = (points.clone(), points.clone());
            pulp::Arch::new().dispatch(Activate {
                activation,
                values: &mut values,
                slopes: &mut slopes,
            });
            for ((&x, &value), &slope) in points.iter().zip(&values).zip(&slopes) {
                let (value_truth, slope_truth) = truth(activation, f64::from(x));
                let scale = 1e-6 * (1.0 + f64::from(x).abs());
                assert!(
                    (f64::from(value) - value_truth).abs() < scale,
                    "{activation:?}({x})"
                );
                assert!(
                    (f64::from(slope) - slope_truth).abs() < scale,
                    "{activation:?}'({x})"
                );
            }
        }
    }

    #[test]
    fn no_activation_hides_nan() {
        for activation in Activation::ALL {
            let (mut values, mut slopes) = ([f32::NAN; 16], [0.0; 16]);
            pulp::Arch::new().dispatch(Activate {
                activation,
                values: &mut values,
                slopes: &mut slopes,
            });
            assert!(values.iter().all(|value| value.is_nan()), "{activation:?}");
        }
    }
}
