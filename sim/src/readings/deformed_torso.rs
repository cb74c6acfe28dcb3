//! A torso's tissue as a deformation for ultrasound.

use insonate_ultrasound::UltrasoundError;
use insonate_ultrasound::deformation::{DisplacementField, Indentation, Point, Region};
use insonate_ultrasound::phantom::Phantom;
use insonate_ultrasound::transducer::Transducer;
use nalgebra::{Isometry3, Vector3};

use super::{TissueKind, TissuePoints};
use crate::{Physics, Pose};

/// Depth over which the difference between a simulated skin and the face decays to 1/e [m].
const DECAY: f64 = 0.012;

/// A torso's tissue at rest and in its current state, in the torso's frame.
#[derive(Clone, Debug)]
pub struct DeformedTorso {
    kind: TissueKind,
    /// Positions [m].
    rest: Vec<Point>,
    now: Vec<Point>,
}

impl DeformedTorso {
    /// The current tissue. `origin` is the origin of the torso's frame at rest, upright in world [m]; `world_from_rest` is the torso's motion
    /// since then.
    pub fn new(
        points: &TissuePoints,
        physics: &Physics,
        origin: [f64; 3],
        world_from_rest: &Pose,
    ) -> Self {
        let origin = Vector3::from(origin);
        let in_torso = |point: Vector3<f64>| Point::from((point - origin).cast::<f32>());
        let at_rest = points.rest.iter().map(|&point| point.into());
        let back = world_from_rest.rotation.inverse();
        let unmoved = |point: [f64; 3]| back * (Vector3::from(point) - world_from_rest.position);
        Self {
            kind: points.kind,
            rest: at_rest.map(in_torso).collect(),
            now: (points.positions(physics).into_iter())
                .map(|point| in_torso(unmoved(point)))
                .collect(),
        }
    }

    /// Positions at rest and now [m].
    pub fn points(&self) -> [&[Point]; 2] {
        [&self.rest, &self.now]
    }

    /// The deformation within the view of a transducer to `depth` [m]. The phantom's skin in it lies against the face.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] if the points do not define a deformation.
    pub fn under(
        &self,
        phantom: &dyn Phantom,
        transducer: &Transducer,
        torso_from_probe: &Isometry3<f64>,
        depth: f64,
    ) -> Result<Indentation<DisplacementField>, UltrasoundError> {
        let region = Region::seen(transducer, torso_from_probe, depth);
        let field = match self.kind {
            TissueKind::Skin => DisplacementField::of_skin,
            TissueKind::Solid => DisplacementField::of_solid,
        };
        let simulated = field(&region, &self.rest, &self.now)?;
        Indentation::new(simulated, phantom, transducer, torso_from_probe, DECAY)
    }
}

/// A probe's pose in the torso's frame; `origin` and `world_from_rest` as in [`DeformedTorso::new`].
pub fn torso_from_probe(
    world_from_probe: &Pose,
    origin: [f64; 3],
    world_from_rest: &Pose,
) -> Isometry3<f64> {
    let back = world_from_rest.rotation.inverse();
    let position = back * (world_from_probe.position - world_from_rest.position);
    Isometry3::from_parts(
        (position - Vector3::from(origin)).into(),
        back * world_from_probe.rotation,
    )
}
