//! What is told of an image.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::organs::organ_line;

/// Figures of an image, by their names.
#[derive(Default)]
pub(super) struct ImageReport {
    figures: Map<String, Value>,
}

impl ImageReport {
    /// Sets a figure.
    pub(super) fn set(&mut self, name: &str, figure: impl Into<Value>) {
        self.figures.insert(name.to_owned(), figure.into());
    }

    /// Sets figures that have the names of fields.
    pub(super) fn add(&mut self, figures: &impl Serialize) -> anyhow::Result<()> {
        if let Value::Object(figures) = serde_json::to_value(figures)? {
            self.figures.extend(figures);
        }
        Ok(())
    }

    /// The warnings, where the source of the image can have any.
    pub(super) fn warnings(&mut self) -> Option<&mut Vec<Value>> {
        self.figures.get_mut("warnings")?.as_array_mut()
    }

    pub(super) fn to_json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(&self.figures)?)
    }

    /// Lines for people, the last one with the folder of the files.
    pub(super) fn to_text(&self, output: Option<&Path>) -> String {
        let mut lines = Vec::new();
        for (name, figure) in &self.figures {
            match (figure.as_f64(), figure.as_array()) {
                (Some(number), _) => lines.push(format!("{name:<20} {number:>12.4}")),
                (None, Some(entries)) if is_vector(entries) => {
                    let numbers = entries.iter().filter_map(Value::as_f64);
                    let numbers: Vec<String> =
                        numbers.map(|number| format!(" {number:>12.4}")).collect();
                    lines.push(format!("{name:<20}{}", numbers.concat()));
                }
                (None, Some(rows)) if name == "organs" => {
                    lines.push(name.clone());
                    lines.extend(rows.iter().map(organ_line));
                }
                (None, Some(rows)) => {
                    lines.push(name.clone());
                    lines.extend(rows.iter().map(row));
                }
                _ if figure.is_object() => {
                    lines.push(name.clone());
                    let entries = figure.as_object().into_iter().flatten();
                    lines.extend(
                        entries.map(|(key, figure)| format!("  {key:<26} {}", text(figure))),
                    );
                }
                _ => lines.push(format!("{name:<20} {}", text(figure))),
            }
        }
        if let Some(folder) = output {
            lines.push(format!("\npictures and figures: {}", folder.display()));
        }
        lines.join("\n")
    }
}

/// Whether entries are the numbers of one figure, such as a position.
fn is_vector(entries: &[Value]) -> bool {
    !entries.is_empty() && entries.iter().all(Value::is_number)
}

/// The figures of one of several things, or a sentence.
fn row(figures: &Value) -> String {
    if let Some(sentence) = figures.as_str() {
        return format!("  {sentence}");
    }
    if figures.is_array() {
        return format!("  {figures}");
    }
    let figures = figures.as_object().into_iter().flatten();
    let figures = figures.map(|(name, figure)| match (figure.as_u64(), figure.as_f64()) {
        (Some(whole), _) => format!("  {name} {whole:>3}"),
        (None, Some(number)) => format!("  {name} {number:.5}"),
        (None, None) => format!("  {:<20}", text(figure)),
    });
    figures.collect()
}

fn text(figure: &Value) -> String {
    figure
        .as_str()
        .map_or_else(|| figure.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_every_kind_are_printed() {
        let mut report = ImageReport::default();
        let figures = json!({
            "depth_m": 0.15,
            "site_m": [-0.0540, 0.0419],
            "legend": [{ "number": 4, "name": "spleen" }],
            "middle_line": [{ "material": "fat", "thickness_m": 0.00967 }],
            "warnings": [],
        });
        for (name, figure) in figures.as_object().expect("it is an object") {
            report.set(name, figure.clone());
        }
        let printed = report.to_text(None);
        let words = |name: &str| -> Vec<&str> {
            let line = printed.lines().find(|line| line.contains(name));
            line.unwrap_or_else(|| panic!("{name}: {printed}"))
                .split_whitespace()
                .collect()
        };
        assert_eq!(words("depth_m"), ["depth_m", "0.1500"]);
        assert_eq!(words("site_m"), ["site_m", "-0.0540", "0.0419"]);
        assert_eq!(words("spleen"), ["number", "4", "spleen"]);
        assert_eq!(words("fat"), ["fat", "thickness_m", "0.00967"]);
        assert_eq!(words("warnings"), ["warnings"]);
    }
}
