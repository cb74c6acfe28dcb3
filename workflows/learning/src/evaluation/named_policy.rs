//! Policies by their names on the command line: a file, or `zero`, `random` or `scripted`.

use std::path::{Path, PathBuf};

use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{EnvError, settings};
use insonate_rl::run::POLICY;
use insonate_rl::{Agent, Policy};
use insonate_settings::UnknownName;
use toml::Table;

use crate::LearningError;
use crate::task_settings::resolve_env;

/// Policies without a file.
const BUILTIN_POLICIES: [&str; 3] = ["zero", "random", "scripted"];

/// A policy with its environments.
#[derive(Debug)]
pub struct NamedPolicy {
    /// Name as given on the command line.
    pub name: String,
    /// The policy; `None` for a built-in one.
    pub policy: Option<Policy>,
    /// The file of the policy. For a training folder, its last policy.
    pub file: Option<PathBuf>,
    /// Makes the environments.
    pub factory: EnvFactory,
}

impl NamedPolicy {
    /// Loads policies by name.
    ///
    /// A policy file acts in the environments of its training, with `overrides` of their settings. A built-in policy acts in the
    /// environments
    /// of the first file, or with the task's defaults if there is no file. `scripted` uses the settings that it needs.
    /// `task` may be omitted if a file names it.
    ///
    /// # Errors
    /// * [`EnvError::Unknown`] for a name that is neither built in nor a file.
    /// * [`LearningError::NoTaskOfPolicy`]; [`EnvError::Config`] for invalid settings.
    /// * An error for a file that is not a policy or has another task.
    pub fn load_all(
        names: &[String],
        task: Option<&str>,
        overrides: &Table,
    ) -> Result<Vec<Self>, LearningError> {
        let policies: Vec<Option<(PathBuf, Policy)>> = names
            .iter()
            .map(|name| load(name))
            .collect::<Result<_, _>>()?;
        let first = policies.iter().flatten().map(|(_, policy)| policy).next();
        let task = task
            .or(first.map(|policy| policy.identity.task.as_str()))
            .ok_or(LearningError::NoTaskOfPolicy)?;
        tasks::by_name(task)?;
        let default = match first {
            Some(policy) if policy.identity.task == task => stored(policy)?,
            _ => Table::new(),
        };
        let named = names.iter().zip(&policies);
        named
            .map(|(name, policy)| {
                let base = match policy {
                    Some((_, policy)) if policy.identity.task == task => stored(policy)?,
                    _ => default.clone(),
                };
                Self::new(name, policy.clone(), task, &base, overrides).map_err(|source| {
                    LearningError::Policy {
                        name: name.clone(),
                        source: Box::new(source),
                    }
                })
            })
            .collect()
    }

    /// The task's script, in the settings for its demonstrations with `overrides`.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the task; [`EnvError::Config`] for settings.
    pub fn demonstrating_script(task: &str, overrides: &Table) -> Result<Self, LearningError> {
        let kind = tasks::by_name(task)?;
        let named = if kind.demonstrated.is_empty() {
            kind.scripted
        } else {
            kind.demonstrated
        };
        let mut base = Table::new();
        for (setting, value) in named {
            settings::set(&mut base, setting, value)?;
        }
        Ok(Self {
            name: "scripted".to_owned(),
            policy: None,
            file: None,
            factory: resolve_env(task, &base, overrides)?,
        })
    }

    fn new(
        name: &str,
        loaded: Option<(PathBuf, Policy)>,
        task: &str,
        base: &Table,
        overrides: &Table,
    ) -> Result<Self, LearningError> {
        let kind = tasks::by_name(task)?;
        let mut base = base.clone();
        let (file, policy) = loaded.unzip();
        if name == "scripted" && policy.is_none() {
            for (setting, value) in kind.scripted {
                settings::set(&mut base, setting, value)?;
            }
        }
        let factory = resolve_env(task, &base, overrides)?;
        if let Some(policy) = &policy {
            policy.check_fits(factory.make()?.spec())?;
        }
        Ok(Self {
            name: name.to_owned(),
            policy,
            file,
            factory,
        })
    }

    /// The name. For a folder, also the file that was read and its number of training steps.
    pub fn described(&self) -> String {
        let file = self
            .file
            .as_deref()
            .filter(|file| *file != Path::new(&self.name));
        match (&self.policy, file.and_then(Path::file_name)) {
            (Some(policy), Some(file)) => {
                let (file, steps) = (file.display(), policy.n_trained_steps);
                format!("{} ({file}, the last, {steps} steps)", self.name)
            }
            _ => self.name.clone(),
        }
    }

    /// The agent that acts.
    pub fn agent(&self) -> Agent {
        match (&self.policy, self.name.as_str()) {
            (Some(policy), _) => Agent::Policy(Box::new(policy.clone())),
            (None, "random") => Agent::Random,
            (None, "scripted") => Agent::Scripted,
            (None, _) => Agent::Zero,
        }
    }
}

/// Settings with which a policy was trained.
fn stored(policy: &Policy) -> Result<Table, LearningError> {
    let settings = policy.identity.settings.parse();
    settings.map_err(LearningError::settings("the policy"))
}

/// The policy and its file for a name; `None` for a built-in policy.
fn load(name: &str) -> Result<Option<(PathBuf, Policy)>, LearningError> {
    if BUILTIN_POLICIES.contains(&name) {
        return Ok(None);
    }
    let path = policy_path(name)?;
    let policy = Policy::load(&path)?;
    Ok(Some((path, policy)))
}

/// The policy file for a name: the file itself, or the last policy in a training folder.
///
/// # Errors
/// [`EnvError::Config`] for a folder without one; [`EnvError::Unknown`] if the name is neither.
pub fn policy_path(name: &str) -> Result<PathBuf, EnvError> {
    let path = Path::new(name);
    if path.is_dir() {
        let inside = path.join(POLICY);
        if inside.is_file() {
            return Ok(inside);
        }
        return Err(EnvError::Config {
            field: "policy".to_owned(),
            problem: format!("the folder {name} has no {POLICY}"),
        });
    }
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let mut unknown = UnknownName::new("policy", name, &BUILTIN_POLICIES);
    let others = format!(", a policy file ({POLICY}), or the folder of a training");
    unknown.known.push_str(&others);
    Err(unknown.into())
}

/// The policy in a file or training folder, and its file; the task gives names, frames and filters that old files do not hold.
///
/// # Errors
/// [`EnvError::Config`] if the path does not exist or is a built-in policy; an error for a file that is not a policy.
pub fn exported_policy(name: &str) -> Result<(Policy, PathBuf), LearningError> {
    let missing = |problem: &str| EnvError::Config {
        field: "policy".to_owned(),
        problem: format!("{name} {problem}"),
    };
    if !Path::new(name).exists() {
        return Err(missing("is neither a policy file nor the folder of a training").into());
    }
    let named = NamedPolicy::load_all(&[name.to_owned()], None, &Table::new())?.remove(0);
    let (Some(mut policy), Some(file)) = (named.policy, named.file) else {
        return Err(missing("is not a file").into());
    };
    // Files of version 1 do not say in which frame an entry is; the task, which it fits, does.
    let spec = named.factory.make()?.spec().clone();
    (policy.observation_space, policy.action_space) = (spec.observation_space, spec.action_space);
    Ok((policy, file))
}
