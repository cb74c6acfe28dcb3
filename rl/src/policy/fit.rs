//! Whether a policy or checkpoint belongs to an environment.

use insonate_envs::{BoxSpace, EnvSpec};
use serde::{Deserialize, Serialize};

use super::Policy;
use crate::RlError;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// The names of a space; its bounds, which may be infinite, are tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceRecord {
    names: Vec<String>,
}

impl SpaceRecord {
    /// Adds the bounds to a file as `<name>.low` and `<name>.high`, and gives what its description says.
    pub(crate) fn add(space: &BoxSpace, name: &str, writer: &mut TensorWriter) -> Self {
        for (side, bounds) in [("low", &space.low), ("high", &space.high)] {
            writer.add(
                format!("{name}.{side}"),
                Tensor::f32(bounds, &[bounds.len()]),
            );
        }
        Self {
            names: space.names.clone(),
        }
    }

    /// The space that was added under this name.
    pub(crate) fn take(self, name: &str, file: &mut TensorFile) -> Result<BoxSpace, RlError> {
        let n = self.names.len();
        if n == 0 {
            return Err(file.wrong(format!("has an empty {name}")));
        }
        let low = file.take_f32(&format!("{name}.low"), &[n])?;
        let high = file.take_f32(&format!("{name}.high"), &[n])?;
        // Written so that NaN is refused too.
        if !low.iter().zip(&high).all(|(low, high)| low <= high) {
            return Err(file.wrong(format!("has bounds of {name} that are not in order")));
        }
        Ok(BoxSpace {
            names: self.names,
            low,
            high,
        })
    }
}

pub(super) fn check_fits(policy: &Policy, spec: &EnvSpec) -> Result<(), RlError> {
    let what = "policy";
    if policy.identity.task != spec.id {
        let task = &policy.identity.task;
        return Err(misfit(
            what,
            spec,
            format!("it was trained for the task {task:?}: use it with that task"),
        ));
    }
    check_spaces(
        what,
        [&policy.observation_space, &policy.action_space],
        spec,
    )
}

/// Fails where observations or actions differ.
pub(crate) fn check_spaces(
    what: &'static str,
    [observation_space, action_space]: [&BoxSpace; 2],
    spec: &EnvSpec,
) -> Result<(), RlError> {
    let spaces = [
        ("observation", observation_space, &spec.observation_space),
        ("action", action_space, &spec.action_space),
    ];
    for (kind, own, envs) in spaces {
        if let Some(difference) = first_difference(kind, own, envs) {
            let advice = "give the task the settings that it was trained with";
            return Err(misfit(what, spec, format!("{difference}: {advice}")));
        }
    }
    Ok(())
}

fn first_difference(kind: &str, own: &BoxSpace, envs: &BoxSpace) -> Option<String> {
    for (index, (own_name, envs_name)) in own.names.iter().zip(&envs.names).enumerate() {
        if own_name != envs_name {
            return Some(format!(
                "{kind}[{index}] is {own_name:?} in its training, {envs_name:?} here"
            ));
        }
        let bounds = |space: &BoxSpace| [space.low[index], space.high[index]];
        let (own_bounds, envs_bounds) = (bounds(own), bounds(envs));
        // Bounds of observations only describe; those of actions are part of what the numbers mean.
        if kind == "action" && own_bounds != envs_bounds {
            let [low, high] = own_bounds;
            let [envs_low, envs_high] = envs_bounds;
            return Some(format!(
                "action[{index}] ({own_name}) spans {low} to {high} in its training, {envs_low} to {envs_high} here"
            ));
        }
    }
    (own.len() != envs.len()).then(|| {
        let (n_own, n_envs) = (own.len(), envs.len());
        let longer = if n_own > n_envs { own } else { envs };
        let extra = &longer.names[n_own.min(n_envs)];
        format!(
            "{n_own} {kind}s in its training, {n_envs} here, {extra:?} the first that is missing"
        )
    })
}

fn misfit(what: &'static str, spec: &EnvSpec, difference: String) -> RlError {
    RlError::Misfit {
        what,
        task: spec.id.clone(),
        difference,
    }
}
