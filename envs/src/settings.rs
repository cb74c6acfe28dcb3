//! Settings of a task: TOML tables checked against their defaults, key by key.

use serde::Serialize;
use serde::de::DeserializeOwned;
pub use toml::Table;
use toml::Value;

use crate::EnvError;

/// Earlier names of settings, which files and policies may still have, and their names now.
const RENAMED: [(&str, &str); 1] = [("physics_timestep", "timestep")];

/// Options of the command line and other words that stand for settings of another name.
const OTHER_WORDS: [(&str, &str); 9] = [
    (
        "scene.spacing",
        "scene.tissue.spacing=M for a torso of a tissue solver, or scene.lattice=probe|thesis",
    ),
    ("scene.count", "scene.lattice=probe|thesis"),
    ("scene.stiffness", "randomization.stiffness"),
    ("scene.damping", "randomization.damping"),
    ("scene.breathing_rate", "randomization.breathing"),
    ("scene.breathing_amplitude", "randomization.breathing"),
    ("scene.material", "randomization.stiffness and .damping"),
    ("timestep", "scene.timestep or time.control_timestep"),
    ("scene.control_timestep", "time.control_timestep"),
];

/// Settings as a table.
///
/// # Panics
/// If `T` holds a value that TOML cannot express, such as a `None`: a bug.
pub fn table<T: Serialize>(settings: &T) -> Table {
    Table::try_from(settings).expect("settings hold what TOML can express")
}

/// Returns the defaults, overridden by the given settings.
///
/// # Errors
/// [`EnvError::Config`] for an unknown key (with the most similar known one) or a value of the wrong type.
pub fn parse<T: Serialize + DeserializeOwned>(defaults: &T, given: &Table) -> Result<T, EnvError> {
    complete(table(defaults), given)?
        .try_into()
        .map_err(|error: toml::de::Error| EnvError::Config {
            field: "settings".to_owned(),
            problem: error.message().to_owned(),
        })
}

/// All settings of a table of defaults, overridden by the given ones. Earlier names of settings become the names of now.
///
/// # Errors
/// [`EnvError::Config`] for an unknown key or a value of the wrong type.
pub fn complete(mut defaults: Table, given: &Table) -> Result<Table, EnvError> {
    let all = defaults.clone();
    merge(&mut defaults, given, "").map_err(|error| match error {
        Mismatch::Unknown { field, error } => EnvError::Config {
            problem: other_word(&all, &field).unwrap_or(error),
            field,
        },
        Mismatch::Kind(error) => error,
    })?;
    Ok(defaults)
}

/// Why a table cannot be written over another one.
enum Mismatch {
    /// A key that does not exist, and an error with the names of its table.
    Unknown { field: String, error: String },
    /// A value of the wrong type.
    Kind(EnvError),
}

/// An error that suggests the setting of the same meaning for a word of another place; `None` if no setting has it.
fn other_word(all: &Table, field: &str) -> Option<String> {
    let mut names = Vec::new();
    dotted(all, "", &mut names);
    let exists = |setting: &str| {
        let name = setting.split([' ', '=']).next();
        names.iter().any(|known| Some(known.as_str()) == name)
    };
    let listed = OTHER_WORDS.iter().find(|(word, _)| *word == field);
    let meant = match listed {
        Some((_, setting)) if exists(setting) => (*setting).to_owned(),
        _ => moved(&names, field)?,
    };
    Some(format!("there is no such setting, did you mean {meant}?"))
}

/// The setting of the same letters in another table, or the only one of the same name.
fn moved(names: &[String], field: &str) -> Option<String> {
    let letters = |name: &str| name.replace(['.', '_', '-'], "");
    let same = names.iter().find(|name| letters(name) == letters(field));
    let (_, last) = field.rsplit_once('.').unwrap_or(("", field));
    let mut named = names
        .iter()
        .filter(|name| name.rsplit_once('.').is_some_and(|(_, own)| own == last));
    let only = named.next().filter(|_| named.next().is_none());
    same.or(only).cloned()
}

/// The dotted names of all settings.
fn dotted(table: &Table, path: &str, names: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => dotted(inner, &format!("{path}{key}."), names),
            _ => names.push(format!("{path}{key}")),
        }
    }
}

/// Writes `given` over `known`. Every key must exist with a value of the same type.
fn merge(known: &mut Table, given: &Table, path: &str) -> Result<(), Mismatch> {
    for (key, value) in given {
        let renamed = RENAMED.iter().find(|(earlier, _)| *earlier == key);
        let key = match renamed {
            Some((_, now)) if !known.contains_key(key) => now,
            _ => key.as_str(),
        };
        let field = if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        };
        let Some(old) = known.get_mut(key) else {
            return Err(unknown(known, key, field));
        };
        match (old, value) {
            (Value::Table(old), Value::Table(new)) => merge(old, new, &field)?,
            (old, new) => *old = convert(old, new, &field).map_err(Mismatch::Kind)?,
        }
    }
    Ok(())
}

