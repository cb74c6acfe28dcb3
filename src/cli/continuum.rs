//! `insonate continuum`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use insonate::continuum::lumen::CentreLine;
use insonate::continuum::{
    ContinuumError, Equilibrium, RodConfig, Routing, Section, Segment, StepSettings, TableRow,
};
use insonate::experiments::continuum::{
    BendPlan, InsertionFilm, InsertionPlan, Passage, Steering, bend, insert,
};
use insonate::files::OutputFolder;
use insonate::models::robots;
use insonate::report::{insertion_force_plot, insertion_shape_plot};
use insonate::sim::SimError;
use insonate::sim::render::PACKAGES;
use insonate_settings::check_range;
use serde_json::Value;

use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::progress_bar::named_bar;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate continuum bend --length 0.1 --tip-force 0,0,-1 --json
  insonate continuum insert --lumen t --rod b --insertion-depth 0.25 --output output/t
  insonate continuum navigate --target RB8 --output output/rb8")]
pub(crate) struct Continuum {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Bend a clamped rod by a force, a moment or cables, to equilibrium.
    #[command(after_help = "Examples:
  insonate continuum bend --length 0.1 --young 5.1e8 --area 5.551e-6 --inertia 5.041e-12 --elements 50 --tip-force 0,0,-1 --json
  insonate continuum bend --tip-moment 0,0.05,0
  insonate continuum bend --rod c --tensions 5,0,0 --json

The rod lies along x and is clamped at the origin. Without --length, --young, --area and --inertia it is that of --rod.")]
    Bend(BendArgs),
    /// Push a rod into a lumen, passively or with its cables pulled.
    #[command(after_help = "Examples:
  insonate continuum insert --lumen t --length 0.47 --insertion-depth 0.25 --output output/t --json
  insonate continuum insert --lumen t --rod c --pull 0,2 --output output/t-c
  insonate continuum insert --lumen airways.stl --unit 0.001 --insertion-depth 0.2
  insonate continuum insert --lumen tree --insertion-depth 0.2 --friction 0.1 --wall-stiffness 2000

A mesh is entered from above (+z), 3 % below its highest point, unless --entry and --direction say otherwise; it must be closed and must not
cross itself. The folder holds log.csv (tip, sensors at the places of Table I, forces, penetration, tensions), plots, stills and a film.")]
    Insert(Box<InsertArgs>),
    /// Steer a bronchoscope through the bronchial tree to an airway, along its centre line.
    #[command(after_help = "Examples:
  insonate continuum navigate --target RB8 --output output/rb8
  insonate continuum navigate --target LB6a --json --no-pictures

Airways are named as bronchoscopists do: RB1 to RB10, LB1+2 to LB10, each followed by a or b for the two that come after; --target ? lists all.")]
    Navigate(Box<NavigateArgs>),
}

