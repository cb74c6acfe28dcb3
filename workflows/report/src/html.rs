//! `report.html`: the result first, then the details. It is one file without scripts, for print and for phones.

use std::fmt::Write as _;

use insonate_calibration::{Calibration, Parameter, PooledParameter, models};
use insonate_experiments::scene_entry;

use super::fit_quality::{ExplainedStatistic, explained};
use super::page::{Cell, document, escape, figure, list, table};
use super::text::{repeated_lines, scene_lines};
use super::{
    CalibrationReport, Pictures, interval, labelled, name_of, number, parameters_of, pooled_of,
};

/// The whole page.
pub(super) fn page(report: &CalibrationReport, pictures: &Pictures) -> String {
    let mut body = opening(report);
    body.push_str(&sites(report, pictures));
    if let Some(repeated) = repeated(report, pictures) {
        body.push_str(&repeated);
    }
    if let Some(scene) = scene(report, pictures) {
        body.push_str(&scene);
    }
    body.push_str(&usage(report));
    for (index, log) in report.sites.logs.iter().enumerate() {
        let pictures = pictures.logs.get(index).map_or(&[][..], Vec::as_slice);
        body.push_str(&section_of(index, log, pictures));
    }
    body.push_str(&provenance(report));
    let names: Vec<String> = report.sites.logs.iter().take(3).map(name_of).collect();
    document(&format!("Softness of {}", names.join(", ")), &body)
}

/// The result in words.
fn opening(report: &CalibrationReport) -> String {
    let n = report.sites.logs.len();
    let logs = if n == 1 {
        escape(&name_of(&report.sites.logs[0]))
    } else {
        format!("{n} logs")
    };
    let mut html = format!("<h1>Softness of the tissue: {logs}</h1>\n");
    let kind = models::by_name(report.sites.model());
    let equation = kind.map_or("", |kind| kind.equation);
    let summary = kind.map_or("", |kind| kind.summary);
    let _ = writeln!(
        html,
        "<p class=\"quiet\">Model <code>{}</code>: {} — {}. All numbers in SI units; intervals are 95 %.</p>",
        escape(report.sites.model()),
        escape(equation),
        escape(summary.trim_end_matches('.'))
    );
    let _ = writeln!(html, "<div class=\"answer\">{}</div>", answer(report));
    if n > 1 {
        let link = |(index, log): (usize, &Calibration)| {
            format!("<a href=\"#log-{index}\">{}</a>", escape(&name_of(log)))
        };
        let links: String = report.sites.logs.iter().enumerate().map(link).collect();
        let _ = writeln!(html, "<nav>{links}</nav>");
    }
    html.push_str(&list(&report.sites.notes));
    html
}

fn answer(report: &CalibrationReport) -> String {
    let pooled = &report.sites.pooled;
    let n = pooled.n_sites;
    let mut sentences: Vec<String> = pooled_of(&report.sites)
        .into_iter()
        .map(|(Parameter { title, unit, .. }, spread)| {
            if n > 1 {
                format!(
                    "{} is <strong>{} ± {} {unit}</strong> (mean ± standard deviation over {n} sites; the mean lies within {}).",
                    capital(title),
                    number(spread.mean),
                    number(spread.sd),
                    interval(spread.ci95)
                )
            } else {
                format!(
                    "{} is <strong>{} {unit}</strong>, within {}.",
                    capital(title),
                    number(spread.mean),
                    interval(spread.ci95)
                )
            }
        })
        .collect();
    if let Some(ratio) = &pooled.ratio {
        sentences.push(format!(
            "Stiffness over damping is <strong>{} 1/s</strong>, within {}.",
            number(ratio.value),
            interval(ratio.ci95)
        ));
    }
    let missing: Vec<&str> = parameters_of(&report.sites.logs)
        .into_iter()
        .filter(|parameter| pooled.parameter(parameter.name).is_none())
        .map(|parameter| parameter.title)
        .collect();
    if !missing.is_empty() {
        sentences.push(format!(
            "Not every log can say: {}; the reason stands with each log.",
            escape(&missing.join(", "))
        ));
    }
    sentences.join("<br>\n")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    escape(&first.chain(chars).collect::<String>())
}

