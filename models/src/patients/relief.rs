//! Relief of the trunk on top of its plain cross-sections: breasts, ribs, belly, navel, collar bones.
//!
//! The relief is a sum of Gaussian hills over the front, at `across` (-1 to 1 of the half width) and `height` (crotch 0, notch 1). It was
//! shaped by eye after surface anatomy, and is symmetric about the midline.

use super::physique::Sex;

/// Heights of landmarks between crotch (0) and notch (1).
mod level {
    /// Front of the iliac crest.
    pub(super) const ILIUM: f64 = 0.25;
    /// Navel.
    pub(super) const NAVEL: f64 = 0.352;
    /// Lower end of the breastbone.
    pub(super) const XIPHOID: f64 = 0.62;
    /// Nipples.
    pub(super) const CHEST: f64 = 0.74;
}

/// A hill: position (across, height), radii in the same coordinates, rise.
type Hill = ([f64; 2], [f64; 2], f64);

/// Hills of both sexes, as fractions of the height above the table: arches of the ribs with the pit of the stomach between them, wings of
/// the pelvis, belly.
const COMMON: [Hill; 5] = [
    ([0.0, 0.53], [0.34, 0.07], -0.045),
    ([0.48, 0.57], [0.2, 0.06], 0.02),
    ([0.62, level::ILIUM], [0.13, 0.045], 0.035),
    ([0.0, 0.31], [0.45, 0.1], 0.03),
    ([0.0, 0.76], [0.11, 0.13], -0.03),
];
/// The pectoral muscles.
const MALE: [Hill; 2] = [
    ([0.45, 0.755], [0.33, 0.07], 0.055),
    ([0.62, 0.84], [0.25, 0.06], 0.03),
];
/// Breasts, flattened because the patient lies on the back.
const FEMALE: [Hill; 2] = [
    ([0.5, level::CHEST], [0.3, 0.085], 0.15),
    ([0.6, 0.68], [0.2, 0.05], 0.04),
];

/// Finer hills [m]: navel, the line above it, collar bones with the pits next to the notch, edge of the ribs.
const FINE: [Hill; 6] = [
    ([0.0, level::NAVEL], [0.045, 0.013], -0.008),
    ([0.0, level::NAVEL], [0.10, 0.03], 0.0015),
    ([0.0, 0.44], [0.05, 0.09], -0.002),
    ([0.4, 0.965], [0.28, 0.012], 0.007),
    ([0.0, 0.99], [0.09, 0.03], -0.008),
    ([0.0, level::XIPHOID], [0.08, 0.015], -0.002),
];

/// Relief that a lattice of particles can follow, as a fraction of the height above the table.
pub(super) fn coarse(sex: Sex, across: f64, height: f64) -> f64 {
    let own = match sex {
        Sex::Female => &FEMALE,
        Sex::Male => &MALE,
    };
    sum(COMMON.iter().chain(own), across, height)
}

/// Relief of the rendered skin only [m].
pub(super) fn fine(across: f64, height: f64) -> f64 {
    sum(FINE.iter(), across, height)
}

fn sum<'a>(hills: impl Iterator<Item = &'a Hill>, across: f64, height: f64) -> f64 {
    hills
        .map(|&([x, y], [wide, high], rise)| {
            let bell = |distance: f64| (-distance * distance).exp();
            // A hill on the midline counts once, other hills on both sides.
            let sides = if x == 0.0 {
                bell(across / wide)
            } else {
                bell((across - x) / wide) + bell((across + x) / wide)
            };
            rise * sides * bell((height - y) / high)
        })
        .sum()
}
