//! Forces of the cables.
//!
//! Fixed at the tip (Chen et al. 2024, Eq. 16–20): `F_j = −T_j e_x`, `M_j = d_j × F_j` in the axes of the last node.
//!
//! Guided: a cable of tension T that runs straight between points `p_i = x_i + R_i d` has the energy `T Σ |p_{i+1} −
//! p_i|`. Its gradient gives the wrench on each guide. Its second derivative is symmetric and couples neighbouring
//! nodes only. The sheath ends at the first guide, so the rod behind it carries no cable force.

use nalgebra::{Matrix3, SMatrix, Vector3};

use crate::rod::{Cables, RodState, Routing};
use crate::rotation::skew;
use crate::solver::{BlockTridiagonal, NodeVector};

/// Adds the cable forces to gradient and stiffness.
pub(crate) fn pull(
    cables: &Cables,
    tensions: &[f64; 3],
    state: &RodState,
    stiffness: &mut BlockTridiagonal,
    gradient: &mut [NodeVector],
) {
    let cables_pulled = tensions
        .iter()
        .zip(&cables.angles)
        .filter(|(tension, _)| **tension > 0.0);
    for (tension, angle) in cables_pulled {
        let offset = cables.offset * Vector3::new(0.0, angle.cos(), angle.sin());
        match cables.routing {
            Routing::AtTip => {
                let tip = gradient.len() - 1;
                let rotation = &state.rotations[tip];
                let force = rotation * Vector3::x() * -tension;
                add(
                    &mut gradient[tip],
                    -force,
                    -(rotation * offset).cross(&force),
                );
            }
            Routing::Guided { length } => {
                // A tolerance, so that rounding does not drop the first guide.
                let beyond = |place: &f64| *place > length * (1.0 + 1e-9);
                let first = state.from_tip.partition_point(beyond);
                for node in first..gradient.len() - 1 {
                    span(node, *tension, &offset, state, stiffness, gradient);
                }
            }
        }
    }
}

/// The part of a cable between a node and the next.
fn span(
    node: usize,
    tension: f64,
    offset: &Vector3<f64>,
    state: &RodState,
    stiffness: &mut BlockTridiagonal,
    gradient: &mut [NodeVector],
) {
    let arms = [node, node + 1].map(|node| state.rotations[node] * offset);
    let between = state.positions[node + 1] + arms[1] - state.positions[node] - arms[0];
    let length = between.norm();
    // Coincident guides: the cable has no direction.
    if length < 1e-12 {
        return;
    }
    let along = between / length;
    let force = tension * along;
    add(&mut gradient[node], -force, -arms[0].cross(&force));
    add(&mut gradient[node + 1], force, arms[1].cross(&force));

    let across = (Matrix3::identity() - along * along.transpose()) * (tension / length);
    // Motion of the guides, (I, −r×).
    let motion = arms.map(|arm| {
        let mut motion = SMatrix::<f64, 3, 6>::identity();
        motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-skew(&arm));
        motion
    });
    for (end, sign) in [(0, -1.0), (1, 1.0)] {
        let block = &mut stiffness.diagonal[node + end];
        *block += motion[end].transpose() * across * motion[end];
        let arm = &arms[end];
        let turned = 0.5 * (force * arm.transpose() + arm * force.transpose())
            - Matrix3::from_diagonal_element(force.dot(arm));
        let mut view = block.fixed_view_mut::<3, 3>(3, 3);
        view += sign * turned;
    }
    stiffness.lower[node] -= motion[1].transpose() * across * motion[0];
}

fn add(vector: &mut NodeVector, force: Vector3<f64>, moment: Vector3<f64>) {
    let mut upper = vector.fixed_rows_mut::<3>(0);
    upper += force;
    let mut lower = vector.fixed_rows_mut::<3>(3);
    lower += moment;
}