/// A row for each log and one for the pooled values.
fn sites(report: &CalibrationReport, pictures: &Pictures) -> String {
    let parameters = parameters_of(&report.sites.logs);
    let mut header = vec![Cell::Text("log".to_owned())];
    for parameter in &parameters {
        header.push(Cell::Number(labelled(parameter.title, parameter.unit)));
        header.push(Cell::Number("95 %".to_owned()));
    }
    header.extend(["R²", "rmse [N]", "n"].map(|name| Cell::Number(name.to_owned())));
    let mut rows: Vec<Vec<Cell>> = report
        .sites
        .logs
        .iter()
        .map(|log| row(log, &parameters))
        .collect();
    let with_total = report.sites.logs.len() > 1;
    if with_total {
        let mut total = vec![Cell::Text("mean ± sd".to_owned())];
        for parameter in &parameters {
            let spread = report.sites.pooled.parameter(parameter.name);
            total.push(Cell::Number(spread.map_or("–".to_owned(), |spread| {
                format!("{} ± {}", number(spread.mean), number(spread.sd))
            })));
            total.push(Cell::Number(
                spread.map_or("–".to_owned(), |spread| interval(spread.ci95)),
            ));
        }
        total.extend((0..3).map(|_| Cell::Text(String::new())));
        rows.push(total);
    }
    let mut html = format!("<h2>Sites</h2>\n{}", table(&header, &rows, with_total));
    if let Some(picture) = &pictures.sites {
        html.push_str(&figure(picture));
    }
    for (map, picture) in report.maps.iter().zip(&pictures.maps) {
        let _ = writeln!(html, "<h3>{} over the skin</h3>", capital(&map.parameter));
        html.push_str(&list(&super::map::lines(map)));
        html.push_str(&figure(picture));
    }
    let range = |(parameter, pooled): (&Parameter, &PooledParameter)| {
        vec![
            Cell::Text(parameter.title.to_owned()),
            Cell::Number(interval(pooled.randomisation)),
            Cell::Text(parameter.unit.to_owned()),
        ]
    };
    let ranges: Vec<_> = pooled_of(&report.sites).into_iter().map(range).collect();
    html.push_str(if with_total {
        "<h3>For domain randomisation</h3>\n<p>A new site lies within these ranges with a probability of 95 %.</p>\n"
    } else {
        "<h3>For domain randomisation</h3>\n<p>One log does not show how sites differ, so these ranges are the uncertainty of this log. Calibrate several sites.</p>\n"
    });
    html.push_str(&table(&[], &ranges, false));
    html
}

fn row(log: &Calibration, parameters: &[&Parameter]) -> Vec<Cell> {
    let fit = &log.fit;
    let mut row = vec![Cell::Text(name_of(log))];
    for parameter in parameters {
        let parameter = fit.parameter(parameter.name);
        let identified = parameter.filter(|parameter| parameter.identifiable);
        let missing = if parameter.is_some() {
            "not identifiable"
        } else {
            "–"
        };
        row.push(Cell::Number(
            identified.map_or(missing.to_owned(), |p| number(p.value)),
        ));
        row.push(Cell::Number(
            identified.map_or("–".to_owned(), |p| interval(p.ci95)),
        ));
    }
    row.push(Cell::Number(format!("{:.4}", fit.statistics.r_squared)));
    row.push(Cell::Number(number(fit.statistics.rmse_n)));
    row.push(Cell::Number(fit.statistics.n.to_string()));
    row
}

