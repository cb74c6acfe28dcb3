//! Named materials, and the softness under a probe of a torso made of them.
//!
//! The digital phantoms of RSNA's QIBA committee for shear wave speed (repository RSNA-QIBA-US-SWS/QIBA-DigitalPhantoms; Palmeri, Qiang, Chen
//! and Urban 2016, IEEE TUFFC 64(1):78–92): shear moduli of 1, 2, 5 and 10 kPa, and three solids that relax from G₀ to G∞, ν = 0.495:
//!
//! ```text
//! G(t) = G∞ + (G₀ − G∞) e^{−βt}          β in 1/s: the viscosity (G₀ − G∞)/β is 1.2 to 4 Pa·s, as in liver
//! E = 2 G (1 + ν),   k = 2 a E/(1 − ν²)                                                    (Sneddon 1965)
//! c = k∞ (G₀/G∞ − 1)/β                    for presses that are slow compared to 1/β
//! ```
//!
//! The phantoms' table gives β in Pa·s, which is not the unit of a rate. They were computed with LS-DYNA's `*MAT_VISCOELASTIC`, whose decay
//! is in 1/s.
//!
//! a is the radius of a flat punch with the area of the probe's face. A press of a torso feels k if the torso is as stiff as a half space;
//! docs/trust/torsos.md gives the deviation of each kind of torso.

use super::flex::FACE_RADIUS;
use super::softness::Softness;
use crate::ModelError;

/// Poisson's ratio of all materials.
const POISSON: f64 = 0.495;

/// A linear viscoelastic solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Name on the command line.
    pub name: &'static str,
    /// Instantaneous shear modulus, G₀ [Pa].
    pub instantaneous_shear_modulus: f64,
    /// Relaxed shear modulus, G∞ [Pa].
    pub relaxed_shear_modulus: f64,
    /// Relaxation rate, β [1/s]; infinite for an elastic solid.
    pub relaxation_rate: f64,
}

/// All materials.
pub const ALL: &[Material] = &[
    elastic("qiba-1kpa", 1e3),
    elastic("qiba-2kpa", 2e3),
    elastic("qiba-5kpa", 5e3),
    elastic("qiba-10kpa", 10e3),
    relaxing("qiba-10-2kpa", [10e3, 2e3], 6667.0),
    relaxing("qiba-15-4kpa", [15e3, 4e3], 5500.0),
    relaxing("qiba-20-4kpa", [20e3, 4e3], 4000.0),
];

const fn elastic(name: &'static str, shear_modulus: f64) -> Material {
    relaxing(name, [shear_modulus; 2], f64::INFINITY)
}

const fn relaxing(name: &'static str, [instantaneous, relaxed]: [f64; 2], rate: f64) -> Material {
    Material {
        name,
        instantaneous_shear_modulus: instantaneous,
        relaxed_shear_modulus: relaxed,
        relaxation_rate: rate,
    }
}

/// Returns the material called `name`.
///
/// # Errors
/// [`ModelError::Unknown`] with a list of the known materials.
pub fn by_name(name: &str) -> Result<&'static Material, ModelError> {
    Ok(insonate_settings::find(
        "material",
        name,
        ALL,
        |material| material.name,
    )?)
}

impl Material {
    /// Stiffness and damping under a probe that presses slowly. An elastic solid gets the lowest damping that torsos allow.
    pub fn softness(&self) -> Softness {
        let young_modulus = 2.0 * self.relaxed_shear_modulus * (1.0 + POISSON);
        let stiffness = 2.0 * FACE_RADIUS * young_modulus / (1.0 - POISSON * POISSON);
        let relaxing = self.instantaneous_shear_modulus / self.relaxed_shear_modulus - 1.0;
        let damping = stiffness * relaxing / self.relaxation_rate;
        Softness {
            stiffness,
            damping: damping.max(Softness::LEAST_DAMPING),
        }
    }

    /// One-line description.
    pub fn summary(&self) -> String {
        let kilopascals = |modulus: f64| modulus / 1e3;
        let relaxed = kilopascals(self.relaxed_shear_modulus);
        let Softness { stiffness, damping } = self.softness();
        let shear = if self.relaxation_rate.is_finite() {
            format!(
                "QIBA's phantom that relaxes from {} to {relaxed} kPa at {} 1/s",
                kilopascals(self.instantaneous_shear_modulus),
                self.relaxation_rate
            )
        } else {
            format!("QIBA's elastic phantom with a shear modulus of {relaxed} kPa")
        };
        format!("{shear}: {stiffness:.0} N/m, {damping:.2} N·s/m under a probe")
    }
}
