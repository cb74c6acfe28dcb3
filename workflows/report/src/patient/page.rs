//! `report.html` of a patient.

use std::fmt::Write as _;

use insonate_anatomy::{Axis, Verdict};

use super::pictures::pictures;
use super::{PatientReport, orientation_name, verdict_name};
use crate::ReportError;
use crate::colors::color;
use crate::page::{Cell, document_with_pictures, escape, list, picture, table};

pub(super) fn page(report: &PatientReport<'_>) -> Result<String, ReportError> {
    let mut body = "<h1>A patient from a segmentation</h1>\n".to_owned();
    let _ = writeln!(
        body,
        "<p class=\"quiet\">{}, {} voxels</p>",
        escape(report.source),
        report
            .segmentation
            .count()
            .map(|n| n.to_string())
            .join(" × ")
    );
    body.push_str(&answer(report));
    let warnings = report.warnings();
    if !warnings.is_empty() {
        body.push_str("<h2>Warnings</h2>\n");
        body.push_str(&list(warnings));
    }
    if let Some(patient) = report.patient {
        let drawn = pictures(patient)?;
        body.push_str("<h2>Pictures</h2>\n");
        let sides = "From the front, the patient's left, the back and the patient's right";
        body.push_str(&picture(
            "image/png",
            &drawn.skin,
            &format!("{sides}: the skin."),
        ));
        body.push_str(&picture(
            "image/png",
            &drawn.organs,
            &format!(
                "{sides}: organs and bones behind the skin. Layers of fat and muscle have no surface."
            ),
        ));
        let [left, head, front] = Axis::ALL.map(|axis| {
            let (x, [far, near]) = (drawn.place[axis as usize], axis.directions());
            format!(
                "{:.0} mm to the {}",
                1e3 * x.abs(),
                if x < 0.0 { near } else { far }
            )
        });
        body.push_str(&picture(
            "image/png",
            &drawn.sections,
            &format!(
                "Sections {left}, {head}, {front}. \
                 Across the body with the front at the top; frontal; along the body with the front on the left. \
                 The patient's left is on the right side of the first two."
            ),
        ));
    }
    let ct = report
        .ct_lines()
        .map(|[key, text]| format!("{}: {text}", key.trim()));
    let ct: Vec<String> = ct.collect();
    if !ct.is_empty() {
        body.push_str("<h2>CT</h2>\n");
        body.push_str(&list(&ct));
    }
    body.push_str("<h2>Orientation</h2>\n");
    body.push_str(&orientation(report));
    body.push_str("<h2>Classes</h2>\n");
    body.push_str(&classes(report));
    body.push_str(&lists(report));
    Ok(document_with_pictures(
        "A patient from a segmentation",
        &body,
    ))
}

/// The verdict and the size.
fn answer(report: &PatientReport<'_>) -> String {
    let findings = report.findings;
    let (class, name) = match findings.verdict() {
        Verdict::Good => ("fine", "good"),
        Verdict::Doubtful => ("look", "doubtful: see the warnings"),
        Verdict::Refused => ("worrying", verdict_name(Verdict::Refused)),
    };
    let bounds = report
        .patient
        .map_or(findings.bounds, |patient| patient.description.bounds_m);
    let [low, high] = bounds;
    let [left, head, front] = [0, 1, 2].map(|axis| 100.0 * (high[axis] - low[axis]));
    let volume = report.patient.map(|patient| {
        let litres = 1e-3 * patient.description.body_ml;
        format!(" Its volume is {litres:.1} litres.")
    });
    format!(
        "<div class=\"answer\">Verdict: <span class=\"verdict {class}\">{name}</span>. \
         {} classes. The body is {left:.1} cm wide, {head:.1} cm long and {front:.1} cm thick.{}</div>\n{}",
        findings.classes.len(),
        volume.unwrap_or_default(),
        list(&findings.refusals)
    )
}

