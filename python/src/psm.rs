//! The da Vinci PSM: kinematics and dynamics, experiments, and identification.

use std::path::PathBuf;

use insonate::dvrk::identification::{
    AngleUnit, Coordinates, Filtering, Identification, LengthUnit, Method, MotionLog, Reading,
    TorqueSign,
};
use insonate::dvrk::{self, JointVector, N_JOINTS};
use insonate::experiments::Pictures;
use insonate::experiments::psm::{
    self, PsmController, PsmPalpation, PsmRecord, PsmTrack, PsmTrajectory,
};
use insonate::report::IdentificationReport;
use insonate_models::robots::psm::Instrument;
use insonate_settings::check_range;
use nalgebra::{IsometryMatrix3, SMatrix, Translation3, UnitQuaternion};
use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Result, value_error};
use crate::geometry::{rotation, wxyz};
use crate::learning::json;
use crate::scene::Scene;
use crate::watch::Watch;

/// Position [m] and quaternion wxyz.
type PoseTuple = ([f64; 3], [f64; 4]);

/// Summary as JSON, arrays by name, and why the experiment was stopped.
type Outcome<'py> = (String, Bound<'py, PyDict>, Option<PyErr>);

/// Name of an array, and its value in a sample.
type Field<T> = (&'static str, fn(&psm::PsmSample) -> T);

/// Equations of the da Vinci PSM with identified parameters.
///
/// Joint positions ``q`` are yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b in rad, the insertion in m; shape ``[7]``.
/// The base frame has z up, and the yaw axis along -y through its origin (Wang et al. 2019).
#[pyclass(frozen, module = "insonate.psm")]
pub(crate) struct Psm {
    psm: dvrk::Psm,
}

type Joints = [f64; N_JOINTS];

fn joints(name: &str, given: Joints) -> Result<JointVector> {
    if given.iter().all(|x| x.is_finite()) {
        return Ok(JointVector::from(given));
    }
    Err(value_error(format!(
        "{name} is {given:?}, but must be finite [rad, insertion: m]"
    )))
}

fn matrix<'py, const R: usize>(
    py: Python<'py>,
    matrix: &SMatrix<f64, R, N_JOINTS>,
) -> Result<Bound<'py, PyArray2<f64>>> {
    let rows = matrix.transpose().as_slice().to_vec();
    Ok(PyArray1::from_vec(py, rows).reshape([R, N_JOINTS])?)
}

fn vector<'py>(py: Python<'py>, values: &JointVector) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values.as_slice())
}

#[pymethods]
impl Psm {
    /// The arm of the da Vinci Research Kit.
    #[new]
    fn new() -> Self {
        Self {
            psm: dvrk::classic(),
        }
    }

    /// Position [m] and quaternion wxyz of the tool in the base frame, at the tips of the closed jaws, z distal.
    fn tool_pose(&self, q: Joints) -> Result<PoseTuple> {
        let pose = self.psm.tool_pose(&joints("q", q)?);
        let turn = UnitQuaternion::from_rotation_matrix(&pose.rotation);
        Ok((pose.translation.vector.into(), wxyz(&turn)))
    }

