//! What an image is made of.

use insonate::experiments::Pictures;
use insonate::meshes::Part;
use insonate::report::BodySurfaces;
use insonate::sim::verdict::Verdict;
use insonate::ultrasound::deformation::Deformation;
use insonate::ultrasound::phantom::Phantom;
use insonate::ultrasound::phantom::labels::Unlabelled;
use nalgebra::Isometry3;

use super::strain::SecondLoad;

/// What is imaged, how it is deformed, from where.
pub(super) struct ImagingSetup {
    pub(super) phantom: Box<dyn Phantom>,
    pub(super) deformation: Box<dyn Deformation>,
    /// In the phantom's frame.
    pub(super) pose: Isometry3<f64>,
    /// Of the scene, where there is one.
    pub(super) pictures: Pictures,
    /// The second load, if strain is imaged.
    pub(super) second: Option<SecondLoad>,
    /// Whether the robot held the probe as it should, where there is one.
    pub(super) verdict: Option<Verdict>,
    /// What has no label in a label volume.
    pub(super) unlabelled: Option<Unlabelled>,
    /// Skin and organs at rest, if they are known as surfaces.
    pub(super) surfaces: Option<BodySurfaces>,
    /// Robot, probe and table, where there are any.
    pub(super) rigid: Vec<Part>,
    /// Origin of the phantom's frame in the frame of the user's files [m].
    pub(super) origin: [f64; 3],
}

impl ImagingSetup {
    /// A phantom under a probe, without a robot.
    pub(super) fn new(
        phantom: Box<dyn Phantom>,
        deformation: Box<dyn Deformation>,
        pose: Isometry3<f64>,
    ) -> Self {
        Self {
            phantom,
            deformation,
            pose,
            pictures: Pictures::none(),
            second: None,
            verdict: None,
            unlabelled: None,
            surfaces: None,
            rigid: Vec::new(),
            origin: [0.0; 3],
        }
    }
}
