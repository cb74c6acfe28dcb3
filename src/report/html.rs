//! `report.html`: the answer first, then what it rests on. One file, without scripts, that prints and reads on a phone.

use std::fmt::Write as _;

use super::page::{Cell, document, escape, figure, list, table};
use super::words::{Explained, explained};
use super::{CalibratedLog, Pictures, Report, interval, names_of, number, title_of, unit_of};
use crate::calibration::{Parameter, models};

/// The whole page.
pub(super) fn page(report: &Report, pictures: &Pictures) -> String {
    let mut body = opening(report);
    body.push_str(&sites(report, pictures));
    if let Some(scene) = scene(report, pictures) {
        body.push_str(&scene);
    }
    body.push_str(&usage(report));
    for (index, log) in report.logs.iter().enumerate() {
        let pictures = pictures.logs.get(index).map_or(&[][..], Vec::as_slice);
        body.push_str(&section_of(index, log, pictures));
    }
    body.push_str(&provenance(report));
    let names: Vec<String> = report
        .logs
        .iter()
        .take(3)
        .map(CalibratedLog::name)
        .collect();
    document(&format!("Softness of {}", names.join(", ")), &body)
}

/// The answer in words.
fn opening(report: &Report) -> String {
    let n = report.logs.len();
    let logs = if n == 1 {
        escape(&report.logs[0].name())
    } else {
        format!("{n} logs")
    };
    let mut html = format!("<h1>Softness of the tissue: {logs}</h1>\n");
    let kind = models::by_name(report.model());
    let equation = kind.map_or("", |kind| kind.equation);
    let summary = kind.map_or("", |kind| kind.summary);
    let _ = writeln!(
        html,
        "<p class=\"quiet\">Model <code>{}</code>: {} — {}. All numbers in SI units; intervals are 95 %.</p>",
        escape(report.model()),
        escape(equation),
        escape(summary.trim_end_matches('.'))
    );
    let _ = writeln!(html, "<div class=\"answer\">{}</div>", answer(report));
    if n > 1 {
        let link = |(index, log): (usize, &CalibratedLog)| {
            format!("<a href=\"#log-{index}\">{}</a>", escape(&log.name()))
        };
        let links: String = report.logs.iter().enumerate().map(link).collect();
        let _ = writeln!(html, "<nav>{links}</nav>");
    }
    html.push_str(&list(&report.notes));
    html
}

