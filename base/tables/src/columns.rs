//! Assignment of columns to quantities by the user.

use std::fmt;
use std::str::FromStr;

use crate::TableError;

/// Assignment of columns to quantities, parsed from text: `time=1,indentation=3,velocity=4,force=5`.
///
/// Keys are `time`, `indentation` or `position`, `velocity`, `force`, `orientation` and `joints`.
/// A column is a number, from 1, or a name: of a CSV header, an array in an NPZ file, a column of a Parquet file, a
/// field of a structured NPY file.
/// Position, velocity and force may be vectors: three columns joined by `:`, as in `position=2:3:4`, or one column
/// with three numbers per row.
/// Joints are the columns of a robot's joint positions from base to tip, `joints=q1:q2:q3`, or one column with them.
/// An orientation is three or four columns, or one column with as many numbers: `orientation=qx:qy:qz:qw`.
/// A single number of such a column is selected by its index, from 0 as in numpy: `force=observation.state[2]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    pub(super) time: Option<Selector>,
    pub(super) indentation: Option<Selector>,
    pub(super) position: Option<Vec<Selector>>,
    pub(super) velocity: Option<Vec<Selector>>,
    pub(super) force: Option<Vec<Selector>>,
    pub(super) orientation: Option<Vec<Selector>>,
    pub(super) joints: Option<Vec<Selector>>,
}

/// A column as specified by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    /// Column number, from 1.
    Number(usize),
    /// Name as in the header, optionally with an index in brackets.
    Name(String),
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

/// An error about `--columns`.
pub(super) fn refuse(problem: String) -> TableError {
    TableError::option("--columns", problem)
}

/// Key and value of each part between commas; a part without `=` is returned as an error.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = Result<(&str, &str), &str>> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(|part| {
        let (key, value) = part.split_once('=').ok_or(part)?;
        Ok((key.trim(), value.trim()))
    })
}

impl FromStr for Columns {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut columns = Self::default();
        for pair in pairs(text) {
            let (key, value) = pair.map_err(|part| {
                refuse(format!(
                    "\"{part}\" has no \"=\": write such as time=1,indentation=3,velocity=4,force=5, or names of the header"
                ))
            })?;
            columns.set(key, value)?;
        }
        if columns.indentation.is_some() && columns.position.is_some() {
            return Err(refuse(
                "give either indentation or position, not both".to_owned(),
            ));
        }
        if columns.joints.is_some() && (columns.indentation.is_some() || columns.position.is_some())
        {
            return Err(refuse(
                "give either joints or the motion itself, not both".to_owned(),
            ));
        }
        if columns == Self::default() {
            return Err(refuse(
                "names no column: write such as time=1,indentation=3,force=5".to_owned(),
            ));
        }
        Ok(columns)
    }
}

impl Columns {
    /// All specified columns.
    #[cfg(feature = "bags")]
    pub(super) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        let single = [&self.time, &self.indentation].into_iter().flatten();
        let several = [
            &self.position,
            &self.velocity,
            &self.force,
            &self.orientation,
            &self.joints,
        ];
        single.chain(several.into_iter().flatten().flatten())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), TableError> {
        let selectors = value
            .split(':')
            .map(|name| selector(key, name.trim()))
            .collect::<Result<Vec<_>, _>>()?;
        let twice = match key {
            "time" => self.time.replace(one(key, selectors)?).is_some(),
            "indentation" => self.indentation.replace(one(key, selectors)?).is_some(),
            "position" => self
                .position
                .replace(one_or_three(key, selectors)?)
                .is_some(),
            "velocity" => self
                .velocity
                .replace(one_or_three(key, selectors)?)
                .is_some(),
            "force" => self.force.replace(one_or_three(key, selectors)?).is_some(),
            "orientation" => {
                if !matches!(selectors.len(), 1 | 3 | 4) {
                    return Err(refuse(format!(
                        "orientation is one column, or three or four joined by \":\", not {}",
                        selectors.len()
                    )));
                }
                self.orientation.replace(selectors).is_some()
            }
            "joints" => self.joints.replace(selectors).is_some(),
            _ => {
                return Err(refuse(format!(
                    "\"{key}\" is not known; known are time, indentation, position, velocity, force, orientation and joints"
                )));
            }
        };
        if twice {
            return Err(refuse(format!("{key} is given twice")));
        }
        Ok(())
    }
}

fn selector(key: &str, name: &str) -> Result<Selector, TableError> {
    if name.is_empty() {
        return Err(refuse(format!("{key} names no column")));
    }
    if !name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Selector::Name(name.to_owned()));
    }
    match name.parse() {
        Ok(0) => Err(refuse(format!("{key}=0: columns are numbered from 1"))),
        Ok(number) => Ok(Selector::Number(number)),
        Err(_) => Err(refuse(format!(
            "{key}={name}: the number of the column is too large"
        ))),
    }
}

fn one(key: &str, mut selectors: Vec<Selector>) -> Result<Selector, TableError> {
    match (selectors.pop(), selectors.is_empty()) {
        (Some(selector), true) => Ok(selector),
        _ => Err(refuse(format!("{key} is one column, not several"))),
    }
}

fn one_or_three(key: &str, selectors: Vec<Selector>) -> Result<Vec<Selector>, TableError> {
    match selectors.len() {
        1 | 3 => Ok(selectors),
        n => Err(refuse(format!(
            "{key} is one column or three joined by \":\", not {n}"
        ))),
    }
}
