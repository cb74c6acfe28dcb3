//! The upper face of a table, where a back that lies on it hides it.
//!
//! A ball does not detach a table over the width on which a back touches it. At the sides its face is free, and it is flat or evenly curved
//! across, so a parabola through the free parts is the face below the back.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

/// Tries of the parabola: what is lower than the last one by a cell is left out, because there the face is hidden.
const TRIES: usize = 4;
/// Least number of columns.
const LEAST_COLUMNS: usize = 12;
/// Largest deviation of the free face, root mean square [edges of a cell].
const ROUGHNESS: f64 = 0.75;

/// The face of a table over the coordinate across it.
pub(super) struct TableFace {
    /// Height of the face: constant, linear and quadratic term.
    terms: Vector3<f64>,
    /// Where the table begins and ends.
    ends: [f64; 2],
    edge: f64,
}

impl TableFace {
    /// The face of places of a table: coordinates across it, and heights towards the body [m]. `edge` is that of the cells [m]. `None` if
    /// they are not on a parabola.
    pub(super) fn of(places: impl Iterator<Item = [f64; 2]>, edge: f64) -> Option<Self> {
        let mut tops: BTreeMap<i64, f64> = BTreeMap::new();
        for [across, height] in places {
            let top = tops.entry((across / edge).round() as i64).or_insert(height);
            *top = top.max(height);
        }
        let mut columns: Vec<[f64; 2]> = tops
            .into_iter()
            .map(|(column, top)| [column as f64 * edge, top])
            .collect();
        let ends = [columns.first()?[0], columns.last()?[0]];
        let mut terms = parabola(&columns)?;
        for _ in 0..TRIES {
            let off = |[across, top]: &[f64; 2]| top - height(&terms, *across);
            let kept: Vec<[f64; 2]> = columns
                .iter()
                .copied()
                .filter(|column| off(column) > -0.5 * edge)
                .collect();
            if kept.len() == columns.len() || kept.len() < LEAST_COLUMNS {
                break;
            }
            columns = kept;
            terms = parabola(&columns)?;
        }
        let squares = columns.iter().map(|[across, top]| {
            let off = top - height(&terms, *across);
            off * off
        });
        let mean = squares.sum::<f64>() / columns.len() as f64;
        let is_smooth = columns.len() >= LEAST_COLUMNS && mean.sqrt() <= ROUGHNESS * edge;
        is_smooth.then_some(Self { terms, ends, edge })
    }

    /// Whether the middle of a cell is in the table.
    pub(super) fn is_below(&self, across: f64, own: f64) -> bool {
        (self.ends[0]..=self.ends[1]).contains(&across)
            && own < height(&self.terms, across) + 0.5 * self.edge
    }
}

fn height(terms: &Vector3<f64>, across: f64) -> f64 {
    terms.x + terms.y * across + terms.z * across * across
}

/// The parabola with the least squares of deviations; `None` if there are too few columns.
fn parabola(columns: &[[f64; 2]]) -> Option<Vector3<f64>> {
    let (mut matrix, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for [across, top] in columns {
        let row = Vector3::new(1.0, *across, across * across);
        matrix += row * row.transpose();
        right += row * *top;
    }
    Some(matrix.try_inverse()? * right)
}
