//! The report of a benchmark: text, JSON, and one self-contained HTML page with a plot.

use std::fmt::Write as _;

use insonate_drawing::{
    Area, BLUE_LINE, DrawResult, Drawing, GREY_LINE, ORANGE_LINE, Picture, titled,
};
use insonate_learning::benchmark::{
    Aggregate, BenchmarkResult, Comparison, ReturnAgainstRule, Row, Score, Times,
};
use plotters::prelude::*;

use super::page::{Cell, document, escape, figure, table};
use super::row_plot::{Row as Line, rows};
use super::shown;
use crate::ReportError;

/// Metrics with a column; other ones are in `benchmark.json`.
const METRICS: [(&str, &str); 3] = [
    ("force_mae_n", "force error [N]"),
    ("contact_speed_m_s", "touch [m/s]"),
    ("peak_force_n", "peak [N]"),
];
/// The script of a problem.
const SCRIPT: &str = "scripted";

/// All files of the report with their names.
///
/// # Errors
/// [`ReportError`].
pub fn benchmark_files(result: &BenchmarkResult) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    let caption = "Success rate of each policy with its 95 % interval: over seeds for trained policies, over episodes for others.";
    let success = Picture::of(
        "success".to_owned(),
        caption.to_owned(),
        &Successes::of(result),
    )?;
    let json = format!("{}\n", serde_json::to_string_pretty(result)?);
    let mut files = vec![
        ("benchmark.json".to_owned(), json.into_bytes()),
        (
            "benchmark.html".to_owned(),
            page(result, &success).into_bytes(),
        ),
    ];
    files.extend(success.files());
    Ok(files)
}

/// The result in a few lines.
pub fn benchmark_text(result: &BenchmarkResult) -> String {
    let mut text = format!(
        "{:<20} {:<14} {:>5} {:>20} {:>12} {:>10} {:>14}\n",
        "problem", "policy", "seeds", "success", "return", "solved", "steps to solve"
    );
    for row in &result.rows {
        let _ = writeln!(
            text,
            "{:<20} {:<14} {:>5} {:>20} {:>12} {:>10} {:>14}",
            row.problem,
            shown(&row.policy),
            seeds(row),
            row.success.as_ref().map_or_else(unknown, percent),
            figure_of(row.returns.mean),
            solved(row),
            row.solved_steps
                .map_or_else(unknown, |steps| figure_of(steps.mean)),
        );
    }
    if !result.return_against_rule.is_empty() {
        text.push_str("\nreturn against success rule: Spearman's correlation, and pairs of policies in the same order\n");
    }
    for ranks in &result.return_against_rule {
        let [spearman, pairs] = agreement(ranks);
        let _ = writeln!(text, "{:<20} {spearman:>14} {pairs:>12}", ranks.problem);
    }
    for aggregate in &result.aggregates {
        let _ = writeln!(text, "\n{}", aggregate_line(aggregate));
    }
    let _ = write!(text, "\n{}", progress(result));
    text
}

fn progress(result: &BenchmarkResult) -> String {
    let (done, all) = (result.n_finished, result.n_pieces);
    format!("{done} of {all} pieces are finished")
}

/// Version, commits and machines.
fn origin(result: &BenchmarkResult) -> String {
    let mut text = format!("insonate {}", result.insonate_version);
    for (title, values) in [("commit", &result.commits), ("on", &result.machines)] {
        if !values.is_empty() {
            let _ = write!(text, ", {title} {}", values.join(" and "));
        }
    }
    text
}

fn aggregate_line(aggregate: &Aggregate) -> String {
    let spread = |value: f64, [low, high]: [f64; 2]| {
        if low.is_nan() {
            format!("{value:.2}")
        } else {
            format!("{value:.2} ({low:.2} to {high:.2})")
        }
    };
    let (iqm, better) = (&aggregate.success_iqm, &aggregate.improvement_over_script);
    format!(
        "{} over {} problems: interquartile mean of success {}, probability of improvement over the script {}",
        shown(&aggregate.policy),
        aggregate.problems.len(),
        spread(iqm.value, iqm.ci95),
        spread(better.value, better.ci95)
    )
}

