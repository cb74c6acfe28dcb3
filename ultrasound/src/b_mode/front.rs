//! A front of sound on its way: what is left of it, and how late it is.

use super::acoustics::{Acoustics, reflection};

/// Below this amplitude nothing comes back.
pub(crate) const FAINTEST: f32 = 1e-6;
/// Echo of a plane boundary that reflects all, over the speckle of liver: 40 dB.
/// A mirror would give 59 dB (backscatter of 3.7e-6 f^1.4 /mm/sr, Campbell 1984, at F/2); boundaries in bodies are rough.
pub(crate) const SPECULAR: f32 = 100.0;
/// Angle at which a boundary's echo has fallen to 1/e [rad].
const SPREAD: f32 = 0.35;
/// Share of a boundary's echo that goes to all sides, as it is rough.
const ROUGH: f32 = 0.08;
/// Cosine of the most grazing incidence on average over a beam.
const GRAZING: f32 = 0.3;
/// Echoes fainter than this over the speckle of liver, which is darker than black, are not looked at closely.
const UNSEEN: f32 = 0.03;

/// Where a ray has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Front {
    /// What is left on the way there and back.
    pub(crate) amplitude: f32,
    /// Shown range less range [m].
    pub(crate) offset: f32,
}

impl Front {
    pub(crate) fn new() -> Self {
        Self {
            amplitude: 1.0,
            offset: 0.0,
        }
    }

    /// Goes a length within a material [m].
    pub(crate) fn pass(&mut self, acoustics: &Acoustics, length: f32) {
        self.amplitude *= (-acoustics.loss * length).exp();
        self.offset += acoustics.stretch * length;
    }

    /// How far it comes in a material [m].
    pub(crate) fn reach(self, acoustics: &Acoustics) -> f32 {
        if self.amplitude <= FAINTEST {
            return 0.0;
        }
        (self.amplitude / FAINTEST).ln() / acoustics.loss.max(1e-9)
    }

    /// Whether anybody sees the echo of a boundary that is met upright.
    pub(crate) fn sees(self, [from, to]: [&Acoustics; 2]) -> bool {
        SPECULAR * self.amplitude * reflection(from, to, 1.0)[0].abs() >= UNSEEN
    }

    /// Passes a boundary at an angle's cosine, if its echo is seen; returns the share of the pressure that comes back.
    pub(crate) fn meet(&mut self, [from, to]: [&Acoustics; 2], cosine: Option<f32>) -> f32 {
        let Some(cos) = cosine else {
            self.amplitude *= reflection(from, to, 1.0)[1];
            return 0.0;
        };
        // Only a part of the beam meets a boundary more grazingly.
        let [reflected, left] = reflection(from, to, cos.max(GRAZING));
        let angle = cos.acos() / SPREAD;
        let directed = (1.0 - ROUGH) * (-angle * angle).exp() + ROUGH * cos;
        let strength = self.amplitude * reflected * directed;
        self.amplitude *= if to.is_gas { 0.0 } else { left };
        strength
    }
}
