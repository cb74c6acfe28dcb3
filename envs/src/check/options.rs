//! Options of a reset: they fix a parameter for one episode, and a misspelt option is rejected with the nearest known name.

use super::report::{CheckedEnv, Report};
use super::trace::{self, actions};
use crate::{Env, EnvError, ResetOptions};

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let todo = actions(subject, 5);
    let seed = subject.options.seed;
    let any = ResetOptions::default();
    let mut env = subject.new_env()?;
    let expected = trace::run(&mut *env, seed, &any, &todo)?;
    // Values that this environment has drawn itself.
    let other = trace::begin(&mut *env, seed.wrapping_add(1), &any)?.parameters;
    let pairs = subject.spec.parameters.iter().zip(&other);
    for (index, (full_name, &value)) in pairs.enumerate() {
        let name = without_unit(full_name);
        let found = trace::begin(&mut *env, seed, &fixing(name, value));
        match found {
            Err(error) => report.add(format!("option {name} = {value}"), error),
            Ok(found) if found.parameters[index].to_bits() != value.to_bits() => report.add(
                format!("option {name} = {value}"),
                format!("the episode has {}", found.parameters[index]),
            ),
            Ok(_) => {}
        }
        let place = format!("option {name} = NaN");
        refuse(
            &mut *env,
            subject,
            &fixing(name, f64::NAN),
            &place,
            "",
            report,
        );
        let misspelt = format!("{name}x");
        let place = format!("option {misspelt}");
        refuse(
            &mut *env,
            subject,
            &fixing(&misspelt, value),
            &place,
            name,
            report,
        );
    }
    refuse(
        &mut *env,
        subject,
        &fixing("no_such_thing", 0.0),
        "option no_such_thing",
        "",
        report,
    );
    // Neither a fixed parameter nor a rejected reset affects the next episode.
    let found = trace::run(&mut *env, seed, &any, &todo)?;
    if let Some(difference) = expected.difference(&found, &subject.spec) {
        report.add("an episode after one with options", difference);
    }
    Ok(())
}

/// The name of a parameter in options.
fn without_unit(name: &str) -> &str {
    name.split_once(" [").map_or(name, |(name, _)| name)
}

fn fixing(name: &str, value: f64) -> ResetOptions {
    ResetOptions {
        parameters: [(name.to_owned(), value)].into(),
    }
}

/// Checks that the reset fails and that its message contains `meant`.
fn refuse(
    env: &mut dyn Env,
    subject: &CheckedEnv<'_>,
    options: &ResetOptions,
    place: &str,
    meant: &str,
    report: &mut Report,
) {
    match env.reset(subject.options.seed, options, &mut subject.blank()) {
        Ok(()) => report.add(place, "is not rejected"),
        Err(error)
            if !error
                .to_string()
                .contains(&format!("{meant:?}").replace("\"\"", "")) =>
        {
            report.add(place, format!("the error does not name {meant}: {error}"));
        }
        Err(_) => {}
    }
}
