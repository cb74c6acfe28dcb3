//! Episodes as CSV.

use super::EvaluationResult;
use crate::LearningError;

/// Writes one row per episode: policy, seed, return, length, end, verdict, reasons, metrics, sums of reward terms and costs, random
/// parameters.
///
/// # Errors
/// If the table cannot be written to memory.
pub fn episodes_csv(results: &[EvaluationResult]) -> Result<Vec<u8>, LearningError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let Some(EvaluationResult { spec: first, .. }) = results.first() else {
        return Ok(Vec::new());
    };
    let fixed = [
        "policy", "seed", "return", "length", "end", "verdict", "reasons",
    ]
    .map(str::to_owned);
    let metrics = first.metrics.iter().map(|name| (*name).to_owned());
    let terms = first.reward_terms.iter();
    let terms = terms.map(|name| format!("reward/{name}"));
    let costs = first.costs.iter().map(|name| format!("cost/{name}"));
    let header = fixed.into_iter().chain(metrics).chain(terms).chain(costs);
    writer.write_record(header.chain(first.parameters.iter().cloned()))?;
    for EvaluationResult {
        name,
        spec,
        episodes,
        ..
    } in results
    {
        for episode in episodes {
            let verdict = episode.verdict.as_ref();
            let fixed = [
                name.clone(),
                episode.seed.to_string(),
                episode.return_.to_string(),
                episode.length.to_string(),
                episode.reason.text().into_owned(),
                verdict
                    .map_or("", |verdict| verdict.outcome.name())
                    .to_owned(),
                verdict.map_or(String::new(), |verdict| verdict.reasons.join("; ")),
            ];
            let figures = episode.metrics.iter().chain(&episode.reward_terms);
            let figures = figures.chain(&episode.costs).copied();
            // Other settings may randomise other parameters. The columns are the parameters of the first policy.
            let parameters = first.parameters.iter().map(|name| {
                let known = spec.parameters.iter().zip(&episode.parameters);
                let mut value = known
                    .filter(|(known, _)| *known == name)
                    .map(|(_, value)| *value);
                value.next_back().unwrap_or(f64::NAN)
            });
            let numbers = figures.chain(parameters).map(cell);
            writer.write_record(fixed.into_iter().chain(numbers))?;
        }
    }
    let table = writer.into_inner();
    Ok(table.map_err(|error| csv::Error::from(error.into_error()))?)
}

/// Formats a number as a cell; empty for NaN.
pub(crate) fn cell(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    value.to_string()
}