fn page(result: &BenchmarkResult, success: &Picture) -> String {
    let mut body = format!(
        "<h1>Benchmark</h1>\n<p class=\"quiet\">{} Everything is simulated. {}. {}. Intervals are 95 %.</p>\n",
        escape(&format!("{}.", result.suite.summary.trim_end_matches('.'))),
        escape(&progress(result)),
        escape(&origin(result))
    );
    for aggregate in &result.aggregates {
        let _ = writeln!(body, "<p>{}.</p>", escape(&aggregate_line(aggregate)));
    }
    body.push_str(&figure(success));
    body.push_str("<h2>Policies</h2>\n");
    body.push_str(&policies(&result.rows));
    body.push_str(&contacts(&result.rows));
    if !result.comparisons.is_empty() {
        body.push_str("<h2>Against the scripts</h2>\n<p>Differences in the same episodes, as means over seeds with intervals over seeds.</p>\n");
        body.push_str(&comparisons(&result.comparisons));
    }
    if !result.return_against_rule.is_empty() {
        body.push_str("<h2>Return against success rule</h2>\n<p>The rule ranks by success rate, then by force error. Each seed is a policy of its own. \
            Policies with the same success keep the correlation below 1, so the last column counts the pairs that the rule orders and the return \
            orders likewise.</p>\n");
        body.push_str(&against_rule(&result.return_against_rule));
    }
    body.push_str("<h2>Times</h2>\n");
    body.push_str(&times(&result.times));
    document("Benchmark", &body)
}

