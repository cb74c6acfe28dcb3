//! Tasks that Python defines: each step calls the task once for all environments of a vector.

use insonate_envs::probe::{BatchTaskSpec, ProbeTaskSettings, SceneSet, StateEntry, batch_factory};
use insonate_envs::tasks::{Assignments, TaskKind, register};
use insonate_envs::{
    BatchGoal, BatchRow, BatchTask, BoxSpace, EnvError, EnvFactory, settings as env_settings,
};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toml::Table;

use crate::error::{Result, value_error};
use crate::settings;

/// Numbers of a goal from Python: kind, and the fields of [`BatchGoal`].
const GOAL_LEN: usize = 9;

/// A name or text that lives as long as the program, as those of a registry do.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Registers a task. `make` creates what answers for a number of environments: it gets their number, the settings of the task as a dict, and
/// the names and lengths of the entries of a state.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (name, summary, make, *, observation, terms, costs, metrics, has_script, defaults, ppo, sac))]
pub(crate) fn register_task(
    name: String,
    summary: String,
    make: Py<PyAny>,
    observation: Vec<(String, f32, f32)>,
    terms: Vec<String>,
    costs: Vec<String>,
    metrics: Vec<String>,
    has_script: bool,
    defaults: &Bound<'_, PyDict>,
    ppo: &Bound<'_, PyDict>,
    sac: &Bound<'_, PyDict>,
) -> Result<()> {
    let mut space = BoxSpace::default();
    for (entry, low, high) in observation {
        space.extend(BoxSpace::default().with(&entry, low, high));
    }
    let spec = BatchTaskSpec {
        observation: space,
        terms: terms.into_iter().map(kept).collect(),
        costs: costs.into_iter().map(kept).collect(),
        metrics: metrics.into_iter().map(kept).collect(),
    };
    let defaults = complete(&settings::table(defaults)?)?;
    checked(&defaults, &Table::new())?;
    let name = kept(name);
    let of_build = defaults.clone();
    let build = move |given: &Table| build(name, &spec, (&make, has_script), &of_build, given);
    register(TaskKind {
        name,
        summary: kept(summary),
        defaults: Box::leak(Box::new(move || defaults.clone())),
        build: Box::leak(Box::new(build)),
        profiles: &[],
        scripted: &[],
        demonstrated: &[],
        is_studied: false,
        ppo: assignments(ppo)?,
        sac: assignments(sac)?,
    })?;
    Ok(())
}

/// All settings of a task with its own defaults. The settings of the task itself may have any name.
fn complete(own: &Table) -> std::result::Result<Table, EnvError> {
    let mut usual = env_settings::table(&ProbeTaskSettings::<Table>::default());
    if let Some(task) = own.get("task") {
        usual.insert("task".to_owned(), task.clone());
    }
    env_settings::complete(usual, own)
}

fn checked(
    defaults: &Table,
    given: &Table,
) -> std::result::Result<ProbeTaskSettings<Table>, EnvError> {
    let all = env_settings::complete(defaults.clone(), given)?;
    let parsed = all.try_into();
    let settings: ProbeTaskSettings<Table> =
        parsed.map_err(|error: toml::de::Error| EnvError::Config {
            field: "settings".to_owned(),
            problem: error.message().to_owned(),
        })?;
    settings.check()?;
    Ok(settings)
}

/// Creates a factory; `make` is called for each vector of environments.
fn build(
    name: &'static str,
    spec: &BatchTaskSpec,
    (make, has_script): (&Py<PyAny>, bool),
    defaults: &Table,
    given: &Table,
) -> std::result::Result<EnvFactory, EnvError> {
    let settings = checked(defaults, given)?;
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    let parameters = scenes.active().names();
    let make = Python::attach(|py| make.clone_ref(py));
    let task = settings.task.clone();
    batch_factory(
        name,
        settings,
        scenes,
        spec.clone(),
        move |n_envs, entries| {
            let made = Python::attach(|py| -> PyResult<Py<PyAny>> {
                let own = settings::table_to_python(py, &task)?;
                let entries: Vec<(&str, usize)> = entries
                    .iter()
                    .map(|StateEntry { name, len }| (*name, *len))
                    .collect();
                make.call1(py, (n_envs, own, entries, parameters.clone()))
            });
            let answers = made.map_err(raised)?;
            Ok(Box::new(PythonTask {
                answers,
                has_script,
                problem: None,
            }) as Box<dyn BatchTask>)
        },
    )
}

/// Recommended settings of an algorithm as dotted names and TOML.
fn assignments(given: &Bound<'_, PyDict>) -> Result<Assignments> {
    let table = settings::table(given)?;
    let pairs = table.iter().map(|(name, value)| match value {
        toml::Value::Table(_) => Err(value_error(format!("{name}: give a value, not a dict"))),
        value => Ok((kept(name.clone()), kept(value.to_string()))),
    });
    let pairs: Vec<(&'static str, &'static str)> = pairs.collect::<Result<_>>()?;
    Ok(Box::leak(pairs.into_boxed_slice()))
}

fn raised(error: PyErr) -> EnvError {
    EnvError::Task(Box::new(error))
}

/// A task whose answers come from a Python object.
struct PythonTask {
    answers: Py<PyAny>,
    has_script: bool,
    /// What went wrong in the scripted policy.
    problem: Option<EnvError>,
}

/// Arrays of all rows: states, parameters, actions, and whether each row is active.
type Arrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<bool>>,
);