fn answer(report: &Report) -> String {
    let pooled = &report.pooled;
    let n = pooled.n_sites;
    let mut sentences: Vec<String> = pooled
        .parameters
        .iter()
        .map(|(name, spread)| {
            let unit = unit_of(&report.logs, name);
            if n > 1 {
                format!(
                    "{} is <strong>{} ± {} {unit}</strong> (mean ± standard deviation over {n} sites; the mean lies within {}).",
                    capital(title_of(name)),
                    number(spread.mean),
                    number(spread.sd),
                    interval(spread.ci95)
                )
            } else {
                format!(
                    "{} is <strong>{} {unit}</strong>, within {}.",
                    capital(title_of(name)),
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
    let missing: Vec<&str> = names_of(&report.logs)
        .into_iter()
        .filter(|name| pooled.parameter(name).is_none())
        .map(title_of)
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

/// A row for each log, and the pooled one.
fn sites(report: &Report, pictures: &Pictures) -> String {
    let names = names_of(&report.logs);
    let mut header = vec![Cell::Text("log".to_owned())];
    for name in &names {
        let unit = unit_of(&report.logs, name);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" [{unit}]")
        };
        header.push(Cell::Number(format!("{}{unit}", title_of(name))));
        header.push(Cell::Number("95 %".to_owned()));
    }
    header.extend(["R²", "rmse [N]", "n"].map(|name| Cell::Number(name.to_owned())));
    let mut rows: Vec<Vec<Cell>> = report.logs.iter().map(|log| row(log, &names)).collect();
    let with_total = report.logs.len() > 1;
    if with_total {
        let mut total = vec![Cell::Text("mean ± sd".to_owned())];
        for name in &names {
            let spread = report.pooled.parameter(name);
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
    let ranges = report.pooled.parameters.iter().map(|(name, spread)| {
        vec![
            Cell::Text(title_of(name).to_owned()),
            Cell::Number(interval(spread.randomisation)),
            Cell::Text(unit_of(&report.logs, name).to_owned()),
        ]
    });
    html.push_str(if with_total {
        "<h3>For domain randomisation</h3>\n<p>A further site is expected within these ranges with 95 %.</p>\n"
    } else {
        "<h3>For domain randomisation</h3>\n<p>One log cannot say how sites differ: these ranges are its own uncertainty. Calibrate several sites.</p>\n"
    });
    html.push_str(&table(&[], &ranges.collect::<Vec<_>>(), false));
    html
}

fn row(log: &CalibratedLog, names: &[&'static str]) -> Vec<Cell> {
    let fit = &log.calibration.fit;
    let mut row = vec![Cell::Text(log.name())];
    for name in names {
        let parameter = fit.parameter(name);
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
fn scene(report: &Report, pictures: &Pictures) -> Option<String> {
    let scene = report.scene.as_ref()?;
    let mut html = format!(
        "<h2>Simulated torso: {}</h2>\n{}",
        escape(&scene.torso),
        list(&scene.lines())
    );
    let given = [
        ("stiffness", scene.entry.stiffness),
        ("damping", scene.entry.damping),
    ];
    let further = scene
        .entry
        .parameters
        .iter()
        .map(|(name, value)| (name.as_str(), *value));
    let rows: Vec<Vec<Cell>> = given
        .into_iter()
        .chain(further)
        .map(|(name, value)| vec![Cell::Text(name.to_owned()), Cell::Number(number(value))])
        .collect();
    html.push_str("<p>What the torso must be given so that a press of it measures that:</p>\n");
    html.push_str(&table(&[], &rows, false));
    if let Some(picture) = &pictures.scene {
        html.push_str(&figure(picture));
    }
    Some(html)
}

/// How to go on from here.
fn usage(report: &Report) -> String {
    let softness = report.softness();
    let mut html = "<h2>How to use it</h2>\n".to_owned();
    if softness.stiffness_and_damping().is_some() || !softness.scene.is_empty() {
        html.push_str(
            "<p>Beside this page lies <code>softness.toml</code>. These give a simulated torso the softness above:</p>\n\
             <pre>insonate scene --softness softness.toml --output scene.xml\ninsonate press --softness softness.toml\ninsonate scan --softness softness.toml</pre>\n",
        );
    } else {
        html.push_str(
            "<p>A scene takes stiffness and damping, which this model or these logs do not give: \
             calibrate with <code>--model divided</code> or <code>--model kelvin-voigt</code> for a <code>softness.toml</code> that a scene can read.</p>\n",
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

/// A log: its parameters, plots, choices, statistics, source.
fn section_of(index: usize, log: &CalibratedLog, pictures: &[super::Picture]) -> String {
    let (prepared, fit) = (&log.calibration.prepared, &log.calibration.fit);
    let mut html = format!(
        "<section class=\"log\" id=\"log-{index}\">\n<h2>{}</h2>\n",
        escape(&log.name())
    );
    html.push_str(&parameters(&fit.parameters));
    html.extend(pictures.iter().map(figure));
    html.push_str("<h3>What was chosen, and how</h3>\n");
    let choice = |choice: &crate::calibration::PreparationChoice| {
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
    if let Some(selection) = &log.calibration.selection {
        html.push_str(&selection_of(selection));
    }
    html.push_str("<h3>How good the fit is</h3>\n");
    let explained = explained(&log.calibration);
    html.push_str(&table(
        &[],
        &explained.iter().map(explanation).collect::<Vec<_>>(),
        false,
    ));
    html + "</section>\n"
}

fn explanation(figure: &Explained) -> Vec<Cell> {
    let word = figure.verdict.word();
    vec![
        Cell::Text(figure.name.to_owned()),
        Cell::Number(figure.value.clone()),
        Cell::Html(format!("<span class=\"verdict {word}\">{word}</span>")),
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
        let mut row = vec![Cell::Text(title_of(parameter.name).to_owned())];
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
        .map(|parameter| format!("{}: {}", title_of(parameter.name), parameter.reason))
        .collect();
    let rows: Vec<_> = parameters.iter().map(row).collect();
    table(&header, &rows, false) + &list(&reasons)
}

fn selection_of(selection: &crate::calibration::ModelSelection) -> String {
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
        "<h3>Why this model</h3>\n<p>{}</p>\n{}",
        escape(&selection.reason),
        table(&header, &rows, false)
    )
}

/// Where everything comes from.
fn provenance(report: &Report) -> String {
    let rows: Vec<Vec<Cell>> = report
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
        "<h2>Where it comes from</h2>\n{}<p class=\"quiet\">Made by {} with</p>\n<pre>{}</pre>\n",
        table(&header, &rows, false),
        escape(&report.generator),
        escape(&report.command)
    )
}
