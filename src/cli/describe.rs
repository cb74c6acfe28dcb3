//! `insonate describe`: everything about a task.

use clap::Args;
use insonate::envs::tasks::{self, EnvFactory};
use insonate::envs::{BoxSpace, EnvSpec};
use insonate::training::{Given, TrainingSettings};
use serde_json::{Map, Value, json};

use super::print;
use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate describe probe-sweep
  insonate describe probe-sweep --set env.action.mode=variable_z
  insonate describe probe-sweep --toml > sweep.toml")]
pub(crate) struct Describe {
    /// Task, as `insonate list` shows them.
    task: String,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Print all settings of the task and of its training as a configuration file.
    #[arg(long, conflicts_with = "json")]
    toml: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let given = self.settings.given()?;
        if self.toml {
            let settings = TrainingSettings::resolve(&self.task, &given)?;
            return print(settings.to_toml().trim_end());
        }
        show(&self.task, &given, self.json)
    }
}

/// Shows a task with some settings.
pub(super) fn show(task: &str, given: &Given, as_json: bool) -> anyhow::Result<()> {
    let kind = tasks::by_name(task)?;
    let settings = TrainingSettings::resolve(task, given)?;
    let spec = settings.factory.make()?.spec().clone();
    if as_json {
        let all = in_json(&spec, kind.summary, &settings.factory);
        return print(&serde_json::to_string_pretty(&all)?);
    }
    let scripted: Vec<String> = kind
        .scripted
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let mut lines = vec![format!("{}: {}", spec.id, kind.summary), time(&spec)];
    lines.extend(space("actions", &spec.action_space));
    lines.extend(space("observations", &spec.observation_space));
    lines.extend(names("reward terms", spec.reward_terms.iter().copied()));
    lines.extend(names("metrics", spec.metrics.iter().copied()));
    lines.extend(names(
        "random parameters",
        spec.parameters.iter().map(String::as_str),
    ));
    if !scripted.is_empty() {
        lines.extend(names(
            "the scripted policy needs",
            scripted.iter().map(String::as_str),
        ));
    }
    lines.push("\nsettings".to_owned());
    let table = settings.factory.settings.to_string();
    lines.extend(
        table
            .lines()
            .map(|line| format!("  {line}").trim_end().to_owned()),
    );
    print(&lines.join("\n"))
}

fn time(spec: &EnvSpec) -> String {
    let limit = match spec.max_episode_steps {
        Some(steps) => format!(
            "truncated after {steps} steps ({:.1} s)",
            steps as f64 * spec.control_timestep
        ),
        None => "never truncated".to_owned(),
    };
    format!(
        "control step {} s of {} physics steps, {limit}",
        spec.control_timestep, spec.n_substeps
    )
}

fn space(title: &str, space: &BoxSpace) -> Vec<String> {
    let bounds = space.low.iter().zip(&space.high);
    let rows = space.names.iter().zip(bounds).enumerate();
    let rows = rows.map(|(i, (name, (low, high)))| {
        let bound = |value: &f32| match value.is_finite() {
            true => value.to_string(),
            false if *value < 0.0 => "-∞".to_owned(),
            false => "∞".to_owned(),
        };
        format!(
            "  {i:>3}  {name:<36} {:>10} to {:<10}",
            bound(low),
            bound(high)
        )
        .trim_end()
        .to_owned()
    });
    let title = format!("\n{title} ({})", space.len());
    std::iter::once(title).chain(rows).collect()
}

fn names<'a>(title: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines = vec![format!("\n{title}")];
    lines.extend(names.map(|name| format!("  {name}")));
    lines
}

fn in_json(spec: &EnvSpec, summary: &str, factory: &EnvFactory) -> Value {
    let space = |space: &BoxSpace| {
        let bound = |value: &f32| value.is_finite().then_some(*value);
        json!({
            "names": space.names,
            "low": space.low.iter().map(bound).collect::<Vec<_>>(),
            "high": space.high.iter().map(bound).collect::<Vec<_>>(),
        })
    };
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| all.insert(key.to_owned(), value);
    put("task", json!(spec.id));
    put("summary", json!(summary));
    put("control_timestep", json!(spec.control_timestep));
    put("n_substeps", json!(spec.n_substeps));
    put("max_episode_steps", json!(spec.max_episode_steps));
    put("action_space", space(&spec.action_space));
    put("observation_space", space(&spec.observation_space));
    put("reward_terms", json!(spec.reward_terms));
    put("metrics", json!(spec.metrics));
    put("parameters", json!(spec.parameters));
    put("settings", json!(factory.settings));
    Value::Object(all)
}
