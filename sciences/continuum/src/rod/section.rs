//! Cross-sections.

use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::ContinuumError;

/// Cross-section and material of a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Young's modulus E [Pa].
    pub young_modulus: f64,
    /// Shear modulus G [Pa].
    pub shear_modulus: f64,
    /// Density ρ [kg/m³].
    pub density: f64,
    /// Area A [m²].
    pub area: f64,
    /// Second moment of area about the section's y axis [m⁴].
    pub inertia_y: f64,
    /// Second moment of area about the section's z axis [m⁴].
    pub inertia_z: f64,
    /// Torsion constant J [m⁴].
    pub torsion_constant: f64,
    /// Outer radius for contact with walls [m].
    pub radius: f64,
    /// Twist and curvatures about y and z at rest [1/m], in the section's axes.
    pub rest_curvature: Vector3<f64>,
}

impl Section {
    /// A round tube with a given area and second moment of area, straight at rest.
    ///
    /// Both determine its radii: r_o² + r_i² = 4 I / A, r_o² − r_i² = A / π. G = E / 2 and J = 2 I, as in the authors'
    /// later program.
    pub fn tube(young_modulus: f64, area: f64, inertia: f64, density: f64) -> Self {
        Self {
            young_modulus,
            shear_modulus: 0.5 * young_modulus,
            density,
            area,
            inertia_y: inertia,
            inertia_z: inertia,
            torsion_constant: 2.0 * inertia,
            radius: (0.5 * (4.0 * inertia / area + area / PI)).sqrt(),
            rest_curvature: Vector3::zeros(),
        }
    }

    pub(super) fn check(&self, name: &str) -> Result<(), ContinuumError> {
        let positive = [
            ("young_modulus", self.young_modulus, "Pa"),
            ("shear_modulus", self.shear_modulus, "Pa"),
            ("area", self.area, "m²"),
            ("inertia_y", self.inertia_y, "m⁴"),
            ("inertia_z", self.inertia_z, "m⁴"),
            ("torsion_constant", self.torsion_constant, "m⁴"),
            ("radius", self.radius, "m"),
        ];
        for (field, value, unit) in positive {
            if !(value > 0.0 && value.is_finite()) {
                let allowed = format!("positive [{unit}]");
                return Err(ContinuumError::setting(
                    format!("{name}.{field}"),
                    value,
                    allowed,
                ));
            }
        }
        if !(self.density >= 0.0 && self.density.is_finite()) {
            let field = format!("{name}.density");
            return Err(ContinuumError::setting(
                field,
                self.density,
                "at least 0 kg/m³",
            ));
        }
        if !self.rest_curvature.iter().all(|number| number.is_finite()) {
            let field = format!("{name}.rest_curvature");
            return Err(ContinuumError::setting(
                field,
                self.rest_curvature,
                "finite [1/m]",
            ));
        }
        Ok(())
    }
}
