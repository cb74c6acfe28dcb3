//! Registry entry of a task.

use crate::factory::EnvFactory;
use crate::{EnvError, settings};

/// Settings as dotted names and TOML values. A value that is not valid TOML is a string.
pub type Assignments = &'static [(&'static str, &'static str)];

/// Settings under one name, for `--set profile=NAME`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Name.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Settings of the task.
    pub settings: Assignments,
}

/// Creates a factory for given settings.
pub type Build = dyn Fn(&toml::Table) -> Result<EnvFactory, EnvError> + Send + Sync;

/// A kind of task.
#[derive(Clone, Copy)]
pub struct TaskKind {
    /// Name, such as `probe-sweep`.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// All settings with their defaults.
    pub defaults: &'static (dyn Fn() -> toml::Table + Send + Sync),
    /// Creates a factory for given settings without a profile. Missing settings have their defaults.
    pub build: &'static Build,
    /// Named groups of settings.
    pub profiles: &'static [Profile],
    /// Settings of the task for its scripted policy.
    pub scripted: Assignments,
    /// Settings for demonstrations, if the scripted policy otherwise always outputs zero actions. Empty: the settings above.
    pub demonstrated: Assignments,
    /// Whether a study can judge fitted torsos by policies for it: it needs a torso and a desired force in contact.
    pub is_studied: bool,
    /// Recommended settings of PPO that differ from those for any task.
    pub ppo: Assignments,
    /// Recommended settings of SAC that differ from those for any task.
    pub sac: Assignments,
}

/// Setting that stands for the settings of a profile.
const PROFILE: &str = "profile";

impl TaskKind {
    /// Creates a factory for given settings, which may name a profile.
    ///
    /// # Errors
    /// Those of [`TaskKind::expand`]; errors of the settings.
    pub fn factory(&self, given: &toml::Table) -> Result<EnvFactory, EnvError> {
        (self.build)(&self.expand(given)?)
    }

    /// The given settings with those of the profile that they name in its place. Settings next to the name take precedence.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the profile; [`EnvError::Config`] if it is not a name, or the task has no profiles.
    pub fn expand(&self, given: &toml::Table) -> Result<toml::Table, EnvError> {
        let mut own = given.clone();
        let Some(name) = own.remove(PROFILE) else {
            return Ok(own);
        };
        let refused = |problem: String| EnvError::Config {
            field: PROFILE.to_owned(),
            problem,
        };
        if self.profiles.is_empty() {
            return Err(refused(format!("is not a setting: {} has none", self.name)));
        }
        let name = name
            .as_str()
            .ok_or_else(|| refused(format!("is {name}; it must be a name")))?;
        let known: Vec<&str> = self.profiles.iter().map(|profile| profile.name).collect();
        let profile = self.profiles.iter().find(|profile| profile.name == name);
        let profile = profile.ok_or_else(|| EnvError::unknown(PROFILE, name, &known))?;
        let mut all = settings::assign(profile.settings)?;
        settings::overlay(&mut all, &own);
        Ok(all)
    }
}

impl std::fmt::Debug for TaskKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskKind")
            .field("name", &self.name)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}
