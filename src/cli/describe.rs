//! `insonate describe`: everything about a task.

use clap::Args;
use insonate::envs::tasks::{self, EnvFactory, TaskKind};
use insonate::envs::{BoxSpace, EnvSpec};
use insonate::training::TrainingSettings;
use serde_json::{Value, json};

use super::print;
use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate describe probe-sweep
  insonate describe probe-sweep --set env.action.mode=variable_z
  insonate describe probe-sweep --toml > sweep.toml")]
pub(crate) struct Describe {
    /// Task, one of `insonate list`.
    task: String,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Print all settings of the task and its training as a configuration file.
    #[arg(long, conflicts_with = "json")]
    toml: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let overrides = self.settings.overrides()?;
        let settings = TrainingSettings::resolve(&self.task, &overrides)?;
        if self.toml {
            return print(settings.to_toml().trim_end());
        }
        let kind = tasks::by_name(&self.task)?;
        let spec = settings.factory.make()?.spec().clone();
        if self.json {
            let all = to_json(&spec, kind.summary, &settings.factory);
            return print(&serde_json::to_string_pretty(&all)?);
        }
        print(&to_text(kind, &spec, &settings.factory))
    }
}

fn to_text(kind: &TaskKind, spec: &EnvSpec, factory: &EnvFactory) -> String {
    let scripted: Vec<String> = kind
        .scripted
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let mut lines = vec![format!("{}: {}", spec.id, kind.summary), time(spec)];
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
    let table = factory.settings.to_string();
    lines.extend(
        table
            .lines()
            .map(|line| format!("  {line}").trim_end().to_owned()),
    );
    lines.join("\n")
}

fn time(spec: &EnvSpec) -> String {
    let limit = match spec.max_episode_steps {
        Some(steps) => format!(
            "truncated after {steps} steps ({:.1} s)",
            steps as f64 * spec.control_timestep
        ),
        None => "never truncated".to_owned(),
    };
    let substeps = match spec.n_substeps {
        // The simulation chooses them.
        0 => String::new(),
        n => format!(" of {n} physics steps"),
    };
    format!(
        "control step {} s{substeps}, {limit}",
        spec.control_timestep
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

fn to_json(spec: &EnvSpec, summary: &str, factory: &EnvFactory) -> Value {
    let space = |space: &BoxSpace| {
        let bound = |value: &f32| value.is_finite().then_some(*value);
        json!({
            "names": space.names,
            "low": space.low.iter().map(bound).collect::<Vec<_>>(),
            "high": space.high.iter().map(bound).collect::<Vec<_>>(),
        })
    };
    json!({
        "task": spec.id,
        "summary": summary,
        "control_timestep": spec.control_timestep,
        "n_substeps": spec.n_substeps,
        "max_episode_steps": spec.max_episode_steps,
        "action_space": space(&spec.action_space),
        "observation_space": space(&spec.observation_space),
        "reward_terms": spec.reward_terms,
        "metrics": spec.metrics,
        "parameters": spec.parameters,
        "settings": factory.settings,
    })
}
