//! Elastic constraints of a body.

use super::constraints::{Constraints, Distance, NeoHookean, Patch, Volume};
use super::patch::patches;
use super::tet::BodyTets;
use crate::Material;

/// Share of the energy of a patch that stays with its tetrahedra, to resist deformations with zero mean. Among 0.1,
/// 0.15 and 0.2 this value gives the forces on a ball and on a flat punch that are nearest to finite elements.
pub(super) const TET_SHARE: f64 = 0.15;

/// Constraints that make a body elastic.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Elasticity {
    /// Energy of the body's material: hydrostatic and deviatoric constraints of each tetrahedron.
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
    /// Adds the constraints of a body. Returns the shortest time in which a wave crosses one of them [s], infinite if
    /// it does not limit the substep, and the tetrahedra of each patch, by their indices among those of all bodies.
    pub(super) fn constrain(
        self,
        body: &BodyTets<'_>,
        damping_time: f64,
        constraints: &mut Constraints,
    ) -> (f64, Vec<Vec<u32>>) {
        match self {
            Self::NeoHookean => {
                if damping_time > 0.0 {
                    damp(body, damping_time, constraints);
                }
                neo_hookean(body, constraints)
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
                (f64::INFINITY, Vec::new())
            }
        }
    }

    /// Lamé's constants λ and μ of a tetrahedron [Pa]; `None` for springs.
    pub(super) fn lame(self, material: &Material) -> Option<[f64; 2]> {
        match self {
            Self::NeoHookean => Some([material.lame_lambda(), material.lame_mu()]),
            Self::Springs { .. } => None,
        }
    }

    /// Modulus of confined compression (no lateral strain) [Pa]; infinite if it is unknown.
    pub(super) fn modulus(self, material: &Material) -> f64 {
        match self {
            Self::NeoHookean => material.lame_lambda() + 2.0 * material.lame_mu(),
            Self::Springs { .. } => f64::INFINITY,
        }
    }
}

/// Adds the energy of a body's materials: to patches if the body does not tear, and the rest to the tetrahedra.
fn neo_hookean(body: &BodyTets<'_>, constraints: &mut Constraints) -> (f64, Vec<Vec<u32>>) {
    let mut crossing_time = f64::INFINITY;
    let mut shares = vec![1.0; body.tets.len()];
    // A patch that loses tetrahedra would have a different mean.
    let tears = body.tets.iter().any(|tet| tet.tear_strain.is_finite());
    let patches = if tears { Vec::new() } else { patches(body) };
    for patch in &patches {
        let (constraint, steepest) = Patch::of(body, patch, 1.0 - TET_SHARE);
        constraints.patch.push(constraint, &[]);
        let speed = body.material(patch[0]).wave_speed() * (1.0 - TET_SHARE).sqrt();
        crossing_time = crossing_time.min(1.0 / (steepest * speed));
        for tet in patch {
            shares[*tet] = TET_SHARE;
        }
    }
    for ((number, tet, material), share) in body.iter().zip(shares) {
        constraints
            .neo_hookean
            .push(NeoHookean::of(tet, material, share), &[number]);
        let time = NeoHookean::crossing_time(tet, material) / share.sqrt();
        crossing_time = crossing_time.min(time);
    }
    let in_all = |tet: usize| body.first + tet as u32;
    let patches = patches.into_iter();
    let patches = patches.map(|patch| patch.into_iter().map(in_all).collect());
    (crossing_time, patches.collect())
}

/// Adds a dashpot along each edge.
///
/// Six dashpots β = 5/2 η V / L² along the edges of a tetrahedron dissipate, averaged over directions n, the power β L²
/// Σ (n · D n)² = 2 η V D : D. This is the power of a viscosity η, which is μ times the damping time.
fn damp(body: &BodyTets<'_>, damping_time: f64, constraints: &mut Constraints) {
    for edge in body.edges() {
        let (volume, shear_modulus) = body.around(&edge);
        let viscosity = shear_modulus * damping_time;
        let damping = 2.5 * viscosity * volume / (edge.length * edge.length);
        let dashpot = Distance::dashpot(edge.vertices, edge.length, damping);
        constraints.distance.push(dashpot, &edge.tets);
    }
}
