//! Report of a patient that was made of a segmentation: what was found, whether it is a patient, its volumes, and pictures.

mod json;
mod page;
mod pictures;

use insonate_anatomy::{Axis, CtFindings, Findings, Patient, Verdict, sound_speed};
use insonate_volumes::{Overlap, Segmentation};
use serde_json::Value;

use crate::ReportError;

/// Largest number of classes, overlaps and warnings that the text lists.
const MOST_LINES: usize = 12;

/// What is reported.
#[derive(Clone, Copy, Debug)]
pub struct PatientReport<'a> {
    /// Where the segmentation came from.
    pub source: &'a str,
    /// What was made a patient of.
    pub segmentation: &'a Segmentation,
    /// What was found in it.
    pub findings: &'a Findings,
    /// The patient; `None` if it was refused.
    pub patient: Option<&'a Patient>,
}

impl PatientReport<'_> {
    /// The report as JSON.
    pub fn json(&self) -> Value {
        json::json(self)
    }

    /// The report as one HTML page, which loads no other files. The same patient gives the same page.
    ///
    /// # Errors
    /// [`ReportError::Drawing`] if a picture has no pixels.
    pub fn html(&self) -> Result<String, ReportError> {
        page::page(self)
    }

    /// The report for a terminal.
    pub fn text(&self) -> String {
        let findings = self.findings;
        let [low, high] = findings.bounds;
        let size = [0, 1, 2].map(|axis| format!("{:.0}", 1e3 * (high[axis] - low[axis])));
        let mut lines = vec![
            format!("{:<14} {}", "source", super::shown(self.source)),
            format!("{:<14} {}", "verdict", verdict_name(findings.verdict())),
            format!("{:<14} {} mm (left, head, front)", "size", size.join(" x ")),
            format!("{:<14} {}", "orientation", self.orientation_text()),
            format!("{:<14} {}", "classes", findings.classes.len()),
        ];
        let mut classes: Vec<_> = findings.classes.iter().collect();
        classes.sort_by(|a, b| b.volume_ml.total_cmp(&a.volume_ml));
        for class in classes.iter().take(MOST_LINES) {
            let tissue = class.tissue.as_deref().unwrap_or("no tissue");
            let name = super::shown(&class.name);
            lines.push(format!(
                "  {name:<28} {:>10.1} ml  {tissue}",
                class.volume_ml
            ));
        }
        if classes.len() > MOST_LINES {
            lines.push(format!("  and {} more", classes.len() - MOST_LINES));
        }
        lines.extend(
            self.ct_lines()
                .map(|[key, text]| format!("{key:<14} {text}")),
        );
        let warnings = findings.refusals.iter().chain(self.warnings());
        lines.extend(warnings.map(|text| format!("- {}", super::shown(text))));
        lines.join("\n")
    }

    /// What a CT added, in words: keys and texts.
    fn ct_lines(&self) -> impl Iterator<Item = [String; 2]> {
        let found = self
            .patient
            .and_then(|patient| patient.description.ct.as_ref());
        let lines = found.map(|ct| {
            let body = if ct.has_body {
                "; the body is its own"
            } else {
                ""
            };
            let mut lines = vec![
                [
                    "CT".to_owned(),
                    format!("{}{body}", super::shown(&ct.source)),
                ],
                [
                    "  added".to_owned(),
                    format!(
                        "fat {:.0} ml, muscle {:.0} ml, gas {:.0} ml, cancellous bone {:.0} ml",
                        ct.fat_ml, ct.muscle_ml, ct.gas_ml, ct.cancellous_ml
                    ),
                ],
                ["  removed".to_owned(), removed(ct)],
            ];
            let liver = ct.liver_hu.map(|hu| format!("liver {hu:.0} HU"));
            let bone = ct.bone_hu.zip(ct.bone_density);
            let bone = bone.map(|(hu, density)| {
                let speed = sound_speed(density);
                format!("bone {hu:.0} HU: {density:.0} kg/m³, {speed:.0} m/s")
            });
            let means: Vec<String> = liver.into_iter().chain(bone).collect();
            if !means.is_empty() {
                lines.push(["  means".to_owned(), means.join(", ")]);
            }
            lines
        });
        lines.into_iter().flatten()
    }

    /// Warnings of the patient, which include those of the findings.
    fn warnings(&self) -> &[String] {
        match self.patient {
            Some(patient) => &patient.description.warnings,
            None => &self.findings.warnings,
        }
    }

    /// Overlaps, apart from those with the body, which contains all classes.
    fn overlaps(&self) -> impl Iterator<Item = &Overlap> {
        let is_body = |name: &str| {
            let mut classes = self.findings.classes.iter();
            let class = classes.find(|class| class.name == name);
            class.is_some_and(|class| class.tissue.as_deref() == Some("body"))
        };
        let all = self.segmentation.overlaps().iter();
        all.filter(move |overlap| !is_body(&overlap.lost))
    }

    fn orientation_text(&self) -> String {
        let text = Axis::ALL.map(|axis| {
            let [agree, disagree] = self.findings.votes(axis);
            let name = axis.directions().join("/");
            format!("{name} {}", orientation_name([agree, disagree]))
        });
        text.join(", ")
    }
}

/// What a CT has next to the body, in words.
fn removed(ct: &CtFindings) -> String {
    let parts = match ct.removed_parts {
        1 => "1 part".to_owned(),
        n => format!("{n} parts"),
    };
    let table = ct.table.as_ref();
    let table = table.map_or(String::new(), |side| {
        format!(", with a table at the {side}")
    });
    format!("{:.0} ml next to the body in {parts}{table}", ct.removed_ml)
}

/// Name of a verdict.
fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Doubtful => "doubtful",
        Verdict::Refused => "refused",
    }
}

/// Result of comparisons along an axis: how many agree with a body, and how many do not.
fn orientation_name([agree, disagree]: [usize; 2]) -> &'static str {
    match (agree, disagree) {
        (0, 0) => "unknown",
        (agree, disagree) if disagree > agree => "exchanged",
        (_, 0) => "right",
        _ => "doubtful",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_is_told_in_plain_english() {
        let of = |removed_parts, table: Option<&str>| {
            removed(&CtFindings {
                removed_ml: 812.4,
                removed_parts,
                table: table.map(str::to_owned),
                ..CtFindings::default()
            })
        };
        assert_eq!(of(0, None), "812 ml next to the body in 0 parts");
        let told = "812 ml next to the body in 1 part, with a table at the back";
        assert_eq!(of(1, Some("back")), told);
        assert_eq!(of(2, None), "812 ml next to the body in 2 parts");
    }
}