impl PythonTask {
    fn write_observation(&self, py: Python<'_>, rows: &mut [&mut BatchRow]) -> PyResult<()> {
        let answer = self
            .answers
            .call_method1(py, "observe", arrays(py, rows)?)?;
        let observation: PyReadonlyArray2<'_, f32> = answer.bind(py).extract()?;
        write(&observation, rows, |row| &mut row.observation);
        Ok(())
    }

    fn write_script(&self, py: Python<'_>, rows: &mut [&mut BatchRow]) -> PyResult<()> {
        let answer = self.answers.call_method1(py, "script", arrays(py, rows)?)?;
        let actions: PyReadonlyArray2<'_, f32> = answer.bind(py).extract()?;
        write(&actions, rows, |row| &mut row.script);
        Ok(())
    }

    fn judge(&self, py: Python<'_>, rows: &mut [&mut BatchRow]) -> PyResult<()> {
        type Answers<'py> = (
            PyReadonlyArray2<'py, f64>,
            PyReadonlyArray1<'py, bool>,
            PyReadonlyArray1<'py, bool>,
            PyReadonlyArray2<'py, f64>,
            PyReadonlyArray2<'py, f64>,
            PyReadonlyArray2<'py, f32>,
        );
        let answers = self.answers.call_method1(py, "step", arrays(py, rows)?)?;
        let (terms, success, terminated, costs, metrics, observation): Answers<'_> =
            answers.bind(py).extract()?;
        write(&terms, rows, |row| &mut row.terms);
        write(&costs, rows, |row| &mut row.costs);
        write(&metrics, rows, |row| &mut row.metrics);
        write(&observation, rows, |row| &mut row.observation);
        let flags = success.as_array().to_vec().into_iter();
        let flags = flags.zip(terminated.as_array().to_vec());
        for (row, (is_success, is_terminated)) in rows.iter_mut().zip(flags) {
            if row.is_active {
                (row.is_success, row.is_terminated) = (is_success, is_terminated);
            }
        }
        Ok(())
    }

    fn choose_goals(&self, py: Python<'_>, rows: &mut [&mut BatchRow]) -> PyResult<()> {
        let (states, parameters, actions, mask) = arrays(py, rows)?;
        let seeds = PyArray1::from_iter(py, rows.iter().map(|row| row.seed));
        let given = (states, parameters, actions, mask, seeds);
        let goals = self.answers.call_method1(py, "reset", given)?;
        let goals: PyReadonlyArray2<'_, f64> = goals.bind(py).extract()?;
        let goals = goals.as_array();
        for (row, goal) in rows.iter_mut().zip(goals.rows()) {
            let goal: Vec<f64> = goal.to_vec();
            if let Ok(goal) = <[f64; GOAL_LEN]>::try_from(goal)
                && row.is_active
            {
                row.goal = goal_of(goal);
            }
        }
        Ok(())
    }
}

impl BatchTask for PythonTask {
    fn reset(&mut self, rows: &mut [&mut BatchRow]) -> std::result::Result<(), EnvError> {
        self.problem = None;
        Python::attach(|py| self.choose_goals(py, rows)).map_err(raised)
    }

    fn step(&mut self, rows: &mut [&mut BatchRow]) -> std::result::Result<(), EnvError> {
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        Python::attach(|py| self.judge(py, rows)).map_err(raised)
    }

    fn observe(&mut self, rows: &mut [&mut BatchRow]) -> std::result::Result<(), EnvError> {
        Python::attach(|py| self.write_observation(py, rows)).map_err(raised)
    }

    fn script(&mut self, rows: &mut [&mut BatchRow]) -> bool {
        if self.has_script {
            let written = Python::attach(|py| self.write_script(py, rows));
            self.problem = written.map_err(raised).err();
        }
        self.has_script
    }
}

/// A goal from the numbers that Python gives.
fn goal_of(numbers: [f64; GOAL_LEN]) -> BatchGoal {
    let [kind, force, a, b, c, d, e, f, g] = numbers;
    if kind == 0.0 {
        BatchGoal::OnSkin {
            place: [a, b],
            velocity: [c, d],
            height: e,
            force,
        }
    } else {
        BatchGoal::Fixed {
            position: [a, b, c],
            rotation: [d, e, f, g],
            force,
        }
    }
}

fn arrays<'py>(py: Python<'py>, rows: &[&mut BatchRow]) -> PyResult<Arrays<'py>> {
    Ok((
        table(py, rows, |row| &row.state)?,
        table(py, rows, |row| &row.parameters)?,
        table(py, rows, |row| &row.action)?,
        PyArray1::from_iter(py, rows.iter().map(|row| row.is_active)),
    ))
}

/// Numbers of all rows, shape `[n, width]`. A row that was never reset has zeros.
fn table<'py, T: Element + Copy + Default>(
    py: Python<'py>,
    rows: &[&mut BatchRow],
    of: impl Fn(&BatchRow) -> &[T],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let width = rows.iter().map(|row| of(row).len()).max().unwrap_or(0);
    let mut all = vec![T::default(); rows.len() * width];
    if width > 0 {
        for (place, row) in all.chunks_exact_mut(width).zip(rows) {
            let numbers = of(row);
            place[..numbers.len()].copy_from_slice(numbers);
        }
    }
    PyArray1::from_vec(py, all).reshape([rows.len(), width])
}

/// Copies the rows of an array to the active rows.
fn write<T: Element + Copy>(
    answers: &PyReadonlyArray2<'_, T>,
    rows: &mut [&mut BatchRow],
    of: impl Fn(&mut BatchRow) -> &mut Vec<T>,
) {
    for (row, answer) in rows.iter_mut().zip(answers.as_array().rows()) {
        if row.is_active {
            let place = of(row);
            place.clear();
            place.extend(answer.iter());
        }
    }
}
