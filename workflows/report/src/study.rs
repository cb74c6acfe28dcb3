//! The report of a study: text, and one self-contained HTML page with plots.

use std::fmt::Write as _;

use insonate_drawing::{DrawingError, Picture};
use insonate_experiments::SoftnessFit;
use insonate_learning::evaluation::{Estimate, PairedDifference};
use insonate_learning::study::{ConditionResult, MeasuredSoftness, PolicyFigures, StudyResult};

use super::page::{Cell, document, escape, figure, list, table};
use super::study_plot::{ForceErrors, TorsoErrors};
use super::{interval, number, shown};
use crate::ReportError;

/// All files of the report with their names.
///
/// # Errors
/// [`ReportError`].
pub fn study_files(result: &StudyResult) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    let pictures = pictures(result)?;
    let json = format!("{}\n", serde_json::to_string_pretty(result)?);
    let page = page(result, &pictures);
    let mut files = vec![
        ("study.json".to_owned(), json.into_bytes()),
        ("study.html".to_owned(), page.into_bytes()),
    ];
    files.extend(pictures.iter().flat_map(Picture::files));
    Ok(files)
}

/// The result in a few lines.
pub fn study_text(result: &StudyResult) -> String {
    let softness = &result.softness;
    let mut text = format!(
        "{}: stiffness {} N/m ({}), damping {} N·s/m ({})\n",
        shown(&softness.log),
        number(softness.stiffness),
        interval(softness.stiffness_ci95),
        number(softness.damping),
        interval(softness.damping_ci95)
    );
    if let Some(truth) = truth_line(result) {
        let _ = writeln!(text, "{truth}");
    }
    let _ = writeln!(
        text,
        "\n{:<10} {:>9} {:>9} {:>11} {:>9} {:>11} {:>8}",
        "torso", "given", "measures", "stiffness", "damping", "force RMSE", "untuned"
    );
    for fit in &result.torsos {
        let _ = writeln!(
            text,
            "{:<10} {:>9.0} {:>9.0} {:>10.1}% {:>8.1}% {:>9.3} N {:>7.0}%",
            fit.torso,
            fit.given.stiffness,
            fit.simulated.stiffness,
            100.0 * fit.stiffness_error,
            100.0 * fit.damping_error,
            fit.force_rmse,
            100.0 * (fit.untuned.stiffness / fit.target.stiffness - 1.0)
        );
    }
    let _ = writeln!(
        text,
        "\n{:<14} {:<11} {:>8} {:>22} {:>9} {:>12}",
        "condition", "policy", "success", "force error [N]", "peak [N]", "touch [m/s]"
    );
    for condition in &result.conditions {
        for policy in &condition.policies {
            let _ = writeln!(
                text,
                "{:<14} {:<11} {:>8.2} {:>22} {:>9.2} {:>12.3}",
                shown(&condition.name),
                policy.name,
                policy.success_rate,
                force_error(&policy.force_mae_n),
                policy.peak_force_n.max,
                policy.contact_speed_m_s.max
            );
        }
    }
    let _ = write!(text, "\n{:.0} s", result.wall_s);
    text
}

fn force_error(estimate: &Estimate) -> String {
    let [low, high] = estimate.ci95;
    format!("{:.3} ({low:.3} to {high:.3})", estimate.mean)
}

/// Whether the intervals contain the truth.
fn truth_line(result: &StudyResult) -> Option<String> {
    let truth = result.truth?;
    let is_inside = |inside: bool| if inside { "inside" } else { "OUTSIDE" };
    let [stiffness, damping] = result.softness.covers(&truth).map(is_inside);
    Some(format!(
        "known: stiffness {} N/m, {stiffness} its interval; damping {} N·s/m, {damping} its interval",
        number(truth.stiffness),
        number(truth.damping)
    ))
}

fn pictures(result: &StudyResult) -> Result<Vec<Picture>, DrawingError> {
    let torsos = Picture::of(
        "torsos".to_owned(),
        "Stiffness that the repeated press measures on each kind of torso, over the recorded one: as it comes (grey) and as fitted \
         (blue); the band is the log's 95 % interval."
            .to_owned(),
        &TorsoErrors::of(result),
    )?;
    let forces = Picture::of(
        "force_error".to_owned(),
        "Mean absolute error of the force in each condition with its 95 % interval over episodes."
            .to_owned(),
        &ForceErrors::of(result),
    )?;
    Ok(vec![torsos, forces])
}

