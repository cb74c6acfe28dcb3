//! The spec: names, bounds and lengths are consistent, constant, and the same for every instance.

use std::collections::BTreeSet;

use super::report::{CheckedEnv, Report};
use super::trace::{self, actions};
use crate::{BoxSpace, EnvError, EnvSpec, GroupKind, ObservationGroup, ResetOptions};

pub(super) fn check(spec: &EnvSpec, report: &mut Report) {
    if spec.id.trim().is_empty() {
        report.add("id", "is empty");
    }
    check_space("observation_space", &spec.observation_space, report);
    check_groups(spec, report);
    check_space("action_space", &spec.action_space, report);
    if spec.reward_terms.is_empty() {
        report.add("reward_terms", "is empty, but the reward is their sum");
    }
    check_names("reward_terms", &spec.reward_terms, false, report);
    check_names("costs", &spec.costs, false, report);
    check_names("metrics", &spec.metrics, false, report);
    check_names("parameters", &spec.parameters, true, report);
    if spec.metrics.iter().skip(1).any(|name| *name == "success") {
        report.add("metrics", "success must come first");
    }
    if spec.max_episode_steps == Some(0) {
        report.add("max_episode_steps", "is 0");
    }
    if !(spec.control_timestep.is_finite() && spec.control_timestep > 0.0) {
        report.add(
            "control_timestep",
            format!("is {} s", spec.control_timestep),
        );
    }
}

fn check_space(place: &str, space: &BoxSpace, report: &mut Report) {
    let lengths = [space.names.len(), space.low.len(), space.high.len()];
    if lengths != [space.len(); 3] {
        report.add(
            place,
            format!(
                "has {} names, {} low and {} high bounds",
                lengths[0], lengths[1], lengths[2]
            ),
        );
        return;
    }
    if space.is_empty() {
        report.add(place, "is empty");
    }
    check_names(place, &space.names, true, report);
    for (index, name) in space.names.iter().enumerate() {
        let (low, high) = (space.low[index], space.high[index]);
        if low.is_nan() || high.is_nan() || low > high {
            report.add(
                format!("{place}[{index}] ({name})"),
                format!("has bounds {low} to {high}"),
            );
        }
    }
}

fn check_groups(spec: &EnvSpec, report: &mut Report) {
    let groups = &spec.observation_groups;
    let n: usize = groups.iter().map(ObservationGroup::len).sum();
    let n_obs = spec.observation_space.len();
    if !groups.is_empty() && n != n_obs {
        let problem = format!("have {n} entries, but the observation has {n_obs}");
        report.add("observation_groups", problem);
    }
    for (index, group) in groups.iter().enumerate() {
        let n_dimensions = match group.kind {
            GroupKind::State => 1,
            GroupKind::Image | GroupKind::Depth => 3,
        };
        if group.name.trim().is_empty() || group.shape.len() != n_dimensions {
            let (name, shape) = (&group.name, &group.shape);
            let problem = format!(
                "{name:?} has shape {shape:?}, but needs a name and {n_dimensions} dimensions"
            );
            report.add(format!("observation_groups[{index}]"), problem);
        }
    }
}

fn check_names(place: &str, names: &[impl AsRef<str>], with_unit: bool, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        let name = name.as_ref();
        let place = format!("{place}[{index}]");
        if name.trim().is_empty() {
            report.add(place, "has an empty name");
        } else if !seen.insert(name) {
            report.add(place, format!("has the name {name:?} of another entry"));
        } else if with_unit && !(name.contains(" [") && name.contains(']')) {
            report.add(
                place,
                format!("the name {name:?} has no unit, such as \"force [N]\""),
            );
        }
    }
}

/// The spec of another instance and of a used instance is the same.
pub(super) fn check_life(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let mut env = subject.new_env()?;
    if *env.spec() != subject.spec {
        report.add(
            "a second instance",
            "has a spec that differs from the first",
        );
    }
    let todo = actions(subject, 0);
    trace::run(&mut *env, 0, &ResetOptions::default(), &todo)?;
    if *env.spec() != subject.spec {
        report.add("after some steps", "the spec has changed");
    }
    Ok(())
}