#[derive(Debug, Args)]
struct BendArgs {
    /// Row of Table I of the paper for values that are not given: a to d.
    #[arg(long = "rod", alias = "material", value_name = "ROW", default_value = "a", value_parser = row)]
    material: TableRow,
    /// Length [m] [default: 0.1]
    #[arg(long, value_name = "M", default_value_t = 0.1)]
    length: f64,
    /// Young's modulus [Pa]
    #[arg(long, value_name = "PA")]
    young: Option<f64>,
    /// Shear modulus [Pa] [default: half of Young's]
    #[arg(long, value_name = "PA")]
    shear: Option<f64>,
    /// Area of the cross-section [m²]
    #[arg(long, value_name = "M2")]
    area: Option<f64>,
    /// Second moment of area [m⁴]
    #[arg(long, value_name = "M4")]
    inertia: Option<f64>,
    /// Number of elements.
    #[arg(long, value_name = "N", default_value_t = 50)]
    elements: usize,
    /// Force on the tip, constant in the world frame [N].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    tip_force: [f64; 3],
    /// Moment on the tip [N·m].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    tip_moment: [f64; 3],
    /// Tensions of three cables, a third of a turn apart [N].
    #[arg(long, value_name = "T1,T2,T3", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    tensions: [f64; 3],
    /// Distance of the cables from the centre line [m] [default: three quarters of the radius]
    #[arg(long, value_name = "M")]
    cable_offset: Option<f64>,
    /// Let the cables act at the tip alone, as in the paper (Eq. 16-20), instead of running through guides.
    #[arg(long)]
    cables_at_tip: bool,
    /// Acceleration of gravity [m/s²].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    gravity: [f64; 3],
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EquilibriumArg {
    Converged,
    OneStep,
}

#[derive(Debug, Args)]
struct RodArgs {
    /// Row of Table I of the paper: a, b (tubes), c, d (the robot, with a flexible end of 70 mm and cables).
    #[arg(long = "rod", alias = "material", value_name = "ROW", default_value = "c", value_parser = row)]
    material: TableRow,
    /// Length of the rod [m].
    #[arg(long, value_name = "M", default_value_t = 0.47)]
    length: f64,
    /// Number of elements of the whole rod.
    #[arg(long, value_name = "N", default_value_t = 94)]
    elements: usize,
    /// Length beyond the introducer at the start [m].
    #[arg(long, value_name = "M", default_value_t = 0.02)]
    start: f64,
    /// Advance in a step [m].
    #[arg(long, value_name = "M", default_value_t = 1e-3)]
    advance: f64,
    /// Coulomb friction coefficient between rod and wall.
    #[arg(long, value_name = "MU", default_value_t = 0.0)]
    friction: f64,
    /// Stiffness of the wall under a contact [N/m] [default: rigid]
    #[arg(long, value_name = "N/M")]
    wall_stiffness: Option<f64>,
    /// Acceleration of gravity [m/s²].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    gravity: [f64; 3],
    /// Linearisations in each step: until forces balance, or one as in the paper [default: insert converged, navigate one-step]
    #[arg(long, value_enum)]
    equilibrium: Option<EquilibriumArg>,
    /// Folder for log, plots, pictures and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/continuum")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Do not render pictures.
    #[arg(long)]
    no_pictures: bool,
    /// Frames of the film, 2 to 200.
    #[arg(long, value_name = "N", default_value_t = 40)]
    frames: usize,
    /// Size of a picture [pixels].
    #[arg(long, value_name = "WxH", default_value = "480x480", value_parser = super::outcome::picture_size)]
    picture_size: (u32, u32),
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct InsertArgs {
    /// t, tree, or a mesh file (OBJ, STL, PLY).
    #[arg(long, value_name = "LUMEN", default_value = "tree")]
    lumen: String,
    /// Insertion depth of the rod beyond the introducer [m].
    #[arg(
        long = "insertion-depth",
        alias = "depth",
        value_name = "M",
        default_value_t = 0.22
    )]
    depth: f64,
    /// Pull of the cables along y and z of the tip [N], reached halfway.
    #[arg(long, value_name = "Y,Z", value_parser = pair, allow_hyphen_values = true, default_value = "0,0")]
    pull: [f64; 2],
    /// Unit of a mesh file's lengths [m].
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    unit: f64,
    /// Position at which the rod enters a mesh [m].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    entry: Option<[f64; 3]>,
    /// Direction in which the rod enters a mesh.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,-1")]
    direction: [f64; 3],
    #[command(flatten)]
    rod: RodArgs,
}

#[derive(Debug, Args)]
struct NavigateArgs {
    /// Name of the target airway; the tip goes to its end.
    #[arg(long, value_name = "NAME", default_value = "RB8")]
    target: String,
    /// Distance from the target at which it is reached [m].
    #[arg(long, value_name = "M", default_value_t = 3e-3)]
    threshold: f64,
    /// Maximum pull of the cables [N].
    #[arg(long, value_name = "N", default_value_t = 15.0)]
    max_pull: f64,
    #[command(flatten)]
    rod: RodArgs,
}

