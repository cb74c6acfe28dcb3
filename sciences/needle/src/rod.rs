//! The needle as a beam.
//!
//! A uniform cantilever of bending stiffness EI: a lateral force F at a from the clamp deflects it at s by
//! $w = F\,m^2 (3 M - m) / (6\,EI)$ with m = min(s, a) and M = max(s, a) (Euler and Bernoulli).

use std::f64::consts::PI;

use insonate_settings::{SettingError, check_ranges};

use crate::{Gauge, NeedleError};

/// Stainless steel [Pa].
const STEEL: f64 = 200e9;

/// Tip of a needle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Tip {
    /// A tip that cuts straight ahead: conical or trocar.
    #[default]
    Symmetric,
    /// A bevel, described by the lateral force on it while it cuts with its whole cutting force, towards +x of the base.
    ///
    /// The force grows with the square of the depth until the facet is in the tissue, as that of a triangular pressure. Without a facet
    /// the needle would turn about the skin before the tissue holds it, and the path would depend on the distance between its points.
    TipLoad {
        /// Force [N].
        force: f64,
        /// Length of the facet along the needle [m].
        facet: f64,
    },
    /// A bevel that cuts at an angle to the needle's tangent [rad], towards +x of the base, and follows its cut.
    CutAngle {
        /// Angle [rad].
        angle: f64,
    },
}

/// Description of a needle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeedleConfig {
    /// Length from hub to tip [m].
    pub length: f64,
    /// Outer diameter [m].
    pub outer_diameter: f64,
    /// Inner diameter [m]; 0 for a solid needle.
    pub inner_diameter: f64,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Whether a solid stylet of the same material fills the tube and bends with it.
    pub has_stylet: bool,
    /// Tip.
    pub tip: Tip,
}

impl NeedleConfig {
    /// A tube of stainless steel (200 GPa) with a symmetric tip. `length` from hub to tip [m].
    pub fn steel(gauge: Gauge, length: f64) -> Self {
        let [outer_diameter, inner_diameter] = gauge.diameters();
        Self {
            length,
            outer_diameter,
            inner_diameter,
            young_modulus: STEEL,
            has_stylet: false,
            tip: Tip::default(),
        }
    }

    /// Bending stiffness EI [N·m²].
    pub fn bending_stiffness(&self) -> f64 {
        let hole = if self.has_stylet {
            0.0
        } else {
            self.inner_diameter
        };
        self.young_modulus * PI / 64.0 * (self.outer_diameter.powi(4) - hole.powi(4))
    }

    /// Buckling load of a part of a length [m], clamped at the hub and pinned at the skin [N]: $20.19\,EI / L^2$ (Euler; the smallest
    /// positive root of tan x = x is 4.4934).
    pub fn buckling_load(&self, free_length: f64) -> f64 {
        4.493_409_457_909_064_f64.powi(2) * self.bending_stiffness() / free_length.powi(2)
    }

    /// Deflection at `at` by a lateral force of 1 N at `force_at`, both from the hub [m], in m/N.
    pub fn deflection(&self, at: f64, force_at: f64) -> f64 {
        let (near, far) = (at.min(force_at).max(0.0), at.max(force_at).max(0.0));
        near.powi(2) * (3.0 * far - near) / (6.0 * self.bending_stiffness())
    }

    /// Slope at `at` by a lateral force of 1 N at `force_at`, both from the hub [m], in 1/N.
    pub fn slope(&self, at: f64, force_at: f64) -> f64 {
        let near = at.min(force_at).max(0.0);
        near * (2.0 * force_at - near) / (2.0 * self.bending_stiffness())
    }

    pub(crate) fn radius(&self) -> f64 {
        0.5 * self.outer_diameter
    }

    pub(crate) fn check(&self) -> Result<(), NeedleError> {
        let rows = [
            ("length", self.length, [5e-3, 1.0], "m"),
            ("outer_diameter", self.outer_diameter, [1e-4, 5e-3], "m"),
            ("inner_diameter", self.inner_diameter, [0.0, 5e-3], "m"),
            ("young_modulus", self.young_modulus, [1e8, 1e12], "Pa"),
        ];
        check_ranges("needle.", rows)?;
        if self.inner_diameter >= self.outer_diameter {
            let allowed = "below the outer diameter";
            let field = "needle.inner_diameter";
            return Err(SettingError::new(field, self.inner_diameter, allowed).into());
        }
        let rows = match self.tip {
            Tip::Symmetric => return Ok(()),
            Tip::TipLoad { force, facet } => vec![
                ("tip.force", force, [-10.0, 10.0], "N"),
                ("tip.facet", facet, [1e-4, 0.05], "m"),
            ],
            Tip::CutAngle { angle } => vec![("tip.angle", angle, [-0.5, 0.5], "rad")],
        };
        Ok(check_ranges("needle.", rows)?)
    }
}
