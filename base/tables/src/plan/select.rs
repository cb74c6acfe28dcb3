//! Resolves the user's column specifications.

use super::field::{Field, Target, describe};
use crate::columns::{Selector, refuse};
use crate::{TableError, names};

/// The numbers specified by selectors: one or three, or four of an orientation.
pub(crate) fn resolve(
    file: &str,
    fields: &[Field],
    key: &str,
    selectors: &[Selector],
) -> Result<Vec<Target>, TableError> {
    let mut targets = Vec::with_capacity(3);
    for selector in selectors {
        let target = find(fields, selector).map_err(|problem| {
            refuse(format!(
                "{key}={selector}: {file} {problem}; {}",
                describe(fields)
            ))
        })?;
        match (fields[target.field].width, target.element) {
            (Some(1), None) => targets.push(Target {
                element: Some(0),
                ..target
            }),
            (Some(width), None)
                if selectors.len() == 1
                    && (width == 3 || width == 4 && key == "orientation" || key == "joints") =>
            {
                targets.extend((0..width).map(|element| Target {
                    element: Some(element),
                    ..target
                }));
            }
            (Some(width), None) => {
                return Err(refuse(format!(
                    "{key}={selector}: it holds {width} numbers a row in {file}: choose one, such as \"{selector}[0]\""
                )));
            }
            _ => targets.push(target),
        }
    }
    Ok(targets)
}

fn find(fields: &[Field], selector: &Selector) -> Result<Target, String> {
    match selector {
        Selector::Number(number) => by_number(fields, number - 1),
        Selector::Name(name) => by_name(fields, name),
    }
}

/// The columns of a file that is a single table without names are numbered, regardless of its fields.
fn by_number(fields: &[Field], index: usize) -> Result<Target, String> {
    let (width, target) = match fields {
        [
            Field {
                width: Some(width), ..
            },
        ] => (
            *width,
            Target {
                field: 0,
                element: Some(index),
            },
        ),
        _ => (
            fields.len(),
            Target {
                field: index,
                element: None,
            },
        ),
    };
    if index < width {
        Ok(target)
    } else {
        Err("has no such column".to_owned())
    }
}

fn by_name(fields: &[Field], name: &str) -> Result<Target, String> {
    if let Some(field) = named(fields, name)? {
        return Ok(Target {
            field,
            element: None,
        });
    }
    let Some((stem, place)) = name
        .strip_suffix(']')
        .and_then(|inside| inside.rsplit_once('['))
    else {
        return Err("has no column of this name".to_owned());
    };
    let field = named(fields, stem)?.ok_or("has no column of this name")?;
    let element: usize = place
        .parse()
        .map_err(|_| format!("needs a place from 0 in the brackets, not \"{place}\""))?;
    match fields[field].width {
        Some(width) if element < width => Ok(Target {
            field,
            element: Some(element),
        }),
        Some(width) => Err(format!(
            "holds {width} numbers a row there, [0] to [{}]",
            width.saturating_sub(1)
        )),
        None => Err("holds one number a row there: leave the brackets out".to_owned()),
    }
}

/// The field with this name: exact match, otherwise ignoring case if that is unique.
fn named(fields: &[Field], name: &str) -> Result<Option<usize>, String> {
    let search = |same: &dyn Fn(&str) -> bool| -> Result<Option<usize>, String> {
        let mut found = fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.name.as_deref().is_some_and(same))
            .map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => Err(format!(
                "has columns {} and {} of this name: give the number",
                first + 1,
                second + 1
            )),
            (first, _) => Ok(first),
        }
    };
    match search(&|other| other == name)? {
        Some(field) => Ok(Some(field)),
        None => match search(&|other| other.to_lowercase() == name.to_lowercase())? {
            Some(field) => Ok(Some(field)),
            // `Force` matches `Force (N)`.
            None => search(&|other| names::without_brackets(other).0 == name),
        },
    }
}
