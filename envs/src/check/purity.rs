//! Episodes are pure: the same seed and actions give the same bits in a new instance, in a used one, and next to other instances.

use super::report::{CheckedEnv, Report};
use super::trace::{self, Trace, actions};
use crate::{EnvError, ResetOptions};

/// Number of seeds to try until an episode differs.
const N_SEEDS: u64 = 8;

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let todo = actions(subject, 2);
    let seed = subject.options.seed;
    let any = ResetOptions::default();
    let mut env = subject.new_env()?;
    let expected = trace::run(&mut *env, seed, &any, &todo)?;
    let mut compare = |place: &str, found: &Trace| {
        if let Some(difference) = expected.difference(found, &subject.spec) {
            report.add(place, difference);
        }
    };
    compare(
        "the same episode again",
        &trace::run(&mut *env, seed, &any, &todo)?,
    );
    // An unfinished episode has no effect on the next one.
    trace::run(&mut *env, seed + 1, &any, &actions(subject, 3)[..1])?;
    trace::begin(&mut *env, seed + 2, &any)?;
    compare(
        "the same episode after others",
        &trace::run(&mut *env, seed, &any, &todo)?,
    );
    compare("the same episode in a new instance", &{
        let mut other = subject.new_env()?;
        trace::run(&mut *other, seed, &any, &todo)?
    });
    compare(
        "the same episode next to another instance",
        &interleaved(subject, &todo)?,
    );
    if subject.options.is_random {
        check_seeds(subject, &todo, &expected, report)?;
    }
    Ok(())
}

/// Two instances step alternately.
fn interleaved(subject: &CheckedEnv<'_>, todo: &[Vec<f32>]) -> Result<Trace, EnvError> {
    let any = ResetOptions::default();
    let (mut env, mut other) = (subject.new_env()?, subject.new_env()?);
    let mut episode = trace::begin(&mut *env, subject.options.seed, &any)?;
    let mut neighbour = trace::begin(&mut *other, subject.options.seed + 3, &any)?;
    let mut is_over = false;
    for (action, else_action) in todo.iter().zip(actions(subject, 4)) {
        if !is_over {
            is_over = neighbour.push(&mut *other, &else_action)?;
        }
        if episode.push(&mut *env, action)? {
            break;
        }
    }
    episode.finish(&*env);
    Ok(episode)
}

fn check_seeds(
    subject: &CheckedEnv<'_>,
    todo: &[Vec<f32>],
    expected: &Trace,
    report: &mut Report,
) -> Result<(), EnvError> {
    let mut env = subject.new_env()?;
    for seed in 1..N_SEEDS {
        let seed = subject.options.seed.wrapping_add(seed);
        let found = trace::run(&mut *env, seed, &ResetOptions::default(), todo)?;
        if expected.difference(&found, &subject.spec).is_some() {
            return Ok(());
        }
    }
    report.add(
        "different seeds",
        format!("{N_SEEDS} of them give the same episode"),
    );
    Ok(())
}
