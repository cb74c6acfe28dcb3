//! Actuation of a rod.

use insonate_continuum as continuum;
use nalgebra::{Isometry3, Translation3};
use pyo3::prelude::*;

use crate::error::Result;
use crate::geometry::{rotation, wxyz};

/// Inputs of a step: base pose, inserted length, and loads.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct Actuation {
    pub(super) actuation: continuum::Actuation,
}

#[pymethods]
impl Actuation {
    #[new]
    #[pyo3(signature = (inserted_length, *, position=[0.0; 3], rotation=[1.0, 0.0, 0.0, 0.0], tensions=[0.0; 3], tip_force=[0.0; 3],
        tip_moment=[0.0; 3]))]
    fn new(
        inserted_length: f64,
        position: [f64; 3],
        rotation: [f64; 4],
        tensions: [f64; 3],
        tip_force: [f64; 3],
        tip_moment: [f64; 3],
    ) -> Result<Self> {
        let world_from_base =
            Isometry3::from_parts(Translation3::from(position), self::rotation(rotation)?);
        let actuation = continuum::Actuation {
            world_from_base,
            inserted_length,
            tensions,
            tip_force: tip_force.into(),
            tip_moment: tip_moment.into(),
        };
        Ok(Self { actuation })
    }

    /// Length of rod beyond the introducer's mouth [m].
    #[getter]
    fn inserted_length(&self) -> f64 {
        self.actuation.inserted_length
    }

    /// The introducer's mouth [m].
    #[getter]
    fn position(&self) -> [f64; 3] {
        self.actuation.world_from_base.translation.vector.into()
    }

    /// Rotation of the mouth, quaternion wxyz. The rod leaves it along +x.
    #[getter]
    fn rotation(&self) -> [f64; 4] {
        wxyz(&self.actuation.world_from_base.rotation)
    }

    /// Tensions of the cables [N].
    #[getter]
    fn tensions(&self) -> [f64; 3] {
        self.actuation.tensions
    }

    /// Constant force on the tip [N].
    #[getter]
    fn tip_force(&self) -> [f64; 3] {
        self.actuation.tip_force.into()
    }

    /// Moment on the tip [N·m].
    #[getter]
    fn tip_moment(&self) -> [f64; 3] {
        self.actuation.tip_moment.into()
    }

    fn __repr__(&self) -> String {
        let (inserted_length, tensions) = (self.inserted_length(), self.tensions());
        format!("Actuation(inserted_length={inserted_length}, tensions={tensions:?})")
    }
}
