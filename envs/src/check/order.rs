//! Calls out of order: a step before the first reset and a step after the end are errors. A reset recovers from both.

use super::report::{CheckedEnv, Report};
use super::trace;
use crate::{Env, EnvError, ResetOptions};

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let mut env = subject.new_env()?;
    let action = neutral(subject);
    refuse(
        &mut *env,
        &action,
        "a step before the first reset",
        subject,
        report,
    );
    if env.end_reason().is_some() {
        report.add("before the first reset", "there is a reason for an end");
    }
    check_short_buffer(&mut *env, subject, report);
    let options = ResetOptions::default();
    let mut episode = trace::begin(&mut *env, subject.options.seed, &options)?;
    for _ in 0..subject.options.max_steps {
        if episode.push(&mut *env, &action)? {
            refuse(&mut *env, &action, "a step after the end", subject, report);
            trace::begin(&mut *env, subject.options.seed, &options)?;
            if env.end_reason().is_some() {
                report.add(
                    "after a reset",
                    "the reason for the last end is still there",
                );
            }
            episode.push(&mut *env, &action)?;
            break;
        }
    }
    Ok(())
}

/// Zero, clipped to the bounds.
pub(super) fn neutral(subject: &CheckedEnv<'_>) -> Vec<f32> {
    let mut action = vec![0.0; subject.spec.action_space.len()];
    subject.spec.action_space.clip(&mut action);
    action
}

fn refuse(
    env: &mut dyn Env,
    action: &[f32],
    place: &str,
    subject: &CheckedEnv<'_>,
    report: &mut Report,
) {
    match env.step(action, &mut subject.blank()) {
        Err(EnvError::Order(_)) => {}
        Err(other) => report.add(place, format!("is not rejected as out of order: {other}")),
        Ok(_) => report.add(place, "is not rejected"),
    }
}

fn check_short_buffer(env: &mut dyn Env, subject: &CheckedEnv<'_>, report: &mut Report) {
    let n_obs = subject.spec.observation_space.len();
    for found in [n_obs - 1, n_obs + 1] {
        let mut buffer = vec![0.0; found];
        let outcome = env.reset(subject.options.seed, &ResetOptions::default(), &mut buffer);
        if !matches!(outcome, Err(EnvError::Length { .. })) {
            report.add(
                format!("reset with room for {found} of {n_obs} numbers"),
                "is not rejected as a wrong length",
            );
        }
    }
}
