//! The scripted policy, if there is one: its actions are within their space, and a query has no effect on the episode.

use super::report::{CheckedEnv, Report};
use super::trace::{self, actions};
use crate::{EnvError, ResetOptions};

pub(super) fn check(subject: &CheckedEnv<'_>, report: &mut Report) -> Result<(), EnvError> {
    let todo = actions(subject, 6);
    let any = ResetOptions::default();
    let mut env = subject.new_env()?;
    let expected = trace::run(&mut *env, subject.options.seed, &any, &todo)?;
    let mut episode = trace::begin(&mut *env, subject.options.seed, &any)?;
    let mut scripted = vec![f32::NAN; subject.spec.action_space.len()];
    for (index, action) in todo.iter().enumerate() {
        if env.scripted_action(&mut scripted)
            && let Err(error) = subject.spec.action_space.check("action", &scripted)
        {
            report.add(format!("after {index} steps"), error);
            return Ok(());
        }
        if episode.push(&mut *env, action)? {
            break;
        }
    }
    episode.finish(&*env);
    if let Some(difference) = expected.difference(&episode, &subject.spec) {
        report.add(
            "asking for the scripted action",
            format!("changes the episode: {difference}"),
        );
    }
    Ok(())
}
