//! Breathing in MJCF without code: an undamped oscillator drives the rest positions of the points.
//!
//! A slide joint `breath` with coordinate $\theta$ (0: breathed out, 1: breathed in), mass $M$, stiffness
//! $K = M (2\pi f)^2$ and spring rest ½ starts at 0 and moves as $\theta = (1 - \cos 2\pi f t) / 2$ in any MuJoCo.
//! A point with the displacement $A\,w$ has the rest constraint $q = A\,w'\,\theta$ instead of $q = 0$.
//!
//! Neighbours pull each other. Let $\rho$ be the ratio of a neighbour constraint's stiffness to the rest constraint's, and $L$ the graph
//! Laplacian of the shell. The equilibrium is $(1 + \rho L)\,q = A\,w'\,\theta$ (the sum constraint vanishes because the tendon
//! carries $-A\,\theta \sum w$, and $L$ conserves sums). So $w' = (1 + \rho L)\,w$ makes $q = A\,w\,\theta$ exact at any softness.

use std::f64::consts::TAU;

use super::lattice::Lattice;
use super::mapping::Rest;
use super::neighbor_weight;
use crate::patients::rise;
use crate::torsos::{Shape, TorsoConfig};

/// Time constant of the constraint that holds a point at its rest position [s].
pub(super) const REST_TIME_CONSTANT: f64 = 0.02;
use crate::mjcf::{Body, Inertial, Joint};
use crate::torsos::Breathing;

/// Name of the body and the joint of the oscillator.
pub(super) const BREATH: &str = "breath";

/// Mass of the oscillator [kg]. It moves sideways, so gravity does not act on it.
///
/// At the surface its effective mass is this over the amplitude squared: 1500 t at 8 mm, so a probe cannot stop the breath.
/// It is the mass of a body instead of the armature of a joint, because MuJoCo scales constraints with body masses only.
const MASS: f64 = 100.0;

/// The oscillator.
pub(super) fn oscillator(breathing: &Breathing) -> Body {
    let joint = Joint::slide(BREATH)
        .axis([1.0, 0.0, 0.0])
        .stiffness(MASS * (TAU * breathing.rate).powi(2))
        .springref(0.5)
        .group(3);
    let inertial = Inertial::new(MASS, [0.0; 3]).diaginertia([MASS; 3]);
    Body::new(BREATH).with(inertial).with(joint)
}

/// Displacement of each point when breathed in, and the coefficient of its rest constraint that causes it.
pub(super) struct Excursion {
    /// Displacement when breathed in [m], shape `[n_points]`.
    pub(super) displacement: Vec<f64>,
    /// Coefficient of the rest constraint [m], shape `[n_points]`.
    pub(super) rest: Vec<f64>,
}

impl Excursion {
    /// The front moves by the whole amplitude, the back is fixed, the flanks move less. A patient's chest moves less than the belly.
    pub(super) fn new(
        config: &TorsoConfig,
        breathing: &Breathing,
        lattice: &Lattice,
        rest: &Rest,
    ) -> Self {
        let is_patient = config.shape == Shape::Adult;
        let heights = || lattice.moving().map(|index| rest.positions[index][1]);
        let low = heights().fold(f64::INFINITY, f64::min);
        let high = heights().fold(f64::NEG_INFINITY, f64::max);
        let mut displacement = vec![0.0; lattice.points.len()];
        for (index, height) in lattice.moving().zip(heights()) {
            let share = if is_patient {
                let [_, _, down] = lattice.coordinates(lattice.points[index]);
                rise(0.5 * (1.0 - down))
            } else {
                1.0
            };
            displacement[index] =
                breathing.amplitude * share * smooth_step((height - low) / (high - low));
        }
        // The rest constraint acts on one body; a neighbour constraint acts on half the mass, since it moves two bodies.
        let compliance = config
            .rest
            .map_or(REST_TIME_CONSTANT.powi(2), |rest| 1.0 / rest.stiffness);
        let ratio = 0.5 * neighbor_weight(config) * config.neighbor_solref().stiffness * compliance;
        let mut coefficients = displacement.clone();
        for index in lattice.moving() {
            for next in lattice.next_neighbors(index) {
                let pull = ratio * (displacement[index] - displacement[next]);
                coefficients[index] += pull;
                coefficients[next] -= pull;
            }
        }
        Self {
            displacement,
            rest: coefficients,
        }
    }
}

/// Rises from 0 to 1 with zero slope at both ends.
fn smooth_step(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_moves_the_back_rests_and_the_sum_is_kept() {
        let config = TorsoConfig::default();
        let lattice = Lattice::new(config.count);
        let rest = Rest::new(&config, &lattice);
        let breathing = Breathing::default();
        let excursion = Excursion::new(&config, &breathing, &lattice, &rest);
        let at = |i, j, k| {
            lattice
                .points
                .iter()
                .position(|&point| point == [i, j, k])
                .unwrap()
        };
        assert!((excursion.displacement[at(4, 3, 5)] - breathing.amplitude).abs() < 1e-15);
        assert!(excursion.displacement[at(4, 0, 5)].abs() < 1e-15);
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        assert!((sum(&excursion.displacement) - sum(&excursion.rest)).abs() < 1e-12);
    }
}
