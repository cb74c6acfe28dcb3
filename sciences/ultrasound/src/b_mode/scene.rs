//! The scene: a phantom, its deformation, and the pose of the probe.

use nalgebra::Isometry3;

use super::shaft::Shaft;
use crate::UltrasoundError;
use crate::deformation::{Deformation, Point};
use crate::material::Material;
use crate::phantom::{Phantom, PointMaterial};

/// A deformed phantom, seen from the probe.
pub struct View<'a> {
    /// The phantom.
    pub phantom: &'a dyn Phantom,
    /// Its deformation.
    pub deformation: &'a dyn Deformation,
    world_from_probe: Isometry3<f32>,
    shafts: Vec<Shaft>,
}

impl<'a> View<'a> {
    /// Creates a view from the pose of the probe's frame: origin at the centre of the face, +x along the array, +z into the body [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the pose is not finite or farther than 10 m, or the phantom has no materials.
    pub fn new(
        phantom: &'a dyn Phantom,
        deformation: &'a dyn Deformation,
        world_from_probe: &Isometry3<f64>,
    ) -> Result<Self, UltrasoundError> {
        let place = world_from_probe.translation.vector;
        let turn = world_from_probe.rotation.coords;
        // Beyond 10 m, single precision blurs the carrier's phase.
        let is_turn = (turn.norm() - 1.0).abs() < 1e-3;
        if !place.iter().all(|x| x.abs() <= 10.0) || !is_turn {
            let allowed = "finite and within 10 m of the origin, turned by a unit quaternion";
            return Err(UltrasoundError::setting(
                "pose of the probe",
                place,
                allowed,
            ));
        }
        if !(1..=255).contains(&phantom.materials().len()) {
            let n = phantom.materials().len();
            return Err(UltrasoundError::setting(
                "materials of the phantom",
                n,
                "between 1 and 255",
            ));
        }
        Ok(Self {
            phantom,
            deformation,
            world_from_probe: world_from_probe.cast(),
            shafts: Vec::new(),
        })
    }

    /// The view with needles.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the invalid field of a needle.
    pub fn with_shafts(mut self, shafts: Vec<Shaft>) -> Result<Self, UltrasoundError> {
        shafts.iter().try_for_each(Shaft::check)?;
        self.shafts = shafts;
        Ok(self)
    }

    /// Its needles.
    pub fn shafts(&self) -> &[Shaft] {
        &self.shafts
    }

    /// Map from the world to the probe's frame.
    pub(crate) fn probe_from_world(&self) -> Isometry3<f32> {
        self.world_from_probe.inverse()
    }

    pub(crate) fn materials(&self) -> &[Material] {
        self.phantom.materials()
    }

    /// World point of a point in the probe's frame.
    pub(crate) fn world(&self, probe: &Point) -> Point {
        self.world_from_probe * probe
    }

    /// Point in the probe's frame of a rest point.
    pub(crate) fn probe(&self, rest: &Point) -> Option<Point> {
        let world = self.deformation.world_from_rest(rest)?;
        Some(self.world_from_probe.inverse_transform_point(&world))
    }

    /// Rest point of a point in the probe's frame; `None` outside of the body.
    pub fn rest(&self, probe: &Point) -> Option<Point> {
        self.deformation.rest_from_world(&self.world(probe))
    }

    /// Material and clearance at a point in the probe's frame; the clearance is a length in the world.
    pub(crate) fn place(&self, probe: &Point) -> PointMaterial {
        let world = self.world(probe);
        let Some(rest) = self.deformation.rest_from_world(&world) else {
            return PointMaterial {
                material: 0,
                clearance: 0.0,
            };
        };
        let place = self.phantom.place(&rest);
        PointMaterial {
            clearance: place.clearance / self.deformation.max_compression(&world),
            ..place
        }
    }
}
