//! Trained policies.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use insonate::evaluation::exported_policy;
use insonate::files;
use insonate::learning::LearningError;
use insonate_rl::network::Activation;
use insonate_rl::run::POLICY;
use insonate_rl::{DenseLayer, ObservationMoments, PolicyIdentity};
use numpy::{
    PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods as _,
};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::arrays::copy_f32;
use crate::environments::Environments;
use crate::error::{Result, value_error};
use crate::learning::json;
use crate::settings;

/// A deterministic policy: the mean action, clipped to its bounds.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct Policy {
    inner: Mutex<insonate_rl::Policy>,
    n_obs: usize,
    n_actions: usize,
    /// Task of the training, such as `probe-sweep`.
    #[pyo3(get)]
    task: String,
    settings: toml::Table,
    /// Number of training steps, summed over all environments.
    #[pyo3(get)]
    n_trained_steps: u64,
    /// Names of the observations, with units.
    #[pyo3(get)]
    observation_names: Vec<String>,
    /// Names of the actions, with units.
    #[pyo3(get)]
    action_names: Vec<String>,
    /// Frame of each observation; empty if it has no frame or it is unknown.
    #[pyo3(get)]
    observation_frames: Vec<String>,
    /// Filter of each observation; empty for the value at the end of the control step.
    #[pyo3(get)]
    observation_filters: Vec<String>,
}

/// Trained policies that are part of the package: name, and content of the file.
const TRAINED: [(&str, &[u8]); 2] = [
    (
        "cube-push",
        include_bytes!("../../data/policies/cube-push/policy.safetensors"),
    ),
    (
        "probe-sweep",
        include_bytes!("../../data/policies/probe-sweep/policy.safetensors"),
    ),
];

/// Reads a policy file, the policy in a training folder, or a policy of the package by its name.
#[pyfunction]
pub(crate) fn load_policy(path: PathBuf) -> Result<Policy> {
    if path.is_dir() {
        return Policy::new(insonate_rl::Policy::load(&path.join(POLICY))?);
    }
    let trained = TRAINED.iter().find(|(name, _)| path == Path::new(name));
    if let Some((_, content)) = trained.filter(|_| !path.exists()) {
        return Policy::from_bytes(content);
    }
    if !path.exists() {
        let names = TRAINED.map(|(name, _)| name).join(", ");
        let text = format!(
            "there is no policy file {}; trained policies are {names}",
            path.display()
        );
        return Err(PyFileNotFoundError::new_err(text).into());
    }
    Policy::new(insonate_rl::Policy::load(&path)?)
}

/// Writes the policy of a file or training folder as ONNX. Returns what was written as JSON.
#[pyfunction]
pub(crate) fn export_policy(
    py: Python<'_>,
    policy: String,
    onnx: Option<PathBuf>,
) -> Result<String> {
    let written = py.detach(|| {
        let (policy, file) = exported_policy(&policy)?;
        let onnx = onnx.unwrap_or_else(|| file.with_extension("onnx"));
        let bytes = policy.to_onnx();
        files::write(&onnx, &bytes)?;
        let (n_obs, n_actions) = (policy.observation_space.len(), policy.action_space.len());
        Ok::<_, LearningError>(serde_json::json!({
            "task": policy.identity.task,
            "policy_file": file,
            "onnx": onnx,
            "bytes": bytes.len(),
            "observation": ["batch", n_obs],
            "action": ["batch", n_actions],
        }))
    })?;
    json(&written)
}

