//! `insonate tissue`.

use insonate_settings::SettingError;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use insonate::experiments::Device;
use insonate::experiments::tissue::motions::Motion;
use insonate::experiments::tissue::{
    BodyKind, MotionFilm, MotionPlan, MotionRun, MotionSummary, TissueSolver, TissueSurface, run,
};
use insonate::files::OutputFolder;
use insonate::report::motion_plot;
use insonate::sim::SimError;
use insonate::sim::render::PACKAGES;
use insonate::tissue::TissueError;

use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::progress_bar::named_bar;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate tissue push --output output/push
  insonate tissue tear --solver xpbd --json
  insonate tissue press --body slab --depth 0.02 --young-modulus 8000

Every motion starts and stops smoothly. Its folder holds force.csv (pose of the tool, force and \
torque on it, force on all supports), a plot of it, summary.json, a film and four stills; --export \
adds the tissue's surface at the end.

momentum_residual is the greatest difference between the momentum that the tissue gained and the \
impulses of tools, supports and gravity on it, over the sum of the sizes of these impulses. No wall of \
the grid is near and no vertex is fixed, so it is as small as rounding in single precision makes it.

The exit status is 1 if the tissue diverges; the results until then are written.")]
pub(crate) struct Tissue {
    #[command(subcommand)]
    motion: MotionCommand,
}

#[derive(Debug, Subcommand)]
enum MotionCommand {
    /// Push a body from the side with a blunt rod.
    #[command(after_help = "Examples:
  insonate tissue push --output output/push
  insonate tissue push --solver xpbd --travel 0.03 --young-modulus 6000 --json
  insonate tissue push --body liver --resolution 32 --export ply
  insonate tissue push --device gpu")]
    Push(MotionArgs),
    /// Take hold of a body's top with a grasper and lift it.
    #[command(after_help = "Examples:
  insonate tissue pull --output output/pull
  insonate tissue pull --solver xpbd --travel 0.02 --json
  insonate tissue pull --young-modulus 8000 --resolution 32")]
    Pull(MotionArgs),
    /// Pull a notched strip apart until it tears.
    #[command(after_help = "Examples:
  insonate tissue tear --output output/tear
  insonate tissue tear --solver xpbd --duration 4 --json

Tissue loses its stiffness between 1.35 and 1.65 of its length (mpm), or its elements at 1.5 (xpbd).")]
    Tear(MotionArgs),
    /// Stretch a strip between two clamps.
    #[command(after_help = "Examples:
  insonate tissue tension --output output/tension
  insonate tissue tension --solver xpbd --travel 0.05 --young-modulus 40000 --json")]
    Tension(MotionArgs),
    /// Lift the edge of a liver with a grasper through a trocar.
    #[command(after_help = "Examples:
  insonate tissue retract --output output/retract
  insonate tissue retract --solver xpbd --travel 0.05 --json")]
    Retract(MotionArgs),
    /// Press the face of a probe into a torso, a slab or a liver.
    #[command(after_help = "Examples:
  insonate tissue press --output output/press
  insonate tissue press --body slab --depth 0.02 --solver xpbd --json
  insonate tissue press --young-modulus 12000 --export obj
  insonate tissue press --layers --resolution 40 --json")]
    Press(MotionArgs),
}

