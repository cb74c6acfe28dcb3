//! The report as JSON.

use insonate_anatomy::Axis;
use serde_json::{Map, Value, json};

use super::{PatientReport, orientation_name, verdict_name};

pub(super) fn json(report: &PatientReport<'_>) -> Value {
    let findings = report.findings;
    // Numbers of a patient's files are shown as they are: those of its labels differ in the last digits.
    let described = |name: &str| {
        let patient = report.patient;
        patient.and_then(|patient| patient.description.class(name))
    };
    let classes = findings.classes.iter().map(|class| {
        let known = described(&class.name);
        json!({
            "name": class.name,
            "tissue": class.tissue,
            "material": known.map(|own| &own.material),
            "centre_m": known.map_or(class.centre, |own| own.centre_m),
            "skin_m": known.and_then(|own| own.skin_m),
            "has_surface": known.map(|own| own.has_surface),
        })
    });
    let unmapped = findings.unmapped.iter();
    let unmapped = unmapped.map(|(name, similar)| json!({ "name": name, "similar": similar }));
    let orientation = Axis::ALL.map(|axis| {
        let [agree, disagree] = findings.votes(axis);
        let value = json!({
            "result": orientation_name([agree, disagree]),
            "agree": agree,
            "disagree": disagree,
        });
        (axis.directions().join("_"), value)
    });
    let volumes = findings.classes.iter();
    let volumes = volumes.map(|class| {
        let known = described(&class.name);
        let volume = known.map_or(class.volume_ml, |own| own.volume_ml);
        (class.name.clone(), json!(volume))
    });
    let cut = findings.cut.iter();
    let cut = cut
        .map(|cut| json!({ "name": cut.name, "direction": cut.direction, "voxels": cut.n_voxels }));
    let overlaps = report.overlaps().map(
        |overlap| json!({ "kept": overlap.kept, "lost": overlap.lost, "voxels": overlap.n_voxels }),
    );
    let patient = report.patient.map(|patient| &patient.description);
    json!({
        "source": report.source,
        "verdict": verdict_name(findings.verdict()),
        "refusals": findings.refusals,
        "warnings": report.warnings(),
        "notes": report.segmentation.notes(),
        "orientation": orientation.into_iter().collect::<Map<_, _>>(),
        "classes": classes.collect::<Value>(),
        "unmapped": unmapped.collect::<Value>(),
        "missing": findings.missing,
        "cut": cut.collect::<Value>(),
        "overlaps": overlaps.collect::<Value>(),
        "volumes_ml": volumes.collect::<Map<_, _>>(),
        "body_ml": patient.map(|own| own.body_ml),
        "bounds_m": patient.map_or(findings.bounds, |own| own.bounds_m),
        "table_m": patient.map(|own| own.table_m),
        "ct": patient.map(|own| &own.ct),
        "voxels": report.segmentation.count(),
    })
}
