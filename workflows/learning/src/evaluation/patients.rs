//! Figures for each made patient.

use insonate_envs::{EnvSpec, EpisodeStatistics, patient_name};
use serde::Serialize;

use super::{known_mean, wilson};

/// The random parameter that says which patient an episode has.
const PATIENT: &str = "organs.seed";

/// The episodes of a patient.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatientFigures {
    /// Name of the patient's folder.
    pub name: String,
    /// Whether the policy was trained on a patient of this name; `None` for a policy that was not trained.
    pub seen: Option<bool>,
    /// Number of episodes.
    pub episodes: usize,
    /// Success rate; `None` without episodes, or if the task has no such metric.
    pub success_rate: Option<f64>,
    /// 95 % interval of the success rate.
    pub success_ci95: Option<[f64; 2]>,
    /// Mean return; `None` without episodes.
    pub return_mean: Option<f64>,
    /// Mean absolute error of the force [N]; `None` if the task has no force.
    pub force_mae_n: Option<f64>,
}

impl PatientFigures {
    /// Figures of the episodes of a patient.
    pub(crate) fn of(
        name: &str,
        trained_on: Option<&[String]>,
        spec: &EnvSpec,
        episodes: &[&EpisodeStatistics],
    ) -> Self {
        let n = episodes.len();
        let metric = |name: &str| {
            let index = spec.metrics.iter().position(|known| *known == name)?;
            Some(episodes.iter().map(move |episode| episode.metrics[index]))
        };
        let known = |mean: f64| mean.is_finite().then_some(mean);
        let successes = metric("success").filter(|_| n > 0);
        let successes = successes.map(|all| all.filter(|success| *success > 0.5).count());
        Self {
            name: name.to_owned(),
            seen: trained_on.map(|names| names.iter().any(|own| own == name)),
            episodes: n,
            success_rate: successes.map(|k| k as f64 / n as f64),
            success_ci95: successes.map(|k| wilson(k, n)),
            return_mean: known(known_mean(episodes.iter().map(|episode| episode.return_))),
            force_mae_n: metric("force_mae_n").and_then(|all| known(known_mean(all))),
        }
    }
}

/// Figures for each of the patients of these folders, of episodes that each have one of them.
pub(super) fn by_patient(
    folders: &[String],
    trained_on: Option<&[String]>,
    spec: &EnvSpec,
    episodes: &[EpisodeStatistics],
) -> Vec<PatientFigures> {
    let column = spec
        .parameters
        .iter()
        .position(|name| name.starts_with(PATIENT));
    let has = |episode: &&EpisodeStatistics, place: usize| {
        // One patient alone is no random parameter.
        column.is_none_or(|column| episode.parameters[column] as usize == place)
    };
    let figures = folders.iter().enumerate().map(|(place, folder)| {
        let own: Vec<&EpisodeStatistics> = episodes.iter().filter(|it| has(it, place)).collect();
        PatientFigures::of(&patient_name(folder), trained_on, spec, &own)
    });
    figures.collect()
}

/// Rows of a table, with a header; empty without patients.
pub fn patient_rows(patients: &[PatientFigures]) -> Vec<String> {
    if patients.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "{:<22} {:>8} {:>8} {:>8} {:>16} {:>10}",
        "patient", "trained", "episodes", "success", "95 % interval", "return"
    )];
    lines.extend(patients.iter().map(|own| {
        let seen = own.seen.map_or("–", |seen| if seen { "yes" } else { "no" });
        let share =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
        let interval = own.success_ci95.map_or("–".to_owned(), |[low, high]| {
            format!("{low:.3} to {high:.3}")
        });
        format!(
            "{:<22} {seen:>8} {:>8} {:>8} {interval:>16} {:>10}",
            own.name,
            own.episodes,
            share(own.success_rate),
            share(own.return_mean)
        )
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::EndReason;

    fn episode(patient: f64, success: f64) -> EpisodeStatistics {
        EpisodeStatistics {
            env_idx: 0,
            seed: 0,
            return_: 10.0 * success,
            length: 1,
            reason: EndReason::TimeLimit,
            verdict: None,
            metrics: vec![success],
            parameters: vec![0.5, patient],
            reward_terms: Vec::new(),
            costs: Vec::new(),
        }
    }

    #[test]
    fn episodes_count_for_their_patient() {
        let spec = EnvSpec {
            metrics: vec!["success"],
            parameters: vec!["torso.x [m]".to_owned(), "organs.seed [1]".to_owned()],
            ..EnvSpec::default()
        };
        let folders = ["p/anna", "p/bert", "p/clara"].map(str::to_owned);
        let episodes = [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 1.0)];
        let episodes = episodes.map(|(patient, success)| episode(patient, success));
        let trained = ["anna".to_owned()];
        let found = by_patient(&folders, Some(&trained), &spec, &episodes);
        let told = |own: &PatientFigures| (own.name.clone(), own.seen, own.episodes);
        let expected = [("anna", true, 3), ("bert", false, 1), ("clara", false, 0)];
        let expected = expected.map(|(name, seen, n)| (name.to_owned(), Some(seen), n));
        assert_eq!(found.iter().map(told).collect::<Vec<_>>(), expected);
        let rates: Vec<_> = found.iter().map(|own| own.success_rate).collect();
        assert_eq!(rates, [Some(2.0 / 3.0), Some(0.0), None]);
        assert_eq!(found[2].return_mean, None);
        // Wilson 1927 for none of one.
        let [low, high] = found[1].success_ci95.unwrap();
        assert!(low.abs() < 1e-9 && (high - 0.793).abs() < 1e-3, "{high}");
        let rows = patient_rows(&found);
        assert!(rows[1].contains("anna") && rows[1].contains("yes") && rows[1].contains("0.667"));
        // Without the parameter all episodes have the only patient.
        let alone = EnvSpec {
            parameters: Vec::new(),
            ..spec
        };
        assert_eq!(
            by_patient(&folders[..1], None, &alone, &episodes)[0].episodes,
            4
        );
    }
}