/// The tuned torso.
fn scene(report: &CalibrationReport, pictures: &Pictures) -> Option<String> {
    let scene = report.scene.as_ref()?;
    let mut html = format!(
        "<h2>Simulated torso: {}</h2>\n{}",
        escape(scene.torso),
        list(&scene_lines(scene))
    );
    let entry = scene_entry::entry_of(&scene.config);
    let rows: Vec<Vec<Cell>> = scene_entry::numbers(&entry)
        .map(|(name, value)| vec![Cell::Text(name.to_owned()), Cell::Number(number(value))])
        .collect();
    html.push_str(
        "<p>Settings of the torso with which a simulated press measures this softness:</p>\n",
    );
    html.push_str(&table(&[], &rows, false));
    if let Some(picture) = &pictures.scene {
        html.push_str(&figure(picture));
    }
    Some(html)
}

/// The first log's press, repeated on a torso.
fn repeated(report: &CalibrationReport, pictures: &Pictures) -> Option<String> {
    let press = report.repeated.as_ref()?;
    let mut html = format!(
        "<h2>Simulation of the same press</h2>\n{}",
        list(&repeated_lines(press))
    );
    if let Some(picture) = &pictures.repeated {
        html.push_str(&figure(picture));
    }
    Some(html)
}

/// Next steps for the user.
fn usage(report: &CalibrationReport) -> String {
    let softness = report.softness();
    let mut html = "<h2>How to use it</h2>\n".to_owned();
    if softness.stiffness_and_damping().is_some() || !softness.scene.is_empty() {
        html.push_str(
            "<p>The file <code>softness.toml</code> is next to this page. These commands give a simulated torso the softness above:</p>\n\
             <pre>insonate scene --softness softness.toml --output scene.xml\ninsonate press --softness softness.toml\ninsonate scan --softness softness.toml</pre>\n",
        );
    } else {
        html.push_str(
            "<p>A scene needs stiffness and damping, which this model or these logs do not provide: \
             calibrate with <code>--model kelvin-voigt</code> for a <code>softness.toml</code> that a scene can read.</p>\n",
        );
    }
    if let Some(mujoco) = &softness.mujoco {
        let [k, b] = mujoco.solref;
        let _ = writeln!(
            html,
            "<p>For MuJoCo itself, with a moving mass of {} kg: <code>solref=\"{} {}\"</code>.</p>",
            number(mujoco.mass),
            number(k),
            number(b)
        );
    }
    html
}

/// A section for a log: its parameters, plots, settings, statistics and source.
fn section_of(index: usize, log: &Calibration, pictures: &[super::Picture]) -> String {
    let (prepared, fit) = (&log.prepared, &log.fit);
    let mut html = format!(
        "<section class=\"log\" id=\"log-{index}\">\n<h2>{}</h2>\n",
        escape(&name_of(log))
    );
    html.push_str(&parameters(&fit.parameters));
    html.push_str(&warning_lines(&log.warnings));
    html.extend(pictures.iter().map(figure));
    html.push_str("<h3>Choices and their reasons</h3>\n");
    let choice = |choice: &insonate_calibration::PreparationChoice| {
        vec![
            Cell::Text(choice.what.to_owned()),
            Cell::Text(choice.value.clone()),
            Cell::Text(choice.how.clone()),
        ]
    };
    let choices: Vec<_> = prepared.choices.iter().map(choice).collect();
    html.push_str(&table(&[], &choices, false));
    let notes = log
        .source
        .notes
        .iter()
        .chain(&prepared.notes)
        .chain(&fit.notes);
    html.push_str(&list(&notes.cloned().collect::<Vec<_>>()));
    if let Some(selection) = &log.selection {
        html.push_str(&selection_of(selection));
    }
    html.push_str("<h3>Quality of the fit</h3>\n");
    let explained = explained(log);
    html.push_str(&table(
        &[],
        &explained.iter().map(explanation).collect::<Vec<_>>(),
        false,
    ));
    html + "</section>\n"
}

