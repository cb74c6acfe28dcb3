//! Numbers within their ranges.

use std::fmt::Debug;

/// The value of a setting is not allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field} is {value}; it must be {allowed}{}{unit}", if unit.is_empty() { "" } else { " " })]
pub struct SettingError {
    /// Name of the setting.
    pub field: String,
    /// Its value.
    pub value: String,
    /// Unit of the value and of the range; empty for a number without one, or if `allowed` contains it.
    pub unit: &'static str,
    /// Allowed values.
    pub allowed: String,
}

impl SettingError {
    /// The error for a value; `allowed` completes "it must be", with unit.
    pub fn new(field: impl Into<String>, value: impl Debug, allowed: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            value: format!("{value:?}"),
            unit: "",
            allowed: allowed.into(),
        }
    }

    /// The same error for the setting of a table: its name is put before that of the setting.
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        self.field = format!("{table}.{}", self.field);
        self
    }
}

/// Checks that `value` is within `[least, most]`. A least value of [`f64::MIN_POSITIVE`] stands for "above 0".
///
/// # Errors
/// [`SettingError`] if it is outside or NaN.
pub fn check_range(
    field: &str,
    value: f64,
    [least, most]: [f64; 2],
    unit: &'static str,
) -> Result<(), SettingError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let allowed = match (least, most) {
        (_, f64::INFINITY) => format!("at least {}", shown(least)),
        (f64::MIN_POSITIVE, _) => format!("above 0 and at most {}", shown(most)),
        _ => format!("between {} and {}", shown(least), shown(most)),
    };
    Err(SettingError {
        field: field.to_owned(),
        value: shown(value),
        unit,
        allowed,
    })
}

/// A number; very small and very large ones with a power of ten.
fn shown(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && size.is_finite() && !(1e-6..1e15).contains(&size) {
        format!("{x:e}")
    } else {
        x.to_string()
    }
}

/// Checks that each value is within its range. Rows are name (after `prefix`), value, range and unit.
///
/// # Errors
/// Those of [`check_range`].
pub fn check_ranges<'a>(
    prefix: &str,
    rows: impl IntoIterator<Item = (&'a str, f64, [f64; 2], &'static str)>,
) -> Result<(), SettingError> {
    rows.into_iter().try_for_each(|(name, value, range, unit)| {
        check_range(&format!("{prefix}{name}"), value, range, unit)
    })
}

/// Checks that each coordinate is within `range`.
///
/// # Errors
/// Those of [`check_range`].
pub fn check_vector(
    field: &str,
    [x, y, z]: [f64; 3],
    range: [f64; 2],
    unit: &'static str,
) -> Result<(), SettingError> {
    let rows = [("x", x), ("y", y), ("z", z)];
    let rows = rows.map(|(axis, value)| (axis, value, range, unit));
    check_ranges(&format!("{field} along "), rows)
}

/// Checks that `low <= high` and that both are within `range`.
///
/// # Errors
/// Those of [`check_range`], and [`SettingError`] for an end below the start.
pub fn check_interval(
    field: &str,
    [low, high]: [f64; 2],
    range: [f64; 2],
    unit: &'static str,
) -> Result<(), SettingError> {
    check_range(field, low, range, unit)?;
    check_range(field, high, range, unit)?;
    if low <= high {
        return Ok(());
    }
    let allowed = "an interval whose start is not above its end";
    Err(SettingError::new(field, [low, high], allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(value: f64, range: [f64; 2], unit: &'static str) -> String {
        check_range("force", value, range, unit)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn errors_state_value_range_and_unit() {
        assert_eq!(
            refusal(-1.0, [0.5, 40.0], "N"),
            "force is -1; it must be between 0.5 and 40 N"
        );
        assert_eq!(
            refusal(f64::NAN, [0.0, 1.0], ""),
            "force is NaN; it must be between 0 and 1"
        );
        assert_eq!(
            refusal(0.0, [f64::MIN_POSITIVE, 1e-9], "m"),
            "force is 0; it must be above 0 and at most 1e-9 m"
        );
        assert_eq!(
            refusal(0.0, [2.0, f64::INFINITY], "m"),
            "force is 0; it must be at least 2 m"
        );
    }

    #[test]
    fn both_ends_of_a_range_are_allowed() {
        for value in [0.5, 1.0, 40.0] {
            check_range("force", value, [0.5, 40.0], "N").unwrap();
        }
    }

    #[test]
    fn errors_name_row_axis_and_order() {
        let rows = [("a", 0.0, [0.0, 1.0], ""), ("b", 2.0, [0.0, 1.0], "s")];
        let error = check_ranges("time.", rows).unwrap_err();
        assert_eq!(error.field, "time.b");
        let error = check_vector("place", [0.0, 0.0, 9.0], [0.0, 1.0], "m").unwrap_err();
        assert_eq!(error.within("task").field, "task.place along z");
        let error = check_interval("span", [0.8, 0.2], [0.0, 1.0], "m").unwrap_err();
        assert!(error.to_string().contains("[0.8, 0.2]"), "{error}");
    }
}
