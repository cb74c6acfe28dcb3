//! Shapes of tools.

use std::sync::Arc;

use insonate_meshes::TriangleMesh;
use insonate_tissue::tool::{self, DistanceField};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::Result;
use crate::process;

/// A solid in its own frame.
#[pyclass(frozen, module = "insonate.tissue")]
pub(crate) struct Shape {
    pub(super) shape: tool::Shape,
}

impl Shape {
    fn new(shape: tool::Shape) -> Result<Self> {
        shape.check()?;
        Ok(Self { shape })
    }
}

#[pymethods]
impl Shape {
    /// A ball.
    #[staticmethod]
    fn sphere(radius: f64) -> Result<Self> {
        Self::new(tool::Shape::Sphere { radius })
    }

    /// A box with half sizes [m].
    #[staticmethod]
    fn cuboid(half: [f64; 3]) -> Result<Self> {
        Self::new(tool::Shape::Cuboid { half })
    }

    /// A capsule along z.
    #[staticmethod]
    fn capsule(radius: f64, half_length: f64) -> Result<Self> {
        Self::new(tool::Shape::Capsule {
            radius,
            half_length,
        })
    }

    /// A disc or rod with flat ends along z.
    #[staticmethod]
    fn cylinder(radius: f64, half_length: f64) -> Result<Self> {
        Self::new(tool::Shape::Cylinder {
            radius,
            half_length,
        })
    }

    /// The half-space below the plane z = 0.
    #[staticmethod]
    fn half_space() -> Result<Self> {
        Self::new(tool::Shape::HalfSpace)
    }

    /// A closed mesh, as a distance field with a number of nodes along its longest side.
    #[staticmethod]
    #[pyo3(signature = (positions, triangles, resolution=64))]
    fn mesh(
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        resolution: usize,
    ) -> Result<Self> {
        let mesh = TriangleMesh {
            positions: arrays::rows("positions", positions)?,
            triangles: arrays::indices("triangles", triangles)?,
        };
        process::check_shared_threads()?;
        let field = py.detach(|| DistanceField::new(&mesh, resolution))?;
        Self::new(tool::Shape::Field(Arc::new(field)))
    }

    fn __repr__(&self) -> String {
        match &self.shape {
            tool::Shape::Field(field) => format!("Shape.mesh(within {} m)", field.reach()),
            shape => format!("Shape.{shape:?}"),
        }
    }
}
