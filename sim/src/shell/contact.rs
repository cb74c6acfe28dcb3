//! Contact between a capsule and a geom: Jacobian rows and compliance.

use super::pair::PairParams;
use super::rows::SpringDamper;

/// One direction of one contact, with its Jacobian on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactRow {
    pub(super) node: usize,
    /// Displacement of the node along the row per displacement of the node.
    pub(super) jacobian: f64,
    /// Velocity of the torso as a whole along the row [m/s].
    pub(super) torso_velocity: f64,
    /// The body's index in [`super::bodies::Bodies`].
    pub(super) body: usize,
    /// Direction and moment about the body's reference point.
    pub(super) wrench: [f64; 6],
}

/// Compliance of a contact, from MuJoCo's `solref` and `solimp`.
pub(super) struct Softness {
    /// Regularisation of the normal and tangent rows [1/kg].
    pub(super) normal: f64,
    pub(super) tangent: f64,
    /// Damping [1/s].
    pub(super) damping: f64,
    /// Stiffness · impedance · distance [m/s²].
    pub(super) pull: f64,
}

impl Softness {
    pub(super) fn of(pair: &PairParams, distance: f64, timestep: f64, impratio: f64) -> Self {
        let depth = distance - pair.margin;
        let impedance = impedance(&pair.solimp, depth);
        let law = SpringDamper::of(pair.solref, impedance, pair.solimp[1], timestep);
        let normal = (1.0 - impedance) / impedance * pair.inverse_weight;
        Self {
            normal,
            tangent: normal / impratio,
            damping: law.damping,
            pull: law.stiffness * depth,
        }
    }
}

/// MuJoCo's impedance at a depth (documentation, "Solver parameters").
fn impedance(solimp: &[f64; 5], depth: f64) -> f64 {
    let [least, most, width, midpoint, power] = *solimp;
    if least == most || width <= 1e-15 {
        return 0.5 * (least + most);
    }
    let x = (depth.abs() / width).min(1.0);
    let y = if power <= 1.0 {
        x
    } else if x <= midpoint {
        x.powf(power) / midpoint.powf(power - 1.0)
    } else {
        1.0 - (1.0 - x).powf(power) / (1.0 - midpoint).powf(power - 1.0)
    };
    least + y * (most - least)
}
