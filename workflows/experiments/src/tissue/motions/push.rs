//! Push: a blunt rod moves sideways into a body whose lower side is held.

use std::rc::Rc;

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{CameraView, Motion, MotionSetup, color_of, table};
use crate::tissue::discretized_body::{BodyKind, DiscretizedBody};
use crate::tissue::minimum_jerk::minimum_jerk;
use crate::tissue::plan::MotionPlan;
use crate::tissue::rigid_part::{Appearance, Interaction, Path, RigidPart};

/// Radius and half length of the rod [m].
const ROD: (f64, f64) = (0.006, 0.07);
/// Distance from the rod to the body at the start [m].
const GAP: f64 = 0.008;
/// Angle between the rod and the vertical [rad].
const TILT: f64 = -0.5;

pub(super) const PUSH: Motion = Motion {
    name: "push",
    bodies: &[BodyKind::Slab, BodyKind::Liver],
    travel: |_| 0.025,
    duration: 2.0,
    tearing: None,
    cut: None,
    setup,
};

fn setup(plan: &MotionPlan, discretized: &DiscretizedBody) -> MotionSetup {
    let (radius, half_length) = ROD;
    let [low, high] = discretized.surface.bounds();
    let height = 0.65 * high[2];
    // Side of the body at this height.
    let near = discretized.surface.positions.iter();
    let near = near
        .filter(|at| (at[2] - height).abs() < 0.006 && at[1].abs() < 0.012)
        .map(|at| at[0]);
    let side = near.fold(f64::INFINITY, f64::min);
    let side = if side.is_finite() { side } else { low[0] };
    let moves = [0.12 * plan.duration, 0.8 * plan.duration];
    let travel = plan.travel;
    let way = move |time: f64| (GAP + travel) * minimum_jerk(time, moves);
    // Middle of the rod's round tip.
    let start = Vector3::new(side - radius - GAP, 0.0, height);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * TILT);
    let frame: Path =
        Rc::new(move |time| Isometry3::from_parts((start + Vector3::x() * way(time)).into(), turn));
    let rod = RigidPart::tool(
        Shape::Capsule {
            radius,
            half_length,
        },
        &frame,
        Isometry3::translation(0.0, 0.0, half_length),
        Interaction::Contact {
            friction: plan.friction,
        },
        Appearance::Steel,
    );
    MotionSetup {
        parts: vec![table(f64::INFINITY), rod],
        frame,
        travel: Box::new(move |time| (way(time) - GAP).max(0.0)),
        begins: moves[0],
        view: CameraView {
            target: [0.0, 0.0, 0.4 * high[2]],
            distance: 2.2 * (high[0] - low[0]),
            azimuth: -118.0,
            elevation: 30.0,
            color: color_of(plan.body),
        },
    }
}
