//! Adam (Kingma 2015, Algorithm 1). Clipping, moments and step are fused into one pass over the parameters.

use pulp::{Arch, Simd, WithSimd};

use super::AlignedBuffer;

/// Decay of the first moment.
const BETA_1: f32 = 0.9;
/// Decay of the second moment.
const BETA_2: f32 = 0.999;

/// Inputs of a step in addition to the gradient.
#[derive(Debug, Clone, Copy)]
pub struct AdamStep {
    /// Step size α.
    pub learning_rate: f64,
    /// ε, added to the square root of the second moment.
    pub epsilon: f64,
    /// Factor on the gradient, below 1 if its norm is clipped.
    pub gradient_scale: f32,
}

/// The optimiser's state.
#[derive(Debug, Clone)]
pub struct Adam {
    /// First moment m, as long as the parameters.
    pub first_moment: AlignedBuffer,
    /// Second moment v, as long as the parameters.
    pub second_moment: AlignedBuffer,
    /// Number of steps.
    pub n_steps: u64,
    arch: Arch,
}

impl Adam {
    /// Creates the state for the given number of parameters.
    pub fn new(n_parameters: usize) -> Self {
        Self {
            first_moment: AlignedBuffer::zeros(n_parameters),
            second_moment: AlignedBuffer::zeros(n_parameters),
            n_steps: 0,
            arch: Arch::new(),
        }
    }

    /// Updates the parameters. All three arrays have the same length, a multiple of [`super::LINE`].
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], step: AdamStep) {
        assert_eq!(parameters.len(), self.first_moment.len(), "parameters");
        assert_eq!(gradient.len(), self.first_moment.len(), "gradient");
        self.n_steps += 1;
        let exponent = self.n_steps as f64;
        let correction_1 = 1.0 - f64::from(BETA_1).powf(exponent);
        let correction_2 = 1.0 - f64::from(BETA_2).powf(exponent);
        self.arch.dispatch(Fused {
            parameters,
            gradient,
            first_moment: &mut self.first_moment,
            second_moment: &mut self.second_moment,
            gradient_scale: step.gradient_scale,
            step_size: (step.learning_rate / correction_1) as f32,
            root_scale: (1.0 / correction_2.sqrt()) as f32,
            epsilon: step.epsilon as f32,
        });
    }
}

struct Fused<'a> {
    parameters: &'a mut [f32],
    gradient: &'a [f32],
    first_moment: &'a mut [f32],
    second_moment: &'a mut [f32],
    gradient_scale: f32,
    step_size: f32,
    root_scale: f32,
    epsilon: f32,
}

impl WithSimd for Fused<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (parameters, _) = S::as_mut_simd_f32s(self.parameters);
        let (gradient, _) = S::as_simd_f32s(self.gradient);
        let (first_moment, _) = S::as_mut_simd_f32s(self.first_moment);
        let (second_moment, _) = S::as_mut_simd_f32s(self.second_moment);
        let scale = simd.splat_f32s(self.gradient_scale);
        let (beta_1, rest_1) = (simd.splat_f32s(BETA_1), simd.splat_f32s(1.0 - BETA_1));
        let (beta_2, rest_2) = (simd.splat_f32s(BETA_2), simd.splat_f32s(1.0 - BETA_2));
        let step_size = simd.splat_f32s(-self.step_size);
        let root_scale = simd.splat_f32s(self.root_scale);
        let epsilon = simd.splat_f32s(self.epsilon);
        let moments = first_moment.iter_mut().zip(second_moment);
        for ((parameter, gradient), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
            let g = simd.mul_f32s(*gradient, scale);
            *m = simd.mul_add_e_f32s(beta_1, *m, simd.mul_f32s(rest_1, g));
            *v = simd.mul_add_e_f32s(beta_2, *v, simd.mul_f32s(rest_2, simd.mul_f32s(g, g)));
            let root = simd.mul_add_e_f32s(simd.sqrt_f32s(*v), root_scale, epsilon);
            *parameter = simd.mul_add_e_f32s(step_size, simd.div_f32s(*m, root), *parameter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps computed by hand: g = 1, then g = −3 (scaled by 0.5), lr = 0.1.
    #[test]
    fn two_steps_are_as_computed_by_hand() {
        let mut adam = Adam::new(16);
        let mut parameters = [1.0; 16];
        let step = |gradient_scale| AdamStep {
            learning_rate: 0.1,
            epsilon: 1e-5,
            gradient_scale,
        };
        // m = 0.1, v = 0.001; both are 1 after bias correction: the step is 0.1 / (1 + 1e-5).
        adam.step(&mut parameters, &[1.0; 16], step(1.0));
        let first = 1.0 - 0.1 / (1.0 + 1e-5);
        assert!(
            parameters
                .iter()
                .all(|p| (f64::from(*p) - first).abs() < 1e-6)
        );
        // g = −1.5: m = 0.9·0.1 − 0.15 = −0.06, v = 0.999·0.001 + 0.001·2.25 = 0.003249.
        adam.step(&mut parameters, &[-3.0; 16], step(0.5));
        let (m, v) = (-0.06 / 0.19, 0.003249_f64 / 0.001999);
        let second = first - 0.1 * m / (v.sqrt() + 1e-5);
        assert!(
            parameters
                .iter()
                .all(|p| (f64::from(*p) - second).abs() < 1e-5)
        );
        assert_eq!(adam.n_steps, 2);
    }

    #[test]
    fn a_parameter_without_gradient_stays() {
        let mut adam = Adam::new(16);
        let mut parameters = [0.0; 16];
        for _ in 0..3 {
            let step = AdamStep {
                learning_rate: 1.0,
                epsilon: 1e-5,
                gradient_scale: 1.0,
            };
            adam.step(&mut parameters, &[0.0; 16], step);
        }
        assert_eq!(parameters, [0.0; 16]);
    }
}
