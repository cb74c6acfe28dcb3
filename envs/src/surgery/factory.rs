//! Factory of surgery tasks.

use std::sync::Arc;

use serde::Serialize;

use super::model::SurgeryModel;
use super::settings::SurgerySettings;
use super::simulation::SurgeryEnvironment;
use super::task::SurgeryTask;
use crate::factory::EnvFactory;
use crate::{EnvError, settings};

/// Creates a factory of environments that share one settled organ. Each has a copy of the task that `make` creates.
///
/// # Errors
/// Those of [`SurgeryModel::new`]; errors of `make`.
pub fn factory<S, T>(
    name: &'static str,
    settings: &SurgerySettings<S>,
    make: impl FnOnce(&S, &SurgeryModel) -> Result<T, EnvError>,
) -> Result<EnvFactory, EnvError>
where
    S: Serialize,
    T: SurgeryTask + Clone + Sync + 'static,
{
    let model = Arc::new(SurgeryModel::new(settings)?);
    let task = make(&settings.task, &model)?;
    let table = settings::table(settings);
    Ok(EnvFactory::in_groups(name, table, move |n_envs| {
        let envs = SurgeryEnvironment::many(&model, &task, n_envs)?;
        Ok(envs.into_iter().map(|env| Box::new(env) as _).collect())
    }))
}
