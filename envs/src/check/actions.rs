//! Invalid actions: they must give the right error, name the entry and have no effect on later steps.

use super::report::{CheckedEnv, Report};
use super::trace::{self, Trace, actions};
use crate::{EnvError, ResetOptions};

/// An action that must be rejected.
struct InvalidAction {
    what: String,
    action: Vec<f32>,
    is_right: fn(&EnvError) -> bool,
}

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let todo = actions(subject, 1);
    let mut env = subject.new_env()?;
    let expected = trace::run(
        &mut *env,
        subject.options.seed,
        &ResetOptions::default(),
        &todo,
    )?;
    // A reset with a buffer of the wrong length is rejected too and must have no effect either.
    for bad in bad_actions(subject, &todo[0]) {
        let found = run_with(subject, &bad, &todo, report)?;
        if let Some(difference) = expected.difference(&found, &subject.spec) {
            report.add(
                format!("after {} was rejected", bad.what),
                format!("the episode continues differently: {difference}"),
            );
        }
    }
    Ok(())
}

/// Runs an episode in which the invalid action is tried at the start and later.
fn run_with(
    subject: &CheckedEnv<'_>,
    bad: &InvalidAction,
    todo: &[Vec<f32>],
    report: &mut Report,
) -> Result<Trace, EnvError> {
    let mut env = subject.new_env()?;
    let mut episode = trace::begin(&mut *env, subject.options.seed, &ResetOptions::default())?;
    for (index, action) in todo.iter().enumerate() {
        if index % 7 == 0 {
            match env.step(&bad.action, &mut subject.blank()) {
                Ok(_) => report.add(&bad.what, "is not rejected"),
                Err(error) if !(bad.is_right)(&error) => {
                    report.add(
                        &bad.what,
                        format!("is rejected with the wrong error: {error}"),
                    );
                }
                Err(_) => {}
            }
        }
        if episode.push(&mut *env, action)? {
            break;
        }
    }
    episode.finish(&*env);
    Ok(episode)
}

fn bad_actions(subject: &CheckedEnv<'_>, good: &[f32]) -> Vec<InvalidAction> {
    let space = &subject.spec.action_space;
    let mut all = Vec::new();
    let lengths = [good[1..].to_vec(), [good, &[0.0]].concat(), Vec::new()];
    for action in lengths {
        all.push(InvalidAction {
            what: format!("an action of {} numbers", action.len()),
            action,
            is_right: |error| matches!(error, EnvError::Length { .. }),
        });
    }
    for (index, name) in space.names.iter().enumerate() {
        let mut push = |value: f32, is_right: fn(&EnvError) -> bool| {
            let mut action = good.to_vec();
            action[index] = value;
            all.push(InvalidAction {
                what: format!("action[{index}] ({name}) = {value}"),
                action,
                is_right,
            });
        };
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            push(value, |error| matches!(error, EnvError::NotFinite { .. }));
        }
        for bound in [next(space.low[index], -1.0), next(space.high[index], 1.0)] {
            if bound.is_finite() {
                push(bound, |error| matches!(error, EnvError::OutOfBounds { .. }));
            }
        }
    }
    all
}

/// The next number beyond a bound.
fn next(bound: f32, direction: f32) -> f32 {
    bound + direction * (bound.abs() * 1e-5).max(1e-6)
}
