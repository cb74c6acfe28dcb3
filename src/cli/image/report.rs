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
                (None, Some(rows)) if name == "organs" => {
                    lines.push(name.clone());
                    lines.extend(rows.iter().map(organ_line));
                }
                (None, Some(rows)) => {
                    lines.push(name.clone());
                    lines.extend(rows.iter().map(row));
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

/// The figures of one of several things, or a sentence.
fn row(figures: &Value) -> String {
    if let Some(sentence) = figures.as_str() {
        return format!("  {sentence}");
    }
    let figures = figures.as_object().into_iter().flatten();
    let figures = figures.map(|(name, figure)| match figure.as_f64() {
        Some(number) => format!("  {name} {number:.5}"),
        None => format!("  {:<20}", text(figure)),
    });
    figures.collect()
}

fn text(figure: &Value) -> String {
    figure
        .as_str()
        .map_or_else(|| figure.to_string(), str::to_owned)
}