fn policies(all: &[Row]) -> String {
    let row = |row: &Row| {
        let steps = row.solved_steps.as_ref().map(with_interval);
        let failed = row.n_failed_verdicts.map(|n| n.to_string());
        vec![
            Cell::Text(row.problem.clone()),
            Cell::Text(row.policy.clone()),
            Cell::Number(seeds(row)),
            Cell::Number(row.success.as_ref().map_or_else(unknown, percent)),
            Cell::Number(with_interval(&row.returns)),
            Cell::Number(failed.unwrap_or_else(unknown)),
            Cell::Number(solved(row)),
            Cell::Number(steps.unwrap_or_else(unknown)),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    let titles = [
        "seeds",
        "success",
        "return",
        "failed verdicts",
        "solved",
        "steps to solve",
    ];
    table(&header(&["problem", "policy"], &titles), &rows, false)
}

/// Forces and costs of the policies that have any; empty without such policies.
fn contacts(all: &[Row]) -> String {
    let row = |row: &Row| {
        let metrics = METRICS.map(|(name, _)| row.metrics.get(name).map(with_interval));
        let cost = row.cost.as_ref().map(with_interval);
        let values: Vec<Option<String>> = metrics.into_iter().chain([cost]).collect();
        values.iter().any(Option::is_some).then(|| {
            let values = values
                .into_iter()
                .map(|value| value.unwrap_or_else(unknown));
            [row.problem.clone(), row.policy.clone()]
                .map(Cell::Text)
                .into_iter()
                .chain(values.map(Cell::Number))
                .collect()
        })
    };
    let rows: Vec<Vec<Cell>> = all.iter().filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let titles = METRICS.map(|(_, title)| title).into_iter();
    let titles: Vec<&str> = titles.chain(["cost"]).collect();
    let table = table(&header(&["problem", "policy"], &titles), &rows, false);
    format!("<h2>Contact</h2>\n{table}")
}

fn comparisons(all: &[Comparison]) -> String {
    let signed = |score: &Score| {
        let [mean, low, high] = [score.mean, score.ci95[0], score.ci95[1]].map(|value| {
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{}", figure_of(value))
        });
        if score.ci95[0].is_nan() {
            return mean;
        }
        format!("{mean} ({low} to {high})")
    };
    let row = |comparison: &Comparison| {
        vec![
            Cell::Text(comparison.problem.clone()),
            Cell::Text(format!("{} − {}", comparison.policy, comparison.against)),
            Cell::Number(comparison.success.as_ref().map_or_else(unknown, signed)),
            Cell::Number(signed(&comparison.returns)),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    let header = header(&["problem", "policies"], &["success", "return"]);
    table(&header, &rows, false)
}

fn against_rule(all: &[ReturnAgainstRule]) -> String {
    let row = |ranks: &ReturnAgainstRule| {
        let [spearman, pairs] = agreement(ranks);
        vec![
            Cell::Text(ranks.problem.clone()),
            Cell::Number(ranks.ranks.policies.len().to_string()),
            Cell::Number(spearman),
            Cell::Number(pairs),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    let titles = [
        "policies",
        "Spearman's correlation",
        "pairs in the same order",
    ];
    table(&header(&["problem"], &titles), &rows, false)
}

/// Spearman's correlation, and the pairs in the same order.
fn agreement(ranks: &ReturnAgainstRule) -> [String; 2] {
    let ranks = &ranks.ranks;
    let spearman = if ranks.spearman.is_nan() {
        unknown()
    } else {
        format!("{:.2}", ranks.spearman)
    };
    let pairs = format!("{} of {}", ranks.n_agreeing_pairs, ranks.n_pairs);
    [spearman, pairs]
}

fn times(all: &[Times]) -> String {
    let seconds = |value: Option<f64>| value.map_or_else(unknown, |value| format!("{value:.1}"));
    let row = |times: &Times| {
        vec![
            Cell::Text(times.problem.clone()),
            Cell::Text(times.policy.clone()),
            Cell::Number(seconds(times.train_s)),
            Cell::Number(seconds(times.solved_s)),
            Cell::Number(seconds(Some(times.evaluation_s))),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    let titles = ["training [s]", "until solved [s]", "evaluation [s]"];
    table(&header(&["problem", "policy"], &titles), &rows, false)
}

fn header(texts: &[&str], numbers: &[&str]) -> Vec<Cell> {
    let texts = texts.iter().map(|text| Cell::Text((*text).to_owned()));
    let numbers = numbers.iter().map(|text| Cell::Number((*text).to_owned()));
    texts.chain(numbers).collect()
}

fn unknown() -> String {
    "–".to_owned()
}

fn seeds(row: &Row) -> String {
    match row.seeds.len() {
        0 => unknown(),
        n => n.to_string(),
    }
}

fn solved(row: &Row) -> String {
    match row.seeds.len() {
        0 => unknown(),
        n => format!("{} of {n}", row.n_solved),
    }
}

fn percent(score: &Score) -> String {
    let [mean, low, high] = [score.mean, score.ci95[0], score.ci95[1]].map(|share| 100.0 * share);
    if low.is_nan() {
        return format!("{mean:.0} %");
    }
    format!("{mean:.0} % ({low:.0} to {high:.0})")
}

fn with_interval(score: &Score) -> String {
    let [low, high] = score.ci95;
    if score.mean.is_nan() {
        unknown()
    } else if low.is_nan() {
        figure_of(score.mean)
    } else {
        format!(
            "{} ({} to {})",
            figure_of(score.mean),
            figure_of(low),
            figure_of(high)
        )
    }
}

/// A number with about three digits.
fn figure_of(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Success of the policies of each problem.
struct Successes(Vec<Line>);

impl Successes {
    fn of(result: &BenchmarkResult) -> Self {
        let color = |row: &Row| match (row.policy.as_str(), row.seeds.is_empty()) {
            (_, false) => BLUE_LINE,
            (SCRIPT, true) => ORANGE_LINE,
            _ => GREY_LINE,
        };
        let mut lines: Vec<Line> = Vec::new();
        for row in &result.rows {
            let Some(success) = row.success.filter(|success| !success.mean.is_nan()) else {
                continue;
            };
            let mark = (success.mean, success.ci95, color(row));
            match lines.iter_mut().find(|line| line.name == row.problem) {
                Some(line) => line.marks.push(mark),
                None => lines.push(Line {
                    name: row.problem.clone(),
                    marks: vec![mark],
                }),
            }
        }
        Self(lines)
    }
}

impl Drawing for Successes {
    const SIZE: (u32, u32) = (900, 620);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(
            area,
            "blue: trained; orange: script; grey: random, zero and others",
        )?;
        rows(&area, "success rate", &self.0, [0.0; 2])
    }
}
