//! Results as text tables.

use super::{Estimate, EvaluationResult, PairedDifference, RankCorrelation, patient_rows, wilson};

/// Statistics of a result: mean, 95 % interval, minimum, 95th percentile and maximum of each metric.
pub fn result_table(result: &EvaluationResult) -> String {
    let n = result.episodes.len();
    let mut lines = vec![
        format!(
            "{}: policy {}, {n} episodes",
            result.spec.id, result.described
        ),
        header(),
    ];
    if let Some(successes) = result.n_successes() {
        let [low, high] = wilson(successes, n);
        let share = successes as f64 / n as f64;
        lines.push(format!(
            "{:<22} {:>11} {:>25}",
            "success_rate",
            number(share),
            interval([low, high])
        ));
    }
    lines.push(row(
        "return",
        result.episodes.iter().map(|episode| episode.return_),
    ));
    for name in result
        .spec
        .metrics
        .iter()
        .filter(|name| **name != "success")
    {
        lines.push(row(
            name,
            result.metric(name).unwrap_or_default().into_iter(),
        ));
    }
    if !result.spec.costs.is_empty() {
        lines.push(row("cost", result.costs()));
    }
    lines.push(row(
        "length",
        result.episodes.iter().map(|episode| episode.length as f64),
    ));
    lines.extend(patient_rows(&result.by_patient()));
    if let Some(failed) = result.failed_verdicts() {
        lines.push(format!("verdict: {} of {n} failed", failed.len()));
        lines.extend(failed.iter().filter_map(|episode| {
            let verdict = episode.verdict.as_ref()?;
            Some(format!(
                "  seed {}: {}",
                episode.seed,
                verdict.reasons.join("; ")
            ))
        }));
    }
    lines.push(reasons("ended by", &result.end_reasons()));
    let failures = result.failures();
    if !failures.is_empty() {
        lines.push(reasons("failed, ended by", &failures));
    }
    lines.join("\n")
}

/// The differences of two policies.
pub fn paired_difference_table(difference: &PairedDifference) -> String {
    let title = format!(
        "{} minus {}, episode by episode",
        difference.policy, difference.against
    );
    let rows = difference.figures.iter();
    let rows = rows.map(|(name, estimate)| line(name, estimate));
    let lines: Vec<String> = [title, header()].into_iter().chain(rows).collect();
    lines.join("\n")
}

/// The ranks of several policies.
pub fn rank_table(ranks: &RankCorrelation) -> String {
    let mut lines = vec![
        "ranks by return, and by the rule: success rate, then force error".to_owned(),
        format!("{:<22} {:>11} {:>11}", "", "return", "rule"),
    ];
    let both = ranks.return_ranks.iter().zip(&ranks.rule_ranks);
    for (name, (by_return, by_rule)) in ranks.policies.iter().zip(both) {
        lines.push(format!("{name:<22} {by_return:>11} {by_rule:>11}"));
    }
    lines.push(format!(
        "Spearman's correlation {:>11}",
        number(ranks.spearman)
    ));
    lines.push(format!(
        "pairs in the same order {:>10}",
        format!("{} of {}", ranks.n_agreeing_pairs, ranks.n_pairs)
    ));
    lines.join("\n")
}

fn header() -> String {
    format!(
        "{:<22} {:>11} {:>25} {:>11} {:>11} {:>11}",
        "", "mean", "95 % interval", "min", "95th pct", "max"
    )
}

fn row(name: &str, values: impl Iterator<Item = f64>) -> String {
    line(name, &Estimate::of(values))
}

fn line(name: &str, estimate: &Estimate) -> String {
    format!(
        "{name:<22} {:>11} {:>25} {:>11} {:>11} {:>11}",
        number(estimate.mean),
        interval(estimate.ci95),
        number(estimate.min),
        number(estimate.p95),
        number(estimate.max)
    )
}

fn reasons(title: &str, counts: &[(String, usize)]) -> String {
    let counts: Vec<String> = counts
        .iter()
        .map(|(reason, n)| format!("{reason} {n}"))
        .collect();
    format!("{title}: {}", counts.join(", "))
}

fn interval([low, high]: [f64; 2]) -> String {
    if low.is_nan() {
        return "–".to_owned();
    }
    format!("{} to {}", number(low), number(high))
}

/// Formats a number with four significant digits.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    let before_point = size.log10().floor() as i32 + 1;
    format!("{value:.*}", (4 - before_point).clamp(0, 7) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.95, "0.9500"),
            (-1234.56, "-1235"),
            (0.001234567, "0.001235"),
            (0.0, "0"),
            (1.5e-7, "1.500e-7"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(interval([f64::NAN; 2]), "–");
    }
}
