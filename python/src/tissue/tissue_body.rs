//! Descriptions of bodies.

use std::fs;
use std::path::PathBuf;

use insonate_tissue::body;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toml::Table;

use super::{MpmBody, XpbdBody};
use crate::arrays;
use crate::error::{Result, io_error, value_error};
use crate::{process, settings};

/// Vertices and triangles of a surface.
type Surface<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

/// A body of tissue: a solid, its layers, and fixed regions.
#[pyclass(frozen, module = "insonate.tissue")]
pub(crate) struct TissueBody {
    pub(super) body: body::TissueBody,
    /// Folder of its mesh file.
    pub(super) folder: PathBuf,
}

impl From<body::TissueBody> for TissueBody {
    fn from(body: body::TissueBody) -> Self {
        let folder = PathBuf::from(".");
        Self { body, folder }
    }
}

#[pymethods]
impl TissueBody {
    #[new]
    #[pyo3(signature = (**description))]
    fn new(description: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let Some(description) = description else {
            return Err(value_error("a body needs a name, a solid and layers"));
        };
        let body: body::TissueBody = settings::described("body", description)?;
        body.check()?;
        Ok(body.into())
    }

    /// Reads a description (TOML).
    #[staticmethod]
    fn read(path: PathBuf) -> Result<Self> {
        let text = fs::read_to_string(&path)
            .map_err(|error| io_error(&error, format!("{}: {error}", path.display())))?;
        let body = body::TissueBody::from_toml(&text, &path)?;
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        Ok(Self { body, folder })
    }

    /// A slab of skin, fat and muscle with a fixed lower side.
    #[staticmethod]
    fn slab() -> Self {
        body::slab().into()
    }

    /// A liver-like organ in its capsule.
    #[staticmethod]
    fn liver() -> Self {
        body::liver().into()
    }

    /// A human-like trunk in supine position.
    #[staticmethod]
    fn torso() -> Self {
        body::torso().into()
    }

    /// Description as nested dicts, from which the same body can be made.
    #[getter]
    fn description<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let table = Table::try_from(&self.body).map_err(|error| value_error(error.to_string()))?;
        settings::table_to_python(py, &table)
    }

    /// Surface in the world frame: vertices [m] and triangles that face outwards.
    fn surface<'py>(&self, py: Python<'py>) -> Result<Surface<'py>> {
        let mut mesh = py.detach(|| self.body.solid.surface(&self.folder))?;
        for position in &mut mesh.positions {
            *position = [0, 1, 2].map(|axis| position[axis] + self.body.position[axis]);
        }
        Ok((
            arrays::table(py, mesh.positions)?,
            arrays::table(py, mesh.triangles)?,
        ))
    }

    /// Fills the body with tetrahedra of about an edge length [m].
    #[pyo3(signature = (edge, *, damping_time=0.0, tear_strain=None))]
    fn xpbd_body(
        &self,
        py: Python<'_>,
        edge: f64,
        damping_time: f64,
        tear_strain: Option<f64>,
    ) -> Result<XpbdBody> {
        process::check_shared_threads()?;
        let mut body = py.detach(|| self.body.xpbd_body(edge, damping_time, &self.folder))?;
        body.tear_strain = tear_strain;
        Ok(XpbdBody { body })
    }

    /// Samples particles, eight per cell of a width [m], as one body per material.
    #[pyo3(signature = (cell_width, *, jitter=0.0, seed=0))]
    fn mpm_bodies(
        &self,
        py: Python<'_>,
        cell_width: f64,
        jitter: f64,
        seed: u64,
    ) -> Result<Vec<MpmBody>> {
        process::check_shared_threads()?;
        let bodies = py.detach(|| self.body.mpm_bodies(cell_width, jitter, seed, &self.folder))?;
        Ok(bodies.into_iter().map(|body| MpmBody { body }).collect())
    }

    fn __repr__(&self) -> String {
        format!("TissueBody({:?}, {:?})", self.body.name, self.body.solid)
    }
}