fn page(result: &StudyResult, pictures: &[Picture]) -> String {
    let title = format!(
        "From {} to a policy for {}",
        result.softness.log, result.task
    );
    let mut body = format!("<h1>{}</h1>\n", escape(&title));
    let _ = writeln!(
        body,
        "<p class=\"quiet\">Everything after the logs is simulated. SI units; intervals are 95 %. {:.0} s.</p>",
        result.wall_s
    );
    body.push_str(&answer(result));
    body.push_str("<h2>The logs</h2>\n");
    body.push_str(&logs(result));
    body.push_str("<h2>The torsos</h2>\n<p>Each kind of torso repeats the recorded indentation and is calibrated like the log; “given” is the softness with which the torso measures the same.</p>\n");
    body.push_str(&torsos(&result.torsos));
    body.push_str(&pictures.first().map(figure).unwrap_or_default());
    body.push_str("<h2>The policies</h2>\n<p>Both learn the same task with the same seed on breathing torsos: one on the fitted torso, with the softness of the logs; one on the thesis' torso (Jakobsen 2021), with its ranges.</p>\n");
    body.push_str(&policies(result));
    body.push_str("<h2>Results of the policies</h2>\n");
    body.push_str(&pictures.get(1).map(figure).unwrap_or_default());
    let meanings = result.conditions.iter();
    let meanings = meanings.map(|it| format!("{}: {}", it.name, it.what));
    body.push_str(&list(&meanings.collect::<Vec<_>>()));
    body.push_str(&conditions(&result.conditions));
    body.push_str("<h2>Differences, episode by episode</h2>\n<p>The calibrated policy minus the other: negative force errors are better.</p>\n");
    body.push_str(&differences(&result.conditions));
    document(&title, &body)
}

/// The first sentence: the benefit of the patient's own torso.
fn answer(result: &StudyResult) -> String {
    let softness = &result.softness;
    let mut text = format!(
        "<strong>{} N/m</strong> ({}), <strong>{} N·s/m</strong> ({}).",
        number(softness.stiffness),
        interval(softness.stiffness_ci95),
        number(softness.damping),
        interval(softness.damping_ci95)
    );
    let breathing = result.conditions.iter().find(|it| it.name == "breathing");
    for policy in breathing.iter().flat_map(|condition| &condition.policies) {
        let _ = write!(
            text,
            " {}: force error <strong>{} N</strong>, success {:.0} %.",
            escape(&policy.name),
            escape(&force_error(&policy.force_mae_n)),
            100.0 * policy.success_rate
        );
    }
    let truth = truth_line(result).map(|line| format!("<br>{}", escape(&line)));
    format!(
        "<div class=\"answer\">{text}{}</div>\n",
        truth.unwrap_or_default()
    )
}

fn logs(result: &StudyResult) -> String {
    let row = |measured: &MeasuredSoftness, role: &str| {
        vec![
            Cell::Text(measured.log.clone()),
            Cell::Text(role.to_owned()),
            Cell::Number(number(measured.stiffness)),
            Cell::Number(interval(measured.stiffness_ci95)),
            Cell::Number(number(measured.damping)),
            Cell::Number(interval(measured.damping_ci95)),
        ]
    };
    let mut rows = vec![row(&result.softness, "fitted")];
    rows.extend(result.held_out.iter().map(|log| row(log, "held out")));
    let header = header(
        &["log", ""],
        &["stiffness [N/m]", "95 %", "damping [N·s/m]", "95 %"],
    );
    table(&header, &rows, false)
}

