//! Result of a benchmark: a row for each policy of a problem, comparisons with the script, and scores over all problems.

use std::collections::BTreeMap;

use serde::Serialize;

use super::piece::{Piece, PieceEpisodes, PieceResult};
use super::scores::{improvement_probability, interquartile_mean};
use super::spread::{Spread, bootstrap};
use super::{BenchmarkPlan, Problem, Suite};
use crate::evaluation::{Estimate, RankCorrelation, Ranked, wilson};

/// The metric that is a proportion.
const SUCCESS: &str = "success";
/// The metric that ranks policies with the same success.
const FORCE_ERROR: &str = "force_mae_n";
/// The policy with which others are compared.
const SCRIPT: &str = "scripted";

/// Result of a benchmark; it is written to `benchmark.json`. Apart from `times` it is the same for the same suite, version and machine.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkResult {
    /// The suite.
    pub suite: Suite,
    /// Number of pieces.
    pub n_pieces: usize,
    /// Number of pieces that have a result.
    pub n_finished: usize,
    /// Policies of each problem, in the order of the suite.
    pub rows: Vec<Row>,
    /// Trained policies against the script of their problem, in the same episodes.
    pub comparisons: Vec<Comparison>,
    /// Success of each algorithm over all problems that it learns.
    pub aggregates: Vec<Aggregate>,
    /// Whether the return ranks the policies of a problem as its success does, for problems with three policies or more.
    pub return_against_rule: Vec<ReturnAgainstRule>,
    /// Times, which differ from run to run.
    pub times: Vec<Times>,
    /// Machines that ran pieces: the number of cores and the processor.
    pub machines: Vec<String>,
    /// Commits of the builds that ran pieces; empty if no build knows its commit.
    pub commits: Vec<String>,
    /// Version of insonate.
    pub insonate_version: &'static str,
}

/// A policy of a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the problem.
    pub problem: String,
    /// Name of the policy.
    pub policy: String,
    /// Seeds of the trainings that are finished; empty for a policy that was not trained here.
    pub seeds: Vec<u64>,
    /// Number of episodes of each seed.
    pub n_episodes: usize,
    /// Success rate; `None` if the task does not have it.
    pub success: Option<Score>,
    /// Return.
    #[serde(rename = "return")]
    pub returns: Score,
    /// Sum of costs; `None` for a task without costs.
    pub cost: Option<Score>,
    /// Other metrics by name.
    pub metrics: BTreeMap<String, Score>,
    /// Episodes that failed their verdict, over all seeds; `None` for a task without verdicts.
    pub n_failed_verdicts: Option<usize>,
    /// Number of seeds whose training solved the task.
    pub n_solved: usize,
    /// Training steps until the task was solved, over the seeds that solved it.
    pub solved_steps: Option<Score>,
}

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Mean over episodes, then over seeds; NaN if nothing is known.
    pub mean: f64,
    /// Interval of the mean: over seeds for trained policies with several seeds (Student t), else over episodes (Wilson for success,
    /// Student t for others). Seeds with equal means have the interval over the episodes of one seed. NaN if unknown.
    pub ci95: [f64; 2],
}

/// A trained policy against the script in the same episodes: the mean over seeds of the mean difference, with the interval over seeds.
///
/// Seeds with equal means have the interval over the episodes of one seed. If success differs equally in all of these, the interval
/// reaches as far as Wilson's for no other episode in as many.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Name of the problem.
    pub problem: String,
    /// Name of the policy.
    pub policy: String,
    /// Name of the other policy.
    pub against: &'static str,
    /// Difference of success rates.
    pub success: Option<Score>,
    /// Difference of returns.
    #[serde(rename = "return")]
    pub returns: Score,
}

/// Success of an algorithm over problems, with intervals by resampling of seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Aggregate {
    /// Name of the policy.
    pub policy: String,
    /// Its problems.
    pub problems: Vec<String>,
    /// Interquartile mean of success rates.
    pub success_iqm: Spread,
    /// Probability that a seed succeeds more often than the script.
    pub improvement_over_script: Spread,
}

/// Return against success in a problem. Each seed of a training is a policy of its own, such as `ppo seed 1`.
#[derive(Clone, Debug, Serialize)]
pub struct ReturnAgainstRule {
    /// Name of the problem.
    pub problem: String,
    /// Ranks of the policies.
    #[serde(flatten)]
    pub ranks: RankCorrelation,
}