/// An insertion that ended early.
#[derive(Debug, thiserror::Error)]
#[error("{0}; the results until then are in {1}")]
struct EndedEarly(String, String);

impl Continuum {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.experiment {
            Experiment::Bend(args) => args.run(),
            Experiment::Insert(args) => args.run(),
            Experiment::Navigate(args) => args.run(),
        }
    }
}

impl BendArgs {
    fn run(&self) -> anyhow::Result<()> {
        let row = RodConfig::table(self.material, 10);
        let known = *row.section_at(0.0);
        let young = self.young.unwrap_or(known.young_modulus);
        let mut section = Section::tube(
            young,
            self.area.unwrap_or(known.area),
            self.inertia.unwrap_or(known.inertia_y),
            known.density,
        );
        section.shear_modulus = self.shear.unwrap_or(section.shear_modulus);
        let routing = if self.cables_at_tip {
            Routing::AtTip
        } else {
            Routing::Guided {
                length: self.length,
            }
        };
        let bending = bend(&BendPlan {
            length: self.length,
            n_elements: self.elements,
            cable_offset: self.cable_offset.unwrap_or(0.75 * section.radius),
            section,
            tip_force: self.tip_force,
            tip_moment: self.tip_moment,
            tensions: self.tensions,
            routing,
            gravity: self.gravity,
        })
        .map_err(usage)?;
        show(&serde_json::to_value(&bending)?, self.json)
    }
}

impl InsertArgs {
    fn run(&self) -> anyhow::Result<()> {
        let passage = match self.lumen.as_str() {
            "t" => Passage::t(),
            "tree" => Passage::tree(),
            file => {
                let entry = self
                    .entry
                    .map(|entry| (entry.into(), self.direction.into()));
                Passage::from_file(file.as_ref(), self.unit, entry)
            }
        };
        let greatest = self.pull[0].hypot(self.pull[1]).max(1e-3);
        let plan = self
            .rod
            .plan(self.depth, Steering::Pull(self.pull), greatest)?;
        let title = format!("{}, row {:?} of Table I", self.lumen, self.rod.material);
        self.rod.run(&plan, &passage.map_err(usage)?, None, &title)
    }
}

impl NavigateArgs {
    fn run(&self) -> anyhow::Result<()> {
        let passage = Passage::tree().map_err(usage)?;
        let line = passage.line_to(&self.target).map_err(usage)?;
        let steering = Steering::Follow {
            line: line.clone(),
            threshold: self.threshold,
        };
        // As far as the line, with some slack for bends.
        let depth = (1.2 * line.length()).min(self.rod.length);
        let plan = self.rod.plan(depth, steering, self.max_pull)?;
        let title = format!("to {}", self.target);
        self.rod.run(&plan, &passage, Some(&line), &title)
    }
}

impl RodArgs {
    fn plan(&self, depth: f64, steering: Steering, max_pull: f64) -> anyhow::Result<InsertionPlan> {
        let mut rod = RodConfig::table(self.material, self.elements);
        // The proximal piece makes up the length.
        let others: f64 = rod.segments[1..].iter().map(|segment| segment.length).sum();
        let Segment { section, .. } = rod.segments[0];
        rod.segments[0] = Segment {
            length: self.length - others,
            section,
        };
        rod.gravity = self.gravity.into();
        rod.check().map_err(usage)?;
        let check = |name, value, range, unit| check_range(name, value, range, unit).map_err(usage);
        check(
            "start",
            self.start,
            [rod.element_length(), self.length],
            "m",
        )?;
        check("depth", depth, [self.start, self.length], "m")?;
        check("advance", self.advance, [1e-6, 0.02], "m")?;
        check("frames", self.frames as f64, [2.0, 200.0], "")?;
        check("max_pull", max_pull, [1e-6, 1e3], "N")?;
        let mut settings = StepSettings {
            friction: self.friction,
            wall_stiffness: self.wall_stiffness,
            ..StepSettings::default()
        };
        // A steered tip takes small steps near equilibrium; one that is pushed against a wall slips, which one linearisation overshoots.
        let word = self.equilibrium.unwrap_or(match steering {
            Steering::Pull(_) => EquilibriumArg::Converged,
            Steering::Follow { .. } => EquilibriumArg::OneStep,
        });
        if word == EquilibriumArg::Converged {
            settings.equilibrium = Equilibrium::Converged { tolerance: 1e-8 };
        }
        Ok(InsertionPlan {
            rod,
            row: self.material,
            settings,
            start: self.start,
            depth,
            advance: self.advance,
            steering,
            max_pull,
        })
    }