/// Warnings about the numbers above.
fn warning_lines(warnings: &[String]) -> String {
    let line = |warning: &String| format!("<p class=\"warning\">{}</p>\n", escape(warning));
    warnings.iter().map(line).collect()
}

fn explanation(figure: &ExplainedStatistic) -> Vec<Cell> {
    let verdict = figure.verdict.label();
    vec![
        Cell::Text(figure.name.to_owned()),
        Cell::Number(figure.value.clone()),
        Cell::Html(format!(
            "<span class=\"verdict {verdict}\">{verdict}</span>"
        )),
        Cell::Text(figure.meaning.clone()),
    ]
}

fn parameters(parameters: &[Parameter]) -> String {
    let with_bootstrap = parameters.iter().any(|p| p.bootstrap95.is_some());
    let mut header = vec![
        Cell::Text("parameter".to_owned()),
        Cell::Number("value".to_owned()),
        Cell::Text("unit".to_owned()),
        Cell::Number("standard error".to_owned()),
        Cell::Number("95 %".to_owned()),
    ];
    if with_bootstrap {
        header.push(Cell::Number("95 % by bootstrap".to_owned()));
    }
    let row = |parameter: &Parameter| {
        let mut row = vec![Cell::Text(parameter.title.to_owned())];
        if !parameter.identifiable {
            row.push(Cell::Number("not identifiable".to_owned()));
            row.push(Cell::Text(parameter.unit.to_owned()));
            return row;
        }
        row.push(Cell::Number(number(parameter.value)));
        row.push(Cell::Text(parameter.unit.to_owned()));
        row.push(Cell::Number(number(parameter.standard_error)));
        row.push(Cell::Number(interval(parameter.ci95)));
        if with_bootstrap {
            let bootstrap = parameter.bootstrap95.map_or("–".to_owned(), interval);
            row.push(Cell::Number(bootstrap));
        }
        row
    };
    let reasons: Vec<String> = parameters
        .iter()
        .filter(|parameter| !parameter.reason.is_empty())
        .map(|parameter| format!("{}: {}", parameter.title, parameter.reason))
        .collect();
    let rows: Vec<_> = parameters.iter().map(row).collect();
    table(&header, &rows, false) + &list(&reasons)
}

fn selection_of(selection: &insonate_calibration::ModelSelection) -> String {
    let header = ["model", "BIC", "held-out rmse [N]", "ruled out"];
    let header: Vec<Cell> = header
        .into_iter()
        .map(|name| Cell::Text(name.to_owned()))
        .collect();
    let rows: Vec<Vec<Cell>> = selection
        .candidates
        .iter()
        .map(|candidate| {
            vec![
                Cell::Text(candidate.model.to_owned()),
                Cell::Number(number(candidate.bic)),
                Cell::Number(number(candidate.held_out_rmse_n)),
                Cell::Text(candidate.ruled_out.clone()),
            ]
        })
        .collect();
    format!(
        "<h3>Choice of the model</h3>\n<p>{}</p>\n{}",
        escape(&selection.reason),
        table(&header, &rows, false)
    )
}

/// Provenance of the data and the program.
fn provenance(report: &CalibrationReport) -> String {
    let rows: Vec<Vec<Cell>> = report
        .sites
        .logs
        .iter()
        .map(|log| {
            let source = &log.source;
            let columns: Vec<String> = source.columns.iter().map(|line| escape(line)).collect();
            vec![
                Cell::Html(format!("<code>{}</code>", escape(&source.file))),
                Cell::Html(format!("<code>{}</code>", escape(&source.sha256))),
                Cell::Html(columns.join("<br>")),
            ]
        })
        .collect();
    let header = ["file", "SHA-256", "columns and units"].map(|name| Cell::Text(name.to_owned()));
    format!(
        "<h2>Provenance</h2>\n{}<p class=\"quiet\">Made by {} with</p>\n<pre>{}</pre>\n",
        table(&header, &rows, false),
        escape(&report.generator),
        escape(&report.command)
    )
}
