//! `insonate list`: what there is.

use clap::Args;
use insonate::calibration::models as tissue;
use insonate::envs::{actions, tasks};
use insonate::models::{probes, robots, torsos};
use insonate::sim::readings;
use insonate::training::Given;
use serde_json::{Value, json};

use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate list
  insonate describe probe-sweep
  insonate list --json | python3 -m json.tool")]
pub(crate) struct List {
    /// Show one task as `insonate describe` does.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(task) = &self.task {
            return super::describe::show(task, &Given::default(), self.json);
        }
        let sections = [
            (
                "robots",
                robots::ALL
                    .iter()
                    .map(|(_, make)| make())
                    .map(|robot| entry(&robot.name, &robot.summary))
                    .collect(),
            ),
            (
                "probes",
                probes::ALL
                    .iter()
                    .map(|(_, make)| make())
                    .map(|probe| entry(&probe.name, &probe.summary))
                    .collect(),
            ),
            (
                "torsos",
                torsos::ALL
                    .iter()
                    .map(|kind| entry(kind.name, kind.summary))
                    .collect(),
            ),
            (
                "shapes",
                torsos::Shape::ALL
                    .iter()
                    .map(|(name, _)| entry(name, "outline of a torso"))
                    .collect(),
            ),
            (
                "tissue_models",
                tissue::ALL
                    .iter()
                    .map(|kind| entry(kind.name, &format!("{}: {}", kind.equation, kind.summary)))
                    .collect(),
            ),
            (
                "tasks",
                tasks::ALL
                    .iter()
                    .map(|kind| entry(kind.name, kind.summary))
                    .collect(),
            ),
            (
                "action_modes",
                actions::ALL
                    .iter()
                    .map(|kind| entry(kind.name, kind.summary))
                    .collect(),
            ),
            ("quantities", quantities()),
        ];
        if self.json {
            let all: serde_json::Map<String, Value> = sections
                .into_iter()
                .map(|(name, entries): (&str, Vec<Value>)| (name.to_owned(), entries.into()))
                .collect();
            return print(&serde_json::to_string_pretty(&all)?);
        }
        let lines = sections.iter().flat_map(|(name, entries)| {
            let title = std::iter::once((*name).to_owned());
            title
                .chain(entries.iter().map(line))
                .chain(std::iter::once(String::new()))
        });
        print(lines.collect::<Vec<_>>().join("\n").trim_end())
    }
}

fn entry(name: &str, summary: &str) -> Value {
    json!({ "name": name, "summary": summary })
}

fn quantities() -> Vec<Value> {
    let quantities = readings::QUANTITIES.iter().map(|quantity| {
        [
            quantity.name,
            quantity.unit,
            quantity.shape,
            quantity.summary,
        ]
    });
    quantities
        .chain(readings::IMAGES)
        .map(|[name, unit, shape, summary]| {
            json!({ "name": name, "unit": unit, "shape": shape, "summary": format!("[{unit}] {shape}: {summary}") })
        })
        .collect()
}

fn line(entry: &Value) -> String {
    let word = |key: &str| entry[key].as_str().unwrap_or_default();
    format!("  {:<28} {}", word("name"), word("summary"))
}
