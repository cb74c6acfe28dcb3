//! Worlds of tetrahedra.

use insonate_tissue::xpbd::{self, Sweep, XpbdConfig};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::soft_tissue::{SoftTissue, Threads, World};
use super::xpbd_body::{AttachmentTuple, XpbdBody, attachment};
use crate::arrays;
use crate::error::{Result, value_error};

/// A world of tetrahedra, stepped by the calling thread.
#[pyclass(frozen, extends = SoftTissue, module = "insonate.tissue")]
pub(crate) struct Xpbd;

impl Xpbd {
    fn with<R>(
        this: &Bound<'_, Self>,
        work: impl FnOnce(&mut xpbd::Xpbd) -> Result<R>,
    ) -> Result<R> {
        this.as_super().get().with(|world| match world {
            World::Xpbd(world) => work(world),
            World::MlsMpm(_) => unreachable!("its constructor makes the other"),
        })
    }
}

#[pymethods]
impl Xpbd {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (bodies, attachments=Vec::new(), *, substep=None, max_courant=None, iterations=None, sweep="gauss_seidel",
        gravity=None, drag=None, push_speed=None, face_contact=true, reach=None, max_speed=None))]
    fn new(
        py: Python<'_>,
        bodies: Vec<PyRef<'_, XpbdBody>>,
        attachments: Vec<AttachmentTuple>,
        substep: Option<f64>,
        max_courant: Option<f64>,
        iterations: Option<u32>,
        sweep: &str,
        gravity: Option<[f64; 3]>,
        drag: Option<f64>,
        push_speed: Option<f64>,
        face_contact: bool,
        reach: Option<f64>,
        max_speed: Option<f64>,
    ) -> Result<PyClassInitializer<Self>> {
        let usual = XpbdConfig::default();
        let config = XpbdConfig {
            substep: substep.unwrap_or(usual.substep),
            max_courant: max_courant.unwrap_or(usual.max_courant),
            iterations: iterations.unwrap_or(usual.iterations),
            sweep: match sweep {
                "gauss_seidel" => Sweep::GaussSeidel,
                "jacobi" => Sweep::Jacobi,
                other => {
                    let problem = format!("sweep is {other:?}; it must be gauss_seidel or jacobi");
                    return Err(value_error(problem));
                }
            },
            gravity: gravity.unwrap_or(usual.gravity),
            drag: drag.unwrap_or(usual.drag),
            push_speed: push_speed.unwrap_or(usual.push_speed),
            face_contact,
            active_radius: reach.unwrap_or(usual.active_radius),
            max_speed: max_speed.unwrap_or(usual.max_speed),
            n_threads: 1,
        };
        let bodies: Vec<xpbd::XpbdBody> = bodies.iter().map(|body| body.body.clone()).collect();
        let attachments: Vec<xpbd::Attachment> = attachments.into_iter().map(attachment).collect();
        let world = py.detach(|| xpbd::Xpbd::new(config, &bodies, &attachments))?;
        let world = SoftTissue::new(World::Xpbd(Box::new(world)), Threads::Caller);
        Ok(PyClassInitializer::from(world).add_subclass(Self))
    }

    /// Masses of the vertices [kg].
    fn masses<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray1<f64>>> {
        Self::with(this, |world| {
            Ok(PyArray1::from_slice(this.py(), world.masses()))
        })
    }

    /// Vertices of the tetrahedra that are not torn, shape `[n_tets, 4]`.
    fn tets<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray2<u32>>> {
        Self::with(this, |world| arrays::table(this.py(), world.tets()))
    }

    /// Triangles of the surface of the intact tetrahedra, facing outwards, shape `[n_triangles, 3]`.
    fn surface<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray2<u32>>> {
        Self::with(this, |world| {
            arrays::table(this.py(), world.surface().triangles)
        })
    }

    /// Moves an anchor point to which a vertex is attached [m].
    fn move_anchor(this: &Bound<'_, Self>, anchor: usize, to: [f64; 3]) -> Result<()> {
        Self::with(this, |world| Ok(world.move_anchor(anchor, to)?))
    }
}