#[derive(Debug, Args)]
struct MotionArgs {
    /// Solver.
    #[arg(long, value_name = "SOLVER", default_value = "mpm")]
    solver: SolverArg,
    /// Device; auto uses the CPU. The GPU runs push and press of mpm, and all motions of xpbd; there, tools only touch the vertices.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: super::device_arg::DeviceArg,
    /// Number of threads; 0 uses one per core. Results do not depend on it; xpbd uses one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Body: slab, liver, torso or strip [default: depends on the motion]
    #[arg(long, value_name = "BODY", value_parser = body)]
    body: Option<BodyKind>,
    /// Give slab, liver or torso its layers (skin, fat, muscle, organ; capsule and parenchyma), each of its own material.
    #[arg(long, conflicts_with_all = ["young_modulus", "poisson_ratio", "density"])]
    layers: bool,
    /// Young's modulus [Pa] [default: slab 12000, liver 10000, torso and strip 20000]
    #[arg(long, value_name = "PA")]
    young_modulus: Option<f64>,
    /// Poisson's ratio [default: 0.45]
    #[arg(long, value_name = "NU")]
    poisson_ratio: Option<f64>,
    /// Density [kg/m³] [default: 1050]
    #[arg(long, value_name = "RHO")]
    density: Option<f64>,
    /// Damping: viscosity over shear modulus [s] [default: 0.005]
    #[arg(long, value_name = "S")]
    damping_time: Option<f64>,
    /// Coulomb friction coefficient between tissue and the bodies that touch it without holding it [default: 0.2]
    #[arg(long, value_name = "MU")]
    friction: Option<f64>,
    /// Gravity [m/s²] [default: 9.81]
    #[arg(long, value_name = "G")]
    gravity: Option<f64>,
    /// Cells of the grid, or edges of tetrahedra, along the body's longest side [default: mpm 24, xpbd 16]
    #[arg(long, value_name = "N")]
    resolution: Option<usize>,
    /// Travel of the tool after it touches or holds the body [m] [default: 0.015 to 0.06, by motion and body]
    #[arg(long, visible_alias = "depth", value_name = "M")]
    travel: Option<f64>,
    /// Simulated time [s] [default: 2 to 2.6, by motion]
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
    /// Frames of the film, 2 to 60.
    #[arg(long, value_name = "N", default_value_t = 40)]
    frames: usize,
    /// Folder for log, plot, film and summary [default: output/tissue-MOTION]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Write the tissue's surface at the end, with normals and UVs: obj or ply.
    #[arg(long, value_name = "FORMAT")]
    export: Option<Export>,
    /// Do not render pictures.
    #[arg(long)]
    no_pictures: bool,
    /// Size of the film [pixels].
    #[arg(long, value_name = "WxH", default_value = "480x360", value_parser = super::outcome::picture_size)]
    picture_size: (u32, u32),
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SolverArg {
    /// Particles and a grid.
    Mpm,
    /// Tetrahedra with compliant constraints.
    Xpbd,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Export {
    Obj,
    Ply,
}

/// A motion that ended early.
#[derive(Debug, thiserror::Error)]
#[error("{0}; the results until then are in {1}")]
struct EndedEarly(String, String);

impl Tissue {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (name, args) = match &self.motion {
            MotionCommand::Push(args) => ("push", args),
            MotionCommand::Pull(args) => ("pull", args),
            MotionCommand::Tear(args) => ("tear", args),
            MotionCommand::Tension(args) => ("tension", args),
            MotionCommand::Retract(args) => ("retract", args),
            MotionCommand::Press(args) => ("press", args),
        };
        let motion =
            Motion::by_name(name).ok_or_else(|| anyhow::anyhow!("there is no motion {name}"))?;
        args.run(motion)
    }
}

impl MotionArgs {
    fn plan(&self, motion: &'static Motion) -> MotionPlan {
        let solver = match self.solver {
            SolverArg::Mpm => TissueSolver::Mpm,
            SolverArg::Xpbd => TissueSolver::Xpbd,
        };
        let body = self.body.unwrap_or(motion.bodies[0]);
        let usual = MotionPlan::on(motion, solver, body);
        let mut material = usual.material;
        let [young_modulus, poisson_ratio, density] =
            [self.young_modulus, self.poisson_ratio, self.density];
        material.young_modulus = young_modulus.unwrap_or(material.young_modulus);
        material.poisson_ratio = poisson_ratio.unwrap_or(material.poisson_ratio);
        material.density = density.unwrap_or(material.density);
        MotionPlan {
            device: self.device.into(),
            n_threads: self.threads,
            material,
            layers: self.layers,
            damping_time: self.damping_time.unwrap_or(usual.damping_time),
            friction: self.friction.unwrap_or(usual.friction),
            resolution: self.resolution.unwrap_or(usual.resolution),
            travel: self.travel.unwrap_or(usual.travel),
            duration: self.duration.unwrap_or(usual.duration),
            n_frames: self.frames,
            gravity: self.gravity.unwrap_or(usual.gravity),
            ..usual
        }
    }

    fn run(&self, motion: &'static Motion) -> anyhow::Result<()> {
        let plan = self.plan(motion);
        plan.check().map_err(|error| Usage::new(by_option(error)))?;
        if plan.solver == TissueSolver::Xpbd && plan.device == Device::Gpu {
            eprintln!(
                "note: on the GPU, tools touch the vertices of tetrahedra only, not their faces, so the force on an instrument narrower than an edge is \
                 too small; use --device cpu"
            );
        }
        let usual = || PathBuf::from(format!("output/tissue-{}", motion.name));
        let output = self.output.clone().unwrap_or_else(usual);
        let folder = self.overwrite.folder(&output, "tissue")?;
        let (width, height) = self.picture_size;
        let mut film = if self.no_pictures {
            MotionFilm::none()
        } else {
            MotionFilm::sized(width, height)
        };
        let bar = named_bar(motion.name)?;
        let interrupt = Interrupt::listen()?;
        let done = run(&plan, &mut film, &mut |share| {
            bar.set_position((1000.0 * share).round() as u64);
            interrupt.flow()
        });
        bar.finish_and_clear();
        let done = done?;
        let shown = folder.path().display();
        let saved = format!("saved force.csv and summary.json in {shown}");
        self.write(&plan, &done, &film, &folder, &|| {
            interrupt.saved(&saved);
            interrupt.is_interrupted()
        })?;
        if self.json {
            print(&serde_json::to_string_pretty(&done.summary)?)?;
        } else {
            print(&in_words(&done.summary)?)?;
            if !interrupt.is_interrupted() {
                print(&format!("\nlog, plot and film: {shown}"))?;
            }
        }
        match done.summary.diverged {
            None if interrupt.is_interrupted() => Err(interrupt.error(saved).into()),
            None => Ok(()),
            Some(reason) => Err(EndedEarly(reason, shown.to_string()).into()),
        }
    }

