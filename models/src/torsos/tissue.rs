//! `mpm` and `xpbd`: a solid stepped by the project's own tissue solvers beside MuJoCo.
//!
//! The file holds the same solid as a `flex` torso, without its skin and its rounding, and names the solver and the material in custom
//! elements: another MuJoCo opens it and steps the solid by its own finite elements.
//!
//! **Stiffness.** A rigid flat punch of radius $a$ on an elastic layer of thickness $H$ feels $F = 2 a E / (1 - \nu^2) \cdot d \cdot \kappa$
//! at depth $d$ (Johnson 1985, *Contact Mechanics*, Eq. 3.36), with $\kappa$ what the layer's thickness, its large deformation, the
//! oblong face and the solver's resolution add: fitted to presses, as for the `flex` torso.
//!
//! **Damping.** Kelvin and Voigt's: the same share of time, damping over stiffness, in every point of the tissue. Inertia adds to it.

use super::flex::{self, DENSITY, FACE_RADIUS, POISSON, Tissue};
use super::{Torso, TorsoConfig};
use crate::ModelError;
use crate::mjcf::Element;

/// Custom text that names the solver, below the torso's prefix.
pub const SOLVER: &str = "torso_solver";
/// Custom numbers of the material, below the torso's prefix: Young's modulus [Pa], Poisson's ratio, density [kg/m³], damping time [s].
pub const MATERIAL: &str = "torso_material";

/// Force over that on a half-space, $\kappa$ (above).
const STIFFENING: f64 = 1.0;

/// A torso of particles.
///
/// # Errors
/// [`ModelError::OutOfRange`] for what [`TorsoConfig::check`] refuses, [`ModelError::Conflict`] for too many points.
pub fn mpm(config: &TorsoConfig) -> Result<Torso, ModelError> {
    solid("mpm", config)
}

/// A torso of tetrahedra with compliant constraints.
///
/// # Errors
/// As [`mpm`].
pub fn xpbd(config: &TorsoConfig) -> Result<Torso, ModelError> {
    solid("xpbd", config)
}

fn solid(name: &'static str, config: &TorsoConfig) -> Result<Torso, ModelError> {
    let softness = config.softness;
    let punch = 2.0 * FACE_RADIUS / (1.0 - POISSON * POISSON) * STIFFENING;
    let young_modulus = softness.stiffness / punch;
    let mut torso = flex::make(name, config, 0.0, |lattice, config| {
        Tissue::of_moduli(lattice, config, young_modulus, 0.0)
    })?;
    let material = [
        young_modulus,
        POISSON,
        DENSITY,
        softness.damping / softness.stiffness,
    ];
    let custom = torso.mjcf.custom();
    custom.add(
        Element::new("text")
            .with_attribute("name", SOLVER)
            .with_attribute("data", name),
    );
    custom.add(
        Element::new("numeric")
            .with_attribute("name", MATERIAL)
            .with_attribute("data", material),
    );
    Ok(torso)
}
