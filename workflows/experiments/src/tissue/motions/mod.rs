//! The motions, one per file, and their registry [`ALL`].

mod press;
mod pull;
mod push;
mod retract;
mod tear;
mod tension;

use insonate_tissue::Tearing;
use insonate_tissue::tool::Shape;
use nalgebra::Isometry3;

use super::discretized_body::{BodyKind, DiscretizedBody};
use super::plan::MotionPlan;
use super::rigid_part::{Appearance, Interaction, Path, RigidPart};

/// All motions.
pub const ALL: [&Motion; 6] = [
    &push::PUSH,
    &pull::PULL,
    &tear::TEAR,
    &tension::TENSION,
    &retract::RETRACT,
    &press::PRESS,
];

/// A motion on tissue.
#[derive(Debug)]
pub struct Motion {
    /// Its name.
    pub name: &'static str,
    /// Allowed bodies, default first.
    pub bodies: &'static [BodyKind],
    /// Default travel of the tool [m].
    pub travel: fn(BodyKind) -> f64,
    /// Default duration [s].
    pub duration: f64,
    /// Tearing of the tissue, if any.
    pub(super) tearing: Option<Tearing>,
    /// Region that is cut away before the motion, in the world.
    pub(super) cut: Option<fn(&[f64; 3]) -> bool>,
    /// Makes the instrument, the supports and the camera.
    pub(super) setup: fn(&MotionPlan, &DiscretizedBody) -> MotionSetup,
}

impl Motion {
    /// The motion with a name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|motion| motion.name == name)
    }
}

/// Instrument, supports and camera.
pub(super) struct MotionSetup {
    /// Parts. Parts that hold tissue come first, so that they have priority.
    pub(super) parts: Vec<RigidPart>,
    /// The tool's frame.
    pub(super) frame: Path,
    /// Travel of the tool [m], measured from where it touches or holds the body at rest.
    pub(super) travel: Box<dyn Fn(f64) -> f64>,
    /// Time at which the tool begins to move [s].
    pub(super) begins: f64,
    pub(super) view: CameraView,
}

/// Position of the camera.
#[derive(Debug, Clone, Copy)]
pub(super) struct CameraView {
    /// Point in the centre of the picture [m].
    pub(super) target: [f64; 3],
    /// Distance from the target [m].
    pub(super) distance: f64,
    /// Angle around z from +x, and angle above the table [deg].
    pub(super) azimuth: f64,
    pub(super) elevation: f64,
    /// Colour of the tissue.
    pub(super) color: [f64; 3],
}

impl MotionSetup {
    /// Parts that interact with tissue.
    pub(super) fn interacting(&self) -> impl Iterator<Item = &RigidPart> {
        self.parts
            .iter()
            .filter(|part| part.interaction != Interaction::Nothing)
    }

    /// Corners of the space that the tissue may reach: its bounds with a margin of a quarter of its size and the tool's travel [m].
    pub(super) fn room(&self, discretized: &DiscretizedBody, duration: f64) -> [[f64; 3]; 2] {
        let [low, high] = discretized.surface.bounds();
        let size = (0..3)
            .map(|axis| high[axis] - low[axis])
            .fold(0.0, f64::max);
        let around = 0.25 * size + (self.travel)(duration);
        [low.map(|x| x - around), high.map(|x| x + around)]
    }
}

/// A table at z = 0, which is drawn as a part of the scene.
pub(super) fn table(friction: f64) -> RigidPart {
    let interaction = Interaction::Contact { friction };
    RigidPart::support(
        Shape::HalfSpace,
        Isometry3::identity(),
        interaction,
        Appearance::Hidden,
    )
}

/// Colours of muscle and skin, of liver, and of a trunk.
pub(super) const FLESH: [f64; 3] = [0.78, 0.34, 0.31];
pub(super) const LIVER: [f64; 3] = [0.55, 0.18, 0.14];
pub(super) const SKIN: [f64; 3] = [0.86, 0.62, 0.51];

/// The colour of a body.
pub(super) fn color_of(body: BodyKind) -> [f64; 3] {
    match body {
        BodyKind::Slab | BodyKind::Strip => FLESH,
        BodyKind::Liver => LIVER,
        BodyKind::Torso => SKIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tissue::TissueSolver;

    #[test]
    fn every_motion_is_smooth_and_reaches_its_travel() {
        for motion in ALL {
            for &body in motion.bodies {
                let plan = MotionPlan::on(motion, TissueSolver::Xpbd, body);
                plan.check().unwrap();
                let discretized = DiscretizedBody::new(&plan).unwrap();
                let setup = (motion.setup)(&plan, &discretized);
                let end = (setup.travel)(plan.duration);
                assert!((end - plan.travel).abs() < 1e-9, "{}: {end}", motion.name);
                assert_eq!((setup.travel)(0.0), 0.0, "{}", motion.name);
                for part in &setup.parts {
                    let still = |time: f64| {
                        let tool = part.at(time, 1e-4);
                        tool.linear.norm() + tool.angular.norm()
                    };
                    assert!(
                        still(0.0) < 1e-3 && still(plan.duration - 1e-4) < 1e-3,
                        "{}",
                        motion.name
                    );
                }
            }
        }
    }
}
