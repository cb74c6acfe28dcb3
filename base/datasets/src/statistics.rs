//! Minimum, maximum, mean and standard deviation of each column, in one pass.

use serde_json::{Value, json};

/// Statistics of rows of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) min: Vec<f64>,
    pub(crate) max: Vec<f64>,
    pub(crate) mean: Vec<f64>,
    /// Σ (x − mean)².
    squares: Vec<f64>,
    /// Number of rows.
    pub(crate) count: u64,
}

impl Statistics {
    /// Empty statistics for rows of `width` numbers.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            min: vec![f64::INFINITY; width],
            max: vec![f64::NEG_INFINITY; width],
            mean: vec![0.0; width],
            squares: vec![0.0; width],
            count: 0,
        }
    }

    /// Adds a row (Welford 1962).
    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = f64>) {
        self.count += 1;
        let n = self.count as f64;
        for (i, value) in row.into_iter().enumerate() {
            self.min[i] = self.min[i].min(value);
            self.max[i] = self.max[i].max(value);
            let before = value - self.mean[i];
            self.mean[i] += before / n;
            self.squares[i] += before * (value - self.mean[i]);
        }
    }

    /// Standard deviation of each column.
    pub(crate) fn std(&self) -> Vec<f64> {
        let n = self.count.max(1) as f64;
        self.squares.iter().map(|sum| (sum / n).sqrt()).collect()
    }

    /// JSON as in LeRobot's `stats.json`. Channels of images get two more axes.
    pub(crate) fn to_json(&self, is_picture: bool) -> Value {
        let std = self.std();
        let all = [
            ("min", &self.min),
            ("max", &self.max),
            ("mean", &self.mean),
            ("std", &std),
        ];
        let mut stats = serde_json::Map::new();
        for (name, values) in all {
            let value = if is_picture {
                values.iter().map(|value| json!([[value]])).collect()
            } else {
                json!(values)
            };
            stats.insert(name.to_owned(), value);
        }
        stats.insert("count".to_owned(), json!([self.count]));
        Value::Object(stats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_as_computed_by_hand() {
        let mut statistics = Statistics::new(2);
        for row in [[1.0, -4.0], [2.0, 0.0], [6.0, 1.0]] {
            statistics.add(row);
        }
        assert_eq!(statistics.min, [1.0, -4.0]);
        assert_eq!(statistics.max, [6.0, 1.0]);
        assert_eq!(statistics.mean, [3.0, -1.0]);
        // (4 + 1 + 9) / 3 and (9 + 1 + 4) / 3.
        let expected = (14.0_f64 / 3.0).sqrt();
        assert!(
            statistics
                .std()
                .iter()
                .all(|std| (std - expected).abs() < 1e-12)
        );
    }
}
