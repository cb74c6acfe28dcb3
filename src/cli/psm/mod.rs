//! `insonate psm`: the da Vinci PSM, simulated and identified.

mod identify;
mod simulate;
mod track;

use clap::{Args, Subcommand};
use insonate::models::robots::psm::Instrument;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate psm track --trajectory spiral --controller computed-torque --output output/spiral
  insonate psm track --trajectory line --no-counterweight --json
  insonate psm simulate --torso fast --depth 0.012 --output output/palpation
  insonate psm identify one.csv --test two.csv --rate 200 --coordinates motor
  insonate scene --robot psm --torso none --output psm.xml")]
pub(crate) struct Psm {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Palpate a torso with the instrument, and estimate the force on its tip from motor torques.
    Simulate(Box<simulate::Simulate>),
    /// Follow a motion; compare the torques with the identified model's.
    Track(track::Track),
    /// Find the arm's dynamics from recorded motions.
    Identify(Box<identify::Identify>),
}

impl Psm {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.command {
            Command::Simulate(command) => command.run(),
            Command::Track(command) => command.run(),
            Command::Identify(command) => command.run(),
        }
    }
}

/// What the arm holds.
fn instrument(name: &str) -> Result<Instrument, String> {
    named(&Instrument::ALL, name)
}

/// The entry called `name`.
fn named<T: Copy>(all: &[(&'static str, T)], name: &str) -> Result<T, String> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, it)| *it).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        format!("choose one of {}", known.join(", "))
    })
}

/// Seven numbers of the joints in a line.
fn seven(name: &str, values: &[f64; 7]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|value| format!("{value:>10.3e}"))
        .collect();
    format!("{name:<24} {}", values.join(" "))
}

/// The heading over such lines.
fn joints() -> String {
    let names = [
        "yaw",
        "pitch",
        "insertion",
        "roll",
        "wrist",
        "jaw a",
        "jaw b",
    ];
    let names: Vec<String> = names.iter().map(|name| format!("{name:>10}")).collect();
    format!("{:<24} {}", "", names.join(" "))
}
