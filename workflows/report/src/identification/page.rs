//! `report.html` of an identification: the result first, then the details.

use std::fmt::Write as _;

use insonate_drawing::Picture;
use insonate_dvrk::parameter_name;

use super::{IdentificationReport, payload_line, percent};
use crate::number;
use crate::page::{Cell, document, escape, figure, table};

/// The whole page.
pub(super) fn page(report: &IdentificationReport, pictures: &[Picture]) -> String {
    let found = &report.identification;
    let mut body = format!(
        "<h1>Dynamics of the PSM: {}</h1>\n",
        escape(&report.train.log)
    );
    let filter = if found.filtering.filter_regressor {
        "torques and regressor alike"
    } else {
        "the regressor not"
    };
    let _ = body.write_fmt(format_args!(
        "<p class=\"quiet\">Zero-phase low-pass at {} Hz, {filter}; rate {} Hz. SI units; frames and names of parameters as in Wang et al. 2019.</p>\n",
        number(found.filtering.cutoff_hz),
        number(report.train.rate_hz),
    ));
    let _ = body.write_fmt(format_args!(
        "<div class=\"answer\"><strong>{} base parameters</strong> by {}; condition number {}; {}.</div>\n",
        found.base.n(),
        report.method_name(),
        number(found.condition_number),
        escape(report.feasibility()),
    ));
    if let Some(payload) = &report.payload {
        let _ = writeln!(body, "<p>{}.</p>", escape(&payload_line(payload)));
    }
    body.push_str("<h2>Torques</h2>\n");
    body.push_str(&errors(report));
    let (parameters, torques) = pictures.split_last().expect("the parameters are drawn");
    for picture in torques {
        body.push_str(&figure(picture));
    }
    body.push_str("<h2>Base parameters</h2>\n");
    body.push_str(&figure(parameters));
    body.push_str(&base_parameters(report));
    body.push_str("<h2>Standard parameters of a physically possible arm</h2>\n<p>Among all bodies with the parameters above (or with the nearest feasible ones), the bodies of ordinary size: parameters that torques do not determine are chosen, not measured.</p>\n");
    body.push_str(&standard_parameters(report));
    document(&format!("Dynamics of the PSM: {}", report.train.log), &body)
}

/// Relative errors of each joint.
fn errors(report: &IdentificationReport) -> String {
    let header = [
        Cell::Text("torque".to_owned()),
        Cell::Number("relative error, train".to_owned()),
        Cell::Number("relative error, test".to_owned()),
    ];
    let rows: Vec<Vec<Cell>> = (report.torque_names().iter().enumerate())
        .map(|(joint, name)| {
            let test = report
                .test
                .as_ref()
                .map(|test| percent(test.relative_error[joint]));
            vec![
                Cell::Text((*name).to_owned()),
                Cell::Number(percent(report.train.relative_error[joint])),
                Cell::Number(test.unwrap_or_else(|| "–".to_owned())),
            ]
        })
        .collect();
    table(&header, &rows, false)
}

fn base_parameters(report: &IdentificationReport) -> String {
    let found = &report.identification;
    let header = [
        Cell::Text("combination".to_owned()),
        Cell::Number("value".to_owned()),
        Cell::Number("standard error".to_owned()),
    ];
    let rows: Vec<Vec<Cell>> = (found.base.names().into_iter().enumerate())
        .map(|(index, name)| {
            vec![
                Cell::Text(name),
                Cell::Number(number(found.values[index])),
                Cell::Number(number(found.standard_errors[index])),
            ]
        })
        .collect();
    table(&header, &rows, false)
}

fn standard_parameters(report: &IdentificationReport) -> String {
    let header = [
        Cell::Text("parameter".to_owned()),
        Cell::Number("value".to_owned()),
    ];
    let rows: Vec<Vec<Cell>> = (report.identification.psm.parameters().iter().enumerate())
        .map(|(index, value)| {
            vec![
                Cell::Text(parameter_name(index)),
                Cell::Number(number(*value)),
            ]
        })
        .collect();
    table(&header, &rows, false)
}
