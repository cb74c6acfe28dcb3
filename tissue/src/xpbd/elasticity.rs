//! How a body is made elastic.

use super::constraints::{Constraints, Distance, NeoHookean, Volume};
use super::tet::{BodyTets, Tet};
use crate::Material;

/// The constraints that make a body elastic.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Elasticity {
    /// The energy of the body's material: hydrostatic and deviatoric constraints of each tetrahedron.
    #[default]
    NeoHookean,
    /// A distance constraint for each edge and a volume constraint for each tetrahedron; only the density of the material is used.
    Springs {
        /// Compliance of an edge [m/N].
        distance_compliance: f64,
        /// Compliance of a tetrahedron's volume [m³/Pa].
        volume_compliance: f64,
    },
}

impl Elasticity {
    /// Adds the constraints of a body.
    pub(super) fn constrain(
        self,
        body: &BodyTets<'_>,
        damping_time: f64,
        constraints: &mut Constraints,
    ) {
        match self {
            Self::NeoHookean => {
                for (number, tet, material) in body.iter() {
                    let constraint = NeoHookean::of(tet, material);
                    constraints.neo_hookean.push(constraint, &[number]);
                }
                if damping_time > 0.0 {
                    damp(body, damping_time, constraints);
                }
            }
            Self::Springs {
                distance_compliance,
                volume_compliance,
            } => {
                for edge in body.edges() {
                    let (vertices, length) = (edge.vertices, edge.length);
                    let spring =
                        Distance::spring(vertices, length, distance_compliance, damping_time);
                    constraints.distance.push(spring, &edge.tets);
                }
                for (number, tet, _) in body.iter() {
                    let volume = Volume::of(tet, volume_compliance, damping_time);
                    constraints.volume.push(volume, &[number]);
                }
            }
        }
    }

    /// Shortest time in which a wave crosses a tetrahedron [s]; infinite: it does not limit the substep.
    pub(super) fn crossing_time(self, tet: &Tet, material: &Material) -> f64 {
        match self {
            Self::NeoHookean => NeoHookean::crossing_time(tet, material),
            Self::Springs { .. } => f64::INFINITY,
        }
    }
}

/// Adds a dashpot along each edge.
///
/// Six dashpots β = 5/2 η V / L² along the edges of a tetrahedron take, on an average of directions n, the power
/// β L² Σ (n · D n)² = 2 η V D : D of a viscosity η, which is μ times the damping time.
fn damp(body: &BodyTets<'_>, damping_time: f64, constraints: &mut Constraints) {
    for edge in body.edges() {
        let (volume, shear_modulus) = body.around(&edge);
        let viscosity = shear_modulus * damping_time;
        let damping = 2.5 * viscosity * volume / (edge.length * edge.length);
        let dashpot = Distance::dashpot(edge.vertices, edge.length, damping);
        constraints.distance.push(dashpot, &edge.tets);
    }
}
