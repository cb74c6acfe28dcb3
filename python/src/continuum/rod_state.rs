//! States of rods.

use insonate_continuum as continuum;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{Result, value_error};
use crate::geometry::wxyz;

/// Poses of a rod's nodes, from the introducer's mouth to the tip.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct RodState {
    pub(super) state: continuum::RodState,
    /// Length [m] and number of elements of the whole rod, to recognise states of other rods.
    pub(super) rod: (f64, usize),
}

#[pymethods]
impl RodState {
    /// Length beyond the introducer's mouth [m].
    #[getter]
    fn inserted_length(&self) -> f64 {
        self.state.inserted_length
    }

    /// Positions of the nodes [m], shape `[n_nodes, 3]`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let nodes = self.state.positions.iter();
        arrays::table(py, nodes.map(|&node| node.into()).collect())
    }

    /// Rotations of the nodes, quaternions wxyz, shape `[n_nodes, 4]`; x is the tangent.
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        arrays::table(py, self.state.rotations.iter().map(wxyz).collect())
    }

    /// Distances of the nodes along the rod from the tip [m], shape `[n_nodes]`.
    #[getter]
    #[expect(
        clippy::wrong_self_convention,
        reason = "the distances from the tip, as Rust calls them"
    )]
    fn from_tip<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.state.from_tip)
    }

    /// Position [m] and quaternion wxyz of the tip.
    #[getter]
    fn world_from_tip(&self) -> ([f64; 3], [f64; 4]) {
        let tip = self.state.world_from_tip();
        (tip.translation.vector.into(), wxyz(&tip.rotation))
    }

    /// Point on the centre line at a distance along the rod from its tip [m].
    fn position_at<'py>(
        &self,
        py: Python<'py>,
        from_tip: f64,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let length = self.state.inserted_length;
        if !(0.0..=length).contains(&from_tip) {
            return Err(value_error(format!(
                "from_tip is {from_tip}; it must be between 0 and {length} m"
            )));
        }
        let place = self.state.position_at(from_tip);
        Ok(PyArray1::from_slice(py, place.as_slice()))
    }

    fn __repr__(&self) -> String {
        let n_nodes = self.state.positions.len();
        let inserted_length = self.state.inserted_length;
        format!("RodState(inserted_length={inserted_length}, {n_nodes} nodes)")
    }
}
