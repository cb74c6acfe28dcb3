//! A corotational beam element of two nodes.
//!
//! A frame follows the element: its first axis is the chord, its second follows the mean of the nodes' second axes
//! (Crisfield 1990). The motion of the nodes relative to that frame is small, so a linear Euler–Bernoulli beam
//! describes it:
//!
//! $$ W = \tfrac12 d^\top K_l\, d, \quad d = (\bar u,\ \bar\theta_1 - \bar\theta_1^0,\ \bar\theta_2 - \bar\theta_2^0) $$
//!
//! Forces are the exact gradient of `W`, the tangent its exact second derivative along `x + u`, `exp(w) R`, which is symmetric: the
//! symmetric part of the tangent of Battini & Pacoste 2002 (<https://doi.org/10.1016/S0045-7825(01)00352-8>), including what the
//! projectors of Felippa & Haugen 2005 contribute. `W` depends on the nodes only through `z = (u₂ − u₁, w₁, w₂)` in the element's
//! frame, so all derivatives are taken over these nine numbers.

mod frame;
mod point;
mod tangent;

pub(crate) use frame::Frame;
pub(crate) use point::PointRow;

use nalgebra::{Matrix3, SVector, Vector3};

/// Constant properties of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Element {
    /// Chord at rest [m].
    pub(crate) rest_length: f64,
    /// E A / l [N/m].
    pub(crate) axial: f64,
    /// G J / l, E I_y / l, E I_z / l [N·m].
    pub(crate) rotational: Vector3<f64>,
    /// Rotation from the first to the second end at rest, in the element's frame [rad].
    pub(crate) rest_turn: Vector3<f64>,
}

/// The state of an element for its nodes' poses: strains, and forces in its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementState {
    pub(crate) frame: Frame,
    /// Rotation vectors of the nodes in the frame [rad].
    pub(crate) turns: [Vector3<f64>; 2],
    /// Axial force [N], positive in tension.
    pub(crate) tension: f64,
    /// Moments of the nodes, conjugate to the rotation vectors [N·m].
    pub(crate) moments: [Vector3<f64>; 2],
}

impl Element {
    /// The strains of the element between two nodes; `None` if the element is folded.
    pub(crate) fn strained(
        &self,
        positions: [&Vector3<f64>; 2],
        rotations: [&Matrix3<f64>; 2],
    ) -> Option<ElementState> {
        let frame = Frame::between(positions, rotations)?;
        let to_frame = frame.to_world.transpose();
        let turns = rotations.map(|rotation| crate::rotation::log(&(to_frame * rotation)));
        let bent = [
            turns[0] + 0.5 * self.rest_turn,
            turns[1] - 0.5 * self.rest_turn,
        ];
        let stiffness = &self.rotational;
        let moment = |own: &Vector3<f64>, other: &Vector3<f64>| {
            Vector3::new(
                stiffness.x * (own.x - other.x),
                stiffness.y * (4.0 * own.y + 2.0 * other.y),
                stiffness.z * (4.0 * own.z + 2.0 * other.z),
            )
        };
        Some(ElementState {
            frame,
            turns,
            tension: self.axial * (frame.length - self.rest_length),
            moments: [moment(&bent[0], &bent[1]), moment(&bent[1], &bent[0])],
        })
    }

    /// Elastic energy [J].
    pub(crate) fn energy(&self, strained: &ElementState) -> f64 {
        let stretch = strained.frame.length - self.rest_length;
        let bent = [
            strained.turns[0] + 0.5 * self.rest_turn,
            strained.turns[1] - 0.5 * self.rest_turn,
        ];
        0.5 * (strained.tension * stretch
            + strained.moments[0].dot(&bent[0])
            + strained.moments[1].dot(&bent[1]))
    }
}

impl ElementState {
    /// ∂W/∂z in the frame.
    fn gradient(&self, spin_moments: &[Vector3<f64>; 2]) -> SVector<f64, 9> {
        let [first, second] = spin_moments;
        let mut gradient = -self.frame.spin.tr_mul(&(first + second));
        gradient[0] += self.tension;
        for axis in 0..3 {
            gradient[3 + axis] += first[axis];
            gradient[6 + axis] += second[axis];
        }
        gradient
    }
}
