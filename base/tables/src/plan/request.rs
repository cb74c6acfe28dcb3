//! What a reader takes of a file: a log of a force, or columns that the caller chooses.

use super::chosen::{Axes, MotionPlan, Pick, Plan};
use super::field::{Field, Target, label};
use crate::{ReadOptions, TableError, refuse};

/// Maximum number of columns among which a caller chooses.
const MAX_COLUMNS: usize = 1 << 16;

/// Chooses columns by their names; `None` for a column without a name. Returns indices, or what is wrong with the names.
pub type ChooseColumns<'a> = dyn Fn(&[Option<String>]) -> Result<Vec<usize>, String> + 'a;

/// The wanted columns of a file.
pub(crate) struct Request<'a> {
    /// Options of a log; the default for chosen columns.
    pub(crate) options: &'a ReadOptions,
    /// `None`: the columns of a log, which [`ReadOptions`] select.
    pub(crate) choose: Option<&'a ChooseColumns<'a>>,
}

impl Request<'_> {
    /// Finds the wanted columns among those of a file.
    pub(crate) fn plan(&self, file: &str, fields: &[Field]) -> Result<Plan, TableError> {
        match self.choose {
            None => Plan::new(file, fields, self.options),
            Some(choose) => Plan::of_columns(file, fields, choose),
        }
    }
}

impl Plan {
    /// The numbers of chosen columns, without roles and units. An array of several columns counts as that many.
    fn of_columns(
        file: &str,
        fields: &[Field],
        choose: &ChooseColumns<'_>,
    ) -> Result<Self, TableError> {
        let mut names = Vec::new();
        let mut targets = Vec::new();
        for (field, of) in fields.iter().enumerate() {
            if names.len() + of.width.unwrap_or(1) > MAX_COLUMNS {
                return Err(refuse(
                    file,
                    format!("has more than {MAX_COLUMNS} columns: save the wanted ones alone"),
                ));
            }
            let elements = of
                .width
                .map_or(vec![None], |width| (0..width).map(Some).collect());
            for element in elements {
                names.push(match (&of.name, element) {
                    (Some(name), Some(element)) => Some(format!("{name}[{element}]")),
                    (name, _) => name.clone(),
                });
                targets.push(Target { field, element });
            }
        }
        let chosen = choose(&names).map_err(|problem| refuse(file, problem))?;
        if chosen.is_empty() {
            return Err(refuse(file, "has no wanted column"));
        }
        let picks = chosen.into_iter().map(|index| Pick {
            field: targets[index].field,
            element: targets[index].element.unwrap_or(0),
            label: label(fields, targets[index]),
            unit: None,
            unit_assumed: false,
            weighed: false,
        });
        Ok(Self {
            picks: picks.collect(),
            time: None,
            time_rest: None,
            motion: MotionPlan::Indentation(0),
            velocity: None,
            force: Axes::One(0),
            rivals: Vec::new(),
            motion_rivals: Vec::new(),
            episode: None,
            joints: None,
            orientation: None,
            frames: None,
            columns: Vec::new(),
            notes: Vec::new(),
        })
    }
}