fn unknown(known: &Table, key: &str, field: String) -> Mismatch {
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    Mismatch::Unknown {
        field,
        error: EnvError::unknown("setting", key, &names).to_string(),
    }
}

/// The new value, if it has the old one's type. An integer is accepted as a float, and a number as an interval of zero width.
fn convert(old: &Value, new: &Value, field: &str) -> Result<Value, EnvError> {
    let number = |value: &Value| match value {
        Value::Integer(whole) => Some(*whole as f64),
        Value::Float(real) => Some(*real),
        _ => None,
    };
    match (old, new) {
        (Value::Float(_), Value::Integer(whole)) => Ok(Value::Float(*whole as f64)),
        (Value::Array(list), single) if is_interval(list) && number(single).is_some() => {
            let value = Value::Float(number(single).unwrap_or_default());
            Ok(Value::Array(vec![value.clone(), value]))
        }
        (Value::Array(list), Value::Array(items)) if list.iter().any(Value::is_float) => {
            let items = items.iter().map(|item| number(item).map(Value::Float));
            let items: Option<Vec<Value>> = items.collect();
            items
                .map(Value::Array)
                .ok_or_else(|| wrong_kind(old, new, field))
        }
        (old, new) if old.same_type(new) => Ok(new.clone()),
        _ => Err(wrong_kind(old, new, field)),
    }
}

fn is_interval(list: &[Value]) -> bool {
    list.len() == 2 && list.iter().all(Value::is_float)
}

fn wrong_kind(old: &Value, new: &Value, field: &str) -> EnvError {
    let problem = format!("is {new}, but needs {} such as {old}", kind(old));
    EnvError::Config {
        field: field.to_owned(),
        problem,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
        Value::Datetime(_) => "a date",
    }
}

/// Writes the entries of `over` into `base`, recursively.
pub fn overlay(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Writes `value` (TOML; otherwise it is taken as a string) to the dotted `name` of a table. Adds tables as needed.
///
/// # Errors
/// [`EnvError::Config`] if the name is empty or passes through a value that is not a table.
pub fn set(table: &mut Table, name: &str, value: &str) -> Result<(), EnvError> {
    let fail = |problem: &str| EnvError::Config {
        field: name.to_owned(),
        problem: problem.to_owned(),
    };
    if name.split('.').any(|part| part.trim().is_empty()) {
        return Err(fail("is not a name: write it as part.of.name=value"));
    }
    let value: Value = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut parsed| parsed.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let (path, last) = name.rsplit_once('.').unwrap_or(("", name));
    let mut place = table;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        place = place
            .entry(part)
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(|| fail("passes through a setting that is not a table"))?;
    }
    place.insert(last.to_owned(), value);
    Ok(())
}

/// The table of dotted names and values; see [`set`].
///
/// # Errors
/// Those of [`set`].
pub fn assign(assignments: &[(&str, &str)]) -> Result<Table, EnvError> {
    let mut assigned = Table::new();
    for (name, value) in assignments {
        set(&mut assigned, name, value)?;
    }
    Ok(assigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        force: f64,
        range: [f64; 2],
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        name: String,
        n: usize,
        inner: Inner,
    }

    #[test]
    fn what_is_given_replaces_defaults_and_whole_numbers_serve_as_real_ones() {
        let mut given = Table::new();
        set(&mut given, "inner.force", "3").unwrap();
        set(&mut given, "inner.range", "2").unwrap();
        set(&mut given, "name", "torso").unwrap();
        let parsed: Outer = parse(&Outer::default(), &given).unwrap();
        assert_eq!(parsed.inner.force, 3.0);
        assert_eq!(parsed.inner.range, [2.0, 2.0]);
        assert_eq!(parsed.name, "torso");
    }

    #[test]
    fn a_misspelt_key_and_a_wrong_kind_are_named() {
        let check = |name: &str, value: &str, expected: &[&str]| {
            let mut given = Table::new();
            set(&mut given, name, value).unwrap();
            let message = parse(&Outer::default(), &given).unwrap_err().to_string();
            for part in expected {
                assert!(message.contains(part), "{message}");
            }
        };
        check(
            "inner.forse",
            "3",
            &["inner.forse", "did you mean \"force\""],
        );
        check(
            "inner.force",
            "soft",
            &["inner.force", "\"soft\"", "a number"],
        );
        check("inner", "3", &["inner", "a table"]);
        check("inner.range", "[1, \"x\"]", &["inner.range", "a list"]);
        check("n", "-1", &["n", "-1"]);
        assert!(set(&mut Table::new(), "", "3").is_err());
    }
}
