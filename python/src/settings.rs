//! Settings of a task: conversion of Python values to TOML.

use std::collections::BTreeSet;

use insonate_envs::settings;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::error::{Result, value_error};

/// Maximum nesting depth of dicts.
const MAX_DEPTH: usize = 16;

/// Settings by name: dotted names (`scene.robot`, `env.scene.robot`), dicts, or both.
pub(crate) fn table(given: &Bound<'_, PyDict>) -> Result<Table> {
    let mut table = Table::new();
    for (name, value) in given {
        let name: String = name
            .extract()
            .map_err(|_| PyTypeError::new_err("names of settings are strings"))?;
        let value = convert(&name, &value, MAX_DEPTH)?;
        let name = name.strip_prefix("env.").unwrap_or(&name);
        if name == "env" {
            return Err(value_error(
                "env: give its settings by name, such as `env.scene.robot`",
            ));
        }
        insert(&mut table, name, value)?;
    }
    Ok(table)
}

/// Sets the limit of steps of an episode, by the setting of the task that holds it: a number of steps, or a time [s].
pub(crate) fn limit_steps(given: &mut Table, settings: &Table, n_steps: usize) -> Result<()> {
    let time = settings.get("time").and_then(Value::as_table);
    let whole = Value::Integer(i64::try_from(n_steps).unwrap_or(i64::MAX));
    if let Some(name) = ["max_episode_steps", "max_steps"]
        .into_iter()
        .find(|name| settings.contains_key(*name))
    {
        return insert(given, name, whole);
    }
    if time.is_some_and(|time| time.contains_key("max_steps")) {
        return insert(given, "time.max_steps", whole);
    }
    let timestep = time.and_then(|time| time.get("control_timestep")?.as_float());
    let timestep = timestep.ok_or_else(|| {
        value_error("max_episode_steps: the task has no setting for the length of an episode")
    })?;
    insert(given, "time.limit", Value::Float(n_steps as f64 * timestep))
}

/// Dotted name of the first setting whose values differ.
pub(crate) fn difference(path: &str, a: &Table, b: &Table) -> Option<String> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().find_map(|name| {
        let dotted = format!("{path}{name}");
        match (a.get(name), b.get(name)) {
            (Some(Value::Table(a)), Some(Value::Table(b))) => {
                difference(&format!("{dotted}."), a, b)
            }
            (a, b) if a == b => None,
            _ => Some(dotted),
        }
    })
}

/// A Rust value from a dict with the same fields as its TOML file.
pub(crate) fn described<T: DeserializeOwned>(what: &str, given: &Bound<'_, PyDict>) -> Result<T> {
    let value = convert(what, given.as_any(), MAX_DEPTH)?;
    let fields = value.try_into();
    fields.map_err(|error: toml::de::Error| value_error(format!("{what}: {}", error.message())))
}

/// Sets a value at a dotted name. A table is merged into an existing one.
fn insert(table: &mut Table, name: &str, value: Value) -> Result<()> {
    if let Value::Table(inner) = value {
        for (key, value) in inner {
            insert(table, &format!("{name}.{key}"), value)?;
        }
        return Ok(());
    }
    // `set` creates the intermediate tables; the value itself needs no parsing.
    settings::set(table, name, "0")?;
    let mut place = table;
    let (path, last) = name.rsplit_once('.').unwrap_or(("", name));
    for part in path.split('.').filter(|part| !part.is_empty()) {
        place = place
            .get_mut(part)
            .and_then(Value::as_table_mut)
            .ok_or_else(|| value_error(format!("{name}: {part} is not a table")))?;
    }
    place.insert(last.to_owned(), value);
    Ok(())
}

fn convert(name: &str, value: &Bound<'_, PyAny>, depth: usize) -> Result<Value> {
    if depth == 0 {
        return Err(value_error(format!("{name}: is nested too deeply")));
    }
    // `bool` is an `int` in Python.
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(value.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if let Ok(number) = value.cast::<PyInt>() {
        let number = number
            .extract()
            .map_err(|_| value_error(format!("{name}: {number} is too large")))?;
        return Ok(Value::Integer(number));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Value::Float(number.extract()?));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut table = Table::new();
        for (key, value) in dict {
            let key: String = key
                .extract()
                .map_err(|_| PyTypeError::new_err(format!("{name}: names are strings")))?;
            let value = convert(&format!("{name}.{key}"), &value, depth - 1)?;
            table.insert(key, value);
        }
        return Ok(Value::Table(table));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?;
        let items: Result<Vec<Value>> =
            items.map(|item| convert(name, &item?, depth - 1)).collect();
        return Ok(Value::Array(items?));
    }
    // Arrays and scalars of NumPy convert to one of the types above.
    if let Ok(plain) = value.call_method0("tolist") {
        return convert(name, &plain, depth - 1);
    }
    let kind = value.get_type().name()?;
    let problem = format!(
        "{name}: is a {kind}, but settings are numbers, strings, true or false, lists or dicts of them"
    );
    Err(PyTypeError::new_err(problem).into())
}

/// Converts a TOML value to Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Integer(whole) => whole.into_pyobject(py).map_err(PyErr::from)?.into_any(),
        Value::Float(real) => PyFloat::new(py, *real).into_any(),
        Value::Boolean(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Datetime(date) => PyString::new(py, &date.to_string()).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Table(table) => table_to_python(py, table)?.into_any(),
    })
}

/// Converts a table to a dict.
pub(crate) fn table_to_python<'py>(py: Python<'py>, table: &Table) -> Result<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in table {
        dict.set_item(key, to_python(py, value)?)?;
    }
    Ok(dict)
}