    /// Poses of all link frames in the base frame as matrices, shape ``[n_links, 4, 4]``; index 0 is the base.
    fn forward_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: Joints,
    ) -> Result<Bound<'py, numpy::PyArray3<f64>>> {
        let frames = self.psm.forward_kinematics(&joints("q", q)?);
        let frames = frames
            .iter()
            .map(|frame| frame.to_homogeneous().transpose());
        let values: Vec<f64> = frames.flat_map(|it| it.as_slice().to_vec()).collect();
        let n = values.len() / 16;
        Ok(PyArray1::from_vec(py, values).reshape([n, 4, 4])?)
    }

    /// Joint positions, shape ``[7]``, for a pose of the tool in the base frame; the inverse of `tool_pose`.
    ///
    /// Args:
    ///     position: position of the tool [m].
    ///     quaternion: rotation of the tool, wxyz.
    ///     jaw_opening: angle between the jaws [rad].
    ///
    /// Raises:
    ///     ValueError: if the wrist's yaw axis points at the remote centre, so that the joints are not determined.
    #[pyo3(signature = (position, quaternion, *, jaw_opening=0.0))]
    fn inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        position: [f64; 3],
        quaternion: [f64; 4],
        jaw_opening: f64,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let pose = IsometryMatrix3::from_parts(
            Translation3::from(position),
            rotation(quaternion)?.to_rotation_matrix(),
        );
        let q = self.psm.inverse_kinematics(&pose, jaw_opening)?;
        Ok(vector(py, &q))
    }

    /// Velocity [m/s] and angular velocity [rad/s] of the tool per joint velocity, shape ``[6, 7]``, in the base frame.
    fn tool_jacobian<'py>(&self, py: Python<'py>, q: Joints) -> Result<Bound<'py, PyArray2<f64>>> {
        matrix(py, &self.psm.tool_jacobian(&joints("q", q)?))
    }

    /// Joint torques [N·m, N] for accelerations ``ddq``, shape ``[7]``: bodies, gravity, friction, motor inertia and spring.
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Joints,
        dq: Joints,
        ddq: Joints,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let [q, dq, ddq] = [joints("q", q)?, joints("dq", dq)?, joints("ddq", ddq)?];
        Ok(vector(py, &self.psm.inverse_dynamics(&q, &dq, &ddq)))
    }

    /// Mass matrix with motor inertias, shape ``[7, 7]``, in kg·m², kg·m and kg.
    fn mass_matrix<'py>(&self, py: Python<'py>, q: Joints) -> Result<Bound<'py, PyArray2<f64>>> {
        matrix(py, &self.psm.mass_matrix(&joints("q", q)?))
    }

    /// Coriolis matrix C for which the rate of the mass matrix minus 2 C is skew, shape ``[7, 7]``.
    fn coriolis<'py>(
        &self,
        py: Python<'py>,
        q: Joints,
        dq: Joints,
    ) -> Result<Bound<'py, PyArray2<f64>>> {
        matrix(py, &self.psm.coriolis(&joints("q", q)?, &joints("dq", dq)?))
    }

    /// Torques that hold the arm against gravity and the roll spring [N·m, N], shape ``[7]``.
    fn gravity_torque<'py>(&self, py: Python<'py>, q: Joints) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(vector(py, &self.psm.gravity_torque(&joints("q", q)?)))
    }

    /// Torques of Coulomb, viscous and constant friction [N·m, N], shape ``[7]``.
    fn friction<'py>(&self, py: Python<'py>, dq: Joints) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(vector(py, &self.psm.friction(&joints("dq", dq)?)))
    }

    fn __repr__(&self) -> String {
        format!("Psm(remote_centre={:?})", self.remote_centre())
    }

    /// Position of the remote centre of motion in the base frame [m].
    #[getter]
    fn remote_centre(&self) -> [f64; 3] {
        self.psm.remote_centre().into()
    }
}

/// The entry with a name.
fn named<T: Copy>(what: &str, all: &[(&'static str, T)], name: &str) -> Result<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, it)| *it).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        value_error(format!(
            "{what} is {name:?}; it must be one of {}",
            known.join(", ")
        ))
    })
}

/// Follows a motion.
#[pyfunction]
#[pyo3(signature = (*, trajectory, controller, counterweight, instrument, duration, progress))]
pub(crate) fn psm_track<'py>(
    py: Python<'py>,
    trajectory: &str,
    controller: &str,
    counterweight: bool,
    instrument: &str,
    duration: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'py>> {
    let trajectory = named("trajectory", &PsmTrajectory::ALL, trajectory)?;
    let duration = duration.unwrap_or_else(|| trajectory.duration());
    let longest = trajectory.longest();
    check_range("duration", duration, [0.1, longest], "s")
        .map_err(|error| value_error(error.to_string()))?;
    let plan = PsmTrack {
        trajectory,
        controller: named("controller", &PsmController::ALL, controller)?,
        instrument: named("instrument", &Instrument::ALL, instrument)?,
        counterweight,
        duration,
    };
    let mut watch = Watch::new(progress);
    let (record, summary) = py.detach(|| {
        psm::track(&plan, &mut Pictures::none(), &mut |share| {
            watch.look(share, String::new)
        })
    })?;
    Ok((json(&summary)?, columns(py, &record)?, watch.into_raised()))
}

/// Palpates a torso with the instrument.
#[pyfunction]
#[pyo3(signature = (scene, *, depth, press_rate, sweep, duration, progress))]
pub(crate) fn psm_palpate(
    py: Python<'_>,
    scene: Py<Scene>,
    depth: f64,
    press_rate: f64,
    sweep: f64,
    duration: f64,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'_>> {
    let plan = PsmPalpation {
        depth,
        rate: press_rate,
        sweep,
        duration,
    };
    plan.check()?;
    let mut scene = scene.get().scene.clone();
    scene.timestep = scene.timestep.min(PsmPalpation::LONGEST_TIMESTEP);
    let mut watch = Watch::new(progress);
    let (record, summary) = py.detach(|| {
        psm::palpate(&scene, &plan, &mut Pictures::none(), &mut |share| {
            watch.look(share, String::new)
        })
    })?;
    Ok((json(&summary)?, columns(py, &record)?, watch.into_raised()))
}