/// Writes a policy that was trained elsewhere. `layers` are weight `[n_outputs, n_inputs]` and bias `[n_outputs]` of
/// each layer.
#[pyfunction]
#[pyo3(signature = (path, environments, layers, activation, moments, seed, n_trained_steps))]
pub(crate) fn write_policy(
    path: PathBuf,
    environments: PyRef<'_, Environments>,
    layers: Vec<(PyReadonlyArray2<'_, f32>, PyReadonlyArray1<'_, f32>)>,
    activation: &str,
    moments: Option<(Vec<f64>, Vec<f64>, f64)>,
    seed: u64,
    n_trained_steps: u64,
) -> Result<()> {
    let activation = match activation {
        "tanh" => Activation::Tanh,
        "relu" => Activation::Relu,
        "elu" => Activation::Elu,
        "silu" => Activation::Silu,
        other => {
            return Err(value_error(format!(
                "activation is {other:?}; it must be tanh, relu, elu or silu"
            )));
        }
    };
    let layers: Vec<DenseLayer> = layers
        .iter()
        .map(|(weight, bias)| DenseLayer {
            weight: weight.as_array().iter().copied().collect(),
            bias: bias.as_array().to_vec(),
        })
        .collect();
    let moments = moments.map(|(mean, variance, clip)| ObservationMoments {
        mean,
        variance,
        clip,
    });
    let (spec, settings) = environments.description();
    let identity = PolicyIdentity {
        task: spec.id.clone(),
        settings: settings.to_string(),
        trained_on: None,
    };
    let spaces = [&spec.observation_space, &spec.action_space];
    let mut policy =
        insonate_rl::Policy::from_layers(identity, spaces, &layers, activation, moments)?;
    policy.seed = seed;
    policy.n_trained_steps = n_trained_steps;
    Ok(policy.save(&path)?)
}

/// A class, and the arguments from which it makes the object again.
type PickleState<'py, T> = (Bound<'py, PyType>, T);

impl Policy {
    fn new(policy: insonate_rl::Policy) -> Result<Self> {
        let settings = policy.identity.settings.parse();
        Ok(Self {
            n_obs: policy.observation_space.len(),
            n_actions: policy.action_space.len(),
            task: policy.identity.task.clone(),
            settings: settings.map_err(|error: toml::de::Error| {
                value_error(format!(
                    "the policy's settings cannot be read: {}",
                    error.message()
                ))
            })?,
            n_trained_steps: policy.n_trained_steps,
            observation_names: policy.observation_space.names.clone(),
            action_names: policy.action_space.names.clone(),
            observation_frames: policy.observation_space.frames.clone(),
            observation_filters: policy.observation_space.filters.clone(),
            inner: Mutex::new(policy),
        })
    }
}

#[pymethods]
impl Policy {
    /// The policy in the content of a policy file.
    #[new]
    fn from_bytes(content: &[u8]) -> Result<Self> {
        let name = Path::new("the policy's bytes");
        Policy::new(insonate_rl::Policy::from_bytes(name, content)?)
    }

    /// The content of the policy's file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let policy = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        PyBytes::new(py, &policy.to_bytes())
    }

    /// The class and its argument, for `pickle`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PickleState<'py, (Bound<'py, PyBytes>,)> {
        (slf.get_type(), (slf.get().to_bytes(slf.py()),))
    }

    /// Settings of the training environments.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        settings::table_to_python(py, &self.settings)
    }

    /// The policy as an ONNX model.
    fn to_onnx<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let policy = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        PyBytes::new(py, &policy.to_onnx())
    }

    /// Actions for observations of shape `[n_obs]` or `[n, n_obs]`.
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        observation: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let shape = match observation.cast::<PyUntypedArray>() {
            Ok(array) => array.shape().to_vec(),
            Err(_) => vec![self.n_obs],
        };
        let n = match shape[..] {
            [n_obs] if n_obs == self.n_obs => 1,
            [n, n_obs] if n_obs == self.n_obs => n,
            _ => {
                let n_obs = self.n_obs;
                return Err(value_error(format!(
                    "observation has shape {shape:?}; it must have shape [{n_obs}] or [n, {n_obs}]"
                )));
            }
        };
        let mut observations = vec![0.0; n * self.n_obs];
        copy_f32("observation", observation, &shape, &mut observations)?;
        if let Some(index) = observations.iter().position(|x| !x.is_finite()) {
            let (name, value) = (
                &self.observation_names[index % self.n_obs],
                observations[index],
            );
            return Err(value_error(format!(
                "observation[{index}] ({name}) is {value}"
            )));
        }
        let mut actions = vec![0.0; n * self.n_actions];
        py.detach(|| {
            // The policy stays valid even if another caller panicked.
            let mut policy = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            policy.act(&observations, &mut actions);
        });
        let actions = PyArray1::from_vec(py, actions);
        Ok(match shape.len() {
            1 => actions.into_any(),
            _ => actions.reshape([n, self.n_actions])?.into_any(),
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "Policy(task={:?}, n_obs={}, n_actions={}, n_trained_steps={})",
            self.task, self.n_obs, self.n_actions, self.n_trained_steps
        )
    }
}
