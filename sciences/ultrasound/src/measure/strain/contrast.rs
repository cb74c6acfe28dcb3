//! Contrast of a target in a strain image.
//!
//! $\mathrm{CNR}_e = |\mu_t - \mu_b| \sqrt{2 / (\sigma_t^2 + \sigma_b^2)}$ of the strains of target and background (Varghese and Ophir 1998,
//! Ultrasound in Medicine and Biology 24(6), who state its square).

/// Contrast between the strains of a target and its background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainContrast {
    /// Contrast-to-noise ratio.
    pub cnr: f64,
    /// Mean and standard deviation of the target's strain.
    pub target: [f64; 2],
    /// Mean and standard deviation of the background's strain.
    pub background: [f64; 2],
}

/// Contrast of strains; NaN if one of the two regions is empty.
pub fn strain_contrast(target: &[f32], background: &[f32]) -> StrainContrast {
    let [target, background] = [target, background].map(moments);
    let noise = target[1].powi(2) + background[1].powi(2);
    StrainContrast {
        cnr: (target[0] - background[0]).abs() * (2.0 / noise).sqrt(),
        target,
        background,
    }
}

/// Mean and standard deviation.
fn moments(values: &[f32]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / n;
    let squares = values
        .iter()
        .map(|value| (f64::from(*value) - mean).powi(2));
    [mean, (squares.sum::<f64>() / n).sqrt()]
}
