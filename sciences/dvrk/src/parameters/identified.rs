//! Parameters identified on a real PSM, exactly as published.
//!
//! Source: Wang et al. 2019, standard parameters of the semidefinite fit (their package's `main_psm`, link frames, inertia about centres of mass).
//! They reproduce the torques of the real arm but are not physically feasible: the inertias of 90 and 37 kg m² of links 4 and 5 are not identifiable, four motor inertias are negative, and distal links have no mass.
//! Hence the mass matrix is not positive definite; [`classic`](crate::classic) corrects this.

use nalgebra::Vector3;

use super::{GRAVITY, drives};
use crate::geometry::Geometry;
use crate::inertia::Inertia;
use crate::joints::N_DRIVES;
use crate::psm::Psm;

/// Link, `[Ixx, Ixy, Ixz, Iyy, Iyz, Izz]` about the centre of mass [kg m²], centre of mass [m], mass [kg].
#[rustfmt::skip]
const INERTIAS: [(usize, [f64; 6], [f64; 3], f64); 8] = [
    (1, [1.3183903, 0.0, 0.0, 1.3183907, 0.0, 3.73e-5], [0.0121153, -0.0006075, 0.0], 6.0667823),
    (2, [0.0235898, -0.0015899, 0.0090817, 0.0265699, 0.0040484, 0.0044209], [-0.0195141, -0.0721861, -0.0110856], 10.0001371),
    (4, [3.61e-5, -2.87e-5, -2.4e-5, 90.0948874, 4e-7, 90.0948873], [0.1752131, 0.0199989, 0.0173905], 2.956747),
    (5, [3.69e-5, 2e-7, -1e-7, 37.04596, 0.0, 37.04596], [0.2978392, -0.030008, 0.0299994], 0.4796773),
    (6, [2.56e-5, 2.07e-5, 3.59e-5, 8.04e-5, -1.2e-5, 6.94e-5], [-7e-7, 0.0500018, -0.0293552], 0.1000014),
    (7, [2.61e-5, 2.06e-5, -3.58e-5, 8.04e-5, 1.19e-5, 6.96e-5], [-0.0455733, -0.1400001, 0.02], 0.5000069),
    (8, [2.54e-5, -3.58e-5, 2.07e-5, 6.9e-5, 1.2e-5, 8.02e-5], [-0.0199883, -0.0199936, -0.0995037], 0.3630268),
    (9, [2.58e-5, 3.6e-5, 2.11e-5, 6.97e-5, -1.23e-5, 8.07e-5], [0.0260167, -0.018457, -0.0994826], 0.3499395),
];

/// Coulomb, viscous and constant friction, motor inertia, stiffness, in the order of the drives.
pub(super) const DRIVES: [[f64; 5]; N_DRIVES] = [
    [0.050003, 0.0905326, -0.3000027, 0.0, 0.0],
    [0.0668202, 0.2180617, 0.1419199, 0.0, 0.0],
    [0.4475953, 1.2035645, 0.0038872, 0.0, 0.0],
    [0.002465, 0.0011114, -0.0048904, -3.1e-6, 0.001873],
    [0.0069935, 0.012171, 0.1329238, -0.0006152, 0.0],
    [0.0007803, 0.0020153, 0.0777171, 0.0, 0.0],
    [0.0021698, 0.0022465, 0.0561429, 0.0, 0.0],
    [0.0062966, 0.006165, -0.1661489, -0.0002932, 0.0],
    [0.0061915, 0.0073884, -0.0169157, -0.0003634, 0.0],
    [0.0001049, 0.0034451, -0.0458516, 0.0, 0.0],
];

/// The PSM with the parameters as published by Wang et al. 2019, for comparison with their torques; do not use it for simulation.
pub fn identified() -> Psm {
    let geometry = Geometry::classic();
    let mut links = geometry.links();
    for (link, inertia, centre, mass) in INERTIAS {
        links[link].inertia = Inertia::about_centre(mass, centre, inertia);
    }
    Psm {
        geometry,
        links,
        drives: drives(&DRIVES),
        gravity: Vector3::new(0.0, 0.0, -GRAVITY),
    }
}
