//! Rigid tools.

use insonate_tissue::tool;
use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;

use super::Shape;
use crate::error::Result;
use crate::geometry::{rotation, wxyz};

/// A rigid tool with Coulomb friction. Worlds copy it.
#[pyclass(frozen, module = "insonate.tissue")]
pub(crate) struct Tool {
    pub(super) tool: tool::Tool,
}

#[pymethods]
impl Tool {
    #[new]
    #[pyo3(signature = (shape, *, position=[0.0; 3], rotation=[1.0, 0.0, 0.0, 0.0], linear=[0.0; 3], angular=[0.0; 3], friction=0.0))]
    fn new(
        shape: &Shape,
        position: [f64; 3],
        rotation: [f64; 4],
        linear: [f64; 3],
        angular: [f64; 3],
        friction: f64,
    ) -> Result<Self> {
        let mut tool = tool::Tool::new(shape.shape.clone());
        let change = ToolChange {
            position: Some(position),
            rotation: Some(rotation),
            linear: Some(linear),
            angular: Some(angular),
            friction: Some(friction),
        };
        change.apply(&mut tool)?;
        Ok(Self { tool })
    }

    /// Origin of the tool's frame in the world frame [m].
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.tool.position)
    }

    /// Orientation of the tool's frame in the world frame, a quaternion wxyz.
    #[getter]
    fn rotation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &wxyz(&self.tool.rotation))
    }

    /// Velocity of the origin in the world frame [m/s].
    #[getter]
    fn linear<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.tool.linear)
    }

    /// Angular velocity in the world frame [rad/s].
    #[getter]
    fn angular<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.tool.angular)
    }

    /// Coulomb friction coefficient. Infinite: tissue sticks to the tool.
    #[getter]
    fn friction(&self) -> f64 {
        self.tool.friction
    }

    fn __repr__(&self) -> String {
        let at = self.tool.position.as_slice();
        let linear = self.tool.linear.as_slice();
        format!("Tool(position={at:?}, linear={linear:?})")
    }
}

/// Change of a tool. Fields that are `None` stay.
pub(super) struct ToolChange {
    pub(super) position: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) linear: Option<[f64; 3]>,
    pub(super) angular: Option<[f64; 3]>,
    pub(super) friction: Option<f64>,
}

impl ToolChange {
    /// Changes a tool, or leaves it unchanged if a value is out of range.
    pub(super) fn apply(&self, tool: &mut tool::Tool) -> Result<()> {
        let mut changed = tool.clone();
        for (to, from) in [
            (&mut changed.position, self.position),
            (&mut changed.linear, self.linear),
            (&mut changed.angular, self.angular),
        ] {
            *to = from.map_or(*to, Vector3::from);
        }
        if let Some(quaternion) = self.rotation {
            changed.rotation = rotation(quaternion)?;
        }
        changed.friction = self.friction.unwrap_or(changed.friction);
        changed.check()?;
        *tool = changed;
        Ok(())
    }
}

pub(super) fn vector<'py>(py: Python<'py>, vector: &Vector3<f64>) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, vector.as_slice())
}
