//! `elastic`, `mpm` and `xpbd`: a solid that is stepped by the project's tissue solvers, next to MuJoCo.
//!
//! The file contains the same solid as a `flex` torso, without its skin and its rounding, and names the solver and the material in custom
//! elements. A MuJoCo without these solvers can open the file; it steps the solid with its own finite elements.
//!
//! **Stiffness.** A rigid flat punch of radius $a$ on an elastic layer of thickness $H$ feels $F = 2 a E / (1 - \nu^2) \cdot d \cdot \kappa$
//! at depth $d$ (Johnson 1985, *Contact Mechanics*, Eq. 3.36). The factor $\kappa$ accounts for the layer's thickness, large deformation, the
//! oblong face and the solver's resolution: [`mpm_stiffening`] and [`xpbd_stiffening`], fitted to presses as for the `flex` torso.
//! It is also applied to the file's own finite elements, for which it is not fitted.
//!
//! **Damping.** Kelvin–Voigt damping: every point of the tissue has the same ratio of damping to stiffness (a time).
//! [`mpm_damping`] and [`xpbd_damping`] compute the damping for which a probe feels the configured softness.

use super::config::{Device, TorsoConfig};
use super::flex::{self, DENSITY, FACE_RADIUS, POISSON, Tissue, fitted_height};
use super::torso::Torso;
use crate::ModelError;
use crate::mjcf::Element;

/// Custom text with the name of the solver, without the torso's prefix.
pub const SOLVER: &str = "torso_solver";
/// Custom numbers of the material, without the torso's prefix: Young's modulus [Pa], Poisson's ratio, density [kg/m³], damping
/// time [s].
pub const MATERIAL: &str = "torso_material";

/// Custom number, without the torso's prefix: distance from tools within which tissue moves [m]; absent: all of it moves.
pub const REACH: &str = "torso_reach";
/// Custom numbers, without the torso's prefix: the softness over the skin ([`super::SoftnessField::to_numbers`]); absent: the same everywhere. A
/// MuJoCo without these solvers ignores them.
pub const FIELD: &str = "torso_field";
/// Custom number, without the torso's prefix: upper limit of the substep of tetrahedra [s].
pub const LONGEST_SUBSTEP: &str = "torso_substep";

/// Custom text `gpu`, without the torso's prefix: a GPU steps the solver; absent: the processor does.
pub const DEVICE: &str = "torso_device";

/// Spacing for which the stiffening was fitted [m]. Corrections are proportional to the difference from it.
const FITTED_SPACING: f64 = 0.035;

/// Force relative to a half-space, $\kappa$ (above), of particles in a torso of a `height` [m].
///
/// Fitted to presses at 20 mm/s. Ratio of the secant stiffness at 1, 1.5 and 2 cm to the configured stiffness, with $\kappa = 1$, in presses
/// at 5 cm/s, where damping adds some 6 %:
///
/// | torso | 1 cm | 1.5 cm | 2 cm |
/// |---|---|---|---|
/// | default: cylinder 9 × 4 × 11 at 35 mm | 0.71 | 0.84 | 0.94 |
/// | 11 × 5 × 14 at 27 mm | 0.75 | 0.87 | 0.94 |
/// | 7 × 3 × 8 at 47 mm | 0.75 | 0.91 | 1.04 |
/// | 7 cm high (9 × 3 × 11) | 0.78 | 0.95 | 1.08 |
/// | 14 cm high (9 × 5 × 11) | 0.70 | 0.81 | 0.90 |
/// | box | 0.77 | 0.91 | 1.05 |
/// | ellipsoid | 0.72 | 0.85 | 0.98 |
fn mpm_stiffening(height: f64) -> f64 {
    0.625 + 0.0187 / height
}

/// Default of the longest substep of tetrahedra, and lower limit of the substep that is chosen for the sake of damping [s].
const SUBSTEP: f64 = 5e-4;
const LEAST_SUBSTEP: f64 = 1e-4;
/// Relative loss of force on a probe per second of a substep of tetrahedra [1/s]; the stiffening below was fitted at 0.22 ms.
const LOST: f64 = 40.0;

/// Relative increase of the force, times the reach [m]: tissue beyond the reach is fixed and makes the moving tissue stiffer.
const BOUND: f64 = 0.0056;

/// Force of particles if only those within a reach of 6 to 8 cm move, relative to the force if all move: nodes at the edge of the moving
/// region lack the stiffness of the fixed tissue beyond it.
const EDGE: f64 = 0.97;

