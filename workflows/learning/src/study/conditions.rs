//! Step 4: evaluation of the policies under conditions that differ from their training.

use std::path::Path;

use insonate_envs::{EnvError, ResetOptions, settings};
use insonate_experiments::{Interrupted, SoftnessFit};
use insonate_files::{FileError, OutputFolder};
use insonate_models::torsos::Softness;
use insonate_rl::run::POLICY;
use toml::Table;

use super::{ConditionResult, Observer, PolicyFigures, StudyEvent, StudyPlan, folder, torsos};
use crate::LearningError;
use crate::evaluation::{
    Estimate, EvaluationPlan, EvaluationResult, NamedPolicy, evaluate, paired_difference, wilson,
};

/// Name of the policy for the patient.
pub(super) const CALIBRATED: &str = "calibrated";
/// Name of the policy for the torso of the thesis (Jakobsen 2021), with its lattice and its ranges of softness.
pub(super) const THESIS: &str = "thesis";
/// The task's own script.
const SCRIPTED: &str = "scripted";
/// Half sizes of the area with farther sites [m]; the default of the torso tasks is 0.06 and 0.09.
const FARTHER: [f64; 2] = [0.08, 0.12];
/// Kinds of torso on which policies are evaluated but not trained. The other kinds are too slow.
const OTHER_TORSOS: [&str; 2] = ["flex", "xpbd"];
/// The setting that enables breathing.
pub(super) const BREATHING: (&str, &str) = ("randomization.breathing", "true");
/// Number of environments that step together.
const N_ENVS: usize = 16;

/// A condition to be evaluated.
struct Condition {
    name: String,
    what: String,
    /// Settings that override those of each policy's training.
    env: Table,
}

/// Evaluates all policies under all conditions.
pub(super) fn evaluate_all(
    plan: &StudyPlan,
    folder: &OutputFolder,
    torsos: &[SoftnessFit],
    observer: Observer<'_>,
) -> Result<Vec<ConditionResult>, LearningError> {
    let all = conditions(plan, torsos)?;
    let n = all.len() as f64;
    let mut results = Vec::new();
    for (index, condition) in all.into_iter().enumerate() {
        let mut progress = |share: f64| {
            let share = (index as f64 + share) / n;
            observer(&StudyEvent::Evaluating(&condition.name, share))
        };
        let found = evaluate_one(plan, folder, &condition.env, &mut progress)?;
        let paired = found[1..]
            .iter()
            .map(|other| paired_difference(&found[0], other).map_err(LearningError::Unpaired))
            .collect::<Result<_, _>>()?;
        results.push(ConditionResult {
            policies: found.iter().map(figures).collect(),
            paired,
            name: condition.name,
            what: condition.what,
        });
    }
    Ok(results)
}

fn evaluate_one(
    plan: &StudyPlan,
    folder: &OutputFolder,
    env: &Table,
    progress: insonate_experiments::Progress<'_>,
) -> Result<Vec<EvaluationResult>, LearningError> {
    let file = |name: &str| -> Result<String, FileError> {
        let path = folder::policy(folder, name)?.join(POLICY);
        Ok(path.display().to_string())
    };
    let names = [file(CALIBRATED)?, file(THESIS)?, SCRIPTED.to_owned()];
    let mut policies = NamedPolicy::load_all(&names, Some(&plan.task), env)?;
    for (policy, name) in policies.iter_mut().zip([CALIBRATED, THESIS, SCRIPTED]) {
        if name != SCRIPTED {
            name.clone_into(&mut policy.name);
        }
    }
    let episodes = EvaluationPlan {
        seeds: vec![plan.seed],
        n_episodes: plan.n_episodes,
        options: ResetOptions::default(),
        n_envs: N_ENVS,
        n_threads: plan.n_threads,
    };
    let n = policies.len() as f64;
    let mut results = Vec::new();
    for (index, policy) in policies.iter().enumerate() {
        let result = evaluate(policy, &episodes, &mut |n_done| {
            progress((index as f64 + n_done as f64 / plan.n_episodes as f64) / n)
        })?;
        if result.episodes.len() < plan.n_episodes {
            return Err(Interrupted.into());
        }
        results.push(result);
    }
    Ok(results)
}

fn figures(result: &EvaluationResult) -> PolicyFigures {
    let n = result.episodes.len();
    let successes = result.n_successes().unwrap_or(0);
    let metric =
        |name: &str| Estimate::of_magnitudes(result.metric(name).unwrap_or_default().into_iter());
    PolicyFigures {
        name: result.name.clone(),
        success_rate: successes as f64 / n as f64,
        success_ci95: wilson(successes, n),
        force_mae_n: metric("force_mae_n"),
        peak_force_n: metric("peak_force_n"),
        contact_speed_m_s: metric("contact_speed_m_s"),
        n_episodes: n,
        n_failed: result.failed_verdicts().map_or(0, |failed| failed.len()),
        reasons: result.failure_reasons(),
    }
}

