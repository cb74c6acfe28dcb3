//! `insonate describe`: everything about a task, or about a policy and the task that it was trained for.

use std::path::Path;

use clap::Args;
use insonate::envs::tasks::{self, EnvFactory, Profile, TaskKind};
use insonate::envs::{BoxSpace, EnvSpec, ObservationGroup};
use insonate::evaluation::NamedPolicy;
use insonate::training::TrainingSettings;
use serde_json::{Value, json};

use super::print;
use super::progress_bar::Busy;
use super::settings_args::SettingsArgs;
use super::train::AlgorithmArg;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate describe probe-sweep
  insonate describe probe-sweep --set env.action.mode=variable_z
  insonate describe probe-sweep --toml > sweep.toml
  insonate describe probe-sweep --toml --algorithm sac
  insonate describe output/sweep

A training folder stands for policy.safetensors in it, the last policy of the training.")]
pub(crate) struct Describe {
    /// Task, one of `insonate list`, or a policy file or training folder.
    #[arg(value_name = "TASK")]
    task: String,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Algorithm whose settings --toml prints [default: ppo].
    #[arg(long, value_enum, value_name = "NAME", requires = "toml")]
    algorithm: Option<AlgorithmArg>,
    /// Print all settings of the task and its training as a configuration file.
    #[arg(long, conflicts_with = "json")]
    toml: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut overrides = self.settings.overrides()?;
        let algorithm = self.algorithm.map(AlgorithmArg::kind);
        overrides.algorithm = algorithm.or(overrides.algorithm);
        let busy = Busy::with("building the task")?;
        let mut policy = self.policy()?;
        let task = policy.as_ref().map_or(&*self.task, |it| it.factory.task);
        let mut settings = TrainingSettings::resolve(task, &overrides)?;
        if let Some(policy) = &mut policy {
            std::mem::swap(&mut settings.factory, &mut policy.factory);
        }
        if self.toml {
            drop(busy);
            return print(settings.to_toml().trim_end());
        }
        let kind = tasks::by_name(task)?;
        let spec = settings.factory.make()?.spec().clone();
        drop(busy);
        if self.json {
            let mut all = to_json(kind, &spec, &settings.factory);
            all["policy"] = policy.as_ref().map_or(Value::Null, policy_json);
            return print(&serde_json::to_string_pretty(&all)?);
        }
        let about_policy = policy.as_ref().map(policy_text);
        let about_task = to_text(kind, &spec, &settings.factory);
        let parts: Vec<String> = about_policy.into_iter().chain([about_task]).collect();
        print(&parts.join("\n\n"))
    }

    /// The policy, where a file or folder is named and no task.
    fn policy(&self) -> anyhow::Result<Option<NamedPolicy>> {
        if tasks::by_name(&self.task).is_ok() || !Path::new(&self.task).exists() {
            return Ok(None);
        }
        let overrides = self.settings.env_overrides()?;
        let names = std::slice::from_ref(&self.task);
        let mut policies = NamedPolicy::load_all(names, None, &overrides.env)?;
        Ok(policies.pop())
    }
}

fn policy_text(named: &NamedPolicy) -> String {
    let (Some(policy), Some(file)) = (&named.policy, &named.file) else {
        return named.name.clone();
    };
    let (hidden, activation) = policy.network();
    let widths = [policy.observation_space.len()]
        .into_iter()
        .chain(hidden)
        .chain([policy.action_space.len()]);
    let widths: Vec<String> = widths.map(|width| width.to_string()).collect();
    let normalised = if policy.is_normalized() {
        "observations normalised"
    } else {
        "observations as they are"
    };
    let squashed = if policy.is_squashed() {
        ", actions squashed by tanh"
    } else {
        ""
    };
    format!(
        "policy {}\n  file      {}\n  trained   {} steps, seed {}, insonate {}\n  network   {}, {activation:?}, {normalised}{squashed}",
        named.described(),
        file.display(),
        policy.n_trained_steps,
        policy.seed,
        policy.insonate_version,
        widths.join(" → "),
    )
}

fn policy_json(named: &NamedPolicy) -> Value {
    let Some(policy) = &named.policy else {
        return Value::Null;
    };
    let (hidden_sizes, activation) = policy.network();
    json!({
        "policy": named.name,
        "policy_file": named.file,
        "n_trained_steps": policy.n_trained_steps,
        "seed": policy.seed,
        "insonate_version": policy.insonate_version,
        "hidden_sizes": hidden_sizes,
        "activation": activation,
        "is_normalized": policy.is_normalized(),
        "is_squashed": policy.is_squashed(),
    })
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
    if !spec.costs.is_empty() {
        lines.extend(names("costs", spec.costs.iter().copied()));
    }
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
    if !kind.profiles.is_empty() {
        let profile = |it: &Profile| format!("{}: {}", it.name, it.summary);
        let profiles: Vec<String> = kind.profiles.iter().map(profile).collect();
        let title = "profiles, for --set profile=NAME";
        lines.extend(names(title, profiles.iter().map(String::as_str)));
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
        let [frame, filter] = [&space.frames[i], &space.filters[i]];
        let meaning = match (&frame[..], &filter[..]) {
            ("", filter) => filter.to_owned(),
            (frame, "") => format!("in {frame}"),
            (frame, filter) => format!("in {frame}, {filter}"),
        };
        format!(
            "  {i:>3}  {name:<36} {:>10} to {:<10}  {meaning}",
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

fn to_json(kind: &TaskKind, spec: &EnvSpec, factory: &EnvFactory) -> Value {
    let space = |space: &BoxSpace| {
        let bound = |value: &f32| value.is_finite().then_some(*value);
        json!({
            "names": space.names,
            "low": space.low.iter().map(bound).collect::<Vec<_>>(),
            "high": space.high.iter().map(bound).collect::<Vec<_>>(),
            "frames": space.frames,
            "filters": space.filters,
        })
    };
    let group = |group: &ObservationGroup| {
        json!({
            "name": group.name,
            "shape": group.shape,
            "unit": group.unit,
            "kind": group.kind.name(),
            "age": group.age,
        })
    };
    json!({
        "task": spec.id,
        "summary": kind.summary,
        "profiles": kind.profiles.iter().map(|it| it.name).collect::<Vec<_>>(),
        "control_timestep": spec.control_timestep,
        "n_substeps": spec.n_substeps,
        "max_episode_steps": spec.max_episode_steps,
        "action_space": space(&spec.action_space),
        "observation_space": space(&spec.observation_space),
        "observation_groups": spec.observation_groups.iter().map(group).collect::<Vec<_>>(),
        "reward_terms": spec.reward_terms,
        "costs": spec.costs,
        "metrics": spec.metrics,
        "parameters": spec.parameters,
        "settings": factory.settings,
    })
}
