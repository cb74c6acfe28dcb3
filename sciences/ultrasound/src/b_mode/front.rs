//! A wavefront along a ray: its amplitude and delay.

use super::acoustics::{Acoustics, reflection};

/// Amplitude at the mean frequency below which a front is dropped; the lower frequencies of the pulse lose less.
pub(crate) const FAINTEST: f32 = 1e-8;
/// Echo of a plane boundary with total reflection, relative to the speckle of liver: 40 dB.
/// A mirror would give 59 dB (backscatter of 3.7e-6 f^1.4 /mm/sr, Campbell 1984, at F/2); boundaries in bodies are rough.
pub(crate) const SPECULAR: f32 = 100.0;
/// The same for a mirror, as polished steel is.
pub(crate) const MIRROR: f32 = 891.0;
/// Angle at which the echo of a boundary has fallen to 1/e [rad].
const SPREAD: f32 = 0.35;
/// Share of a boundary's echo that is scattered in all directions, due to roughness.
const ROUGH: f32 = 0.08;
/// Cosine of the most grazing incidence, averaged over a beam.
const GRAZING: f32 = 0.3;
/// Least share of the amplitude that passes a boundary of tissues.
const PASSED: f32 = 0.05;
/// Boundaries with echoes below this, relative to the speckle of liver, are not refined: they are darker than black.
const UNSEEN: f32 = 0.03;

/// State of a front at a point on a ray.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Front {
    /// Remaining two-way amplitude, without what bone and gas on the way block: the aperture sees past them.
    pub(crate) amplitude: f32,
    /// Remaining share of this within the current bone or gas.
    pub(crate) open: f32,
    /// Shown range minus range in front of the current bone or gas [m].
    before: f32,
    /// Shown range minus range [m].
    pub(crate) offset: f32,
    /// Slope of its loss over the frequency's relative change [Np].
    pub(crate) slope: f32,
}

impl Front {
    pub(crate) fn new() -> Self {
        Self {
            amplitude: 1.0,
            open: 1.0,
            before: 0.0,
            offset: 0.0,
            slope: 0.0,
        }
    }

    /// Passes a length of a material [m].
    pub(crate) fn pass(&mut self, acoustics: &Acoustics, length: f32) {
        let left = (-acoustics.loss * length).exp();
        self.offset += acoustics.stretch * length;
        if acoustics.blocks {
            self.open *= left;
        } else {
            self.amplitude *= left;
            self.slope += acoustics.slope * length;
        }
    }

    /// Distance that the front travels in a material before it is dropped [m].
    pub(crate) fn reach(self, acoustics: &Acoustics) -> f32 {
        if self.amplitude <= FAINTEST {
            return 0.0;
        }
        if acoustics.blocks {
            return f32::INFINITY;
        }
        (self.amplitude / FAINTEST).ln() / acoustics.loss.max(1e-9)
    }

    /// Whether the echo of the boundary is visible at normal incidence.
    pub(crate) fn sees(self, [from, to]: [&Acoustics; 2]) -> bool {
        SPECULAR * self.amplitude * reflection(from, to, 1.0)[0].abs() >= UNSEEN
    }

    /// Passes a boundary, given the cosine of incidence if its echo is visible; returns the reflected share of the pressure.
    pub(crate) fn meet(&mut self, [from, to]: [&Acoustics; 2], cosine: Option<f32>) -> f32 {
        // At more grazing incidence, only a part of the beam meets the boundary.
        let [reflected, left] = reflection(from, to, cosine.unwrap_or(1.0).max(GRAZING));
        let directed = cosine.map_or(0.0, |cos| {
            let angle = cos.acos() / SPREAD;
            (1.0 - ROUGH) * (-angle * angle).exp() + ROUGH * cos
        });
        let strength = self.amplitude * self.open * reflected * directed;
        let left = if to.is_gas { 0.0 } else { left };
        match (from.blocks, to.blocks) {
            // At total reflection a part of the aperture still passes.
            (false, false) => self.amplitude *= left.max(PASSED),
            (false, true) => (self.open, self.before) = (left, self.offset),
            (true, true) => self.open *= left,
            (true, false) => (self.open, self.offset) = (1.0, self.before),
        }
        strength
    }
}
