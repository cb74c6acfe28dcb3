//! Whole episodes: every number is finite and in its space, the reward is the sum of its terms, and episodes end as the spec says.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::order::neutral;
use super::report::{CheckedEnv, Report};
use crate::{EndReason, Env, EnvError, ResetOptions, Step};

/// Relative tolerance between the reward and the sum of its terms, for the order of summation.
const SUM_TOLERANCE: f64 = 1e-9;

/// Relative tolerance between the simulated time of a step and `control_timestep` of the spec.
const TIME_TOLERANCE: f64 = 1e-6;

/// Kinds of actions.
#[derive(Debug, Clone, Copy)]
enum ActionKind {
    Random,
    AtTheBounds,
    Neutral,
}

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let mut env = subject.new_env()?;
    for episode in 0..subject.options.n_episodes as u64 {
        for kind in [
            ActionKind::Random,
            ActionKind::AtTheBounds,
            ActionKind::Neutral,
        ] {
            run(&mut *env, subject, kind, episode, report)?;
            if !report.is_clean() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn run(
    env: &mut dyn Env,
    subject: &CheckedEnv<'_>,
    kind: ActionKind,
    episode: u64,
    report: &mut Report,
) -> Result<(), EnvError> {
    let seed = subject.options.seed.wrapping_add(episode);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut observation = subject.blank();
    env.reset(seed, &ResetOptions::default(), &mut observation)?;
    let place = |step: usize| format!("{kind:?} actions, seed {seed}, step {step}");
    check_observation(subject, &observation, &place(0), report);
    check_start(env, subject, &place(0), report);
    for n_steps in 1..=subject.options.max_steps {
        let action = act(kind, subject, &mut rng);
        let before = env.scene().map(|(_, physics)| physics.time());
        observation.fill(f32::NAN);
        let step = env.step(&action, &mut observation)?;
        let place = place(n_steps);
        check_observation(subject, &observation, &place, report);
        check_reward(env, subject, step, &place, report);
        check_end(env, subject, step, n_steps, &place, report);
        if !step.is_over() {
            check_time(env, subject, before, &place, report);
        }
        if step.is_over() || !report.is_clean() {
            return Ok(());
        }
    }
    Ok(())
}

fn act(kind: ActionKind, subject: &CheckedEnv<'_>, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut action = neutral(subject);
    let space = &subject.spec.action_space;
    match kind {
        ActionKind::Neutral => {}
        ActionKind::Random => space.sample(rng, &mut action),
        ActionKind::AtTheBounds => {
            space.sample(rng, &mut action);
            for (i, value) in action.iter_mut().enumerate() {
                let middle = f32::midpoint(space.low[i], space.high[i]);
                let bound = if *value < middle {
                    space.low[i]
                } else {
                    space.high[i]
                };
                if bound.is_finite() {
                    *value = bound;
                }
            }
        }
    }
    space.clip(&mut action);
    action
}

fn check_observation(
    subject: &CheckedEnv<'_>,
    observation: &[f32],
    place: &str,
    report: &mut Report,
) {
    let space = &subject.spec.observation_space;
    if let Some(index) = observation.iter().position(|value| !value.is_finite()) {
        let (name, value) = (&space.names[index], observation[index]);
        report.add(
            place,
            format!("observation[{index}] ({name}) is {value} or was not written"),
        );
    } else if let Err(error) = space.check("observation", observation) {
        report.add(place, error);
    }
}

/// Checks the state right after a reset.
fn check_start(env: &dyn Env, subject: &CheckedEnv<'_>, place: &str, report: &mut Report) {
    let lengths = [
        (
            "reward_terms",
            env.reward_terms().len(),
            subject.spec.reward_terms.len(),
        ),
        ("costs", env.costs().len(), subject.spec.costs.len()),
        (
            "parameters",
            env.parameters().len(),
            subject.spec.parameters.len(),
        ),
    ];
    for (what, found, expected) in lengths {
        if found != expected {
            report.add(
                place,
                format!("{what} gives {found} numbers for {expected} names"),
            );
        }
    }
    if let Some(index) = env.parameters().iter().position(|value| !value.is_finite()) {
        let value = env.parameters()[index];
        report.add(place, format!("parameters[{index}] is {value}"));
    }
    if let Some(reason) = env.end_reason() {
        report.add(
            place,
            format!("has a reason for its end: {}", reason.text()),
        );
    }
    if subject.spec.n_substeps > 0 && env.scene().is_none() {
        let n_substeps = subject.spec.n_substeps;
        report.add(
            place,
            format!("n_substeps is {n_substeps}, but there is no scene"),
        );
    }
}

fn check_reward(
    env: &dyn Env,
    subject: &CheckedEnv<'_>,
    step: Step,
    place: &str,
    report: &mut Report,
) {
    let terms = env.reward_terms();
    if terms.len() != subject.spec.reward_terms.len() {
        report.add(place, format!("gives {} reward terms", terms.len()));
    }
    if !step.reward.is_finite() {
        report.add(place, format!("the reward is {}", step.reward));
    }
    if let Some(index) = terms.iter().position(|term| !term.is_finite()) {
        let name = subject
            .spec
            .reward_terms
            .get(index)
            .copied()
            .unwrap_or_default();
        report.add(place, format!("the reward term {name} is {}", terms[index]));
    }
    let costs = env.costs().iter().zip(&subject.spec.costs);
    for (cost, name) in costs.filter(|(cost, _)| !(cost.is_finite() && **cost >= 0.0)) {
        report.add(place, format!("the cost {name} is {cost}"));
    }
    let sum: f64 = terms.iter().sum();
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    if (step.reward - sum).abs() > SUM_TOLERANCE * size.max(1e-300) {
        report.add(
            place,
            format!(
                "the reward is {}, but the sum of its terms is {sum}",
                step.reward
            ),
        );
    }
}

fn check_end(
    env: &dyn Env,
    subject: &CheckedEnv<'_>,
    step: Step,
    n_steps: usize,
    place: &str,
    report: &mut Report,
) {
    let limit = subject.spec.max_episode_steps;
    if limit.is_some_and(|limit| n_steps >= limit) && !step.is_over() {
        report.add(place, "the episode continues beyond max_episode_steps");
    }
    match env.end_reason() {
        None if step.is_over() => report.add(place, "the episode is over without a reason"),
        Some(reason) if !step.is_over() => {
            report.add(
                place,
                format!(
                    "the episode continues, though it has an end reason: {}",
                    reason.text()
                ),
            );
        }
        Some(EndReason::TimeLimit | EndReason::Schedule(_)) if !step.truncated => {
            report.add(
                place,
                "ends by its time limit or schedule, but is not truncated",
            );
        }
        Some(EndReason::Task(_) | EndReason::Diverged(_)) if !step.terminated => {
            report.add(place, "ends by the task's own rule, but is not terminated");
        }
        _ => {}
    }
    if !step.is_over() {
        return;
    }
    let mut metrics = vec![f64::INFINITY; subject.spec.metrics.len()];
    env.metrics(&mut metrics);
    for (name, value) in subject.spec.metrics.iter().zip(metrics) {
        if value.is_infinite() {
            report.add(
                place,
                format!("metric {name} is {value} or was not written"),
            );
        }
        if *name == "success" && value != 0.0 && value != 1.0 {
            report.add(place, format!("success is {value} at the end, not 0 or 1"));
        }
    }
}

fn check_time(
    env: &dyn Env,
    subject: &CheckedEnv<'_>,
    before: Option<f64>,
    place: &str,
    report: &mut Report,
) {
    let after = env.scene().map(|(_, physics)| physics.time());
    let (Some(before), Some(after)) = (before, after) else {
        return;
    };
    let expected = subject.spec.control_timestep;
    if (after - before - expected).abs() > TIME_TOLERANCE * expected.max(after) {
        report.add(
            place,
            format!(
                "took {} s of simulated time, not {expected} s",
                after - before
            ),
        );
    }
}
