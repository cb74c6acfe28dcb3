//! Made patients of a task: their names, and those that a training holds out.

use insonate_envs::tasks::EnvFactory;
use insonate_envs::{EnvError, patient_name};
use insonate_rl::PolicyIdentity;
use insonate_settings::UnknownName;
use toml::{Table, Value};

use crate::LearningError;

/// Name of the setting of a training that has the folders of held-out patients.
pub(crate) const HELD_OUT: &str = "held_out";

/// The folders of made patients in the settings of a task.
pub fn patient_folders(env: &Table) -> Vec<String> {
    let patients = env.get("scene").and_then(|scene| scene.get("patients"));
    let listed = patients.and_then(Value::as_array).into_iter().flatten();
    let folders = listed.filter_map(Value::as_str).map(str::to_owned);
    folders.collect()
}

/// The settings of a task with other made patients.
pub(crate) fn with_patients(env: &Table, folders: &[String]) -> Table {
    let mut all = env.clone();
    let scene = all.entry("scene").or_insert(Value::Table(Table::new()));
    if let Value::Table(scene) = scene {
        let folders: Vec<Value> = folders.iter().cloned().map(Value::String).collect();
        scene.insert("patients".to_owned(), Value::Array(folders));
    }
    all
}

/// Splits the patients of a task into those that are trained on and those of these names, which are held out.
///
/// # Errors
/// [`EnvError::Unknown`] for a name that no folder has; [`EnvError::Config`] if nobody is left to train on, or there are no patients.
pub fn hold_out(folders: &[String], names: &[String]) -> Result<[Vec<String>; 2], EnvError> {
    let wrong = |problem: &str| EnvError::Config {
        field: "hold-out".to_owned(),
        problem: problem.to_owned(),
    };
    if folders.is_empty() {
        return Err(wrong(
            "needs the folders of made patients in scene.patients (--patients)",
        ));
    }
    let known: Vec<String> = folders.iter().map(|own| patient_name(own)).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(UnknownName::new("patient to hold out", name, &known).into());
    }
    let (held, kept): (Vec<String>, Vec<String>) = folders
        .iter()
        .cloned()
        .partition(|folder| names.contains(&patient_name(folder)));
    if kept.is_empty() {
        return Err(wrong(
            "names all patients; at least one must be left to train on",
        ));
    }
    Ok([kept, held])
}

/// The error of a training that resumes with other held-out patients.
pub(crate) fn held_out_stay(field: &str) -> EnvError {
    EnvError::Config {
        field: field.to_owned(),
        problem: "held-out patients cannot change on resume".to_owned(),
    }
}

/// Fails if a policy was trained on a patient that is to be held out.
///
/// # Errors
/// [`EnvError::Config`] with the name; an error for a policy whose settings cannot be read.
pub(crate) fn check_unseen(
    trained_on: &[String],
    held_out: &[String],
) -> Result<(), LearningError> {
    let seen = |folder: &&String| trained_on.contains(&patient_name(folder));
    match held_out.iter().find(seen) {
        None => Ok(()),
        Some(folder) => Err(EnvError::Config {
            field: "hold-out".to_owned(),
            problem: format!(
                "names {}, on which the policy of --from-policy was trained",
                patient_name(folder)
            ),
        }
        .into()),
    }
}

/// Names of the patients on which a policy was trained, and the policies that it began with.
///
/// # Errors
/// If the settings are not TOML.
pub(crate) fn trained_on(policy: &PolicyIdentity) -> Result<Vec<String>, LearningError> {
    if let Some(names) = &policy.trained_on {
        return Ok(names.clone());
    }
    let settings = policy.settings.parse();
    let settings = settings.map_err(LearningError::settings("the policy"))?;
    Ok(names_in(&settings))
}

/// Identity of a policy for a task that learns in `learnt_in`, settings of that task, and begins with a policy, if any.
///
/// # Errors
/// If the settings of that policy are not TOML.
pub(crate) fn identity(
    factory: &EnvFactory,
    learnt_in: &Table,
    beginning: Option<&PolicyIdentity>,
) -> Result<PolicyIdentity, LearningError> {
    let mut names = beginning.map(trained_on).transpose()?.unwrap_or_default();
    for name in names_in(learnt_in) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let has_patients = !names.is_empty() || !patient_folders(&factory.settings).is_empty();
    Ok(PolicyIdentity {
        task: factory.task.to_owned(),
        settings: factory.settings.to_string(),
        trained_on: has_patients.then_some(names),
    })
}

fn names_in(settings: &Table) -> Vec<String> {
    let folders = patient_folders(settings);
    folders.iter().map(|folder| patient_name(folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_split_folders() {
        let all = folders(&["a/anna", "b/bert/", "clara"]);
        let [kept, held] = hold_out(&all, &folders(&["bert", "clara"])).unwrap();
        assert_eq!(kept, folders(&["a/anna"]));
        assert_eq!(held, folders(&["b/bert/", "clara"]));
        let refused = |names: &[&str]| {
            let error = hold_out(&all, &folders(names)).unwrap_err();
            error.to_string()
        };
        let message = refused(&["klara"]);
        assert!(
            message.contains("anna") && message.contains("klara"),
            "{message}"
        );
        assert!(refused(&["anna", "bert", "clara"]).contains("at least one"));
        assert!(hold_out(&[], &folders(&["anna"])).is_err());
    }

    #[test]
    fn settings_name_their_patients() {
        let table = with_patients(&Table::new(), &folders(&["x/anna", "y/bert"]));
        assert_eq!(patient_folders(&table), folders(&["x/anna", "y/bert"]));
        // A file without names has those of its settings.
        let mut policy = PolicyIdentity {
            settings: table.to_string(),
            ..PolicyIdentity::default()
        };
        let trained = trained_on(&policy).unwrap();
        assert_eq!(trained, folders(&["anna", "bert"]));
        policy.trained_on = Some(Vec::new());
        assert!(trained_on(&policy).unwrap().is_empty());
        assert!(check_unseen(&trained, &folders(&["z/clara"])).is_ok());
        let message = check_unseen(&trained, &folders(&["z/bert"]));
        assert!(message.unwrap_err().to_string().contains("bert"));
    }
}
