//! `insonate list`: the names of everything that there is.

use clap::Args;
use insonate::calibration::models as tissue;
use insonate::envs::{EnvError, actions, tasks};
use insonate::models::{probes, robots, torsos};
use insonate::sim::readings;
use serde_json::{Map, Value, json};

use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate list
  insonate describe probe-sweep
  insonate list --json | python3 -m json.tool")]
pub(crate) struct List {
    /// Replaced by `insonate describe TASK`.
    #[arg(long, value_name = "TASK", hide = true)]
    task: Option<String>,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(task) = &self.task {
            let field = "task".to_owned();
            let problem = format!("use insonate describe {task}");
            return Err(EnvError::Config { field, problem }.into());
        }
        let sections = sections();
        if self.json {
            let all: Map<String, Value> = sections
                .into_iter()
                .map(|(name, entries)| (name.to_owned(), entries.into()))
                .collect();
            return print(&serde_json::to_string_pretty(&all)?);
        }
        let sections = sections.iter().map(|(name, entries)| {
            let entries: Vec<String> = entries.iter().map(line).collect();
            format!("{name}\n{}", entries.join("\n"))
        });
        print(&sections.collect::<Vec<_>>().join("\n\n"))
    }
}

fn sections() -> [(&'static str, Vec<Value>); 9] {
    let robots = robots::ALL.iter().map(|(_, make)| make());
    let probes = probes::ALL.iter().map(|(_, make)| make());
    let shapes = torsos::Shape::ALL.iter();
    let materials = torsos::materials::ALL.iter();
    let models = tissue::ALL.iter().map(|kind| {
        let summary = format!("{}: {}", kind.equation, kind.summary);
        entry(kind.name, &summary)
    });
    [
        (
            "robots",
            robots.map(|it| entry(&it.name, &it.summary)).collect(),
        ),
        (
            "probes",
            probes.map(|it| entry(&it.name, &it.summary)).collect(),
        ),
        ("torsos", torsos::ALL.iter().map(torso).collect()),
        (
            "shapes",
            shapes
                .map(|(name, _)| entry(name, "outline of a torso"))
                .collect(),
        ),
        (
            "materials",
            materials.map(|it| entry(it.name, &it.summary())).collect(),
        ),
        ("tissue_models", models.collect()),
        ("tasks", entries(&tasks::all(), |it| (it.name, it.summary))),
        (
            "action_modes",
            entries(actions::ALL, |it| (it.name, it.summary)),
        ),
        ("quantities", quantities()),
    ]
}

fn torso(kind: &torsos::TorsoKind) -> Value {
    let depth = 1e3 * kind.max_depth;
    entry(
        kind.name,
        &format!("{}; to {depth:.0} mm deep", kind.summary),
    )
}

fn entries<T>(all: &[T], of: impl Fn(&T) -> (&'static str, &'static str)) -> Vec<Value> {
    let pairs = all.iter().map(of);
    pairs.map(|(name, summary)| entry(name, summary)).collect()
}

fn entry(name: &str, summary: &str) -> Value {
    json!({ "name": name, "summary": summary })
}

fn quantities() -> Vec<Value> {
    let quantities = readings::QUANTITIES.iter();
    let quantities = quantities.map(|it| [it.name, it.unit, it.shape, it.summary]);
    let entry = |[name, unit, shape, summary]: [&str; 4]| {
        let summary = format!("[{unit}] {shape}: {summary}");
        json!({ "name": name, "unit": unit, "shape": shape, "summary": summary })
    };
    quantities.chain(readings::IMAGES).map(entry).collect()
}

fn line(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    format!("  {:<28} {}", text("name"), text("summary"))
}
