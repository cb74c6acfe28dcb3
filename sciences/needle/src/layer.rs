//! Resistance of a layer of tissue to a needle.

use insonate_settings::check_ranges;

use crate::NeedleError;

/// Resistance of a layer of tissue to a needle.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Name in errors and reports.
    pub name: String,
    /// Force at which the tip breaks the surface of the layer, for example a capsule [N]; 0 if the layer has none.
    pub puncture_force: f64,
    /// Energy of a new crack J [J/m²]: the tip cuts with a force of J times `crack_width` times the outer diameter.
    pub toughness: f64,
    /// Width of the crack in diameters: 1 for a flat crack, π for a ring.
    pub crack_width: f64,
    /// Friction per length of shaft [N/m].
    pub friction: f64,
    /// Coefficient of Coulomb friction under the lateral forces on the shaft.
    pub friction_coefficient: f64,
    /// Whether a needle cannot enter.
    pub is_bone: bool,
}

impl Layer {
    /// A layer without a surface of its own and without Coulomb friction, in which the tip makes a flat crack.
    ///
    /// `toughness` [J/m²], `friction` [N/m].
    pub fn soft(name: &str, toughness: f64, friction: f64) -> Self {
        Self {
            name: name.to_owned(),
            puncture_force: 0.0,
            toughness,
            crack_width: 1.0,
            friction,
            friction_coefficient: 0.0,
            is_bone: false,
        }
    }

    /// A layer that no needle enters.
    pub fn bone(name: &str) -> Self {
        Self {
            is_bone: true,
            ..Self::soft(name, 0.0, 0.0)
        }
    }

    /// Force at the tip that cuts [N], for an outer diameter [m]: F = J w (Atkins' work of fracture per length of cut).
    pub fn cutting_force(&self, outer_diameter: f64) -> f64 {
        self.toughness * self.crack_width * outer_diameter
    }

    pub(crate) fn check(&self, index: usize) -> Result<(), NeedleError> {
        let rows = [
            ("puncture_force", self.puncture_force, [0.0, 100.0], "N"),
            ("toughness", self.toughness, [0.0, 1e5], "J/m²"),
            ("crack_width", self.crack_width, [0.0, 10.0], "diameters"),
            ("friction", self.friction, [0.0, 1e4], "N/m"),
            (
                "friction_coefficient",
                self.friction_coefficient,
                [0.0, 10.0],
                "",
            ),
        ];
        Ok(check_ranges(&format!("layers[{index}]."), rows)?)
    }
}