    fn write(
        &self,
        plan: &MotionPlan,
        done: &MotionRun,
        film: &MotionFilm,
        folder: &OutputFolder,
        is_enough: &dyn Fn() -> bool,
    ) -> anyhow::Result<()> {
        folder.write("force.csv", done.record.to_csv().as_bytes())?;
        let json = serde_json::to_string_pretty(&done.summary)?;
        folder.write("summary.json", format!("{json}\n").as_bytes())?;
        // Drawing takes longer than whoever interrupts wants to wait.
        if is_enough() {
            return Ok(());
        }
        let made_of = if plan.layers {
            "layers".to_owned()
        } else {
            format!("{:.0} kPa", 1e-3 * plan.material.young_modulus)
        };
        let title = format!(
            "{}, {} of {made_of}, {}",
            plan.motion.name,
            plan.body.name(),
            plan.solver.name()
        );
        for (name, content) in motion_plot("force", &title, &done.record)?.files() {
            folder.write(&name, &content)?;
        }
        if let (Some(export), Some(surface)) = (self.export, &done.surface) {
            export.write(surface, folder)?;
        }
        if let Some(problem) = &film.problem {
            match problem {
                SimError::Graphics { .. } => {
                    eprintln!("note: no pictures: {problem} (Debian packages: {PACKAGES})");
                }
                _ => eprintln!("note: pictures end early: {problem}"),
            }
        }
        if let Some(stills) = film.stills() {
            stills.write_rgb(&folder.file("stills.png")?)?;
        }
        let interval = plan.duration / plan.n_frames as f64;
        if let Some(gif) = film.to_gif(interval)? {
            folder.write("motion.gif", &gif)?;
        }
        Ok(())
    }
}

impl Export {
    fn write(self, surface: &TissueSurface, folder: &OutputFolder) -> anyhow::Result<()> {
        let TissueSurface { mesh, normals, uvs } = surface;
        let mut bytes = Vec::new();
        match self {
            Self::Obj => {
                mesh.write_obj(&mut bytes, Some(normals), Some(uvs))?;
                folder.write("surface.obj", &bytes)?;
            }
            Self::Ply => {
                mesh.write_ply(&mut bytes, Some(normals), Some(uvs))?;
                folder.write("surface.ply", &bytes)?;
            }
        }
        Ok(())
    }
}

fn body(name: &str) -> Result<BodyKind, String> {
    let found = BodyKind::ALL.into_iter().find(|body| body.name() == name);
    found.ok_or_else(|| {
        let known = BodyKind::ALL.map(BodyKind::name);
        format!("choose one of {}", known.join(", "))
    })
}

fn in_words(summary: &MotionSummary) -> anyhow::Result<String> {
    let value = serde_json::to_value(summary)?;
    let figures = value.as_object().into_iter().flatten();
    let line = |(name, figure): (&String, &serde_json::Value)| {
        let shown = match (figure.as_u64(), figure.as_f64(), figure.as_str()) {
            (Some(whole), _, _) => whole.to_string(),
            (None, Some(number), _) if number != 0.0 && number.abs() < 1e-3 => {
                format!("{number:.2e}")
            }
            (None, Some(number), _) => format!("{number:.4}"),
            (None, None, Some(word)) => word.to_owned(),
            (None, None, None) if figure.is_array() => {
                let parts = figure.as_array().into_iter().flatten();
                let parts = parts.map(|part| match (part.as_f64(), part["name"].as_str()) {
                    (Some(x), _) => format!("{x:.3}"),
                    (None, Some(name)) => name.to_owned(),
                    (None, None) => part.to_string(),
                });
                parts.collect::<Vec<_>>().join(" ")
            }
            _ => return None,
        };
        Some(format!("{name:<24} {shown}"))
    };
    Ok(figures.filter_map(line).collect::<Vec<_>>().join("\n"))
}

/// The error with the option instead of the field.
fn by_option(error: TissueError) -> TissueError {
    match error {
        TissueError::Setting(error) => TissueError::Setting(SettingError {
            field: format!("--{}", error.field.replace('_', "-")),
            ..error
        }),
        other => other,
    }
}