fn texts<const N: usize>(cells: [&str; N]) -> [Cell; N] {
    cells.map(|cell| Cell::Text(cell.to_owned()))
}

/// Comparisons of positions with those in a body.
fn orientation(report: &PatientReport<'_>) -> String {
    let rows = Axis::ALL.map(|axis| {
        let [agree, disagree] = report.findings.votes(axis);
        let own = report.findings.evidence.iter();
        let own = own.filter(|own| own.axis == axis && !own.agrees());
        let wrong: Vec<String> = own
            .map(|own| {
                format!(
                    "{} and {} by {:.0} mm",
                    own.far,
                    own.near,
                    -1e3 * own.distance
                )
            })
            .collect();
        vec![
            Cell::Text(axis.directions().join(" and ")),
            Cell::Text(orientation_name([agree, disagree]).to_owned()),
            Cell::Number(agree.to_string()),
            Cell::Number(disagree.to_string()),
            Cell::Text(wrong.join("; ")),
        ]
    });
    let header = texts(["directions", "result", "agree", "disagree", "exchanged"]);
    table(&header, &rows, false)
}

/// Volumes of the classes, the largest one first.
fn classes(report: &PatientReport<'_>) -> String {
    let findings = report.findings;
    let mut all: Vec<_> = findings.classes.iter().enumerate().collect();
    all.sort_by(|(_, a), (_, b)| b.volume_ml.total_cmp(&a.volume_ml));
    let rows = all.iter().map(|(place, class)| {
        let tissue = class.tissue.as_deref().unwrap_or("unknown");
        let [red, green, blue] = color(tissue, *place);
        let described = report.patient.and_then(|patient| patient.description.class(&class.name));
        let own = |text: Option<&str>| Cell::Text(text.unwrap_or_default().to_owned());
        let centre = class.centre.map(|x| format!("{:.0}", 1e3 * x));
        vec![
            Cell::Html(format!(
                "<span style=\"display:inline-block;width:1em;height:1em;border:1px solid #555;background:rgb({red},{green},{blue})\"></span> {}",
                escape(&class.name)
            )),
            Cell::Text(tissue.to_owned()),
            own(described.map(|own| &*own.material)),
            Cell::Number(format!("{:.1}", class.volume_ml)),
            Cell::Number(centre.join(", ")),
        ]
    });
    let header = [
        Cell::Text("class".to_owned()),
        Cell::Text("tissue".to_owned()),
        Cell::Text("material".to_owned()),
        Cell::Number("volume [ml]".to_owned()),
        Cell::Number("centre: left, head, front [mm]".to_owned()),
    ];
    table(&header, &rows.collect::<Vec<_>>(), false)
}

/// Labels without a tissue, missing and cut classes, overlaps and notes.
fn lists(report: &PatientReport<'_>) -> String {
    let findings = report.findings;
    let unmapped = findings
        .unmapped
        .iter()
        .map(|(name, similar)| match similar {
            Some(similar) => format!("{name} (similar: {similar})"),
            None => name.clone(),
        });
    let cut = findings.cut.iter();
    let cut = cut.map(|cut| {
        format!(
            "{} at the {}: {} voxels",
            cut.name, cut.direction, cut.n_voxels
        )
    });
    let overlaps = report.overlaps().map(|own| {
        format!(
            "{} keeps {} voxels that {} has too",
            own.kept, own.n_voxels, own.lost
        )
    });
    let parts: [(&str, Vec<String>); 5] = [
        ("Classes without a tissue", unmapped.collect()),
        ("Missing classes", findings.missing.clone()),
        ("Classes at the edge of the volume", cut.collect()),
        ("Overlaps", overlaps.collect()),
        ("Notes", report.segmentation.notes().to_vec()),
    ];
    let shown = parts.iter().filter(|(_, items)| !items.is_empty());
    shown
        .map(|(title, items)| format!("<h2>{title}</h2>\n{}", list(items)))
        .collect::<Vec<_>>()
        .concat()
}
