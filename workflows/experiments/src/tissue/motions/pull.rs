//! Pull: a grasper grips the top of a body and lifts it; the body's lower side is held.

use nalgebra::Vector3;

use super::{CameraView, Motion, MotionSetup, color_of, table};
use crate::tissue::discretized_body::{BodyKind, DiscretizedBody};
use crate::tissue::grasper::{BITE, grasper, through};
use crate::tissue::minimum_jerk::minimum_jerk;
use crate::tissue::plan::MotionPlan;

/// Height from which the grasper comes down [m].
const APPROACH: f64 = 0.025;

pub(super) const PULL: Motion = Motion {
    name: "pull",
    bodies: &[BodyKind::Slab, BodyKind::Torso],
    travel: |_| 0.02,
    duration: 2.4,
    tearing: None,
    cut: None,
    setup,
};

fn setup(plan: &MotionPlan, discretized: &DiscretizedBody) -> MotionSetup {
    let [low, high] = discretized.surface.bounds();
    let top = discretized.height_at([0.0, 0.0], 0.012);
    let at = |part: f64| part * plan.duration;
    let (comes, closes, lifts) = (
        [at(0.02), at(0.2)],
        [at(0.22), at(0.3)],
        [at(0.32), at(0.85)],
    );
    let travel = plan.travel;
    // Half of the bite is in the tissue.
    let bite = Vector3::new(0.0, 0.0, top - 0.5 * BITE);
    let trocar = Vector3::new(-0.10, -0.06, top + 0.20);
    let frame = through(trocar, move |time| {
        let height =
            APPROACH * (1.0 - minimum_jerk(time, comes)) + travel * minimum_jerk(time, lifts);
        bite + Vector3::z() * height
    });
    let mut parts = grasper(&frame, closes, plan.friction);
    parts.push(table(f64::INFINITY));
    MotionSetup {
        parts,
        frame,
        travel: Box::new(move |time| travel * minimum_jerk(time, lifts)),
        begins: lifts[0],
        view: CameraView {
            target: [0.0, 0.0, 0.75 * top],
            distance: 2.3 * (high[0] - low[0]).min(0.2),
            azimuth: -62.0,
            elevation: 25.0,
            color: color_of(plan.body),
        },
    }
}
