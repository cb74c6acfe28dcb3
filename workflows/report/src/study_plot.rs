//! Plots of a study: errors of the torsos relative to the log, and force errors of the policies.

use insonate_drawing::{Area, BLUE_LINE, DrawResult, Drawing, GREY_LINE, ORANGE_LINE, titled};
use insonate_learning::study::StudyResult;
use plotters::prelude::*;

use super::row_plot::{Row, rows};

/// Colours of the policies, in order.
const COLORS: [RGBColor; 3] = [BLUE_LINE, ORANGE_LINE, GREY_LINE];

/// Measured relative to recorded stiffness of each torso.
pub(super) struct TorsoErrors {
    rows: Vec<Row>,
    /// The log's interval relative to its mean.
    band: [f64; 2],
}

/// Force errors of each policy under each condition.
pub(super) struct ForceErrors {
    rows: Vec<Row>,
    policies: Vec<String>,
}

impl TorsoErrors {
    pub(super) fn of(result: &StudyResult) -> Self {
        let stiffness = result.softness.stiffness;
        let rows = result.torsos.iter().map(|fit| {
            let mark = |value: f64, color| {
                let share = value / stiffness;
                (share, [share; 2], color)
            };
            Row {
                name: fit.torso.clone(),
                marks: vec![
                    mark(fit.untuned.stiffness, GREY_LINE),
                    mark(fit.simulated.stiffness, BLUE_LINE),
                ],
            }
        });
        Self {
            rows: rows.collect(),
            band: result.softness.stiffness_ci95.map(|end| end / stiffness),
        }
    }
}

impl ForceErrors {
    pub(super) fn of(result: &StudyResult) -> Self {
        let rows = result.conditions.iter().map(|condition| {
            let policies = condition.policies.iter().zip(COLORS);
            let marks = policies.map(|(policy, color)| {
                let error = &policy.force_mae_n;
                (error.mean, error.ci95, color)
            });
            Row {
                name: condition.name.clone(),
                marks: marks.collect(),
            }
        });
        let first = result.conditions.first();
        let policies = first.iter().flat_map(|condition| &condition.policies);
        Self {
            rows: rows.collect(),
            policies: policies.map(|policy| policy.name.clone()).collect(),
        }
    }
}

impl Drawing for TorsoErrors {
    const SIZE: (u32, u32) = (900, 300);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, "grey: as it comes; blue: fitted")?;
        rows(
            &area,
            "measured over recorded stiffness",
            &self.rows,
            self.band,
        )
    }
}

impl Drawing for ForceErrors {
    const SIZE: (u32, u32) = (900, 520);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let colors = ["blue", "orange", "grey"];
        let names = colors.iter().zip(&self.policies);
        let names: Vec<String> = names
            .map(|(color, name)| format!("{color}: {name}"))
            .collect();
        let area = titled(area, &names.join("; "))?;
        rows(
            &area,
            "mean absolute error of the force [N]",
            &self.rows,
            [0.0; 2],
        )
    }
}
