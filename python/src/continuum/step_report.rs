//! Report of a step.

use insonate_continuum::{self as continuum, StopReason};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::Result;

/// Report of a step, with its contacts.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct StepReport {
    pub(super) report: continuum::StepReport,
}

#[pymethods]
impl StepReport {
    /// `done`, `step_limited` or `max_iterations`.
    #[getter]
    fn stop_reason(&self) -> &'static str {
        match self.report.stop_reason {
            StopReason::Done => "done",
            StopReason::StepLimited => "step_limited",
            StopReason::MaxIterations => "max_iterations",
        }
    }

    /// Number of linearisations.
    #[getter]
    fn n_iterations(&self) -> usize {
        self.report.n_iterations
    }

    /// Greatest violation of the optimality conditions of the last quadratic program.
    #[getter]
    fn kkt_residual(&self) -> f64 {
        self.report.kkt_residual
    }

    /// Greatest unbalanced force of the rod, relative to the load.
    #[getter]
    fn equilibrium_residual(&self) -> f64 {
        self.report.equilibrium_residual
    }

    /// Greatest penetration of a wall by the rod [m].
    #[getter]
    fn max_penetration(&self) -> f64 {
        self.report.max_penetration
    }

    /// Force of the introducer on the rod [N].
    #[getter]
    fn base_force(&self) -> [f64; 3] {
        self.report.base_wrench.force.into()
    }

    /// Moment of the introducer on the rod about the base [N·m].
    #[getter]
    fn base_moment(&self) -> [f64; 3] {
        self.report.base_wrench.moment.into()
    }

    /// Sum of the contacts' normal forces [N].
    #[getter]
    fn total_contact_force(&self) -> f64 {
        self.report.total_contact_force()
    }

    /// Greatest normal force of a contact [N].
    #[getter]
    fn peak_contact_force(&self) -> f64 {
        self.report.peak_contact_force()
    }

    /// Positions of the contacts on the wall [m], shape `[n_contacts, 3]`.
    #[getter]
    fn contact_positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let contacts = self.report.contacts.iter();
        arrays::table(
            py,
            contacts.map(|contact| contact.position.into()).collect(),
        )
    }

    /// Forces of the wall on the rod at the contacts, including friction [N], shape `[n_contacts,
    /// 3]`.
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let contacts = self.report.contacts.iter();
        let force = |contact: &continuum::Contact| {
            (contact.normal * contact.normal_force + contact.friction).into()
        };
        arrays::table(py, contacts.map(force).collect())
    }

    /// Distances of the contacts along the rod from its tip [m], shape `[n_contacts]`.
    #[getter]
    fn contact_from_tip<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let contacts = self.report.contacts.iter();
        PyArray1::from_vec(py, contacts.map(|contact| contact.from_tip).collect())
    }

    fn __repr__(&self) -> String {
        let (reason, n) = (self.stop_reason(), self.report.contacts.len());
        format!("StepReport(stop_reason={reason:?}, {n} contacts)")
    }
}