/// Force relative to a half-space, $\kappa$, of tetrahedra half as wide as the lattice, as for [`mpm_stiffening`].
///
/// | torso | 1 cm | 1.5 cm | 2 cm |
/// |---|---|---|---|
/// | default: cylinder 9 × 4 × 11 at 35 mm | 0.92 | 1.09 | 1.22 |
/// | 11 × 5 × 14 at 27 mm | 0.89 | 1.03 | 1.13 |
/// | 7 × 3 × 8 at 47 mm | 1.09 | 1.23 | 1.32 |
/// | 7 cm high (9 × 3 × 11) | 1.07 | 1.31 | 1.46 |
/// | 14 cm high (9 × 5 × 11) | 0.86 | 0.99 | 1.11 |
/// | box | 0.99 | 1.16 | 1.27 |
/// | ellipsoid | 0.93 | 1.06 | 1.19 |
fn xpbd_stiffening(spacing: f64, height: f64) -> f64 {
    0.635 + 0.0448 / height + 7.0 * (spacing - FITTED_SPACING)
}

/// Force relative to a half-space, $\kappa$, of condensed finite elements half as wide as the lattice, as for [`mpm_stiffening`]; so that a
/// press of 1 cm has the force of the other torsos. Static ratios for $\kappa = 1$:
///
/// | torso | 0.5 cm | 1 cm | 1.5 cm | 2 cm |
/// |---|---|---|---|---|
/// | default: cylinder 9 × 4 × 11 at 35 mm | 0.75 | 0.94 | 1.04 | 1.11 |
/// | 11 × 5 × 14 at 27 mm | 0.74 | 0.89 | 1.00 | 1.06 |
/// | 7 × 3 × 8 at 47 mm | 0.87 | 1.08 | 1.23 | 1.30 |
/// | 7 cm high (9 × 3 × 11) | 0.85 | 1.07 | 1.18 | 1.25 |
/// | 14 cm high (9 × 5 × 11) | 0.70 | 0.87 | 0.96 | 1.02 |
/// | box | 0.82 | 1.01 | 1.09 | 1.15 |
/// | ellipsoid | 0.72 | 0.93 | 1.02 | 1.09 |
fn elastic_stiffening(spacing: f64, height: f64) -> f64 {
    0.737 + 0.0288 / height + 10.75 * (spacing - FITTED_SPACING)
}

/// A torso of particles.
///
/// # Errors
/// [`ModelError::OutOfRange`] if [`TorsoConfig::check`] fails, [`ModelError::Conflict`] if there are too many points.
pub fn mpm(config: &TorsoConfig) -> Result<Torso, ModelError> {
    solid(&MPM, config)
}

/// A torso of tetrahedra with compliant constraints.
///
/// # Errors
/// The errors of [`mpm`].
pub fn xpbd(config: &TorsoConfig) -> Result<Torso, ModelError> {
    solid(&XPBD, config)
}

/// A linear elastic torso, condensed to its skin.
///
/// # Errors
/// The errors of [`mpm`].
pub fn elastic(config: &TorsoConfig) -> Result<Torso, ModelError> {
    solid(&ELASTIC, config)
}

/// A tissue solver, as far as its file differs.
struct SolverParameters {
    name: &'static str,
    material: fn(&TorsoConfig) -> [f64; 4],
    /// Longest substep [s], if the solver has a limit.
    substep: fn(&TorsoConfig) -> Option<f64>,
}

const MPM: SolverParameters = SolverParameters {
    name: "mpm",
    material: mpm_material,
    substep: |_| None,
};

const XPBD: SolverParameters = SolverParameters {
    name: "xpbd",
    material: xpbd_material,
    substep: |config| Some(substep(config)),
};

const ELASTIC: SolverParameters = SolverParameters {
    name: "elastic",
    material: elastic_material,
    substep: |_| None,
};

/// The value of [`MATERIAL`] for an `elastic` torso of this configuration. All of its points have the same ratio of damping to stiffness,
/// which a probe then feels.
pub fn elastic_material(config: &TorsoConfig) -> [f64; 4] {
    let stiffening = elastic_stiffening(config.spacing.clamp(0.02, 0.06), fitted_height(config));
    material(config, stiffening, config.softness.damping)
}

/// The value of [`MATERIAL`] for an `mpm` torso of this configuration.
pub fn mpm_material(config: &TorsoConfig) -> [f64; 4] {
    let stiffening =
        config.active_radius.map_or(1.0, |_| EDGE) * mpm_stiffening(fitted_height(config));
    material(config, stiffening, mpm_damping(config))
}

/// The value of [`MATERIAL`] for an `xpbd` torso of this configuration.
pub fn xpbd_material(config: &TorsoConfig) -> [f64; 4] {
    // Spacings outside the fitted range are clamped to it.
    let spacing = config.spacing.clamp(0.02, 0.06);
    let bound = 1.0 + config.active_radius.map_or(0.0, |reach| BOUND / reach);
    let stiffening =
        (1.0 - LOST * substep(config)) * bound * xpbd_stiffening(spacing, fitted_height(config));
    material(config, stiffening, xpbd_damping(config))
}

fn material(config: &TorsoConfig, stiffening: f64, damping: f64) -> [f64; 4] {
    let punch = 2.0 * FACE_RADIUS / (1.0 - POISSON * POISSON) * stiffening;
    [
        config.softness.stiffness / punch,
        POISSON,
        DENSITY,
        damping / config.softness.stiffness,
    ]
}