/// Times of a policy in a problem [s].
#[derive(Clone, Debug, Serialize)]
pub struct Times {
    /// Name of the problem.
    pub problem: String,
    /// Name of the policy.
    pub policy: String,
    /// Mean duration of a training without evaluations.
    pub train_s: Option<f64>,
    /// Mean duration until the task was solved, with evaluations, over the seeds that solved it.
    pub solved_s: Option<f64>,
    /// Mean duration of a final evaluation.
    pub evaluation_s: f64,
}

/// Results of a policy of a problem, by seed.
struct Group<'a> {
    problem: &'a str,
    policy: &'a str,
    results: Vec<&'a PieceResult>,
}

impl BenchmarkResult {
    pub(super) fn of(
        plan: &BenchmarkPlan,
        pieces: &[Piece],
        finished: &[Option<PieceResult>],
    ) -> Self {
        let groups = groups(plan, finished);
        Self {
            suite: plan.suite.clone(),
            n_pieces: pieces.len(),
            n_finished: finished.iter().flatten().count(),
            rows: groups.iter().map(Group::row).collect(),
            comparisons: groups
                .iter()
                .filter_map(|group| group.against(script_of(&groups, group.problem)?))
                .collect(),
            aggregates: aggregates(&groups),
            return_against_rule: return_against_rule(plan, &groups),
            times: groups.iter().map(Group::times).collect(),
            machines: distinct(finished, |result| Some(&result.timing.machine)),
            commits: distinct(finished, |result| result.commit.as_ref()),
            insonate_version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Whether all pieces have a result.
    pub const fn is_complete(&self) -> bool {
        self.n_finished == self.n_pieces
    }
}

/// Values of the finished pieces without repetition.
fn distinct(
    finished: &[Option<PieceResult>],
    of: impl Fn(&PieceResult) -> Option<&String>,
) -> Vec<String> {
    let mut found: Vec<String> = finished.iter().flatten().filter_map(of).cloned().collect();
    found.sort();
    found.dedup();
    found
}

/// Finished pieces by problem, in the order of the suite, and policy.
fn groups<'a>(plan: &'a BenchmarkPlan, finished: &'a [Option<PieceResult>]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for problem in &plan.suite.problems {
        let own = finished.iter().flatten();
        for result in own.filter(|result| result.problem == problem.name) {
            let known = groups
                .iter_mut()
                .find(|group| group.problem == result.problem && group.policy == result.policy);
            match known {
                Some(group) => group.results.push(result),
                None => groups.push(Group {
                    problem: &result.problem,
                    policy: &result.policy,
                    results: vec![result],
                }),
            }
        }
    }
    groups
}

