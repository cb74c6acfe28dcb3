//! The liver–kidney view, by the landmarks of the organs.
//!
//! It shows the right kidney along its long axis with the liver in front of it. Between them is Morison's recess, in which free fluid
//! gathers first: the right upper quadrant of the FAST examination.

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::{Adult, Landmarks};
use crate::UltrasoundError;

/// Step of the search for skin [m].
const STEP: f32 = 0.0005;
/// Largest distance of the skin from a kidney [m].
const FARTHEST: f32 = 0.4;

impl Adult {
    /// Positions of organs at rest.
    pub fn landmarks(&self) -> &Landmarks {
        self.organs.landmarks()
    }

    /// Pose of the probe for the liver–kidney view, in the torso's frame at rest.
    ///
    /// The image plane contains the right kidney's long axis and leans towards the liver's centre. +x of the probe is along that axis,
    /// towards the head; +z passes through the kidney's centre, perpendicular to the axis.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the organs do not define such a plane, or there is no skin above it.
    pub fn liver_kidney_view(&self) -> Result<Isometry3<f64>, UltrasoundError> {
        let Landmarks {
            right_kidney: kidney,
            right_kidney_axis: axis,
            liver,
        } = *self.landmarks();
        let missing =
            || UltrasoundError::setting("organs", kidney, "a liver before the right kidney");
        let way = liver - kidney;
        let out = (way - axis * axis.dot(&way)).try_normalize(1e-3);
        let out = out.filter(|out| out.z > 0.0).ok_or_else(missing)?;
        let n_steps = (FARTHEST / STEP) as usize;
        let mut points = (0..n_steps).map(|step| kidney + out * (STEP * step as f32));
        let skin = points.find(|point| self.skin.depth(point) <= 0.0);
        let skin = skin.ok_or_else(missing)?.coords.cast::<f64>();
        let (x, z): (Vector3<f64>, Vector3<f64>) = (axis.cast(), -out.cast::<f64>());
        let turn = Matrix3::from_columns(&[x, z.cross(&x), z]);
        let turn = Rotation3::from_matrix(&turn);
        Ok(Isometry3::from_parts(skin.into(), turn.into()))
    }
}
