//! A laparoscopic grasper: a shaft through a trocar, two jaws, and the bite of tissue between them.
//!
//! The shaft is in contact with tissue, and the bite, a ball, holds it. The jaws are only visible.

use std::rc::Rc;

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::minimum_jerk::minimum_jerk;
use super::rigid_part::{Appearance, Interaction, Path, RigidPart, Role};

/// Radius of the bite [m].
pub(super) const BITE: f64 = 0.007;
/// Half length and radius of the shaft [m].
const SHAFT: (f64, f64) = (0.11, 0.0025);
/// Distance from the middle of the bite to the hinge [m].
const HINGE: f64 = 0.015;
/// Half sizes of a jaw [m].
const JAW: [f64; 3] = [0.0012, 0.0032, 0.0095];
/// Angle of each open jaw from the shaft [rad].
const OPEN: f64 = 0.42;
/// Angle of each closed jaw from the shaft [rad].
const CLOSED: f64 = 0.06;

/// A grasper that closes during a range of time [s]. The origin of its frame is in the bite, and its shaft is along +z.
pub(super) fn grasper(frame: &Path, closing: [f64; 2], friction: f64) -> Vec<RigidPart> {
    let (half_length, radius) = SHAFT;
    let along = |z: f64| Isometry3::translation(0.0, 0.0, z);
    let bite = RigidPart::tool(
        Shape::Sphere { radius: BITE },
        frame,
        Isometry3::identity(),
        Interaction::Hold { from: closing[1] },
        Appearance::Hidden,
    );
    let shaft = RigidPart::tool(
        Shape::Capsule {
            radius,
            half_length,
        },
        frame,
        along(HINGE + half_length),
        Interaction::Contact { friction },
        Appearance::Steel,
    );
    let jaw = |side: f64| {
        let frame = frame.clone();
        let path = move |time: f64| {
            let angle = OPEN + (CLOSED - OPEN) * minimum_jerk(time, closing);
            let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * (-side * angle));
            let hinge = Isometry3::from_parts(Translation3::new(0.0, 0.0, HINGE), turn);
            frame(time) * hinge * Isometry3::translation(side * JAW[0], 0.0, -JAW[2])
        };
        RigidPart {
            shape: Shape::Cuboid { half: JAW },
            path: Rc::new(path),
            role: Role::Instrument,
            interaction: Interaction::Nothing,
            appearance: Appearance::Steel,
        }
    };
    vec![bite, shaft, jaw(1.0), jaw(-1.0)]
}

/// A frame whose origin follows a path and whose +z axis points towards a trocar.
pub(super) fn through(
    trocar: Vector3<f64>,
    origin: impl Fn(f64) -> Vector3<f64> + 'static,
) -> Path {
    Rc::new(move |time| {
        let at = origin(time);
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &(trocar - at));
        Isometry3::from_parts(at.into(), turn.unwrap_or_else(UnitQuaternion::identity))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shaft_passes_through_the_trocar() {
        let trocar = Vector3::new(0.1, -0.2, 0.3);
        let frame = through(trocar, |time| Vector3::new(0.0, time, 0.05));
        for time in [0.0, 0.02, 0.1] {
            let local = frame(time).inverse_transform_point(&trocar.into());
            assert!(local.x.hypot(local.y) < 1e-12 && local.z > 0.0);
        }
    }

    #[test]
    fn the_jaws_close_and_never_cross() {
        let frame: Path = Rc::new(|_| Isometry3::identity());
        let parts = grasper(&frame, [1.0, 2.0], 0.2);
        let apart = |time: f64| {
            let tip = Isometry3::translation(0.0, 0.0, -JAW[2]);
            let x = |part: &RigidPart| ((part.path)(time) * tip).translation.x;
            x(&parts[2]) - x(&parts[3])
        };
        assert!(apart(0.0) > 0.01 && apart(2.0) < 0.006 && apart(2.0) > 0.0);
    }
}
