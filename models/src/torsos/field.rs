//! Softness that varies over the skin.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Most columns, and most rows, of a field.
const MAX_SIDE: usize = 200;

/// Factor of a torso's softness over its skin: it scales stiffness and damping alike, so their ratio is the same everywhere.
///
/// The factor depends on the place in the torso's frame seen from above, and is the same at any depth. Between grid points it is bilinear;
/// outside of the grid it has the value at the nearest point of the edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftnessField {
    /// Columns across the patient [m], increasing.
    pub x: Vec<f64>,
    /// Rows along the patient, towards the head [m], increasing.
    pub y: Vec<f64>,
    /// `factor[i][j]` is the factor at `y[i]`, `x[j]`.
    pub factor: Vec<Vec<f64>>,
}

impl SoftnessField {
    /// Smallest and largest factor that torsos take.
    pub const FACTORS: [f64; 2] = [0.1, 10.0];

    /// Returns an error if an axis does not increase, the table has another shape, or a factor is out of range.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] or [`ModelError::Conflict`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        for (name, axis) in [("field.x", &self.x), ("field.y", &self.y)] {
            let n = axis.len() as f64;
            check_range(name, n, [2.0, MAX_SIDE as f64], "numbers")?;
            let increases = axis.windows(2).all(|pair| pair[0] < pair[1]);
            if !increases || axis.iter().any(|x| !x.is_finite()) {
                return Err(ModelError::Conflict(format!(
                    "{name} must be finite and increase"
                )));
            }
        }
        let (columns, rows) = (self.x.len(), self.y.len());
        if self.factor.len() != rows || self.factor.iter().any(|row| row.len() != columns) {
            return Err(ModelError::Conflict(format!(
                "field.factor must have {rows} rows of {columns} numbers, one for each y and x"
            )));
        }
        let [low, high] = Self::FACTORS;
        for &factor in self.factor.iter().flatten() {
            check_range("field.factor", factor, [low, high], "")?;
        }
        Ok(())
    }

    /// The factor at a place in the torso's frame [m].
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let ((column, right), (row, up)) = (cell(&self.x, x), cell(&self.y, y));
        let along = |row: usize| {
            let values = &self.factor[row];
            values[column] * (1.0 - right) + values[column + 1] * right
        };
        along(row) * (1.0 - up) + along(row + 1) * up
    }

    /// The field as one list of numbers: the counts of columns and rows, `x`, `y`, and the factors row by row.
    pub fn to_numbers(&self) -> Vec<f64> {
        let counts = [self.x.len() as f64, self.y.len() as f64];
        let axes = counts.iter().chain(&self.x).chain(&self.y);
        axes.chain(self.factor.iter().flatten()).copied().collect()
    }

    /// Reads a field from [`Self::to_numbers`].
    ///
    /// # Errors
    /// As [`Self::check`]; [`ModelError::Conflict`] for a list of another length.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self, ModelError> {
        let counts = numbers.first_chunk::<2>().map(|counts| {
            // A count out of range is caught by the length of the list.
            counts.map(|count| count.clamp(0.0, 1e4) as usize)
        });
        let parts = counts.and_then(|[columns, rows]| {
            let rest = &numbers[2..];
            (rest.len() == columns + rows + columns * rows && columns > 0).then(|| {
                let (x, rest) = rest.split_at(columns);
                let (y, factor) = rest.split_at(rows);
                (x, y, factor.chunks(columns))
            })
        });
        let Some((x, y, rows)) = parts else {
            return Err(ModelError::Conflict(format!(
                "{} numbers are not a field: counts of columns and rows, x, y and a factor for each",
                numbers.len()
            )));
        };
        let field = Self {
            x: x.to_vec(),
            y: y.to_vec(),
            factor: rows.map(<[f64]>::to_vec).collect(),
        };
        field.check()?;
        Ok(field)
    }
}

/// Index of the interval of an increasing axis that holds `x`, and the share of the interval below it, 0 to 1.
fn cell(axis: &[f64], x: f64) -> (usize, f64) {
    let last = axis.len() - 2;
    let index = axis[1..=last].partition_point(|&knot| knot <= x);
    let [low, high] = [axis[index], axis[index + 1]];
    (index, ((x - low) / (high - low)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field() -> SoftnessField {
        // Bilinear in x and y, so that interpolation is exact: 1 + x + 2 y + 3 x y.
        let (x, y) = (vec![-0.2, 0.0, 0.3], vec![-0.1, 0.4]);
        let row = |y: &f64| {
            x.iter()
                .map(|x| 1.0 + x + 2.0 * y + 3.0 * x * y)
                .collect::<Vec<f64>>()
        };
        let factor = y.iter().map(row).collect();
        SoftnessField { x, y, factor }
    }

    #[test]
    fn interpolates_a_bilinear_function_and_keeps_the_edge_outside() {
        let field = field();
        for (x, y) in [(-0.2, -0.1), (-0.13, 0.2), (0.0, 0.4), (0.21, 0.07)] {
            let expected = 1.0 + x + 2.0 * y + 3.0 * x * y;
            assert!((field.at(x, y) - expected).abs() < 1e-12, "{x}, {y}");
        }
        assert!((field.at(5.0, 5.0) - (1.0 + 0.3 + 0.8 + 0.36)).abs() < 1e-12);
        assert!((field.at(-5.0, 0.0) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn survives_a_list_of_numbers_and_refuses_others() {
        let numbers = field().to_numbers();
        assert_eq!(SoftnessField::from_numbers(&numbers).unwrap(), field());
        for bad in [
            &numbers[..1],
            &numbers[..numbers.len() - 1],
            &[f64::NAN; 8],
            &[0.0, 0.0],
        ] {
            assert!(SoftnessField::from_numbers(bad).is_err(), "{bad:?}");
        }
        let mut far = field();
        far.factor[1][2] = 11.0;
        let error = far.check().unwrap_err().to_string();
        assert!(
            error.contains("field.factor") && error.contains("11"),
            "{error}"
        );
    }
}
