//! The result for the terminal: a table of the logs, the pooled values, and a summary of the choices.

use insonate_calibration::{Calibration, Parameter, PooledParameter, models};
use insonate_experiments::{RepeatedPress, SceneFit};
use insonate_models::torsos::Softness;

use super::{
    CalibrationReport, interval, labelled, name_of, number, parameters_of, pooled_of, shown,
};

/// Maximum length of a name for the column width. Longer names widen only their own line.
const MAX_NAME: usize = 28;

impl CalibrationReport {
    /// The result as lines of text.
    pub fn text(&self) -> String {
        let mut lines = vec![self.model_line(), String::new()];
        lines.extend(table(&self.rows()));
        lines.extend(self.unidentifiable());
        lines.extend(self.sites.logs.iter().flat_map(|log| {
            let warnings = log.warnings.iter();
            warnings.map(|warning| format!("warning: {}: {}", name_of(log), shown(warning)))
        }));
        if self.sites.logs.len() > 1 {
            lines.push(String::new());
            lines.extend(self.pooled_lines());
        }
        if let Some(ratio) = &self.sites.pooled.ratio {
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
        match self.sites.logs.as_slice() {
            [log] => lines.extend(chosen(log)),
            // The choices for many logs would hide the result.
            _ => lines.push(
                "what was chosen and noticed in each log: report.html and result.json".to_owned(),
            ),
        }
        lines.extend(
            self.sites
                .notes
                .iter()
                .map(|note| format!("note: {}", shown(note))),
        );
        for map in &self.maps {
            lines.push(String::new());
            lines.extend(super::map::lines(map));
        }
        if let Some(scene) = &self.scene {
            lines.push(String::new());
            lines.extend(scene_lines(scene));
        }
        if let Some(press) = &self.repeated {
            lines.push(String::new());
            lines.extend(repeated_lines(press));
        }
        lines.join("\n")
    }

    fn model_line(&self) -> String {
        let model = self.sites.model();
        let kind = models::by_name(model);
        let equation = kind.map_or("", |kind| kind.equation);
        let summary = kind.map_or("", |kind| kind.summary);
        format!("{model}: {equation}\n{summary}")
    }

    /// The header and a row for each log.
    fn rows(&self) -> Vec<Vec<String>> {
        let parameters = parameters_of(&self.sites.logs);
        let mut header = vec!["log".to_owned()];
        for parameter in &parameters {
            header.push(labelled(parameter.title, parameter.unit));
            header.push("95 %".to_owned());
        }
        header.extend(["R²", "rmse [N]", "n", "window [s]"].map(str::to_owned));
        let mut rows = vec![header];
        for log in &self.sites.logs {
            let fit = &log.fit;
            let mut row = vec![name_of(log)];
            for parameter in &parameters {
                match fit.parameter(parameter.name) {
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
            row.push(interval(log.prepared.window));
            rows.push(row);
        }
        rows
    }

    /// Reasons for missing numbers.
    fn unidentifiable(&self) -> Vec<String> {
        let missing = self.sites.logs.iter().flat_map(|log| {
            let parameters = log.fit.parameters.iter();
            parameters
                .filter(|parameter| !parameter.identifiable)
                .map(|parameter| {
                    format!(
                        "{}: no {}: {}",
                        name_of(log),
                        parameter.title,
                        shown(&parameter.reason)
                    )
                })
        });
        missing.collect()
    }

    fn pooled_lines(&self) -> Vec<String> {
        let n = self.sites.pooled.n_sites;
        let line = |(parameter, pooled): (&Parameter, &PooledParameter)| {
            format!(
                "{} over {n} sites: {} ± {} {} (mean 95 %: {}; randomise within {})",
                parameter.title,
                number(pooled.mean),
                number(pooled.sd),
                parameter.unit,
                interval(pooled.ci95),
                interval(pooled.randomisation),
            )
        };
        pooled_of(&self.sites).into_iter().map(line).collect()
    }
}

/// Choices and notes for a log. The log's own metadata is only in the report.
fn chosen(log: &Calibration) -> Vec<String> {
    let prepared = &log.prepared;
    let mut lines = vec![format!("{}:", name_of(log))];
    lines.extend(
        prepared
            .choices
            .iter()
            .map(|choice| format!("  {}: {}", choice.what, shown(&choice.value))),
    );
    if let Some(selection) = &log.selection {
        lines.push(format!("  model: {}", shown(&selection.reason)));
    }
    let notes = prepared.notes.iter().chain(&log.fit.notes);
    lines.extend(notes.map(|note| format!("  note: {}", shown(note))));
    lines
}

/// The tuned torso.
pub(super) fn scene_lines(scene: &SceneFit) -> Vec<String> {
    let verdict = if scene.reached {
        "tuned"
    } else {
        "not reached"
    };
    let line = |name: &str, unit: &str, of: fn(&Softness) -> f64, error: f64| {
        format!(
            "  {name} {} {unit}, target {} ({:+.1} %); untuned {}",
            number(of(&scene.simulated)),
            number(of(&scene.target)),
            100.0 * error,
            number(of(&scene.untuned))
        )
    };
    vec![
        format!("torso {}: {verdict}: {}", scene.torso, shown(&scene.reason)),
        line("stiffness", "N/m", |s| s.stiffness, scene.stiffness_error),
        line("damping", "N·s/m", |s| s.damping, scene.damping_error),
        format!(
            "  the probe followed the recorded indentation within {} mm (rms)",
            number(1e3 * scene.tracking_rmse)
        ),
    ]
}

/// The repeated press on a torso with the calibrated softness.
pub(super) fn repeated_lines(press: &RepeatedPress) -> Vec<String> {
    let line = |name: &str, unit: &str, of: fn(&Softness) -> f64, error: f64| {
        format!(
            "  {name} {} {unit}, given {} ({:+.1} %)",
            number(of(&press.simulated)),
            number(of(&press.given)),
            100.0 * error,
        )
    };
    vec![
        format!(
            "simulated: the first log's press on torso {} with this softness differs by {} N rms; the peak force is {} N",
            press.torso,
            number(press.force_rmse),
            number(press.peak_force)
        ),
        line("stiffness", "N/m", |s| s.stiffness, press.stiffness_error),
        line("damping", "N·s/m", |s| s.damping, press.damping_error),
    ]
}

/// A table whose columns fit their cells: the first one aligned left, numbers aligned right.
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
