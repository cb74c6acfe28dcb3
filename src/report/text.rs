//! The result for the terminal: the logs in a table, the pooled numbers, and what was chosen in short.

use super::{CalibratedLog, Report, interval, names_of, number, shown, title_of, unit_of};
use crate::calibration::models;

/// Names longer than this widen their own line only.
const MAX_NAME: usize = 28;

impl Report {
    /// Lines for people.
    pub fn text(&self) -> String {
        let mut lines = vec![self.model_line(), String::new()];
        lines.extend(table(&self.rows()));
        lines.extend(self.unidentifiable());
        if self.logs.len() > 1 {
            lines.push(String::new());
            lines.extend(self.pooled_lines());
        }
        if let Some(ratio) = &self.pooled.ratio {
            lines.push(format!(
                "stiffness / damping: {} 1/s (95 %: {})",
                number(ratio.value),
                interval(ratio.ci95)
            ));
        }
        if let Some(mujoco) = self.softness().mujoco {
            let [k, b] = mujoco.solref;
            lines.push(format!(
                "MuJoCo, for a mass of {} kg: solref=\"{} {}\"",
                number(mujoco.mass),
                number(k),
                number(b)
            ));
        }
        lines.push(String::new());
        match self.logs.as_slice() {
            [log] => lines.extend(chosen(log)),
            // Five logs' choices would bury the answer.
            _ => lines.push(
                "what was chosen and noticed in each log: report.html and result.json".to_owned(),
            ),
        }
        lines.extend(
            self.notes
                .iter()
                .map(|note| format!("note: {}", shown(note))),
        );
        if let Some(scene) = &self.scene {
            lines.push(String::new());
            lines.extend(scene.lines());
        }
        lines.join("\n")
    }

    fn model_line(&self) -> String {
        let kind = models::by_name(self.model());
        let equation = kind.map_or("", |kind| kind.equation);
        let summary = kind.map_or("", |kind| kind.summary);
        format!("{}: {equation}\n{summary}", self.model())
    }

    /// The header, and a row for each log.
    fn rows(&self) -> Vec<Vec<String>> {
        let names = names_of(&self.logs);
        let mut header = vec!["log".to_owned()];
        for name in &names {
            let unit = unit_of(&self.logs, name);
            header.push(if unit.is_empty() {
                title_of(name).to_owned()
            } else {
                format!("{} [{unit}]", title_of(name))
            });
            header.push("95 %".to_owned());
        }
        header.extend(["R²", "rmse [N]", "n", "window [s]"].map(str::to_owned));
        let mut rows = vec![header];
        for log in &self.logs {
            let fit = &log.calibration.fit;
            let mut row = vec![log.name()];
            for name in &names {
                match fit.parameter(name) {
                    Some(parameter) if parameter.identifiable => {
                        row.push(number(parameter.value));
                        row.push(interval(parameter.ci95));
                    }
                    Some(_) => row.extend(["not identifiable".to_owned(), "–".to_owned()]),
                    None => row.extend(["–".to_owned(), "–".to_owned()]),
                }
            }
            row.push(format!("{:.4}", fit.statistics.r_squared));
            row.push(number(fit.statistics.rmse_n));
            row.push(fit.statistics.n.to_string());
            row.push(interval(log.calibration.prepared.window));
            rows.push(row);
        }
        rows
    }

    /// Why numbers are missing.
    fn unidentifiable(&self) -> Vec<String> {
        let missing = self.logs.iter().flat_map(|log| {
            let parameters = log.calibration.fit.parameters.iter();
            parameters
                .filter(|parameter| !parameter.identifiable)
                .map(|parameter| {
                    format!(
                        "{}: no {}: {}",
                        log.name(),
                        title_of(parameter.name),
                        shown(&parameter.reason)
                    )
                })
        });
        missing.collect()
    }

    fn pooled_lines(&self) -> Vec<String> {
        let n = self.pooled.n_sites;
        let lines = self.pooled.parameters.iter().map(|(name, spread)| {
            format!(
                "{} over {n} sites: {} ± {} {} (mean 95 %: {}; randomise within {})",
                title_of(name),
                number(spread.mean),
                number(spread.sd),
                unit_of(&self.logs, name),
                interval(spread.ci95),
                interval(spread.randomisation),
            )
        });
        lines.collect()
    }
}

/// What was chosen for a log, and what was noticed; what the file says of itself is in the report.
fn chosen(log: &CalibratedLog) -> Vec<String> {
    let prepared = &log.calibration.prepared;
    let mut lines = vec![format!("{}:", log.name())];
    lines.extend(
        prepared
            .choices
            .iter()
            .map(|choice| format!("  {}: {}", choice.what, shown(&choice.value))),
    );
    if let Some(selection) = &log.calibration.selection {
        lines.push(format!("  model: {}", shown(&selection.reason)));
    }
    let notes = prepared.notes.iter().chain(&log.calibration.fit.notes);
    lines.extend(notes.map(|note| format!("  note: {}", shown(note))));
    lines
}

impl super::SceneOutcome {
    /// Lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let achieved = &self.achieved;
        let verdict = if achieved.reached {
            "tuned"
        } else {
            "not reached"
        };
        let line = |name: &str, unit: &str, at: usize, value: f64, error: f64| {
            format!(
                "  {name} {} {unit}, wanted {} ({:+.1} %); untuned {}",
                number(value),
                number(self.target[at]),
                100.0 * error,
                number(self.untuned[at])
            )
        };
        vec![
            format!("torso {}: {verdict}: {}", self.torso, shown(&self.reason)),
            line(
                "stiffness",
                "N/m",
                0,
                achieved.stiffness,
                achieved.stiffness_error,
            ),
            line(
                "damping",
                "N·s/m",
                1,
                achieved.damping,
                achieved.damping_error,
            ),
            format!(
                "  the probe followed the recorded indentation within {} mm (rms)",
                number(1e3 * self.tracking_rmse)
            ),
        ]
    }
}

/// Columns as wide as their cells: the first to the left, numbers to the right.
fn table(rows: &[Vec<String>]) -> Vec<String> {
    let width = |text: &str| text.chars().count();
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| width(cell)).max().unwrap_or(0);
            if column == 0 {
                widest.min(MAX_NAME)
            } else {
                widest
            }
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let pad = " ".repeat(widths[column].saturating_sub(width(cell)));
            if column == 0 {
                format!("{cell}{pad}")
            } else {
                format!("{pad}{cell}")
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
