//! `insonate needle`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use insonate::experiments::ExperimentError;
use insonate::experiments::needle::{NeedlePlan, PlannedLayer, Preset, insert_needle};
use insonate::models::probes::{self, Transducer};
use insonate::models::robots;
use insonate::needle::Gauge;
use insonate::report::needle_force_plot;
use insonate::sim::needle::InsertionError;
use insonate_settings::{SettingError, UnknownName, check_range, find};

use super::Usage;
use super::continuum::{show, triple};
use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::progress_bar::named_bar;
use super::scene_words::{help, names};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate needle insert --gauge 18 --target 0.01,0,-0.05 --angle 60 --output output/needle
  insonate needle insert --gauge 22 --target 0,0,-0.04 --tissues skin:0.002,fat:0.02,liver --json")]
pub(crate) struct NeedleCommand {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Push a needle by hand into a block of layered tissue, towards a target.
    #[command(after_help = "Examples:
  insonate needle insert --gauge 18 --target 0.01,0,-0.05 --angle 60 --output output/needle
  insonate needle insert --gauge 18 --target 0.01,0,-0.035 --angle 40 --b-mode --output output/needle-b-mode
  insonate needle insert --gauge 22 --target 0,0,-0.04 --tissues skin:0.002,fat:0.02,liver --json

The hub moves along a straight line to where the target was at rest, and holds there for half a second: the tissue gives way, the needle bends,
and the target moves, so the tip misses it. All numbers are simulated. The tissues are skin, fat, muscle, liver, kidney and bone;
their cutting force and friction are published for liver and for the way from skin to kidney, and taken for all of them
(summary.json says from where). No needle enters bone.

The folder holds log.csv (forces with their parts, tip, target), a plot of them, summary.json, a film of the section and its last frame;
--b-mode adds the image of a probe whose array begins 5 mm behind the entry, with the displaced tissue and the needle's echo.
The exit status is 1 if the needle cannot go on, for example because it buckles; the results until then are written.")]
    Insert(InsertArgs),
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
struct InsertArgs {
    /// Gauge of the needle: 14, 16, 17, 18, 20, 21, 22 or 25.
    #[arg(long, value_name = "G", default_value_t = 18)]
    gauge: u32,
    /// Length of the needle from hub to tip [m].
    #[arg(long, value_name = "M", default_value_t = 0.15)]
    length: f64,
    /// Target [m]; the middle of the skin is the origin, and z points up.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0.01,0,-0.05")]
    target: [f64; 3],
    /// Angle between needle and skin [degrees]; the needle comes from -x.
    #[arg(long, value_name = "DEG", default_value_t = 60.0)]
    angle: f64,
    /// Speed of the hub [m/s].
    #[arg(long, value_name = "M_S", default_value_t = 0.005)]
    speed: f64,
    /// Layers from the skin down, each with its thickness [m]; the last one fills the rest.
    #[arg(long, value_name = "NAME:M,...,NAME", value_parser = layers, default_value = "skin:0.002,fat:0.012,muscle:0.01,liver")]
    tissues: Layers,
    /// Sizes of the block of tissue [m]; its bottom and sides are fixed.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, default_value = "0.14,0.08,0.08")]
    block: [f64; 3],
    /// Edge of the elements [m].
    #[arg(long, value_name = "M", default_value_t = 8e-3)]
    edge: f64,
    #[arg(long, help = help("Robot of the scene that holds the needle on a force sensor; otherwise a hand moves it exactly", &with_flange()))]
    robot: Option<String>,
    /// Break the whole skin; otherwise a nick opens it.
    #[arg(long)]
    whole_skin: bool,
    /// Film the B-mode image next to the section.
    #[arg(long, conflicts_with = "no_pictures")]
    b_mode: bool,
    #[arg(long, default_value = "l12-5", requires = "b_mode", help = help("Ultrasound probe of --b-mode, on the skin behind the entry", &names(probes::ALL)))]
    probe: String,
    /// Frames of the film, 2 to 200.
    #[arg(long, value_name = "N", default_value_t = 40)]
    frames: usize,
    /// Do not draw the film.
    #[arg(long)]
    no_pictures: bool,
    /// Folder for log, plot, film and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/needle")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// Layers of an option.
#[derive(Debug, Clone)]
struct Layers(Vec<PlannedLayer>);

/// Names of the robots that hold something.
fn with_flange() -> Vec<&'static str> {
    let held = robots::ALL
        .iter()
        .filter(|(_, make)| make().flange.is_some());
    held.map(|(name, _)| *name).collect()
}

/// An insertion that ended early.
#[derive(Debug, thiserror::Error)]
#[error("{0}; the results until then are in {1}")]
struct EndedEarly(String, String);

impl NeedleCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.experiment {
            Experiment::Insert(args) => args.run(),
        }
    }
}

