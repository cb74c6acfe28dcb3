//! Checks whether a policy or checkpoint matches an environment.

use insonate_envs::{BoxSpace, EnvSpec};

use crate::RlError;

/// Fails if task, observations or actions differ from those of the policy or checkpoint (`what`).
pub(crate) fn check_fits(
    what: &'static str,
    task: &str,
    [observation_space, action_space]: [&BoxSpace; 2],
    spec: &EnvSpec,
) -> Result<(), RlError> {
    let misfit = |difference: String| RlError::Misfit {
        what,
        task: spec.id.clone(),
        difference,
    };
    if task != spec.id {
        let problem = format!("it was trained for the task {task:?}: use it with that task");
        return Err(misfit(problem));
    }
    let spaces = [
        ("observation", observation_space, &spec.observation_space),
        ("action", action_space, &spec.action_space),
    ];
    for (kind, own, envs) in spaces {
        if let Some(difference) = first_difference(kind, own, envs) {
            let advice = "give the task the settings of the training";
            return Err(misfit(format!("{difference}: {advice}")));
        }
    }
    Ok(())
}

fn first_difference(kind: &str, own: &BoxSpace, envs: &BoxSpace) -> Option<String> {
    for (index, (own_name, envs_name)) in own.names.iter().zip(&envs.names).enumerate() {
        if own_name != envs_name {
            return Some(format!(
                "{kind}[{index}] is {own_name:?} in training, {envs_name:?} here"
            ));
        }
        let bounds = |space: &BoxSpace| [space.low[index], space.high[index]];
        let (own_bounds, envs_bounds) = (bounds(own), bounds(envs));
        // Bounds of observations are only informative; bounds of actions define their scale.
        if kind == "action" && own_bounds != envs_bounds {
            let [low, high] = own_bounds;
            let [envs_low, envs_high] = envs_bounds;
            return Some(format!(
                "action[{index}] ({own_name}) spans {low} to {high} in training, {envs_low} to {envs_high} here"
            ));
        }
    }
    (own.len() != envs.len()).then(|| {
        let (n_own, n_envs) = (own.len(), envs.len());
        let longer = if n_own > n_envs { own } else { envs };
        let extra = &longer.names[n_own.min(n_envs)];
        format!("{n_own} {kind}s in training, {n_envs} here, the first missing one is {extra:?}")
    })
}