/// Ranges of the stiffness and damping settings with which a torso measures a range times a factor.
pub(super) fn randomized(
    fits: &[SoftnessFit],
    torso: &str,
    [stiffness, damping]: [[f64; 2]; 2],
    factor: f64,
) -> [[f64; 2]; 2] {
    let end = |end: usize| {
        let wanted = Softness {
            stiffness: factor * stiffness[end],
            damping: factor * damping[end],
        };
        torsos::given(fits, torso, &wanted)
    };
    let (low, high) = (end(0), end(1));
    [[low.stiffness, high.stiffness], [low.damping, high.damping]]
}

/// Settings of environments for a torso with ranges of stiffness and damping, and more settings.
pub(super) fn environment(
    torso: &str,
    lattice: &str,
    ranges: [[f64; 2]; 2],
    more: &[(&str, &str)],
) -> Result<Table, EnvError> {
    let [stiffness, damping] = ranges.map(|[low, high]| format!("[{low:?}, {high:?}]"));
    let mut env = Table::new();
    let usual = [
        ("scene.torso", torso),
        ("scene.lattice", lattice),
        ("randomization.stiffness", &stiffness),
        ("randomization.damping", &damping),
        ("randomization.breathing", "false"),
    ];
    for (setting, value) in usual.iter().chain(more) {
        settings::set(&mut env, setting, value)?;
    }
    Ok(env)
}

fn conditions(plan: &StudyPlan, fits: &[SoftnessFit]) -> Result<Vec<Condition>, EnvError> {
    let range = plan.measured().range;
    let farther = format!("[{}, {}]", FARTHER[0], FARTHER[1]);
    let farther = [BREATHING, ("task.area", farther.as_str())];
    let with = |name: &str, what: &str, range, factor: f64, more: &[(&str, &str)]| {
        let ranges = randomized(fits, torsos::LEARNED, range, factor);
        Condition::new(
            name,
            what,
            environment(torsos::LEARNED, "probe", ranges, more),
        )
    };
    let breathing = &[BREATHING][..];
    let mut all = vec![
        with(
            "still",
            "as calibrated, holding the breath",
            range,
            1.0,
            &[],
        )?,
        with(
            "breathing",
            "as calibrated, breathing",
            range,
            1.0,
            breathing,
        )?,
        with(
            "softer",
            "half as stiff and as damped, breathing",
            range,
            0.5,
            breathing,
        )?,
        with(
            "stiffer",
            "twice as stiff and as damped, breathing",
            range,
            2.0,
            breathing,
        )?,
        with(
            "farther",
            "breathing, on an area 1.8 times as large",
            range,
            1.0,
            &farther,
        )?,
    ];
    for log in plan.measured_held_out() {
        let stem = Path::new(&log.log).file_stem().unwrap_or_default();
        let what = format!(
            "breathing, as soft as {}, which was not used for fitting",
            log.log
        );
        all.push(with(
            &stem.to_string_lossy(),
            &what,
            log.range,
            1.0,
            breathing,
        )?);
    }
    for torso in OTHER_TORSOS {
        if fits.iter().all(|fit| fit.torso != torso) {
            continue;
        }
        let what = format!("as calibrated, holding the breath, on a torso of the kind {torso}");
        let ranges = randomized(fits, torso, range, 1.0);
        all.push(Condition::new(
            torso,
            &what,
            environment(torso, "probe", ranges, &[]),
        )?);
    }
    Ok(all)
}

impl Condition {
    fn new(name: &str, what: &str, env: Result<Table, EnvError>) -> Result<Self, EnvError> {
        Ok(Self {
            name: name.to_owned(),
            what: what.to_owned(),
            env: env?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_scaled_like_the_fit() {
        let softness = |stiffness, damping| Softness { stiffness, damping };
        let fit = SoftnessFit {
            torso: "fast".to_owned(),
            target: softness(1000.0, 10.0),
            untuned: softness(800.0, 20.0),
            given: softness(1250.0, 5.0),
            simulated: softness(1000.0, 10.0),
            stiffness_error: 0.0,
            damping_error: 0.0,
            reached: true,
            force_rmse: 0.1,
            peak_force: 8.0,
            n_presses: 3,
        };
        let range = [[900.0, 1100.0], [8.0, 12.0]];
        let found = randomized(&[fit], "fast", range, 2.0);
        assert_eq!(found, [[2250.0, 2750.0], [8.0, 12.0]]);
        assert_eq!(randomized(&[], "fast", range, 1.0), range);
    }
}
