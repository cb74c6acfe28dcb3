//! Cross-sections.

use insonate_continuum as continuum;
use pyo3::prelude::*;

/// Cross-section and material of a rod.
#[pyclass(frozen, get_all, module = "insonate.continuum")]
pub(crate) struct Section {
    /// Young's modulus [Pa].
    young_modulus: f64,
    /// Shear modulus [Pa].
    shear_modulus: f64,
    /// Density [kg/m³].
    density: f64,
    /// Area [m²].
    area: f64,
    /// Second moment of area about the section's y axis [m⁴].
    inertia_y: f64,
    /// Second moment of area about the section's z axis [m⁴].
    inertia_z: f64,
    /// Torsion constant [m⁴].
    torsion_constant: f64,
    /// Outer radius [m].
    radius: f64,
    /// Twist and curvatures about y and z at rest [1/m].
    rest_curvature: [f64; 3],
}

#[pymethods]
impl Section {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (*, young_modulus, shear_modulus, density, area, inertia_y, inertia_z, torsion_constant, radius,
        rest_curvature=[0.0; 3]))]
    fn new(
        young_modulus: f64,
        shear_modulus: f64,
        density: f64,
        area: f64,
        inertia_y: f64,
        inertia_z: f64,
        torsion_constant: f64,
        radius: f64,
        rest_curvature: [f64; 3],
    ) -> Self {
        Self {
            young_modulus,
            shear_modulus,
            density,
            area,
            inertia_y,
            inertia_z,
            torsion_constant,
            radius,
            rest_curvature,
        }
    }

    /// A round tube, straight at rest.
    #[staticmethod]
    fn tube(young_modulus: f64, area: f64, inertia: f64, density: f64) -> Self {
        continuum::Section::tube(young_modulus, area, inertia, density).into()
    }

    fn __repr__(&self) -> String {
        let (young_modulus, radius) = (self.young_modulus, self.radius);
        format!("Section(young_modulus={young_modulus:?}, radius={radius:?})")
    }
}

impl From<continuum::Section> for Section {
    fn from(section: continuum::Section) -> Self {
        Self {
            young_modulus: section.young_modulus,
            shear_modulus: section.shear_modulus,
            density: section.density,
            area: section.area,
            inertia_y: section.inertia_y,
            inertia_z: section.inertia_z,
            torsion_constant: section.torsion_constant,
            radius: section.radius,
            rest_curvature: section.rest_curvature.into(),
        }
    }
}

impl From<&Section> for continuum::Section {
    fn from(section: &Section) -> Self {
        Self {
            young_modulus: section.young_modulus,
            shear_modulus: section.shear_modulus,
            density: section.density,
            area: section.area,
            inertia_y: section.inertia_y,
            inertia_z: section.inertia_z,
            torsion_constant: section.torsion_constant,
            radius: section.radius,
            rest_curvature: section.rest_curvature.into(),
        }
    }
}
