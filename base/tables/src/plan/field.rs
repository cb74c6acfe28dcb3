//! The columns of a file, and the numbers in them.

use crate::units::Unit;

/// A column of a file.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Name, if the file has names.
    pub(crate) name: Option<String>,
    /// Numbers per row, if it can have several.
    pub(crate) width: Option<usize>,
    /// Unit from the file's own data type, if it is a time.
    pub(crate) time_unit: Option<Unit>,
}

impl Field {
    /// A column with one number per row.
    pub(crate) fn scalar(name: Option<String>) -> Self {
        Self {
            name,
            width: None,
            time_unit: None,
        }
    }
}

/// One number of a field, without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) field: usize,
    pub(crate) element: Option<usize>,
}

/// `column 5 "force_n"`.
pub(crate) fn label(fields: &[Field], target: Target) -> String {
    let field = &fields[target.field];
    let element = target
        .element
        .map_or_else(String::new, |element| format!("[{element}]"));
    match (&field.name, fields.len(), target.element) {
        (Some(name), ..) => format!("column {} \"{name}{element}\"", target.field + 1),
        (None, 1, Some(element)) => format!("column {}", element + 1),
        (None, ..) => format!("column {}{element}", target.field + 1),
    }
}

/// List of the available columns, for messages.
pub(crate) fn describe(fields: &[Field]) -> String {
    const SHOWN: usize = 40;
    let names: Vec<String> = fields
        .iter()
        .take(SHOWN)
        .filter_map(|field| {
            let name: String = field.name.as_deref()?.chars().take(60).collect();
            Some(match field.width {
                Some(width) => format!("{name} ({width} numbers)"),
                None => name,
            })
        })
        .collect();
    match (fields, names.len()) {
        ([field], 0) => format!("it has {} columns without names", field.width.unwrap_or(1)),
        (_, 0) => format!("it has {} columns without names", fields.len()),
        (_, n) if n < fields.len() => format!(
            "its columns are {} and {} more",
            names.join(", "),
            fields.len() - n
        ),
        _ => format!("its columns are {}", names.join(", ")),
    }
}