impl InsertArgs {
    fn plan(&self, transducer: Option<Transducer>) -> Result<NeedlePlan, SettingError> {
        check_range("frames", self.frames as f64, [2.0, 200.0], "")?;
        let plan = NeedlePlan {
            gauge: Gauge::from_number(self.gauge)?,
            length: self.length,
            target: self.target,
            angle: self.angle.to_radians(),
            speed: self.speed,
            layers: self.tissues.0.clone(),
            size: self.block,
            edge: self.edge,
            is_skin_whole: self.whole_skin,
            transducer,
            robot: self.robot.clone(),
        };
        plan.check()?;
        Ok(plan)
    }

    fn transducer(&self) -> Result<Option<Transducer>, UnknownName> {
        if !self.b_mode {
            return Ok(None);
        }
        let (_, make) = find("probe", &self.probe, probes::ALL, |(name, _)| name)?;
        Ok(Some(make().transducer))
    }

    fn run(&self) -> anyhow::Result<()> {
        let transducer = self.transducer().map_err(Usage::new)?;
        let plan = self.plan(transducer).map_err(Usage::new)?;
        let folder = self.overwrite.folder(&self.output, "needle")?;
        let bar = named_bar("insert")?;
        let interrupt = Interrupt::listen()?;
        let done = insert_needle(&plan, self.frames, &mut |share| {
            bar.set_position((1000.0 * share).round() as u64);
            interrupt.flow()
        });
        bar.finish_and_clear();
        let (summary, record, film) = done.map_err(|error| match error {
            ExperimentError::Insertion(InsertionError::Setting(error))
            | ExperimentError::Setting(error) => Usage::new(error).into(),
            other => anyhow::Error::from(other),
        })?;
        folder.write("log.csv", record.to_csv().as_bytes())?;
        let json = serde_json::to_value(&summary)?;
        folder.write("summary.json", format!("{json:#}\n").as_bytes())?;
        let shown = folder.path().display().to_string();
        let saved = format!("saved log.csv and summary.json in {shown}");
        interrupt.saved(&saved);
        if !interrupt.is_interrupted() {
            let title = format!("simulated: {}G at {}° to the skin", self.gauge, self.angle);
            for (name, content) in needle_force_plot(&title, &record)?.files() {
                folder.write(&name, &content)?;
            }
            if !self.no_pictures {
                if let Some(film) = film.film()? {
                    folder.write("insertion.gif", &film.to_gif()?)?;
                }
                if let Some(picture) = film.last_frame()? {
                    folder.write("last_frame.png", &picture)?;
                }
            }
        }
        show(&json, self.json)?;
        if interrupt.is_interrupted() {
            return Err(interrupt.error(saved).into());
        }
        match summary.ended_early {
            Some(reason) => Err(EndedEarly(reason, shown).into()),
            None => Ok(()),
        }
    }
}

/// Layers as `NAME:THICKNESS,…,NAME`.
fn layers(text: &str) -> Result<Layers, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let last = parts.len() - 1;
    let parts = parts.iter().enumerate().map(|(index, part)| {
        let (name, thickness) = match part.split_once(':') {
            Some((name, thickness)) => (name, Some(thickness)),
            None => (*part, None),
        };
        let preset = Preset::by_name(name).map_err(|error| error.to_string())?;
        let thickness = match thickness {
            Some(text) => text.parse().map_err(|_| {
                format!("the thickness of {name} is `{text}`; it must be a number [m]")
            })?,
            // The last layer fills the rest.
            None if index == last => 1.0,
            None => {
                return Err(format!(
                    "{name} has no thickness; write {name}:THICKNESS [m]"
                ));
            }
        };
        Ok(PlannedLayer { preset, thickness })
    });
    parts.collect::<Result<_, String>>().map(Layers)
}
