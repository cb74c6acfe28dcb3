//! An episode over time: force, motion, actions and reward terms in stacked panels.

use insonate_drawing::{
    Area, Axis, DrawResult, Drawing, DrawingError, GREY_LINE, ORANGE_LINE, Picture, WINDOW, chart,
    legend, line, range_of, titled,
};
use plotters::prelude::*;

use super::{ProbeSample, Rollout, RolloutStep};

/// Colours of the curves in a panel.
const PALETTE: [RGBColor; 8] = [
    RGBColor(31, 105, 180),
    RGBColor(224, 112, 26),
    RGBColor(45, 150, 85),
    RGBColor(150, 75, 160),
    RGBColor(190, 50, 60),
    RGBColor(110, 115, 122),
    RGBColor(20, 160, 170),
    RGBColor(150, 110, 40),
];

/// Force error within which a scan counts as steady [N].
const STEADY: f64 = 1.0;

/// Draws an episode.
///
/// # Errors
/// [`DrawingError`].
pub fn rollout_plot(name: &str, rollout: &Rollout) -> Result<Picture, DrawingError> {
    let caption = "True force along the probe's axis, with the target ± 1 N; distance from the goal; speed; actions; weighted reward terms of \
                   each step."
        .to_owned();
    let drawing = RolloutPlot {
        title: title(rollout),
        panels: panels(rollout),
        end: rollout.steps.last().map_or(1.0, |step| step.time.max(1e-3)),
    };
    Picture::of(name.to_owned(), caption, &drawing)
}

/// Task, policy, seed, return and success.
pub(super) fn title(rollout: &Rollout) -> String {
    let ended = &rollout.ended;
    let success = rollout
        .spec
        .metrics
        .iter()
        .position(|name| *name == "success");
    let success = success.map(|index| {
        let is_success = ended.metrics[index] > 0.5;
        if is_success { "success" } else { "no success" }
    });
    let policy = std::path::Path::new(&rollout.policy);
    let policy = policy.components().rev().take(2).collect::<Vec<_>>();
    let policy: Vec<_> = policy
        .iter()
        .rev()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let parts = [
        Some(rollout.spec.id.as_str()),
        Some(&policy.join("/")),
        Some(&format!("seed {}", ended.seed)),
        Some(&format!("return {:.1}", ended.return_)),
        success,
    ]
    .into_iter()
    .flatten()
    .map(str::to_owned)
    .collect::<Vec<_>>();
    parts.join(", ")
}

struct RolloutPlot {
    title: String,
    panels: Vec<RolloutPanel>,
    end: f64,
}

type Points = Vec<(f64, f64)>;

struct RolloutPanel {
    label: &'static str,
    curves: Vec<(String, Points)>,
    /// Target and tolerance.
    goal: Option<(f64, f64)>,
    /// Minimum range of the axis.
    least: [f64; 2],
}

fn panels(rollout: &Rollout) -> Vec<RolloutPanel> {
    let spec = &rollout.spec;
    let mut panels: Vec<RolloutPanel> = [force(rollout), distance(rollout), speed(rollout)]
        .into_iter()
        .flatten()
        .collect();
    if panels.is_empty() {
        let names = spec.observation_space.names.iter();
        panels.push(RolloutPanel {
            label: "observation",
            curves: curves(rollout, names, |step, i| f64::from(step.observation[i])),
            goal: None,
            least: [0.0, 0.1],
        });
    }
    let names = spec.action_space.names.iter();
    panels.push(RolloutPanel {
        label: "action",
        curves: curves(rollout, names, |step, i| f64::from(step.action[i])),
        goal: None,
        least: [-0.1, 0.1],
    });
    panels.push(RolloutPanel {
        label: "reward",
        curves: curves(rollout, spec.reward_terms.iter(), |step, i| {
            step.reward_terms[i]
        }),
        goal: None,
        least: [0.0, 0.1],
    });
    panels
}

fn curves(
    rollout: &Rollout,
    names: impl Iterator<Item = impl ToString>,
    value: impl Fn(&RolloutStep, usize) -> f64,
) -> Vec<(String, Points)> {
    let points = |i: usize| {
        let steps = rollout.steps.iter();
        steps.map(|step| (step.time, value(step, i))).collect()
    };
    let names = names.take(PALETTE.len()).enumerate();
    names
        .map(|(i, name)| (name.to_string(), points(i)))
        .collect()
}

fn force(rollout: &Rollout) -> Option<RolloutPanel> {
    let of = match rollout.steps.first()?.probe {
        Some(_) => "force along the probe",
        None => "force of the tool",
    };
    Some(RolloutPanel {
        label: "force [N]",
        curves: vec![(of.to_owned(), rollout.force()?)],
        goal: rollout.target_force().map(|target| (target, STEADY)),
        least: [0.0, 1.0],
    })
}

/// Distance from the target across the probe's axis, if it is observed.
fn distance(rollout: &Rollout) -> Option<RolloutPanel> {
    let curves = ["x", "y"].map(|axis| {
        let points = rollout.observed(&format!("position_error_{axis}"))?;
        let points = points.into_iter().map(|(time, error)| (time, 1e3 * error));
        Some((format!("{axis}, in the goal's frame"), points.collect()))
    });
    let curves: Vec<(String, Points)> = curves.into_iter().flatten().collect();
    (!curves.is_empty()).then_some(RolloutPanel {
        label: "from the goal [mm]",
        curves,
        goal: None,
        least: [-1.0, 1.0],
    })
}

fn speed(rollout: &Rollout) -> Option<RolloutPanel> {
    let norm = |probe: &ProbeSample| probe.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    let points = rollout.probe(|probe| 1e3 * norm(probe))?;
    Some(RolloutPanel {
        label: "speed [mm/s]",
        curves: vec![("speed of the face".to_owned(), points)],
        goal: None,
        least: [0.0, 10.0],
    })
}

impl RolloutPanel {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>, end: f64) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let heights = self
            .curves
            .iter()
            .flat_map(|(_, points)| points)
            .map(|p| p.1);
        let goal = self.goal.map(|(goal, well)| [goal - well, goal + well]);
        let y = range_of(
            heights.chain(goal.into_iter().flatten()).chain(self.least),
            0.07,
        );
        let x = Axis {
            range: 0.0..end * 1.32,
            label: "time [s]",
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
        if let Some((goal, well)) = self.goal {
            let band = [(0.0, goal - well), (end, goal + well)];
            chart.draw_series([Rectangle::new(band, WINDOW.mix(0.6).filled())])?;
            let style = ORANGE_LINE.stroke_width(1);
            line(
                &mut chart,
                vec![(0.0, goal), (end, goal)],
                style,
                &format!("target: {goal:.1} N"),
            )?;
        }
        line(
            &mut chart,
            vec![(0.0, 0.0), (end, 0.0)],
            GREY_LINE.stroke_width(1),
            "",
        )?;
        for ((name, points), color) in self.curves.iter().zip(PALETTE) {
            line(&mut chart, points.clone(), color.stroke_width(2), name)?;
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)
    }
}

impl Drawing for RolloutPlot {
    const SIZE: (u32, u32) = (1000, 1150);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        for (area, panel) in area
            .split_evenly((self.panels.len(), 1))
            .iter()
            .zip(&self.panels)
        {
            panel.draw(area, self.end)?;
        }
        Ok(())
    }
}