    fn run(
        &self,
        plan: &InsertionPlan,
        passage: &Passage,
        line: Option<&CentreLine>,
        title: &str,
    ) -> anyhow::Result<()> {
        let folder = self.overwrite.folder(&self.output, "continuum")?;
        let bar = named_bar("insert")?;
        let interrupt = Interrupt::listen()?;
        let done = insert(plan, passage, &mut |share| {
            bar.set_position((1000.0 * share).round() as u64);
            interrupt.flow()
        });
        bar.finish_and_clear();
        let (summary, record) = done.map_err(usage)?;
        folder.write("log.csv", record.to_csv().as_bytes())?;
        let json = serde_json::to_value(&summary)?;
        folder.write("summary.json", format!("{json:#}\n").as_bytes())?;
        let shown = folder.path().display().to_string();
        let saved = format!("saved log.csv and summary.json in {shown}");
        interrupt.saved(&saved);
        if !interrupt.is_interrupted() {
            for picture in [
                insertion_force_plot(title, &record)?,
                insertion_shape_plot(title, &record)?,
            ] {
                for (name, content) in picture.files() {
                    folder.write(&name, &content)?;
                }
            }
            if !self.no_pictures {
                let target = line.map(|line| line.at(f64::INFINITY));
                let robot = robots::by_name("panda");
                let size = (self.frames, self.picture_size);
                match InsertionFilm::draw(&record, passage, &plan.rod, target, robot, size) {
                    Ok(film) => write_film(&film, &folder)?,
                    Err(problem @ SimError::Graphics { .. }) => {
                        eprintln!("note: no pictures: {problem} (Debian packages: {PACKAGES})");
                    }
                    Err(problem) => eprintln!("note: no pictures: {problem}"),
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

fn write_film(film: &InsertionFilm, folder: &OutputFolder) -> anyhow::Result<()> {
    for (name, picture) in &film.stills {
        picture.write_rgb(&folder.file(&format!("{name}.png"))?)?;
    }
    if let Some(gif) = film.to_gif()? {
        folder.write("insertion.gif", &gif)?;
    }
    Ok(())
}

pub(super) fn show(figures: &Value, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print(&serde_json::to_string_pretty(figures)?);
    }
    let lines = figures.as_object().into_iter().flatten();
    let lines = lines.map(|(name, value)| format!("{name:<24} {value}"));
    print(&lines.collect::<Vec<_>>().join("\n"))
}

fn usage(error: impl Into<ContinuumError>) -> Usage {
    Usage::new(error.into())
}

fn row(name: &str) -> Result<TableRow, String> {
    match name {
        "a" => Ok(TableRow::A),
        "b" => Ok(TableRow::B),
        "c" => Ok(TableRow::C),
        "d" => Ok(TableRow::D),
        _ => Err("choose one of a, b, c and d".to_owned()),
    }
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parts: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let parts = parts.map_err(|error| format!("{error}"))?;
    let n_parts = parts.len();
    let numbers: [f64; N] = parts.try_into().map_err(|_| {
        format!("the number of values is {n_parts}; it must be {N}, separated by commas")
    })?;
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(numbers);
    }
    Err("the values must be finite numbers".to_owned())
}

fn pair(text: &str) -> Result<[f64; 2], String> {
    numbers(text)
}

pub(super) fn triple(text: &str) -> Result<[f64; 3], String> {
    numbers(text)
}
