//! Learning curves: return, success rate and cost over training steps, for one training or several seeds.

use std::collections::BTreeMap;

use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, ORANGE_LINE, Picture,
    band, chart, legend, line, range_of, thin, titled,
};
use plotters::prelude::*;

use super::{Evaluation, History, IterationRow};
use crate::evaluation::Estimate;

/// Maximum number of points of a curve.
const MAX_POINTS: usize = 600;

/// Draws the curves of trainings of the same task.
///
/// Thin lines are training episodes with exploration. Other lines are evaluations without exploration. Several trainings also have a mean
/// with its 95 % interval.
///
/// # Errors
/// [`DrawingError`].
pub fn learning_curve(name: &str, title: &str, runs: &[History]) -> Result<Picture, DrawingError> {
    let caption = "Return, success rate and cost over training steps. Thin: training episodes, with exploration. Thick: evaluations without, of \
                   several seeds their mean with its 95 % interval."
        .to_owned();
    let has_success = runs.iter().any(|run| {
        let rows = run.iterations.iter().map(|row| row.success);
        let evaluations = run.evaluations.iter().filter_map(Evaluation::success_rate);
        rows.chain(evaluations).any(|success| !success.is_nan())
    });
    let mut panels = vec![CurvePanel::of(
        "return",
        runs,
        |row| row.episodic_return,
        |evaluation| Some(evaluation.return_mean),
    )];
    if has_success {
        panels.push(CurvePanel::of(
            "success rate",
            runs,
            |row| row.success,
            Evaluation::success_rate,
        ));
    }
    let costs = |row: &IterationRow| row.cost;
    let mut rows = runs.iter().flat_map(|run| &run.iterations);
    if rows.any(|row| row.cost.is_finite()) {
        let mut panel = CurvePanel::of("cost", runs, costs, Evaluation::cost);
        panel.limit = limit(runs);
        panels.push(panel);
    }
    let drawing = LearningCurve {
        title: title.to_owned(),
        panels,
        n_runs: runs.len(),
    };
    Picture::of(name.to_owned(), caption, &drawing)
}

/// The cost limit from the first step to the last one; empty if there is no limit.
fn limit(runs: &[History]) -> Points {
    let rows = runs.iter().flat_map(|run| &run.iterations);
    let limited = rows.filter(|row| row.cost_limit.is_finite());
    let limited = limited.max_by_key(|row| row.global_step);
    limited.map_or(Points::new(), |row| {
        vec![
            (0.0, row.cost_limit),
            (row.global_step as f64, row.cost_limit),
        ]
    })
}

struct LearningCurve {
    title: String,
    panels: Vec<CurvePanel>,
    n_runs: usize,
}

type Points = Vec<(f64, f64)>;

struct CurvePanel {
    label: &'static str,
    /// Training episodes, one curve per run.
    training: Vec<Points>,
    /// Evaluations, one curve per run.
    evaluations: Vec<Points>,
    /// Mean over the runs and its interval, at steps where all runs were evaluated.
    mean: [Points; 3],
    /// Upper limit of the quantity.
    limit: Points,
}

impl CurvePanel {
    fn of(
        label: &'static str,
        runs: &[History],
        row: impl Fn(&IterationRow) -> f64,
        evaluation: impl Fn(&Evaluation) -> Option<f64>,
    ) -> Self {
        let known = |points: Points| -> Points {
            let points: Points = points.into_iter().filter(|p| p.1.is_finite()).collect();
            thin(&points, MAX_POINTS)
        };
        let training = runs.iter().map(|run| {
            let rows = run.iterations.iter();
            known(rows.map(|r| (r.global_step as f64, row(r))).collect())
        });
        let mut by_step: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let evaluations: Vec<Points> = runs
            .iter()
            .map(|run| {
                let points = run.evaluations.iter().filter_map(|e| {
                    let value = evaluation(e)?;
                    by_step.entry(e.global_step).or_default().push(value);
                    Some((e.global_step as f64, value))
                });
                known(points.collect())
            })
            .collect();
        let shared = by_step
            .iter()
            .filter(|(_, values)| values.len() == runs.len());
        let mut mean: [Points; 3] = Default::default();
        for (&step, values) in shared.filter(|_| runs.len() > 1) {
            let estimate = Estimate::of(values.iter().copied());
            let [low, high] = estimate.ci95;
            for (curve, value) in mean.iter_mut().zip([estimate.mean, low, high]) {
                curve.push((step as f64, value));
            }
        }
        Self {
            label,
            training: training.collect(),
            evaluations,
            mean,
            limit: Points::new(),
        }
    }

    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        let curves = self.training.iter().chain(&self.evaluations);
        curves.chain([&self.limit]).flatten()
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, n_runs: usize) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let is_rate = self.label.starts_with("success");
        let y = if is_rate {
            -0.03..1.03
        } else {
            range_of(self.points().map(|p| p.1), 0.06)
        };
        let steps = self.points().map(|p| p.0).chain([0.0]);
        let x = Axis {
            range: 0.0..range_of(steps, 0.0).end.max(1.0),
            label: "training steps",
        };
        let mut chart = chart(
            area,
            "",
            &x,
            &Axis {
                range: y.clone(),
                label: self.label,
            },
        )?;
        let [mean, low, high] = &self.mean;
        let into = |points: &Points| -> Points {
            let bounds = |value: f64| value.clamp(y.start, y.end);
            points.iter().map(|&(x, y)| (x, bounds(y))).collect()
        };
        if mean.len() > 1 {
            let label = "95 % interval of the mean";
            band(&mut chart, &into(low), &into(high), ORANGE_LINE, label)?;
        }
        let labelled = |index: usize, label| if index == 0 { label } else { "" };
        for (index, points) in self.training.iter().enumerate() {
            let style = BLUE_LINE.mix(0.35).stroke_width(1);
            line(
                &mut chart,
                points.clone(),
                style,
                labelled(index, "training, with exploration"),
            )?;
        }
        let (style, label) = match n_runs {
            1 => (ORANGE_LINE.stroke_width(2), "evaluation"),
            _ => (GREY_LINE.stroke_width(1), "evaluation of each seed"),
        };
        for (index, points) in self.evaluations.iter().enumerate() {
            line(&mut chart, points.clone(), style, labelled(index, label))?;
            let dots = points
                .iter()
                .map(|&point| Circle::new(point, 3, style.filled()));
            chart.draw_series(dots)?;
        }
        if mean.len() > 1 {
            line(
                &mut chart,
                mean.clone(),
                ORANGE_LINE.stroke_width(3),
                "mean over seeds",
            )?;
        }
        if !self.limit.is_empty() {
            line(
                &mut chart,
                self.limit.clone(),
                BLACK.stroke_width(1),
                "limit",
            )?;
        }
        let corner = match self.label {
            "cost" => SeriesLabelPosition::UpperRight,
            _ => SeriesLabelPosition::LowerRight,
        };
        legend(&mut chart, corner)
    }
}

impl Drawing for LearningCurve {
    const SIZE: (u32, u32) = (900, 640);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        let areas = area.split_evenly((self.panels.len(), 1));
        for (area, panel) in areas.iter().zip(&self.panels) {
            panel.draw(area, self.n_runs)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_curve_can_be_drawn() {
        for n in 0..3 {
            let runs = vec![History::default(); n];
            let picture = learning_curve("curve", "empty", &runs).unwrap();
            assert!(picture.svg.starts_with("<svg") && picture.png.len() > 100);
        }
    }
}
