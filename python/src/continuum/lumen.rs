//! Lumens for rods.

use std::path::PathBuf;
use std::sync::Arc;

use insonate_continuum as continuum;
use insonate_continuum::lumen::{
    AirwayDepth, MeshLumen, Plane, StraightTube, TPhantom, TubeNetwork, bronchial_tree,
};
use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{Result, io_error, value_error};

/// Vertices and triangles of a wall.
type Wall<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

/// The free space in which a rod moves, bounded by walls.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct Lumen {
    kind: Kind,
}

enum Kind {
    Analytic(Arc<dyn continuum::Lumen>),
    Network(Arc<TubeNetwork>),
    Mesh(Arc<MeshLumen>),
}

impl Lumen {
    pub(super) fn walls(&self) -> Arc<dyn continuum::Lumen> {
        match &self.kind {
            Kind::Analytic(lumen) => lumen.clone(),
            Kind::Network(network) => network.clone(),
            Kind::Mesh(mesh) => mesh.clone(),
        }
    }

    fn network(&self) -> Result<&TubeNetwork> {
        match &self.kind {
            Kind::Network(network) => Ok(network),
            _ => Err(value_error(
                "the lumen has no branches: only t_phantom and bronchial_tree have",
            )),
        }
    }
}

#[pymethods]
impl Lumen {
    /// The free space on the side of a plane to which its normal points.
    #[staticmethod]
    fn plane(point: [f64; 3], normal: [f64; 3]) -> Result<Self> {
        let plane = Plane::new(point.into(), normal.into())?;
        Ok(Kind::Analytic(Arc::new(plane)).into())
    }

    /// A straight round tube of infinite length.
    #[staticmethod]
    fn straight_tube(point: [f64; 3], axis: [f64; 3], radius: f64) -> Result<Self> {
        let tube = StraightTube::new(point.into(), axis.into(), radius)?;
        Ok(Kind::Analytic(Arc::new(tube)).into())
    }

    /// A 'T' of round tubes.
    #[staticmethod]
    #[pyo3(signature = (*, stem=None, arm=None, diameter=None, fillet=None))]
    fn t_phantom(
        stem: Option<f64>,
        arm: Option<f64>,
        diameter: Option<f64>,
        fillet: Option<f64>,
    ) -> Result<Self> {
        let usual = TPhantom::default();
        let phantom = TPhantom {
            stem: stem.unwrap_or(usual.stem),
            arm: arm.unwrap_or(usual.arm),
            diameter: diameter.unwrap_or(usual.diameter),
            fillet: fillet.unwrap_or(usual.fillet),
        };
        Ok(Kind::Network(Arc::new(phantom.network()?)).into())
    }

    /// The bronchial tree of an adult.
    #[staticmethod]
    #[pyo3(signature = (depth="subsegmental"))]
    fn bronchial_tree(depth: &str) -> Result<Self> {
        let depth = match depth {
            "segmental" => AirwayDepth::Segmental,
            "subsegmental" => AirwayDepth::Subsegmental,
            other => {
                let problem = format!("depth is {other:?}; it must be segmental or subsegmental");
                return Err(value_error(problem));
            }
        };
        Ok(Kind::Network(Arc::new(bronchial_tree(depth)?)).into())
    }

    /// The interior of a closed mesh.
    #[staticmethod]
    fn mesh(
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
    ) -> Result<Self> {
        let mesh = TriangleMesh {
            positions: arrays::rows("positions", positions)?,
            triangles: arrays::indices("triangles", triangles)?,
        };
        let lumen = py.detach(|| MeshLumen::new(mesh))?;
        Ok(Kind::Mesh(Arc::new(lumen)).into())
    }

    /// The interior of a closed mesh from a file.
    #[staticmethod]
    #[pyo3(signature = (path, unit=1.0))]
    fn read(py: Python<'_>, path: PathBuf, unit: f64) -> Result<Self> {
        path.metadata()
            .map_err(|error| io_error(&error, format!("{}: {error}", path.display())))?;
        let lumen = py.detach(|| MeshLumen::read(&path, unit))?;
        Ok(Kind::Mesh(Arc::new(lumen)).into())
    }

    /// Names of the branches without children.
    fn ends(&self) -> Result<Vec<String>> {
        let network = self.network()?;
        let name = |index: usize| network.branches()[index].name.clone();
        Ok(network.ends().into_iter().map(name).collect())
    }

    /// Corners of the centre line from the root to the end of a branch [m], shape `[n, 3]`.
    fn centre_line<'py>(&self, py: Python<'py>, branch: &str) -> Result<Bound<'py, PyArray2<f64>>> {
        let network = self.network()?;
        let branches = network.branches();
        let Some(index) = branches.iter().position(|known| known.name == branch) else {
            let known: Vec<&str> = branches.iter().map(|branch| &*branch.name).collect();
            let known = known.join(", ");
            return Err(value_error(format!(
                "branch is {branch:?}; it must be one of {known}"
            )));
        };
        let line = network.centre_line(index);
        arrays::table(
            py,
            line.points().iter().map(|&point| point.into()).collect(),
        )
    }

    /// Vertices [m] and triangles of the wall. Branches are meshed with a cell width [m].
    #[pyo3(signature = (cell_width=0.001))]
    fn wall<'py>(&self, py: Python<'py>, cell_width: f64) -> Result<Wall<'py>> {
        let mesh = match &self.kind {
            Kind::Analytic(_) => {
                return Err(value_error("the lumen has no end, so its wall has no mesh"));
            }
            Kind::Network(network) => py.detach(|| network.mesh(cell_width))?,
            Kind::Mesh(lumen) => lumen.mesh().clone(),
        };
        Ok((
            arrays::table(py, mesh.positions)?,
            arrays::table(py, mesh.triangles)?,
        ))
    }

    /// Signed distance of a point from the nearest wall within reach [m], positive in free space; `None` without such a
    /// wall.
    fn clearance(&self, point: [f64; 3], within: f64) -> Result<Option<f64>> {
        if !(point.iter().all(|x| x.is_finite()) && (0.0..=1.0).contains(&within)) {
            return Err(value_error(
                "a clearance is that of a finite point [m], within 0 to 1 m",
            ));
        }
        let mut walls = Vec::new();
        self.walls()
            .walls_near(&Vector3::from(point), within, &mut walls);
        Ok(walls.iter().map(|wall| wall.distance).reduce(f64::min))
    }
}

impl From<Kind> for Lumen {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}