fn torsos(fits: &[SoftnessFit]) -> String {
    let percent = |share: f64| format!("{:+.1} %", 100.0 * share);
    let rows: Vec<Vec<Cell>> = fits
        .iter()
        .map(|fit| {
            vec![
                Cell::Text(fit.torso.clone()),
                Cell::Number(number(fit.given.stiffness)),
                Cell::Number(number(fit.given.damping)),
                Cell::Number(percent(fit.untuned.stiffness / fit.target.stiffness - 1.0)),
                Cell::Number(percent(fit.untuned.damping / fit.target.damping - 1.0)),
                Cell::Number(percent(fit.stiffness_error)),
                Cell::Number(percent(fit.damping_error)),
                Cell::Number(format!("{:.3} of {:.1}", fit.force_rmse, fit.peak_force)),
                Cell::Number(fit.n_presses.to_string()),
            ]
        })
        .collect();
    let header = header(
        &["torso"],
        &[
            "given [N/m]",
            "given [N·s/m]",
            "untuned k",
            "untuned c",
            "fitted k",
            "fitted c",
            "force RMSE [N]",
            "presses",
        ],
    );
    table(&header, &rows, false)
}

fn policies(result: &StudyResult) -> String {
    let rows: Vec<Vec<Cell>> = result
        .policies
        .iter()
        .map(|policy| {
            let success = policy
                .success_rate
                .map(|rate| format!("{:.0} %", 100.0 * rate));
            vec![
                Cell::Text(policy.name.to_owned()),
                Cell::Number(interval(policy.stiffness)),
                Cell::Number(interval(policy.damping)),
                Cell::Number(policy.global_step.to_string()),
                Cell::Number(format!("{:.0}", policy.wall_s)),
                Cell::Number(success.unwrap_or_else(|| "–".to_owned())),
            ]
        })
        .collect();
    let header = header(
        &["policy"],
        &[
            "stiffness [N/m]",
            "damping [N·s/m]",
            "steps",
            "time [s]",
            "success at the end",
        ],
    );
    table(&header, &rows, false)
}

fn conditions(all: &[ConditionResult]) -> String {
    let row = |condition: &ConditionResult, policy: &PolicyFigures| {
        let [low, high] = policy.success_ci95.map(|share| 100.0 * share);
        vec![
            Cell::Text(condition.name.clone()),
            Cell::Text(policy.name.clone()),
            Cell::Number(format!(
                "{:.0} % ({low:.0} to {high:.0})",
                100.0 * policy.success_rate
            )),
            Cell::Number(force_error(&policy.force_mae_n)),
            Cell::Number(format!("{:.2}", policy.peak_force_n.mean)),
            Cell::Number(format!("{:.2}", policy.peak_force_n.max)),
            Cell::Number(format!("{:.3}", policy.contact_speed_m_s.mean)),
            Cell::Number(format!("{:.3}", policy.contact_speed_m_s.max)),
            Cell::Number(policy.n_failed.to_string()),
        ]
    };
    let rows: Vec<Vec<Cell>> = all
        .iter()
        .flat_map(|condition| condition.policies.iter().map(move |it| row(condition, it)))
        .collect();
    let header = header(
        &["condition", "policy"],
        &[
            "success",
            "force error [N]",
            "peak [N]",
            "greatest",
            "touch [m/s]",
            "greatest",
            "failed verdicts",
        ],
    );
    table(&header, &rows, false)
}

fn differences(all: &[ConditionResult]) -> String {
    let row = |condition: &ConditionResult, difference: &PairedDifference| {
        let figure = |name: &str| {
            let found = difference.figures.iter().find(|(known, _)| known == name);
            found.map_or_else(
                || "–".to_owned(),
                |(_, estimate)| {
                    let [low, high] = estimate.ci95;
                    format!("{:+.3} ({low:+.3} to {high:+.3})", estimate.mean)
                },
            )
        };
        vec![
            Cell::Text(condition.name.clone()),
            Cell::Text(format!("{} − {}", difference.policy, difference.against)),
            Cell::Number(figure("force_mae_n")),
            Cell::Number(figure("success")),
        ]
    };
    let rows: Vec<Vec<Cell>> = all
        .iter()
        .flat_map(|condition| condition.paired.iter().map(move |it| row(condition, it)))
        .collect();
    let header = header(&["condition", "policies"], &["force error [N]", "success"]);
    table(&header, &rows, false)
}

fn header(texts: &[&str], numbers: &[&str]) -> Vec<Cell> {
    let texts = texts.iter().map(|text| Cell::Text((*text).to_owned()));
    let numbers = numbers.iter().map(|text| Cell::Number((*text).to_owned()));
    texts.chain(numbers).collect()
}
