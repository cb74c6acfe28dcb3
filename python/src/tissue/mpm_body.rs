//! Bodies of particles.

use insonate_tissue::mpm;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::material;
use crate::arrays;
use crate::error::Result;

/// Particles of one material for `MlsMpm`.
#[pyclass(frozen, module = "insonate.tissue")]
pub(crate) struct MpmBody {
    pub(super) body: mpm::MpmBody,
}

#[pymethods]
impl MpmBody {
    #[new]
    #[pyo3(signature = (positions, particle_volume, *, material=None, velocity=[0.0; 3], fixed=Vec::new()))]
    fn new(
        positions: &Bound<'_, PyAny>,
        particle_volume: f64,
        material: Option<&Bound<'_, PyDict>>,
        velocity: [f64; 3],
        fixed: Vec<u32>,
    ) -> Result<Self> {
        let body = mpm::MpmBody {
            material: self::material(material)?,
            positions: arrays::rows("positions", positions)?,
            velocity,
            particle_volume,
            fixed,
        };
        Ok(Self { body })
    }

    /// Positions at rest [m], shape `[n_particles, 3]`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        arrays::table(py, self.body.positions.clone())
    }

    /// Volume of each particle [m³].
    #[getter]
    fn particle_volume(&self) -> f64 {
        self.body.particle_volume
    }

    /// Fixed particles.
    #[getter]
    fn fixed(&self) -> Vec<u32> {
        self.body.fixed.clone()
    }

    fn __repr__(&self) -> String {
        format!("MpmBody({} particles)", self.body.positions.len())
    }
}
