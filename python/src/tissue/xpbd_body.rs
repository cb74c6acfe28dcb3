//! Bodies of tetrahedra, and their attachments.

use std::path::Path;

use insonate_tissue::mesh::TetMesh;
use insonate_tissue::{body, xpbd};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{TissueBody, material};
use crate::error::{Result, value_error};
use crate::{arrays, process};

/// A body of tetrahedra for `Xpbd`.
#[pyclass(frozen, module = "insonate.tissue")]
pub(crate) struct XpbdBody {
    pub(super) body: xpbd::XpbdBody,
}

/// Vertex, target of the attachment, rest length [m] and compliance [m/N].
pub(crate) type AttachmentTuple = (u32, Anchor, f64, f64);

/// Target of an attachment: another vertex, or a point in the world frame [m].
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum Anchor {
    Vertex(u32),
    Point([f64; 3]),
}

pub(super) fn attachment((vertex, to, length, compliance): AttachmentTuple) -> xpbd::Attachment {
    xpbd::Attachment {
        vertex,
        to: match to {
            Anchor::Vertex(other) => xpbd::Anchor::Vertex(other),
            Anchor::Point(at) => xpbd::Anchor::Point(at),
        },
        length,
        compliance,
    }
}

/// Bodies for the constraint solver, and the attachments of their descriptions.
#[pyfunction]
#[pyo3(signature = (bodies, edge, *, damping_time=0.0))]
pub(crate) fn xpbd_scene(
    py: Python<'_>,
    bodies: Vec<PyRef<'_, TissueBody>>,
    edge: f64,
    damping_time: f64,
) -> Result<(Vec<XpbdBody>, Vec<AttachmentTuple>)> {
    process::check_shared_threads()?;
    let folder = bodies.first().map_or(Path::new("."), |body| &body.folder);
    let folder = folder.to_owned();
    if bodies.iter().any(|body| body.folder != folder) {
        return Err(value_error("bodies of one scene must have the same folder"));
    }
    let bodies: Vec<body::TissueBody> = bodies.iter().map(|body| body.body.clone()).collect();
    let (bodies, ties) = py.detach(|| body::xpbd_scene(&bodies, edge, damping_time, &folder))?;
    let tuple = |tie: xpbd::Attachment| {
        let to = match tie.to {
            xpbd::Anchor::Vertex(other) => Anchor::Vertex(other),
            xpbd::Anchor::Point(at) => Anchor::Point(at),
        };
        (tie.vertex, to, tie.length, tie.compliance)
    };
    let bodies = bodies.into_iter().map(|body| XpbdBody { body });
    Ok((bodies.collect(), ties.into_iter().map(tuple).collect()))
}

#[pymethods]
impl XpbdBody {
    #[new]
    #[pyo3(signature = (positions, tets, *, material=None, damping_time=0.0, velocity=[0.0; 3], fixed=Vec::new(), tear_strain=None))]
    fn new(
        positions: &Bound<'_, PyAny>,
        tets: &Bound<'_, PyAny>,
        material: Option<&Bound<'_, PyDict>>,
        damping_time: f64,
        velocity: [f64; 3],
        fixed: Vec<u32>,
        tear_strain: Option<f64>,
    ) -> Result<Self> {
        let body = xpbd::XpbdBody {
            mesh: TetMesh {
                positions: arrays::rows("positions", positions)?,
                tets: arrays::indices("tets", tets)?,
            },
            material: self::material(material)?,
            damping_time,
            velocity,
            fixed,
            tear_strain,
            ..xpbd::XpbdBody::default()
        };
        Ok(Self { body })
    }

    /// Vertices at rest [m], shape `[n_vertices, 3]`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        arrays::table(py, self.body.mesh.positions.clone())
    }

    /// Vertices of the tetrahedra, shape `[n_tets, 4]`.
    #[getter]
    fn tets<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<u32>>> {
        arrays::table(py, self.body.mesh.tets.clone())
    }

    /// Fixed vertices.
    #[getter]
    fn fixed(&self) -> Vec<u32> {
        self.body.fixed.clone()
    }

    fn __repr__(&self) -> String {
        let mesh = &self.body.mesh;
        format!(
            "XpbdBody({} vertices, {} tetrahedra)",
            mesh.positions.len(),
            mesh.tets.len()
        )
    }
}