fn script_of<'a>(groups: &'a [Group<'a>], problem: &str) -> Option<&'a PieceResult> {
    let mut own = groups.iter().filter(|group| group.problem == problem);
    let script = own.find(|group| group.policy == SCRIPT)?;
    script.results.first().copied()
}

impl Group<'_> {
    fn is_trained(&self) -> bool {
        self.results.iter().all(|result| result.seed.is_some())
    }

    fn row(&self) -> Row {
        let first = &self.results[0].episodes;
        let mut metrics: BTreeMap<String, Score> = first
            .metrics
            .keys()
            .map(|name| (name.clone(), self.score(name == SUCCESS, metric(name))))
            .collect();
        let failed = self
            .results
            .iter()
            .filter_map(|result| result.episodes.n_failed_verdicts);
        let trainings = self.results.iter().filter_map(|result| result.training);
        let solved = trainings.filter_map(|training| training.solved_steps);
        let solved: Vec<f64> = solved.map(|steps| steps as f64).collect();
        Row {
            problem: self.problem.to_owned(),
            policy: self.policy.to_owned(),
            seeds: self
                .results
                .iter()
                .filter_map(|result| result.seed)
                .collect(),
            n_episodes: first.returns.len(),
            success: metrics.remove(SUCCESS),
            returns: self.score(false, |episodes| &episodes.returns),
            cost: (!first.cost.is_empty()).then(|| self.score(false, |episodes| &episodes.cost)),
            metrics,
            n_failed_verdicts: first.n_failed_verdicts.map(|_| failed.sum()),
            n_solved: solved.len(),
            solved_steps: (!solved.is_empty()).then(|| Score::of(&solved)),
        }
    }

    /// Mean and interval of a value of episodes.
    fn score(&self, is_share: bool, of: impl Fn(&PieceEpisodes) -> &[Option<f64>]) -> Score {
        let by_seed: Vec<&[Option<f64>]> = self
            .results
            .iter()
            .map(|result| of(&result.episodes))
            .collect();
        if let Some(mut score) = Score::over_seeds(&by_seed) {
            if is_share {
                score.ci95 = score.ci95.map(|end| end.clamp(0.0, 1.0));
            }
            return score;
        }
        let values = known(by_seed[0]);
        let mut score = Score::of(&values);
        if is_share {
            let n_successes = values.iter().filter(|value| **value > 0.5).count();
            score.ci95 = wilson(n_successes, values.len());
        }
        score
    }

    /// Differences to a policy in the same episodes; `None` for policies that were not trained here.
    fn against(&self, other: &PieceResult) -> Option<Comparison> {
        if !self.is_trained() {
            return None;
        }
        let differences = |of: &dyn Fn(&PieceEpisodes) -> &[Option<f64>]| {
            let that = of(&other.episodes);
            let by_seed = self.results.iter().map(|result| {
                let pairs = of(&result.episodes).iter().zip(that);
                let difference =
                    |(this, that): (&Option<f64>, &Option<f64>)| Some((*this)? - (*that)?);
                pairs.map(difference).collect()
            });
            by_seed.collect::<Vec<Vec<Option<f64>>>>()
        };
        let has_success = other.episodes.metrics.contains_key(SUCCESS);
        Some(Comparison {
            problem: self.problem.to_owned(),
            policy: self.policy.to_owned(),
            against: SCRIPT,
            success: has_success.then(|| Score::of_success(&differences(&metric(SUCCESS)))),
            returns: Score::of_differences(&differences(&|episodes| &episodes.returns)),
        })
    }

    fn times(&self) -> Times {
        let over = |of: &dyn Fn(&PieceResult) -> Option<f64>| {
            let known: Vec<f64> = self
                .results
                .iter()
                .filter_map(|result| of(result))
                .collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        Times {
            problem: self.problem.to_owned(),
            policy: self.policy.to_owned(),
            train_s: over(&|result| result.timing.train_s),
            solved_s: over(&|result| result.timing.solved_s),
            evaluation_s: over(&|result| Some(result.timing.evaluation_s)).unwrap_or(f64::NAN),
        }
    }

    /// Success rate of each seed; `None` if the task does not have it.
    fn successes(&self) -> Option<Vec<f64>> {
        let rate = |result: &&PieceResult| {
            let values = result.episodes.metrics.get(SUCCESS)?;
            Some(mean(values))
        };
        self.results.iter().map(rate).collect()
    }
}

/// Scores of each algorithm over its problems.
fn aggregates(groups: &[Group<'_>]) -> Vec<Aggregate> {
    let mut names: Vec<&str> = Vec::new();
    for group in groups.iter().filter(|group| group.is_trained()) {
        if !names.contains(&group.policy) {
            names.push(group.policy);
        }
    }
    let of = |name: &&str| {
        let mut problems = Vec::new();
        let (mut scores, mut scripts) = (Vec::new(), Vec::new());
        for group in groups.iter().filter(|group| group.policy == *name) {
            let script = script_of(groups, group.problem);
            let script = script.and_then(|script| script.episodes.metrics.get(SUCCESS));
            if let (Some(rates), Some(script)) = (group.successes(), script) {
                problems.push(group.problem.to_owned());
                scores.push(rates);
                scripts.push(vec![mean(script)]);
            }
        }
        (!problems.is_empty()).then(|| Aggregate {
            policy: (*name).to_owned(),
            problems,
            success_iqm: bootstrap([&scores], |[set]| interquartile_mean(set)),
            improvement_over_script: bootstrap([&scores, &scripts], |[these, those]| {
                improvement_probability(these, those)
            }),
        })
    };
    names.iter().filter_map(of).collect()
}

/// Ranks of the policies of each problem that has a success metric.
fn return_against_rule(plan: &BenchmarkPlan, groups: &[Group<'_>]) -> Vec<ReturnAgainstRule> {
    let of = |problem: &Problem| {
        let own = groups.iter().filter(|group| group.problem == problem.name);
        let all: Option<Vec<Ranked>> = own
            .flat_map(|group| &group.results)
            .map(|result| ranked(result))
            .collect();
        Some(ReturnAgainstRule {
            problem: problem.name.clone(),
            ranks: RankCorrelation::of(&all?)?,
        })
    };
    plan.suite.problems.iter().filter_map(of).collect()
}

fn ranked(result: &PieceResult) -> Option<Ranked> {
    let episodes = &result.episodes;
    let success = mean(episodes.metrics.get(SUCCESS)?);
    let force_error = episodes.metrics.get(FORCE_ERROR);
    Some(Ranked {
        name: match result.seed {
            Some(seed) => format!("{} seed {seed}", result.policy),
            None => result.policy.clone(),
        },
        return_: mean(&episodes.returns),
        success,
        force_error: force_error.map_or(f64::NAN, |values| mean(values)),
    })
}

impl Score {
    fn of(values: &[f64]) -> Self {
        let Estimate { mean, ci95, .. } = Estimate::of(values.iter().copied());
        Self { mean, ci95 }
    }

    /// Score over seeds, from the episodes of each. Seeds with equal means tell nothing about their spread: `None`, as for a single seed.
    fn over_seeds(episodes: &[impl AsRef<[Option<f64>]>]) -> Option<Self> {
        let means: Vec<f64> = episodes.iter().map(|own| mean(own.as_ref())).collect();
        let differ = means.iter().any(|value| *value != means[0]);
        differ.then(|| Self::of(&means))
    }

    /// Score of differences by seed and episode.
    fn of_differences(episodes: &[Vec<Option<f64>>]) -> Self {
        Self::over_seeds(episodes).unwrap_or_else(|| Self::of(&known(&episodes[0])))
    }

    /// Score of differences of success.
    fn of_success(episodes: &[Vec<Option<f64>>]) -> Self {
        let mut score = Self::of_differences(episodes);
        let first = known(&episodes[0]);
        // Of no other value in n episodes follows that at most this share of all episodes has one.
        if score.ci95[0] == score.ci95[1] {
            let [_, rarest] = wilson(0, first.len());
            score.ci95 = [score.mean - rarest, score.mean + rarest];
        }
        score.ci95 = score.ci95.map(|end| end.clamp(-1.0, 1.0));
        score
    }
}

fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().flatten().copied().collect()
}

fn metric(name: &str) -> impl Fn(&PieceEpisodes) -> &[Option<f64>] {
    let name = name.to_owned();
    move |episodes| episodes.metrics.get(&name).map_or(&[][..], Vec::as_slice)
}

/// Mean of known values; NaN if none is known.
fn mean(values: &[Option<f64>]) -> f64 {
    let known = known(values);
    known.iter().sum::<f64>() / known.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episodes(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn seeds_with_equal_means_have_the_interval_over_episodes() {
        let seeds = [episodes(&[1.0, 2.0, 3.0]), episodes(&[2.0, 2.0, 2.0])];
        let score = Score::of_differences(&seeds);
        // Student t with two degrees of freedom: 4.3027 · 1 / √3.
        let half = 4.302_653 / 3.0_f64.sqrt();
        assert!((score.ci95[1] - 2.0 - half).abs() < 1e-5, "{score:?}");
        // Means 2 and 4: 12.7062 · √2 / √2 around 3.
        let seeds = [episodes(&[1.0, 2.0, 3.0]), episodes(&[4.0, 4.0, 4.0])];
        let score = Score::of_differences(&seeds);
        assert!(
            (score.ci95[0] - (3.0 - 12.706_205)).abs() < 1e-4,
            "{score:?}"
        );
    }

    #[test]
    fn equal_success_in_few_episodes_is_not_certain() {
        // Wilson's upper end for 0 of 4: z² / (4 + z²).
        let rarest = 3.841_459 / 7.841_459;
        let score = Score::of_success(&[episodes(&[0.0; 4]), episodes(&[0.0; 4])]);
        assert_eq!(score.mean, 0.0);
        for (end, sign) in score.ci95.into_iter().zip([-1.0, 1.0]) {
            assert!((end - sign * rarest).abs() < 1e-5, "{score:?}");
        }
        let score = Score::of_success(&[episodes(&[-1.0; 4])]);
        assert_eq!(score.ci95[0], -1.0);
        assert!((score.ci95[1] - (rarest - 1.0)).abs() < 1e-5, "{score:?}");
    }
}
