//! Press: the face of a curvilinear probe moves down into a body whose lower side is held.

use std::rc::Rc;

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{CameraView, Motion, MotionSetup, color_of, table};
use crate::tissue::discretized_body::{BodyKind, DiscretizedBody};
use crate::tissue::minimum_jerk::minimum_jerk;
use crate::tissue::plan::MotionPlan;
use crate::tissue::rigid_part::{Appearance, Interaction, Path, RigidPart};

/// Radius and half length of the face, which is a rod across the body [m].
const FACE: (f64, f64) = (0.012, 0.020);
/// Distance from the face to the body at the start [m].
const GAP: f64 = 0.008;

pub(super) const PRESS: Motion = Motion {
    name: "press",
    bodies: &[BodyKind::Torso, BodyKind::Slab, BodyKind::Liver],
    travel: |body| match body {
        BodyKind::Torso => 0.025,
        BodyKind::Slab | BodyKind::Liver | BodyKind::Strip => 0.015,
    },
    duration: 2.0,
    tearing: None,
    cut: None,
    setup,
};

fn setup(plan: &MotionPlan, discretized: &DiscretizedBody) -> MotionSetup {
    let (radius, half_length) = FACE;
    let [low, high] = discretized.surface.bounds();
    // On the belly of a trunk, in the middle of other bodies.
    let x = if plan.body == BodyKind::Torso {
        0.05
    } else {
        0.0
    };
    let top = discretized.height_at([x, 0.0], 0.015);
    let moves = [0.12 * plan.duration, 0.8 * plan.duration];
    let travel = plan.travel;
    let way = move |time: f64| (GAP + travel) * minimum_jerk(time, moves);
    // Lowest point in the middle of the face.
    let frame: Path = Rc::new(move |time| Isometry3::translation(x, 0.0, top + GAP - way(time)));
    let across = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let face = RigidPart::tool(
        Shape::Capsule {
            radius,
            half_length,
        },
        &frame,
        Isometry3::from_parts(Vector3::new(0.0, 0.0, radius).into(), across),
        Interaction::Contact {
            friction: plan.friction,
        },
        Appearance::Steel,
    );
    let seen = |half: [f64; 3], z: f64| {
        let shape = Shape::Cuboid { half };
        RigidPart::tool(
            shape,
            &frame,
            Isometry3::translation(0.0, 0.0, z),
            Interaction::Nothing,
            Appearance::Handle,
        )
    };
    let cable = RigidPart::tool(
        Shape::Capsule {
            radius: 0.004,
            half_length: 0.05,
        },
        &frame,
        Isometry3::translation(0.0, 0.0, 0.15),
        Interaction::Nothing,
        Appearance::Handle,
    );
    MotionSetup {
        parts: vec![
            table(f64::INFINITY),
            face,
            seen([0.0105, 0.027, 0.013], 0.027),
            seen([0.010, 0.017, 0.035], 0.070),
            cable,
        ],
        frame,
        travel: Box::new(move |time| (way(time) - GAP).max(0.0)),
        begins: moves[0],
        view: CameraView {
            target: [0.6 * x, 0.0, 0.6 * high[2]],
            distance: 1.7 * (high[0] - low[0]).max(0.14),
            azimuth: -60.0,
            elevation: 28.0,
            color: color_of(plan.body),
        },
    }
}
