//! Retract: a grasper through a trocar grips the lower edge of a liver and lifts it. The liver lies on its support and is held at the
//! back.

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, Vector3};

use super::{CameraView, Motion, MotionSetup, color_of, table};
use crate::tissue::discretized_body::{BodyKind, DiscretizedBody};
use crate::tissue::grasper::{BITE, grasper, through};
use crate::tissue::minimum_jerk::minimum_jerk;
use crate::tissue::plan::MotionPlan;
use crate::tissue::rigid_part::{Appearance, Interaction, RigidPart};

/// Start of the grasper relative to the bite [m].
const APPROACH: [f64; 3] = [0.004, -0.02, 0.02];
/// Direction in which the edge is moved: up and back.
const LIFT: [f64; 3] = [0.0, 0.35, 1.0];

pub(super) const RETRACT: Motion = Motion {
    name: "retract",
    bodies: &[BodyKind::Liver],
    travel: |_| 0.04,
    duration: 2.6,
    tearing: None,
    cut: None,
    setup,
};

/// Middle of the bite: in the lower front edge, near the bed of the gall bladder.
fn edge(discretized: &DiscretizedBody) -> Vector3<f64> {
    let front = |at: &&[f64; 3]| at[0] > -0.012 && at[0] < 0.03;
    let lowest = discretized.surface.positions.iter().filter(front);
    let lowest = lowest.min_by(|a, b| (a[1] + 0.6 * a[2]).total_cmp(&(b[1] + 0.6 * b[2])));
    let at = lowest.map_or_else(Vector3::zeros, |at| Vector3::from(*at));
    at + Vector3::new(0.0, 0.5 * BITE, 0.4 * BITE)
}

fn setup(plan: &MotionPlan, discretized: &DiscretizedBody) -> MotionSetup {
    let at = |part: f64| part * plan.duration;
    let (comes, closes, lifts) = (
        [at(0.02), at(0.2)],
        [at(0.22), at(0.3)],
        [at(0.32), at(0.85)],
    );
    let travel = plan.travel;
    let bite = edge(discretized);
    let trocar = bite + Vector3::new(0.15, -0.13, 0.14);
    let lift = Vector3::from(LIFT).normalize();
    let frame = through(trocar, move |time| {
        let away = Vector3::from(APPROACH) * (1.0 - minimum_jerk(time, comes));
        bite + away + lift * (travel * minimum_jerk(time, lifts))
    });
    let mut parts = grasper(&frame, closes, plan.friction);
    // The bare area, where the liver hangs from the diaphragm: at the top of the back.
    let bare = Shape::Cuboid {
        half: [0.055, 0.025, 0.035],
    };
    let place = Isometry3::translation(-0.035, 0.045, 0.105);
    parts.push(RigidPart::support(
        bare,
        place,
        Interaction::Hold { from: 0.0 },
        Appearance::Hidden,
    ));
    parts.push(table(plan.friction));
    MotionSetup {
        parts,
        frame,
        travel: Box::new(move |time| travel * minimum_jerk(time, lifts)),
        begins: lifts[0],
        view: CameraView {
            target: [-0.01, -0.01, 0.06],
            distance: 0.34,
            azimuth: -80.0,
            elevation: 12.0,
            color: color_of(plan.body),
        },
    }
}
