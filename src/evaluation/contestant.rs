//! Who acts, and in which environments: a policy file, or one of the words `zero`, `random`, `scripted`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use toml::Table;

use crate::envs::tasks::{self, EnvFactory};
use crate::envs::{EnvError, settings};
use crate::rl::run::POLICY;
use crate::rl::{Actor, Policy};
use crate::training::resolve_env;

/// Policies that need no file.
pub const POLICY_WORDS: [&str; 3] = ["zero", "random", "scripted"];

/// A policy with the environments that it acts in.
#[derive(Debug)]
pub struct Contestant {
    /// As it was named.
    pub name: String,
    /// The policy; none for a word.
    pub policy: Option<Policy>,
    /// Makes its environments.
    pub factory: EnvFactory,
}

impl Contestant {
    /// Finds all policies that were named.
    ///
    /// A policy file acts in the environments that it was trained in, with `over` over their settings. The words act in those of the
    /// first file, or of the task's defaults where there is none; `scripted` with the settings that it needs.
    /// `task` may be left out where a file says it.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for a name that is no word and no file; [`EnvError::Config`] without a task or for settings; for a file that
    /// is no policy, or one of another task.
    pub fn find_all(
        names: &[String],
        task: Option<&str>,
        over: &Table,
    ) -> anyhow::Result<Vec<Self>> {
        let policies: Vec<Option<Policy>> = names
            .iter()
            .map(|name| load(name))
            .collect::<Result<_, _>>()?;
        let first = policies.iter().flatten().next();
        let task = task
            .or(first.map(|policy| policy.identity.task.as_str()))
            .ok_or_else(|| EnvError::Config {
                field: "task".to_owned(),
                problem: "is missing: give --task, which only policy files make up for".to_owned(),
            })?;
        // An unknown task is told before anything else.
        tasks::by_name(task)?;
        let usual = match first {
            Some(policy) if policy.identity.task == task => stored(policy)?,
            _ => Table::new(),
        };
        let named = names.iter().zip(&policies);
        named
            .map(|(name, policy)| {
                let base = match policy {
                    Some(policy) if policy.identity.task == task => stored(policy)?,
                    _ => usual.clone(),
                };
                Self::new(name, policy.clone(), task, &base, over)
                    .with_context(|| format!("policy {name}"))
            })
            .collect()
    }

    fn new(
        name: &str,
        policy: Option<Policy>,
        task: &str,
        base: &Table,
        over: &Table,
    ) -> anyhow::Result<Self> {
        let kind = tasks::by_name(task)?;
        let mut base = base.clone();
        if name == "scripted" && policy.is_none() {
            for (setting, value) in kind.scripted {
                settings::set(&mut base, setting, value)?;
            }
        }
        let factory = resolve_env(task, &base, over)?;
        if let Some(policy) = &policy {
            policy.check_fits(factory.make()?.spec())?;
        }
        Ok(Self {
            name: name.to_owned(),
            policy,
            factory,
        })
    }

    /// Who acts.
    pub fn actor(&self) -> Actor {
        match (&self.policy, self.name.as_str()) {
            (Some(policy), _) => Actor::Policy(Box::new(policy.clone())),
            (None, "random") => Actor::Random,
            (None, "scripted") => Actor::Scripted,
            (None, _) => Actor::Zero,
        }
    }
}

/// Settings that a policy was trained with.
fn stored(policy: &Policy) -> anyhow::Result<Table> {
    let settings = policy.identity.settings.parse();
    settings.map_err(|error: toml::de::Error| {
        anyhow::anyhow!("the policy's settings cannot be read: {error}")
    })
}

/// The policy that a name means; none for a word.
fn load(name: &str) -> anyhow::Result<Option<Policy>> {
    if POLICY_WORDS.contains(&name) {
        return Ok(None);
    }
    let path = policy_path(name)?;
    Ok(Some(Policy::load(&path)?))
}

fn policy_path(name: &str) -> Result<PathBuf, EnvError> {
    let path = Path::new(name);
    if path.is_dir() {
        let inside = path.join(POLICY);
        if inside.is_file() {
            return Ok(inside);
        }
        return Err(EnvError::Config {
            field: "policy".to_owned(),
            problem: format!("the folder {name} holds no {POLICY}"),
        });
    }
    if path.is_file() {
        return Ok(path.to_owned());
    }
    Err(match EnvError::unknown("policy", name, &POLICY_WORDS) {
        EnvError::Unknown {
            kind,
            name,
            near,
            known,
        } => EnvError::Unknown {
            kind,
            name,
            near,
            known: format!("{known}, or a file that training wrote ({POLICY}), or its folder"),
        },
        other => other,
    })
}