/// Ratio of the damping that a probe feels to the damping of particles: the strain below a probe is large.
const MPM_FELT: f64 = 1.4;
/// Damping by the transfer of particles to the grid and back at [`FITTED_SPACING`], over the root of the stiffness [√(N/m) s]. It is the mass
/// under the probe over a substep, so it grows with the square of the spacing.
const MPM_TRANSFER: f64 = 0.11;
/// Factor of the transfer damping if only tissue within a reach moves: tissue starts and stops moving at its edge.
const MPM_EDGE_DAMPING: f64 = 2.0;
/// Limit of the damping that a probe on tetrahedra can feel, at [`FITTED_SPACING`] and [`SUBSTEP`] [N·s/m].
const MOST_FELT: f64 = 36.0;
/// Stiffness at which [`MOST_FELT`] was fitted [N/m].
const FITTED_STIFFNESS: f64 = 1324.17;
/// Fraction of the limit up to which damping should lie, by choice of the substep if it is not configured.
const WELL_FELT: f64 = 0.7;
/// Fraction of the limit up to which [`xpbd_damping`] compensates for the loss.
const MADE_UP_FOR: f64 = 0.8;

/// Damping of particles for which a probe feels the damping of the softness [N·s/m].
fn mpm_damping(config: &TorsoConfig) -> f64 {
    let edge = config.active_radius.map_or(1.0, |_| MPM_EDGE_DAMPING);
    let spacing = config.spacing / FITTED_SPACING;
    let transfer = edge * MPM_TRANSFER * config.softness.stiffness.sqrt() * spacing.powi(2);
    (config.softness.damping - transfer).max(0.0) / MPM_FELT
}

/// Damping of tetrahedra for which a probe feels the damping of the softness [N·s/m].
///
/// A substep solves each tetrahedron once, which loses the fraction $c / s$ of a damping $c / (1 - c / s)$. Fitted to presses at 20 mm/s.
/// The table shows the felt damping (force while pressing less force while retracting, over the difference of their rates, 2 to 15 mm)
/// of tetrahedra with the given damping:
///
/// | torso | given 17.6 | given 35 | $s$ |
/// |---|---|---|---|
/// | default, 35 mm in substeps of 0.5 ms | 12.3 | 18 | 36 |
/// | 0.25 ms | 13.6 | 22.0 | 60 |
/// | 1 ms | 9.2 | 12.7 | 19 |
/// | 28 mm | 10.6 | 15.1 | 25 |
/// | 47 mm | 14.9 | 22.8 | 60 |
///
/// At 4000 N/m, 0.5 ms, $s$ is 45.
fn xpbd_damping(config: &TorsoConfig) -> f64 {
    let damping = config.softness.damping;
    damping / (1.0 - (damping / max_felt_damping(config, substep(config))).min(MADE_UP_FOR))
}

/// Limit $s$ of the damping that a probe on tetrahedra can feel, for a substep [s] [N·s/m].
fn max_felt_damping(config: &TorsoConfig, substep: f64) -> f64 {
    MOST_FELT
        * (SUBSTEP / substep)
        * (config.spacing / FITTED_SPACING).powf(1.7)
        * (config.softness.stiffness / FITTED_STIFFNESS).powf(0.2)
}

/// Longest substep of tetrahedra [s]: the configured one, or one that is short enough for the damping.
fn substep(config: &TorsoConfig) -> f64 {
    config.substep.unwrap_or_else(|| {
        let share = config.softness.damping / (WELL_FELT * max_felt_damping(config, SUBSTEP));
        (SUBSTEP / share.max(1.0)).max(LEAST_SUBSTEP)
    })
}

fn solid(solver: &SolverParameters, config: &TorsoConfig) -> Result<Torso, ModelError> {
    config.check()?;
    let material = (solver.material)(config);
    let [young_modulus, ..] = material;
    let mut torso = flex::make(solver.name, config, 0.0, |lattice, config| {
        Tissue::of_moduli(lattice, config, young_modulus, 0.0)
    })?;
    let custom = torso.mjcf.custom();
    custom.add(
        Element::new("text")
            .with_attribute("name", SOLVER)
            .with_attribute("data", solver.name),
    );
    custom.add(
        Element::new("numeric")
            .with_attribute("name", MATERIAL)
            .with_attribute("data", material),
    );
    if config.device == Device::Gpu {
        custom.add(
            Element::new("text")
                .with_attribute("name", DEVICE)
                .with_attribute("data", "gpu"),
        );
    }
    let substep = (solver.substep)(config);
    for (name, number) in [(REACH, config.active_radius), (LONGEST_SUBSTEP, substep)] {
        let Some(number) = number else { continue };
        custom.add(
            Element::new("numeric")
                .with_attribute("name", name)
                .with_attribute("data", number),
        );
    }
    if let Some(field) = &config.field {
        custom.add(
            Element::new("numeric")
                .with_attribute("name", FIELD)
                .with_attribute("data", field.to_numbers()),
        );
    }
    Ok(torso)
}
