//! Factory of tasks with a probe.

use std::sync::Arc;

use serde::Serialize;

use super::model::SceneModel;
use super::scene_set::SceneSet;
use super::settings::ProbeTaskSettings;
use super::simulation::ProbeEnvironment;
use super::task::ProbeTask;
use crate::factory::EnvFactory;
use crate::{EnvError, settings};

/// Creates a factory of environments in these scenes; `make` creates the task of each environment.
pub fn factory<S, T>(
    name: &'static str,
    mut settings: ProbeTaskSettings<S>,
    scenes: SceneSet,
    make: impl Fn(&ProbeTaskSettings<S>, &SceneModel) -> Result<T, EnvError> + Send + Sync + 'static,
) -> EnvFactory
where
    S: Serialize + Send + Sync + 'static,
    T: ProbeTask + 'static,
{
    let scenes = Arc::new(scenes);
    let robot = &scenes.first().scene.robot;
    settings.scene = settings.scene.recorded(robot);
    let file = &settings.scene.robot_file;
    let warning = |note| format!("scene.robot_file: {file}: {note}");
    let warnings = robot.notes.iter().map(warning).collect();
    let table = settings::table(&settings);
    let mut factory = EnvFactory::new(name, table, move || {
        let task = make(&settings, scenes.first())?;
        Ok(ProbeEnvironment::new(name, &settings, scenes.clone(), task)?.boxed())
    });
    factory.warnings = warnings;
    factory
}
