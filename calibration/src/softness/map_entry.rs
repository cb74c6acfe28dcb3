//! Map of a parameter over the skin in `softness.toml`.

use serde::Deserialize;

use crate::map::{MapGrid, MapPoint};

/// Maximum number of columns and of rows of a map.
const MAX_SIDE: usize = 500;

/// A parameter on a grid over the skin, in SI units; `value[i][j]` is the value at `y[i]`, `x[j]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapEntry {
    /// Unit, such as `N/m`.
    #[serde(default)]
    pub unit: String,
    /// Columns [m], increasing, in the frame of the logs.
    pub x: Vec<f64>,
    /// Rows [m], increasing.
    pub y: Vec<f64>,
    /// Height of the skin [m].
    pub z: Vec<Vec<f64>>,
    /// Median.
    pub value: Vec<Vec<f64>>,
    /// Lower end of the 95 % interval.
    pub low: Vec<Vec<f64>>,
    /// Upper end of the 95 % interval.
    pub high: Vec<Vec<f64>>,
}

impl MapEntry {
    /// Creates the entry of a map.
    pub fn new(map: &MapGrid) -> Self {
        let rows = |of: fn(&MapPoint) -> f64| -> Vec<Vec<f64>> {
            let rows = map.points.chunks(map.x.len());
            rows.map(|row| row.iter().map(of).collect()).collect()
        };
        Self {
            unit: map.unit.clone(),
            x: map.x.clone(),
            y: map.y.clone(),
            z: rows(|point| point.place[2]),
            value: rows(|point| point.value),
            low: rows(|point| point.ci95[0]),
            high: rows(|point| point.ci95[1]),
        }
    }

    /// Fails if an axis does not increase, a table has another shape, or a number is out of range.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, axis) in [("x", &self.x), ("y", &self.y)] {
            let n = axis.len();
            if !(2..=MAX_SIDE).contains(&n) {
                return Err(format!(
                    "{name} has {n} numbers; it must have between 2 and {MAX_SIDE}"
                ));
            }
            let increases = axis.windows(2).all(|pair| pair[0] < pair[1]);
            if !increases || axis.iter().any(|x| !x.is_finite()) {
                return Err(format!("the numbers of {name} must be finite and increase"));
            }
        }
        let tables = [
            ("z", &self.z, false),
            ("value", &self.value, true),
            ("low", &self.low, true),
            ("high", &self.high, true),
        ];
        for (name, table, is_positive) in tables {
            if table.len() != self.y.len() || table.iter().any(|row| row.len() != self.x.len()) {
                return Err(format!(
                    "{name} must have {} rows of {} numbers, one for each y and x",
                    self.y.len(),
                    self.x.len()
                ));
            }
            let is_wrong = |x: &&f64| !x.is_finite() || is_positive && **x <= 0.0;
            if let Some(wrong) = table.iter().flatten().find(is_wrong) {
                let range = if is_positive { "positive" } else { "finite" };
                return Err(format!("{name} holds {wrong}; it must be {range}"));
            }
        }
        Ok(())
    }
}
