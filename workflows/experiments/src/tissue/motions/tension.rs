//! Tension: a strip hangs between two clamps that move apart.

use std::rc::Rc;

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, Vector3};

use super::{CameraView, Motion, MotionSetup, color_of, table};
use crate::tissue::discretized_body::{BodyKind, STRIP};
use crate::tissue::minimum_jerk::minimum_jerk;
use crate::tissue::plan::MotionPlan;
use crate::tissue::rigid_part::{Appearance, Interaction, Path, RigidPart, Role};

/// Half sizes of a clamp [m]. It holds the tissue between its jaws.
const CLAMP: [f64; 3] = [0.007, 0.023, 0.009];

pub(super) const TENSION: Motion = Motion {
    name: "tension",
    bodies: &[BodyKind::Strip],
    travel: |_| 0.04,
    duration: 2.0,
    tearing: None,
    cut: None,
    setup: |plan, _| between_clamps(plan, 0.5),
};

/// A strip between two clamps. The right one is the tool and makes the share `part_of_tool` of the travel.
pub(super) fn between_clamps(plan: &MotionPlan, part_of_tool: f64) -> MotionSetup {
    let (half, height) = STRIP;
    let moves = [0.12 * plan.duration, 0.82 * plan.duration];
    let travel = plan.travel;
    let path = move |side: f64, part: f64| -> Path {
        let from = Vector3::new(side * (half[0] - CLAMP[0]), 0.0, height);
        Rc::new(move |time| {
            let way = from + Vector3::x() * (side * part * travel * minimum_jerk(time, moves));
            Isometry3::from_parts(way.into(), nalgebra::UnitQuaternion::identity())
        })
    };
    let frame = path(1.0, part_of_tool);
    let other = path(-1.0, 1.0 - part_of_tool);
    let mut parts = Vec::new();
    for (path, role, side) in [
        (&frame, Role::Instrument, 1.0),
        (&other, Role::Support, -1.0),
    ] {
        let part = |shape: Shape,
                    local: Isometry3<f64>,
                    interaction: Interaction,
                    appearance: Appearance| RigidPart {
            role,
            ..RigidPart::tool(shape, path, local, interaction, appearance)
        };
        let hold = Interaction::Hold { from: 0.0 };
        let grip = Shape::Cuboid { half: CLAMP };
        parts.push(part(grip, Isometry3::identity(), hold, Appearance::Hidden));
        // Two plates and a rod, which are only visible.
        for up in [-1.0, 1.0] {
            let plate = Shape::Cuboid {
                half: [CLAMP[0], CLAMP[1], 0.002],
            };
            let at = Isometry3::translation(0.0, 0.0, up * (half[2] + 0.0015));
            parts.push(part(plate, at, Interaction::Nothing, Appearance::Steel));
        }
        let back = Shape::Cuboid {
            half: [0.003, CLAMP[1], half[2] + 0.0035],
        };
        let at = Isometry3::translation(side * (CLAMP[0] + 0.003), 0.0, 0.0);
        parts.push(part(back, at, Interaction::Nothing, Appearance::Steel));
        let rod = Shape::Capsule {
            radius: 0.004,
            half_length: 0.05,
        };
        let lie =
            nalgebra::UnitQuaternion::from_scaled_axis(Vector3::y() * std::f64::consts::FRAC_PI_2);
        let at = Isometry3::from_parts(
            Vector3::new(side * (CLAMP[0] + 0.055), 0.0, 0.0).into(),
            lie,
        );
        parts.push(part(rod, at, Interaction::Nothing, Appearance::Steel));
    }
    // Torn pieces fall onto the table.
    parts.push(table(plan.friction));
    parts.sort_by_key(|part| part.interaction == Interaction::Nothing);
    MotionSetup {
        parts,
        frame,
        travel: Box::new(move |time| travel * minimum_jerk(time, moves)),
        begins: moves[0],
        view: CameraView {
            target: [(part_of_tool - 0.5) * travel, 0.0, height - 0.008],
            distance: 0.24,
            azimuth: -75.0,
            elevation: 32.0,
            color: color_of(plan.body),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_hold_the_ends_and_move_apart() {
        let plan = MotionPlan::new(&TENSION, crate::tissue::TissueSolver::Xpbd);
        let setup = between_clamps(&plan, 0.5);
        let apart = |time: f64| {
            let x = |part: &RigidPart| (part.path)(time).translation.x;
            x(&setup.parts[0]) - x(&setup.parts[1])
        };
        assert!((apart(plan.duration) - apart(0.0) - plan.travel).abs() < 1e-12);
    }
}