/// Samples as arrays, shape `[n]`, `[n, 7]` or `[n, 3]`.
fn columns<'py>(py: Python<'py>, record: &PsmRecord) -> Result<Bound<'py, PyDict>> {
    let samples = &record.samples;
    let n = samples.len();
    let all = PyDict::new(py);
    let time: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
    all.set_item("time", PyArray1::from_vec(py, time))?;
    let put = |name: &str, width: usize, values: Vec<f64>| -> Result<()> {
        let array: Bound<'py, PyArray2<f64>> =
            PyArray1::from_vec(py, values).reshape([n, width])?;
        Ok(all.set_item(name, array)?)
    };
    let joints: [Field<JointVector>; 6] = [
        ("q", |sample| sample.q),
        ("dq", |sample| sample.dq),
        ("wanted", |sample| sample.wanted),
        ("motor_torque", |sample| sample.motor_torque),
        ("simulated_torque", |sample| sample.simulated_torque),
        ("model_torque", |sample| sample.model_torque),
    ];
    for (name, of) in joints {
        let values = samples.iter().flat_map(|it| of(it).as_slice().to_vec());
        put(name, N_JOINTS, values.collect())?;
    }
    let forces: [Field<[f64; 3]>; 2] = [
        ("tip_force", |sample| sample.tip_force),
        ("estimated_force", |sample| sample.estimated_force),
    ];
    for (name, of) in forces {
        put(name, 3, samples.iter().flat_map(of).collect())?;
    }
    Ok(all)
}

/// Identifies the arm's dynamics from logs. Returns the report as JSON and as an HTML page.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (train, *, test, payload, rate, payload_rate, angles, lengths, torques, coordinates, method, cutoff))]
pub(crate) fn psm_identify(
    py: Python<'_>,
    train: PathBuf,
    test: Option<PathBuf>,
    payload: Option<PathBuf>,
    rate: Option<f64>,
    payload_rate: Option<f64>,
    angles: &str,
    lengths: &str,
    torques: &str,
    coordinates: &str,
    method: &str,
    cutoff: Option<f64>,
) -> Result<(String, String)> {
    let reading = Reading {
        rate_hz: rate,
        coordinates: named(
            "coordinates",
            &[("joint", Coordinates::Joint), ("motor", Coordinates::Motor)],
            coordinates,
        )?,
        angles: named(
            "angles",
            &[
                ("radians", AngleUnit::Radians),
                ("degrees", AngleUnit::Degrees),
            ],
            angles,
        )?,
        lengths: named(
            "lengths",
            &[
                ("metres", LengthUnit::Metres),
                ("millimetres", LengthUnit::Millimetres),
            ],
            lengths,
        )?,
        torques: named(
            "torques",
            &[
                ("motor", TorqueSign::Motor),
                ("reaction", TorqueSign::Reaction),
            ],
            torques,
        )?,
    };
    let methods = [
        ("ols", Method::Ols),
        ("wls", Method::Wls),
        ("sdp", Method::Sdp),
    ];
    let method = named("method", &methods, method)?;
    let filtering = match cutoff {
        None => Filtering::as_published(),
        Some(cutoff_hz) => Filtering {
            cutoff_hz,
            ..Filtering::standard()
        },
    };
    let of_payload = Reading {
        rate_hz: payload_rate.or(rate),
        ..reading
    };
    let report = py.detach(|| {
        let train = MotionLog::read_with(&train, &reading)?;
        let test = test
            .map(|path| MotionLog::read_with(&path, &reading))
            .transpose()?;
        let loaded = payload
            .map(|path| MotionLog::read_with(&path, &of_payload))
            .transpose()?;
        let found = Identification::fit(&dvrk::classic(), &train, method, filtering)?;
        let payload = loaded.map(|log| found.payload(&log)).transpose()?;
        IdentificationReport::new(found, method, &train, test.as_ref(), payload)
    })?;
    let files = report.files()?;
    let page = files.iter().find(|(name, _)| name == "report.html");
    let page = page.map(|(_, content)| String::from_utf8_lossy(content).into_owned());
    Ok((json(&report.json())?, page.unwrap_or_default()))
}
